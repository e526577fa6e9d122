//! Chunks in pieces, cut, and with something behind them; rows out of their differences.

use super::super::picture::{Chunks, Packing, Predictor};
use super::super::predictor::decode_row;
use super::super::unpack::Unpacker;
use super::*;
use crate::import::npy::Element;
use proptest::prelude::*;
use std::io::{BufReader, Write};
use tiff::encoder::compression::{CompressionAlgorithm, Packbits};
use weezl::BitOrder;
use weezl::encode::Encoder;

/// Every packing, and LZW as it was before TIFF 6.
fn packings(data: &[u8]) -> [(Packing, Vec<u8>); 6] {
    let lzw = Encoder::with_tiff_size_switch(BitOrder::Msb, 8).encode(data).unwrap();
    let old = Encoder::new(BitOrder::Lsb, 8).encode(data).unwrap();
    let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    deflate.write_all(data).unwrap();
    let mut runs = Vec::new();
    Packbits.write_to(&mut runs, data).unwrap();
    let zstd = ruzstd::encoding::compress_to_vec(data, ruzstd::encoding::CompressionLevel::Fastest);
    [
        (Packing::None, data.to_vec()),
        (Packing::Lzw, lzw),
        (Packing::Lzw, old),
        (Packing::Deflate, deflate.finish().unwrap()),
        (Packing::PackBits, runs),
        (Packing::Zstd, zstd),
    ]
}

/// The first bytes of a chunk, in pieces of these lengths, from a file that is read so many bytes at a time.
fn unpack(
    unpacker: &mut Unpacker,
    packed: &[u8],
    wanted: usize,
    pieces: &[usize],
    at_once: usize,
) -> Result<Vec<u8>, String> {
    let mut input = BufReader::with_capacity(at_once, packed);
    unpacker.begin(&mut input, wanted as u64)?;
    let mut bytes = vec![0; wanted];
    let mut rest = &mut bytes[..];
    for piece in pieces.iter().cycle() {
        let (now, later) = rest.split_at_mut(rest.len().min(*piece));
        unpacker.read(&mut input, now)?;
        rest = later;
        if rest.is_empty() {
            break;
        }
    }
    Ok(bytes)
}

/// Runs, noise, and what came before.
fn data() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        (any::<u8>(), 1usize..600).prop_map(|(byte, count)| vec![byte; count]),
        prop::collection::vec(any::<u8>(), 1..600),
        prop::collection::vec(0u8..3, 1..3000),
    ];
    prop::collection::vec(part, 1..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_chunk_comes_in_pieces_of_any_length(
        data in data(),
        more in data(),
        part in any::<prop::sample::Index>(),
        pieces in prop::collection::vec(1usize..1500, 1..5),
        at_once in 2usize..2000,
    ) {
        let more = packings(&more);
        for ((packing, packed), (_, other)) in packings(&data).into_iter().zip(more) {
            // One that unpacked something else before, and not to its end.
            let mut unpacker = Unpacker::new(packing);
            unpack(&mut unpacker, &other, 1, &pieces, at_once).unwrap();
            let behind = [&packed[..], b"what writers leave there"].concat();
            for wanted in [data.len(), 1 + part.index(data.len())] {
                let whole = unpack(&mut unpacker, &behind, wanted, &pieces, at_once);
                prop_assert!(whole.as_deref() == Ok(&data[..wanted]), "{packing:?}");
            }
            let beyond = unpack(&mut unpacker, &packed, data.len() + 1, &pieces, at_once).unwrap_err();
            prop_assert!(beyond.contains("truncated, or broken"), "{packing:?}: {beyond}");
            // What is cut may have lost its last mark alone.
            match unpack(&mut unpacker, &packed[..part.index(packed.len())], data.len(), &pieces, at_once) {
                Ok(bytes) => prop_assert!(bytes == data, "{packing:?}"),
                Err(why) => prop_assert!(why.contains("truncated, or broken"), "{packing:?}: {why}"),
            }
        }
    }
}

#[test]
fn a_wrong_checksum_is_found_even_where_it_is_read_alone() {
    let data: Vec<u8> = (0..5000u32).map(|i| (i * i / 7) as u8).collect();
    let [.., (packing, mut packed), _, _] = packings(&data);
    assert_eq!(packing, Packing::Deflate);
    *packed.last_mut().unwrap() ^= 1;
    for at_once in [packed.len(), packed.len() - 4, 1] {
        let text = unpack(&mut Unpacker::new(packing), &packed, 5000, &[5000], at_once).unwrap_err();
        assert_eq!(text, "cannot be unpacked as deflate: truncated, or broken");
    }
    // The end of the chunk was not wanted.
    assert!(unpack(&mut Unpacker::new(packing), &packed, 4000, &[100], 9).is_ok());
}

