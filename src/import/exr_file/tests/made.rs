//! A small writer of OpenEXR files, sound and unsound ones.

use exr::math::RoundingMode;
use exr::meta::BlockDescription;
use exr::meta::header::Header;
use exr::prelude::attribute::LevelMode;
use exr::prelude::{
    ChannelDescription, Compression, IntegerBounds, LineOrder, SampleType, Text, TileDescription, Vec2,
};

/// The methods that are read: number and name.
pub(super) const METHODS: [(u8, Compression); 8] = [
    (0, Compression::Uncompressed),
    (1, Compression::RLE),
    (2, Compression::ZIP1),
    (3, Compression::ZIP16),
    (4, Compression::PIZ),
    (5, Compression::PXR24),
    (6, Compression::B44),
    (7, Compression::B44A),
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Whole,
    Half,
    Float,
}

/// A part to be written.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) size: (u32, u32),
    pub(super) origin: (i32, i32),
    pub(super) display: (u32, u32),
    /// In the order of their names.
    pub(super) channels: Vec<(&'static str, Kind, Vec<f32>)>,
    pub(super) sampling: (i32, i32),
    pub(super) packing: u8,
    pub(super) tiles: Option<(u32, u32)>,
    pub(super) levels: u8,
    pub(super) round_up: bool,
    /// The last block is the first in the file.
    pub(super) upwards: bool,
}

