//! A file's bytes → a picture, or blocks.

use super::ktx2::BlockFile;
use super::picture::Picture;
use super::{Failure, Stop, jpeg, ktx2, png};
use crate::{Error, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What a file turned out to be.
pub(super) enum Source {
    Picture(Picture),
    Blocks(BlockFile),
}

impl Source {
    /// The picture, unpacked where it is blocks.
    pub(super) fn into_picture(self) -> Picture {
        match self {
            Self::Picture(picture) => picture,
            Self::Blocks(blocks) => blocks.unpack(),
        }
    }
}

/// Reads a file whole; textures that are larger than any texture are refused before.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let refuse = |why: String| Err(Error::file(path, why));
    if path.is_dir() {
        return refuse("is a folder; a texture is a PNG, JPEG or KTX2 file".into());
    }
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return refuse("there is no such file; a layer names it as a texture".into());
        }
        Err(error) => return refuse(format!("cannot be opened: {error}")),
    };
    let mut bytes = Vec::new();
    match file.take(super::MAX_BYTES + 1).read_to_end(&mut bytes) {
        Ok(length) if length as u64 > super::MAX_BYTES => {
            refuse(format!("has more than {} bytes, which no texture has", super::MAX_BYTES))
        }
        Ok(_) => Ok(bytes),
        Err(error) => refuse(format!("cannot be read: {error}")),
    }
}

/// Decodes a file, whose format is found by its content.
pub(super) fn decode(name: &Path, bytes: &[u8], stop: Stop<'_>) -> Result<Source, Failure> {
    stop.go_on()?;
    let refused = |why: String| Failure::Refused(Error::file(name, why));
    let source = if bytes.starts_with(&png::SIGNATURE) {
        match png::read(bytes, stop) {
            Ok(picture) => Ok(Source::Picture(picture)),
            Err(_) if (stop.0)() => return Err(Failure::Stopped),
            Err(why) => Err(why),
        }
    } else if bytes.starts_with(&jpeg::SIGNATURE) {
        jpeg::read(bytes).map(Source::Picture)
    } else if bytes.starts_with(&ktx2::SIGNATURE) {
        ktx2::read(bytes)
    } else {
        Err(unknown(bytes))
    };
    source.map_err(refused)
}

/// The sentence for what is no texture.
fn unknown(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "the file is empty".into();
    }
    let others: [(&[u8], &str); 10] = [
        (b"DDS ", "a DDS"),
        (b"\xabKTX 11\xbb", "a KTX of version 1"),
        (b"RIFF", "a WebP"),
        (b"GIF8", "a GIF"),
        (b"BM", "a BMP"),
        (b"II*\0", "a TIFF"),
        (b"MM\0*", "a TIFF"),
        (b"\x76\x2f\x31\x01", "an OpenEXR"),
        (b"sB", "a Basis Universal"),
        (b"#?RADIANCE", "a Radiance HDR"),
    ];
    let what = match others.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        Some((_, what)) => format!("looks like {what} file"),
        None => "is of an unknown format".into(),
    };
    format!("{what}; textures are PNG, JPEG or KTX2 files")
}