#[test]
fn packbits_as_apple_has_it() {
    // Apple, *Technical Note 1023*; a byte of -128 says nothing.
    let packed = b"\xfe\xaa\x02\x80\x00\x2a\x80\xfd\xaa\x03\x80\x00\x2a\x22\xf7\xaa";
    let unpacked =
        b"\xaa\xaa\xaa\x80\x00\x2a\xaa\xaa\xaa\xaa\x80\x00\x2a\x22\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa";
    let found = unpack(&mut Unpacker::new(Packing::PackBits), packed, unpacked.len(), &[5], 16);
    assert_eq!(found.as_deref(), Ok(&unpacked[..]));
}

#[test]
fn a_frame_of_more_than_is_wanted_is_not_unpacked() {
    // A window of 128 MiB, and a thousand blocks of 128 KiB of one byte.
    let mut bomb = b"\x28\xb5\x2f\xfd\x00\x88".to_vec();
    (0..1000).for_each(|_| bomb.extend(b"\x02\x00\x10\x07"));
    let mut input = &bomb[..];
    let mut unpacker = Unpacker::new(Packing::Zstd);
    unpacker.begin(&mut input, 1000).unwrap();
    let mut bytes = [0; 1000];
    unpacker.read(&mut input, &mut bytes).unwrap();
    assert_eq!(bytes, [7; 1000]);
    assert!(input.len() > 3900, "{}", input.len());
    // One of 2 GiB is refused.
    let text = unpacker.begin(&mut &b"\x28\xb5\x2f\xfd\x00\xa8\x02\x00\x10\x07"[..], 1000).unwrap_err();
    assert!(text.contains("zstd: truncated, or broken"), "{text}");
}

#[test]
fn a_row_is_the_sum_of_its_differences_in_each_band() {
    let heights = |band: usize| (0..40).map(move |x| (x * x) as f32 * 0.37 - (1000 * band) as f32);
    for (stride, order) in [1, 2, 3].into_iter().flat_map(|n| [(n, ByteOrder::Little), (n, ByteOrder::Big)]) {
        let values: Vec<f32> =
            (0..40).flat_map(|x| (0..stride).map(move |band| heights(band).nth(x).unwrap())).collect();
        let whole: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        let stored = |number: u32| match order {
            ByteOrder::Big => number.to_be_bytes(),
            _ => number.to_le_bytes(),
        };
        let before = |index: usize| if index < stride { 0 } else { whole[index - stride] };
        let plain = whole.iter().flat_map(|&number| stored(number)).collect::<Vec<u8>>();
        let horizontal = (0..whole.len()).flat_map(|index| stored(whole[index].wrapping_sub(before(index))));
        let planes: Vec<u8> =
            (0..4).flat_map(|weight| whole.iter().map(move |number| number.to_be_bytes()[weight])).collect();
        let floating = (0..planes.len())
            .map(|index| planes[index].wrapping_sub(if index < stride { 0 } else { planes[index - stride] }));
        for (predictor, row) in [
            (Predictor::None, plain.clone()),
            (Predictor::Horizontal, horizontal.collect()),
            (Predictor::FloatingPoint, floating.collect()),
        ] {
            for place in 0..stride {
                let picture = Picture {
                    width: 40,
                    height: 1,
                    element: Element::Sample(SampleType::F32),
                    band: place,
                    packing: Packing::Lzw,
                    predictor,
                    chunks: Chunks { tiled: false, width: 40, height: 1 },
                    stride,
                    place,
                    plane: 0,
                };
                for columns in [0..40, 7..40, 3..29, 39..40] {
                    let mut found = vec![0.0; columns.len()];
                    let mut row = row.clone();
                    decode_row(&picture, order, &mut row, columns.clone(), &mut found, f32::from_le_bytes);
                    let expected: Vec<f32> = heights(place).skip(columns.start).take(columns.len()).collect();
                    assert_eq!(found, expected, "{predictor:?}, band {place} of {stride}, {order:?}");
                }
            }
        }
    }
}
