//! What a file says of its parts before the first block. Attributes that say nothing of samples are skipped.

use super::channels::{Channel, SampleKind};
use super::packing::Packing;
use super::source::Source;
use std::io::{BufRead, Seek};

/// Flags behind the version's number.
const TILED: u32 = 1 << 9;
const LONG_NAMES: u32 = 1 << 10;
const NOT_FLAT: u32 = 1 << 11;
const SEVERAL_PARTS: u32 = 1 << 12;
/// No attribute that is read has more bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The parts of a file.
pub(super) struct Header {
    pub(super) parts: Vec<Part>,
    /// Every block says the number of its part.
    pub(super) numbered: bool,
}

/// A picture of a file.
pub(super) struct Part {
    pub(super) name: String,
    /// A pixel has any number of samples.
    pub(super) deep: bool,
    /// None where the blocks are rows.
    pub(super) tiles: Option<Tiles>,
    pub(super) packing: Packing,
    /// In the order of their names, which is that of their samples.
    pub(super) channels: Vec<Channel>,
    /// Size of the data window, and the row that is its first.
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) top: i32,
    /// Size of the display window, where it is stated and sound.
    pub(super) display: Option<(u32, u32)>,
    /// Blocks, where it is stated.
    pub(super) block_count: Option<i32>,
}

/// How a part is cut into tiles.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) levels: Levels,
    /// A level's size is rounded up, else down.
    pub(super) round_up: bool,
}

/// The smaller copies of a tiled part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Levels {
    /// None.
    One,
    /// Each half as wide and half as high.
    Mipmap,
    /// Each width with each height.
    Ripmap,
}

impl Header {
    /// Reads it. The error is a sentence.
    pub(super) fn read(source: &mut Source<impl BufRead + Seek>) -> Result<Self, String> {
        source.skip(4)?;
        let version = u32::from_le_bytes(source.array()?);
        if version & 0xff != 2 || version & !(0xff | TILED | LONG_NAMES | NOT_FLAT | SEVERAL_PARTS) != 0 {
            return Err(format!(
                "a version of OpenEXR that is not read ({version:#x}); save it as version 2"
            ));
        }
        let numbered = version & SEVERAL_PARTS != 0;
        let mut parts = Vec::new();
        while let Some(attributes) = Attributes::read(source)? {
            parts.push(attributes.part(version)?);
            if !numbered {
                break;
            }
        }
        if parts.is_empty() {
            Err("a broken header: it has no part".to_owned())
        } else {
            Ok(Self { parts, numbered })
        }
    }
}

impl Part {
    pub(super) fn bytes_a_pixel(&self) -> usize {
        self.bytes_before(self.channels.len())
    }

    /// Bytes of a pixel before this channel's.
    pub(super) fn bytes_before(&self, channel: usize) -> usize {
        self.channels[..channel].iter().map(|channel| channel.kind.bytes()).sum()
    }
}

/// The attributes of a part as they are found.
#[derive(Default)]
struct Attributes {
    name: Option<String>,
    kind: Option<String>,
    tiles: Option<Tiles>,
    packing: Option<Packing>,
    channels: Option<Vec<Channel>>,
    data: Option<[i32; 4]>,
    display: Option<[i32; 4]>,
    block_count: Option<i32>,
}

impl Attributes {
    /// Reads a part's attributes; none where the list of parts ends.
    fn read(source: &mut Source<impl BufRead + Seek>) -> Result<Option<Self>, String> {
        let mut attributes = Self::default();
        let mut any = false;
        loop {
            let name = source.text()?;
            if name.is_empty() {
                return Ok(any.then_some(attributes));
            }
            any = true;
            // The type is told by the name.
            source.text()?;
            let bytes = source.i32()?;
            let bytes = u64::try_from(bytes).map_err(|_| broken(&name))?;
            source.expect(bytes)?;
            let known = [
                "name",
                "type",
                "tiles",
                "compression",
                "channels",
                "dataWindow",
                "displayWindow",
                "chunkCount",
            ];
            if !known.contains(&name.as_str()) {
                source.skip(bytes)?;
                continue;
            }
            if bytes > MOST_BYTES {
                return Err(format!("its attribute `{name}` has {bytes} bytes, more than {MOST_BYTES}"));
            }
            attributes.set(&name, &source.vec(bytes)?)?;
        }
    }