impl Made {
    /// Hills that differ from channel to channel.
    pub(super) fn new(size: (u32, u32), channels: &[(&'static str, Kind)]) -> Self {
        let channels = channels.iter().enumerate().map(|(index, &(name, kind))| {
            let hill = |at: u32| {
                let (x, z) = ((at % size.0) as f32, (at / size.0) as f32);
                let height = 100.0 + 40.0 * (0.3 * x + index as f32).sin() + 30.0 * (0.2 * z).cos();
                match kind {
                    Kind::Whole => height.round(),
                    Kind::Half => half::f16::from_f32(height).to_f32(),
                    Kind::Float => height,
                }
            };
            (name, kind, (0..size.0 * size.1).map(hill).collect())
        });
        Self {
            name: "",
            kind: "",
            size,
            origin: (0, 0),
            display: size,
            channels: channels.collect(),
            sampling: (1, 1),
            packing: 0,
            tiles: None,
            levels: 0,
            round_up: false,
            upwards: false,
        }
    }

    /// Makes steps that every method keeps: of one height in each square of 4 × 4, with few digits.
    pub(super) fn round(&mut self) {
        let (width, tile) = (self.size.0, self.tiles.unwrap_or((4, 4)));
        for (_, _, samples) in &mut self.channels {
            for at in 0..samples.len() as u32 {
                let (x, z) = (at % width, at / width);
                let step = |at: u32, tile: u32| at / tile * 64 + at % tile / 4;
                samples[at as usize] = (64 + (step(x, tile.0) + 3 * step(z, tile.1)) % 64) as f32;
            }
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        file(std::slice::from_ref(self), false)
    }

    fn is_tiled(&self) -> bool {
        self.tiles.is_some()
    }

    fn is_deep(&self) -> bool {
        self.kind.starts_with("deep")
    }

    fn header(&self, numbered: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut attribute = |name: &str, kind: &str, value: &[u8]| bytes.extend(attribute(name, kind, value));
        let corners = |(x, z): (i32, i32), (width, height): (u32, u32)| {
            [x, z, x + width as i32 - 1, z + height as i32 - 1].map(i32::to_le_bytes).concat()
        };
        let mut list = Vec::new();
        for (name, kind, _) in &self.channels {
            list.extend([name.as_bytes(), &[0]].concat());
            let numbers = [*kind as i32, 0, self.sampling.0, self.sampling.1];
            list.extend(numbers.map(i32::to_le_bytes).concat());
        }
        list.push(0);
        attribute("channels", "chlist", &list);
        attribute("somebody's", "string", b"own");
        attribute("compression", "compression", &[self.packing]);
        attribute("dataWindow", "box2i", &corners(self.origin, self.size));
        attribute("displayWindow", "box2i", &corners((0, 0), self.display));
        attribute("lineOrder", "lineOrder", &[u8::from(self.upwards)]);
        attribute("pixelAspectRatio", "float", &1f32.to_le_bytes());
        if let Some((width, height)) = self.tiles {
            let mode = self.levels | u8::from(self.round_up) << 4;
            attribute(
                "tiles",
                "tiledesc",
                &[&width.to_le_bytes()[..], &height.to_le_bytes(), &[mode]].concat(),
            );
        }
        if numbered || !self.kind.is_empty() {
            let kind = match self.kind {
                "" if self.is_tiled() => "tiledimage",
                "" => "scanlineimage",
                kind => kind,
            };
            attribute("name", "string", self.name.as_bytes());
            attribute("type", "string", kind.as_bytes());
            attribute("chunkCount", "int", &(self.blocks().len() as i32).to_le_bytes());
        }
        bytes.push(0);
        bytes
    }

    /// Every block of the table without its part's number.
    fn blocks(&self) -> Vec<Vec<u8>> {
        let mut blocks = Vec::new();
        let halved = |length: u32, times: u32| {
            let up = if self.round_up { (1 << times) - 1 } else { 0 };
            ((length + up) >> times).max(1)
        };
        let times = |length: u32| (0..).find(|&times| halved(length, times) == 1).unwrap();
        let (columns, rows) = (times(self.size.0), times(self.size.1));
        let levels: Vec<(u32, u32)> = match self.levels {
            0 => vec![(0, 0)],
            1 => (0..=columns.max(rows)).map(|level| (level, level)).collect(),
            _ => (0..=rows).flat_map(|row| (0..=columns).map(move |column| (column, row))).collect(),
        };
        for level in levels {
            let (width, height) = (halved(self.size.0, level.0), halved(self.size.1, level.1));
            let (across, down) = self.tiles.unwrap_or((width, self.method().scan_lines_per_block() as u32));
            for (row, z) in (0..height).step_by(down as usize).enumerate() {
                for (column, x) in (0..width).step_by(across as usize).enumerate() {
                    let size = (across.min(width - x), down.min(height - z));
                    let packed = self.packed((x, z), size);
                    let mut block = if self.is_tiled() {
                        [column as u32, row as u32, level.0, level.1].map(u32::to_le_bytes).concat()
                    } else {
                        (self.origin.1 + z as i32).to_le_bytes().to_vec()
                    };
                    if self.is_deep() {
                        block.extend(
                            [0, packed.len(), packed.len()]
                                .map(|bytes| (bytes as u64).to_le_bytes())
                                .concat(),
                        );
                    } else {
                        block.extend((packed.len() as i32).to_le_bytes());
                    }
                    block.extend(packed);
                    blocks.push(block);
                }
            }
        }
        blocks
    }

    fn method(&self) -> Compression {
        METHODS
            .iter()
            .find(|(number, _)| *number == self.packing)
            .map_or(Compression::ZIP16, |&(_, method)| method)
    }

    fn packed(&self, (x, z): (u32, u32), (width, height): (u32, u32)) -> Vec<u8> {
        let mut bytes = Vec::new();
        for row in z..z + height {
            for (_, kind, samples) in &self.channels {
                for &value in &samples[(row * self.size.0 + x) as usize..][..width as usize] {
                    match kind {
                        Kind::Half => bytes.extend(half::f16::from_f32(value).to_ne_bytes()),
                        Kind::Float => bytes.extend(value.to_ne_bytes()),
                        Kind::Whole => bytes.extend((value as u32).to_ne_bytes()),
                    }
                }
            }
        }
        let channels = self.channels.iter().map(|(_, kind, _)| {
            let kind = match kind {
                Kind::Half => SampleType::F16,
                Kind::Float => SampleType::F32,
                Kind::Whole => SampleType::U32,
            };
            ChannelDescription::new("c", kind, false)
        });
        let size = Vec2(width as usize, height as usize);
        let tile = TileDescription {
            tile_size: size,
            level_mode: LevelMode::Singular,
            rounding_mode: RoundingMode::Down,
        };
        let header = Header::new(Text::default(), size, channels.collect()).with_encoding(
            self.method(),
            BlockDescription::Tiles(tile),
            LineOrder::Increasing,
        );
        self.method()
            .compress_image_section_to_le(&header, bytes, IntegerBounds::from_dimensions(size))
            .unwrap()
    }
}

pub(super) fn attribute(name: &str, kind: &str, value: &[u8]) -> Vec<u8> {
    [name.as_bytes(), &[0], kind.as_bytes(), &[0], &(value.len() as i32).to_le_bytes(), value].concat()
}

/// A file of these parts, whose blocks say their numbers where there are several or it is asked for.
pub(super) fn file(parts: &[Made], numbered: bool) -> Vec<u8> {
    let numbered = numbered || parts.len() > 1;
    let tiled = !numbered && parts[0].is_tiled();
    let deep = parts.iter().any(Made::is_deep);
    let version = 2 | u32::from(tiled) << 9 | u32::from(deep) << 11 | u32::from(numbered) << 12;
    let mut bytes = [&b"\x76\x2f\x31\x01"[..], &version.to_le_bytes()].concat();
    parts.iter().for_each(|part| bytes.extend(part.header(numbered)));
    if numbered {
        bytes.push(0);
    }
    let blocks: Vec<Vec<Vec<u8>>> = parts.iter().map(Made::blocks).collect();
    let mut at = bytes.len() as u64 + 8 * blocks.iter().flatten().count() as u64;
    let (mut table, mut body) = (Vec::new(), Vec::new());
    for (number, (part, blocks)) in (0i32..).zip(parts.iter().zip(&blocks)) {
        let mut offsets = vec![0; blocks.len()];
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        if part.upwards {
            order.reverse();
        }
        for index in order {
            offsets[index] = at;
            let block = if numbered {
                [&number.to_le_bytes()[..], &blocks[index]].concat()
            } else {
                blocks[index].clone()
            };
            at += block.len() as u64;
            body.extend(block);
        }
        table.extend(offsets.iter().flat_map(|offset: &u64| offset.to_le_bytes()));
    }
    [bytes, table, body].concat()
}
