//! A chunk's bytes, out of how they are packed, in pieces as long as a caller wants them.
//!
//! What comes behind the last wanted byte is not looked at, except for deflate's checksum: writers leave all kinds of
//! things there.

use super::picture::{MOST_CHUNK_BYTES, Packing};
use flate2::{Decompress, FlushDecompress, Status};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, ErrorKind, Read};
use weezl::{BitOrder, LzwStatus, decode};

/// Unpacks chunk after chunk. Errors are sentences.
pub(super) enum Unpacker {
    Bytes,
    Lzw(Lzw),
    Deflate(Decompress),
    PackBits(Runs),
    Zstd(Box<Zstd>),
}

impl Unpacker {
    pub(super) fn new(packing: Packing) -> Self {
        match packing {
            Packing::None => Self::Bytes,
            Packing::Lzw => Self::Lzw(Lzw { decoder: Lzw::decoder(false), old: false }),
            Packing::Deflate => Self::Deflate(Decompress::new(true)),
            Packing::PackBits => Self::PackBits(Runs::default()),
            Packing::Zstd => Self::Zstd(Box::default()),
        }
    }

    /// Begins a chunk of which `bytes` bytes are wanted.
    pub(super) fn begin(&mut self, input: &mut impl BufRead, bytes: u64) -> Result<(), String> {
        match self {
            Self::Bytes => {}
            Self::Lzw(lzw) => lzw.begin(input)?,
            Self::Deflate(decoder) => decoder.reset(true),
            Self::PackBits(runs) => *runs = Runs::default(),
            Self::Zstd(zstd) => zstd.begin(input, bytes)?,
        }
        Ok(())
    }

    /// Fills a list with the next bytes of the chunk.
    pub(super) fn read(&mut self, input: &mut impl BufRead, to: &mut [u8]) -> Result<(), String> {
        match self {
            Self::Bytes => input.read_exact(to).map_err(unread),
            Self::Lzw(lzw) => lzw.read(input, to),
            Self::Deflate(decoder) => inflate(decoder, input, to),
            Self::PackBits(runs) => runs.read(input, to).map_err(unread),
            Self::Zstd(zstd) => zstd.read(input, to),
        }
    }
}

fn unread(error: io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => ends_early(),
        _ => format!("cannot be read: {error}"),
    }
}

fn ends_early() -> String {
    "ends before its last sample: truncated, or broken".to_owned()
}

fn broken(packing: &str) -> String {
    format!("cannot be unpacked as {packing}: truncated, or broken")
}

pub(super) struct Lzw {
    decoder: decode::Decoder,
    /// As before TIFF 6: the low bits of a byte first, and a longer code one later.
    old: bool,
}

impl Lzw {
    fn decoder(old: bool) -> decode::Decoder {
        let configuration = match old {
            true => decode::Configuration::new(BitOrder::Lsb, 8),
            false => decode::Configuration::with_tiff_size_switch(BitOrder::Msb, 8),
        };
        configuration.with_yield_on_full_buffer(true).build()
    }

    fn begin(&mut self, input: &mut impl BufRead) -> Result<(), String> {
        // The first code is 256, of nine bits; libtiff tells the two apart by it as well.
        let old = matches!(input.fill_buf().map_err(unread)?, [0, second, ..] if second & 1 == 1);
        if old == self.old {
            self.decoder.reset();
        } else {
            *self = Self { decoder: Self::decoder(old), old };
        }
        Ok(())
    }

    fn read(&mut self, input: &mut impl BufRead, mut to: &mut [u8]) -> Result<(), String> {
        while !to.is_empty() {
            let packed = input.fill_buf().map_err(unread)?;
            let result = self.decoder.decode_bytes(packed, to);
            input.consume(result.consumed_in);
            to = &mut to[result.consumed_out..];
            match result.status.map_err(|_| broken("LZW"))? {
                LzwStatus::Done | LzwStatus::NoProgress if !to.is_empty() => return Err(ends_early()),
                _ => {}
            }
        }
        Ok(())
    }
}

fn inflate(decoder: &mut Decompress, input: &mut impl BufRead, mut to: &mut [u8]) -> Result<(), String> {
    loop {
        let before = (decoder.total_in(), decoder.total_out());
        let packed = input.fill_buf().map_err(unread)?;
        let status = decoder.decompress(packed, to, FlushDecompress::None).map_err(|_| broken("deflate"))?;
        let (taken, unpacked) = (decoder.total_in() - before.0, decoder.total_out() - before.1);
        input.consume(taken as usize);
        to = &mut to[unpacked as usize..];
        let stuck = taken == 0 && unpacked == 0;
        // With no room left it goes on to the checksum, if that is next.
        if to.is_empty() && (stuck || status == Status::StreamEnd) {
            return Ok(());
        }
        if stuck {
            return Err(ends_early());
        }
    }
}

/// PackBits: runs of one byte, and bytes as they are.
#[derive(Default)]
pub(super) struct Runs {
    /// Bytes that are left of a run, and which.
    run: usize,
    byte: u8,
    /// Bytes that are left as they are.
    literal: usize,
}

impl Runs {
    fn read(&mut self, input: &mut impl BufRead, mut to: &mut [u8]) -> io::Result<()> {
        while !to.is_empty() {
            let (part, rest) = to.split_at_mut(to.len().min(self.run.max(self.literal)));
            if self.run > 0 {
                part.fill(self.byte);
                self.run -= part.len();
            } else if self.literal > 0 {
                input.read_exact(part)?;
                self.literal -= part.len();
            } else {
                match one(input)? as i8 {
                    i8::MIN => {}
                    count @ 0.. => self.literal = count as usize + 1,
                    count => (self.run, self.byte) = (1 + usize::from(count.unsigned_abs()), one(input)?),
                }
            }
            to = rest;
        }
        Ok(())
    }
}

fn one(input: &mut impl BufRead) -> io::Result<u8> {
    let mut byte = [0];
    input.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// As many bytes are asked of a zstd frame at once; it makes up to a block more, of 128 KiB.
const ZSTD_BYTES: u64 = 1 << 18;

#[derive(Default)]
pub(super) struct Zstd {
    decoder: FrameDecoder,
    /// Wanted bytes that were not asked for yet.
    left: u64,
}

impl Zstd {
    fn begin(&mut self, input: &mut impl BufRead, bytes: u64) -> Result<(), String> {
        // One that is used again would take the memory of a window before anything is in it.
        self.decoder = FrameDecoder::new();
        self.decoder.set_max_window_size(MOST_CHUNK_BYTES);
        self.left = bytes;
        self.decoder.init(input).map_err(|_| broken("zstd"))
    }

    fn read(&mut self, input: &mut impl BufRead, mut to: &mut [u8]) -> Result<(), String> {
        /// A last block of no bytes, and a checksum that nobody looks at.
        const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];
        loop {
            let count = self.decoder.read(to).map_err(unread)?;
            to = &mut to[count..];
            if to.is_empty() {
                return Ok(());
            }
            if self.decoder.is_finished() {
                return Err(ends_early());
            }
            // The decoder keeps a window back until its frame is at its end.
            let bytes = self.left.min(ZSTD_BYTES);
            self.left -= bytes;
            let decoded = match bytes {
                0 => self.decoder.decode_blocks(&END[..], BlockDecodingStrategy::All),
                _ => {
                    self.decoder.decode_blocks(&mut *input, BlockDecodingStrategy::UptoBytes(bytes as usize))
                }
            };
            decoded.map_err(|_| broken("zstd"))?;
        }
    }
}
