//! Levels that are packed a second time.

use flate2::read::ZlibDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::Read;

/// The bytes of a level, exactly as many as it has to have. The error is a sentence.
pub(super) fn unpack(scheme: u32, level: &[u8], size: usize) -> Result<Vec<u8>, String> {
    match scheme {
        0 if level.len() == size => Ok(level.to_vec()),
        0 => Err(format!("a broken KTX2: a mip has {} bytes, and has to have {size}", level.len())),
        1 => Err(
            "is a KTX2 of Basis Universal (BasisLZ), which has to be transcoded first, for instance with \
                  `ktx transcode --target bc7`"
                .into(),
        ),
        2 => {
            let mut decoder = FrameDecoder::new();
            decoder.set_max_window_size((size as u64).next_power_of_two().max(1 << 23));
            let stream = StreamingDecoder::new_with_decoder(level, decoder);
            take(stream.map_err(|_| broken("zstd"))?, size, "zstd")
        }
        3 => take(ZlibDecoder::new(level), size, "zlib"),
        _ => Err(format!(
            "is a KTX2 packed in a way of number {scheme}; pack it with zstd, zlib or not at all"
        )),
    }
}

/// Reads exactly so many bytes. Memory grows with what comes, not with what is claimed.
fn take(input: impl Read, size: usize, packing: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = input.take(size as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|_| broken(packing))?;
    if bytes.len() == size { Ok(bytes) } else { Err(broken(packing)) }
}

fn broken(packing: &str) -> String {
    format!("a broken KTX2: its {packing} data are damaged, or unpack to another size than they have to")
}