    fn set(&mut self, name: &str, value: &[u8]) -> Result<(), String> {
        let wrong = || broken(name);
        match name {
            "name" => self.name = Some(String::from_utf8_lossy(value).into_owned()),
            "type" => self.kind = Some(String::from_utf8_lossy(value).into_owned()),
            "tiles" => self.tiles = Some(tiles(value).ok_or_else(wrong)?),
            "channels" => self.channels = Some(channels(value)?),
            "dataWindow" => self.data = Some(numbers(value).ok_or_else(wrong)?),
            "displayWindow" => self.display = Some(numbers(value).ok_or_else(wrong)?),
            "chunkCount" => self.block_count = Some(numbers::<1>(value).ok_or_else(wrong)?[0]),
            _ => {
                let &[code] = value else { return Err(wrong()) };
                let unknown = || format!("compression {code}, which is not known; save it with ZIP");
                self.packing = Some(Packing::of(code).ok_or_else(unknown)?);
            }
        }
        Ok(())
    }

    fn part(self, version: u32) -> Result<Part, String> {
        // Only files of several parts, and deep ones, say a type that counts.
        let told = version & (SEVERAL_PARTS | NOT_FLAT) != 0;
        let kind = match self.kind {
            Some(kind) if told => kind,
            None if told => return Err(missing("type")),
            _ if version & TILED != 0 => "tiledimage".to_owned(),
            _ => "scanlineimage".to_owned(),
        };
        let (deep, tiled) = match kind.as_str() {
            "scanlineimage" => (false, false),
            "tiledimage" => (false, true),
            "deepscanline" => (true, false),
            "deeptile" => (true, true),
            _ => return Err(format!("a part of type `{kind}`, which is not known")),
        };
        let data = self.data.ok_or_else(|| missing("dataWindow"))?;
        let (width, height) = size_of(data).ok_or_else(|| broken("dataWindow"))?;
        Ok(Part {
            name: self.name.unwrap_or_default(),
            deep,
            tiles: if tiled { Some(self.tiles.ok_or_else(|| missing("tiles"))?) } else { None },
            packing: self.packing.ok_or_else(|| missing("compression"))?,
            channels: self.channels.ok_or_else(|| missing("channels"))?,
            width,
            height,
            top: data[1],
            display: self.display.and_then(size_of),
            block_count: self.block_count,
        })
    }
}

fn missing(what: &str) -> String {
    format!("a broken header: it has no attribute `{what}`")
}

fn broken(what: &str) -> String {
    format!("a broken header: its attribute `{what}` makes no sense")
}

/// A window's columns and rows, of its first and its last corner.
fn size_of([left, top, right, bottom]: [i32; 4]) -> Option<(u32, u32)> {
    let length = |first: i32, last: i32| u32::try_from(i64::from(last) - i64::from(first) + 1).ok();
    let (width, height) = (length(left, right)?, length(top, bottom)?);
    (width > 0 && height > 0).then_some((width, height))
}

fn numbers<const N: usize>(value: &[u8]) -> Option<[i32; N]> {
    let (numbers, rest) = value.as_chunks::<4>();
    let numbers: [[u8; 4]; N] = numbers.try_into().ok()?;
    rest.is_empty().then(|| numbers.map(i32::from_le_bytes))
}

fn tiles(value: &[u8]) -> Option<Tiles> {
    let (&mode, size) = value.split_last()?;
    let [width, height] = numbers(size)?.map(|side| u32::try_from(side).ok().filter(|&side| side > 0));
    let levels = match mode & 0xf {
        0 => Levels::One,
        1 => Levels::Mipmap,
        2 => Levels::Ripmap,
        _ => return None,
    };
    Some(Tiles { width: width?, height: height?, levels, round_up: mode >> 4 != 0 })
}

/// The list of channels. The error is a sentence.
fn channels(mut value: &[u8]) -> Result<Vec<Channel>, String> {
    let mut channels: Vec<Channel> = Vec::new();
    let mut last: &[u8] = &[];
    while value != [0] {
        let end = value.iter().position(|&byte| byte == 0).ok_or_else(|| broken("channels"))?;
        let (name, rest) = (&value[..end], &value[end + 1..]);
        let (fields, rest) = rest.split_at_checked(16).ok_or_else(|| broken("channels"))?;
        value = rest;
        // Readers of unordered lists disagree on which channel is which.
        if name <= last {
            return Err("a broken header: its channels are not in the order of their names".to_owned());
        }
        last = name;
        let [kind, linear, across, down] = numbers(fields).ok_or_else(|| broken("channels"))?;
        let kind = match kind {
            0 => SampleKind::Whole,
            1 => SampleKind::Half,
            2 => SampleKind::Float,
            _ => return Err(broken("channels")),
        };
        let name = String::from_utf8_lossy(name).into_owned();
        channels.push(Channel { name, kind, linear: linear & 0xff != 0, sampling: (across, down) });
    }
    if channels.is_empty() { Err("a broken header: it has no channel".to_owned()) } else { Ok(channels) }
}
