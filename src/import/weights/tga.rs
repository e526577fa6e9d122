//! TGA pictures, which some terrain tools keep numbers of layers in. (Truevision, *TGA File Format Specification*, version
//! 2.0.)

use super::super::{MAX_SAMPLES, beyond_the_file, open};
use crate::{Error, Result};
use std::io::Read;
use std::path::Path;

/// Bytes of a header, and of what follows it before the pixels.
const HEADER: usize = 18;

/// Bytes of a picture, row 0 in the north, red first.
pub(super) struct Tga {
    /// Samples west to east and north to south.
    pub(super) size: (u32, u32),
    pub(super) channels: usize,
    pub(super) bytes: Vec<u8>,
}

/// What a header says.
struct Header {
    size: (u32, u32),
    channels: usize,
    packed: bool,
    /// Bytes between the header and the pixels.
    skipped: usize,
    from_south: bool,
}

impl Tga {
    /// Reads a picture of 8 bits a channel: grey, numbers of a palette, or colours, packed or not.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let refuse = |why: String| Error::file(path, why);
        let mut file = Vec::new();
        // No more than the largest picture takes, unpacked.
        let mut input = open(path)?.take(4 * MAX_SAMPLES + (1 << 20));
        input.read_to_end(&mut file).map_err(|error| refuse(format!("cannot be read: {error}")))?;
        let header = Header::of(&file).map_err(refuse)?;
        let ((width, height), channels) = (header.size, header.channels);
        let wanted = width as usize * height as usize * channels;
        let pixels = file.get(HEADER + header.skipped..).unwrap_or_default();
        let truncated = || refuse(beyond_the_file(width, height, file.len() as u64));
        let mut bytes = match header.packed {
            // A packet of 1 + channels bytes is 128 pixels at most.
            true if wanted / 128 > pixels.len() => return Err(truncated()),
            true => unpacked(pixels, channels, wanted).ok_or_else(truncated)?,
            false => pixels.get(..wanted).ok_or_else(truncated)?.to_vec(),
        };
        if header.from_south {
            let row = width as usize * channels;
            bytes = bytes.chunks_exact(row).rev().flatten().copied().collect();
        }
        if channels > 2 {
            bytes.chunks_exact_mut(channels).for_each(|pixel| pixel.swap(0, 2));
        }
        Ok(Self { size: header.size, channels, bytes })
    }
}

impl Header {
    /// The error is a sentence.
    fn of(file: &[u8]) -> Result<Self, String> {
        let Some(header) = file.first_chunk::<HEADER>() else {
            return Err("is no TGA: shorter than a header".to_owned());
        };
        let number = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let (kind, bits, flags) = (header[2], header[16], header[17]);
        let channels = match (kind & !8, bits) {
            // A palette's numbers are what is drawn on the ground; its colours are for people.
            (1 | 3, 8) => 1,
            (2, 24) => 3,
            (2, 32) => 4,
            _ => {
                return Err(format!(
                    "a TGA of kind {kind} with {bits} bits a pixel; grey, a palette and colours of 8 bits a channel are read"
                ));
            }
        };
        if flags & 0x10 != 0 {
            return Err("a TGA whose rows run from east to west; save it from west to east".to_owned());
        }
        let size = (u32::from(number(12)), u32::from(number(14)));
        if size.0 == 0 || size.1 == 0 || u64::from(size.0) * u64::from(size.1) > MAX_SAMPLES {
            return Err(format!("claims {}×{} samples; 1 to {MAX_SAMPLES} are read", size.0, size.1));
        }
        let palette =
            if header[1] == 1 { number(5) as usize * usize::from(header[7]).div_ceil(8) } else { 0 };
        Ok(Self {
            size,
            channels,
            packed: kind & 8 != 0,
            skipped: usize::from(header[0]) + palette,
            from_south: flags & 0x20 == 0,
        })
    }
}

/// Undoes run lengths; None where the packets end before the picture does.
fn unpacked(mut packets: &[u8], channels: usize, wanted: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(wanted);
    while bytes.len() < wanted {
        let (&head, rest) = packets.split_first()?;
        let pixels = usize::from(head & 0x7F) + 1;
        let taken = if head & 0x80 != 0 { channels } else { pixels * channels };
        let (packet, rest) = rest.split_at_checked(taken)?;
        let times = if head & 0x80 != 0 { pixels } else { 1 };
        (0..times).for_each(|_| bytes.extend_from_slice(packet));
        packets = rest;
    }
    // The last packet may say more than there is room for.
    bytes.truncate(wanted);
    Some(bytes)
}
