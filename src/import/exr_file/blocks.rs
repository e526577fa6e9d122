//! Where the blocks of a part are: on the map, in the file's table, and in the file.

use super::header::{Header, Levels, Part, Tiles};
use super::source::{Source, truncated};
use crate::field::SampleRect;
use std::io::{BufRead, Seek};

/// A block that is larger when it is unpacked is none that a program writes: 64 million samples.
const MOST_BLOCK_BYTES: u64 = 1 << 28;

/// A block's place on the map, in samples, and among the blocks.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) x: u32,
    pub(super) z: u32,
    pub(super) width: u32,
    pub(super) height: u32,
    column: u32,
    row: u32,
}

/// The blocks of a part that the window keeps something of, in the order of the file.
pub(super) struct Blocks<'a> {
    part: &'a Part,
    /// Every block says the number of its part, which is this one's.
    number: Option<usize>,
    /// Where each begins in the file.
    wanted: std::vec::IntoIter<(u64, Block)>,
}

impl<'a> Blocks<'a> {
    /// Reads the tables behind the header and refuses a file in which a block is missing. The error is a sentence.
    pub(super) fn find(
        source: &mut Source<impl BufRead + Seek>,
        header: &'a Header,
        chosen: usize,
        window: SampleRect,
    ) -> Result<Self, String> {
        let total = table_length(header)?;
        if source.expect(total.saturating_mul(8)).is_err() {
            return Err(format!(
                "claims {total} blocks, of which a file of {} bytes has no room for the table: truncated, or not what \
                 it says",
                source.length()
            ));
        }
        let start = source.position() + 8 * total;
        let mut wanted = Vec::new();
        let mut last = (0, chosen);
        for (index, part) in header.parts.iter().enumerate() {
            for number in 0..part.block_total() {
                let offset = source.u64()?;
                // The table is written last, as zeros before the blocks are.
                if offset == 0 || offset >= source.length() {
                    return Err(truncated());
                }
                if offset < start {
                    return Err("a broken table of blocks: one of them begins before the first".to_owned());
                }
                last = last.max((offset, index));
                let block = if index == chosen { part.block(number) } else { None };
                if let Some(block) = block.filter(|block| block.touches(window)) {
                    wanted.push((offset, block));
                }
            }
        }
        check_end(source, header, last)?;
        wanted.sort_unstable_by_key(|&(offset, _)| offset);
        let part = &header.parts[chosen];
        Ok(Self { part, number: header.numbered.then_some(chosen), wanted: wanted.into_iter() })
    }

    /// The next block and its samples; none behind the last. The error is a sentence.
    pub(super) fn next(
        &mut self,
        source: &mut Source<impl BufRead + Seek>,
    ) -> Result<Option<(Block, Vec<u8>)>, String> {
        let Some((offset, block)) = self.wanted.next() else { return Ok(None) };
        source.go_to(offset)?;
        let mut right = true;
        if let Some(number) = self.number {
            right &= usize::try_from(source.i32()?) == Ok(number);
        }
        if self.part.tiles.is_some() {
            for place in [block.column, block.row, 0, 0] {
                right &= u32::try_from(source.i32()?) == Ok(place);
            }
        } else {
            right &= i64::from(source.i32()?) == i64::from(self.part.top) + i64::from(block.z);
        }
        if !right {
            return Err(format!(
                "a broken table of blocks: the one of column {}, row {} is not where it says",
                block.x, block.z
            ));
        }
        let bytes = u64::try_from(source.i32()?).unwrap_or(0);
        let pixels = u64::from(block.width) * u64::from(block.height);
        if bytes == 0 || bytes > pixels.saturating_mul(self.part.bytes_a_pixel() as u64) {
            return Err(format!(
                "a broken block at column {}, row {}: it cannot have {bytes} bytes",
                block.x, block.z
            ));
        }
        let unpacked = pixels.saturating_mul(self.part.bytes_a_pixel() as u64);
        if unpacked > MOST_BLOCK_BYTES {
            return Err(format!(
                "blocks of {unpacked} bytes, more than the {MOST_BLOCK_BYTES} that are unpacked at once; save it in tiles, or \
                 with fewer channels"
            ));
        }
        let packed = source.vec(bytes)?;
        let unpacked = self.part.packing.unpack(self.part, (block.width, block.height), packed);
        let placed = |why: String| format!("{why} at column {}, row {}", block.x, block.z);
        Ok(Some((block, unpacked.map_err(placed)?)))
    }
}

impl Block {
    fn touches(&self, window: SampleRect) -> bool {
        let across = self.x < window.x1 && window.x0 < self.x + self.width;
        across && self.z < window.z1 && window.z0 < self.z + self.height
    }
}

impl Part {
    /// Columns and rows of a block, where the border cuts none.
    fn block_size(&self) -> (u32, u32) {
        self.tiles.map_or((self.width, self.packing.rows()), |tiles| (tiles.width, tiles.height))
    }

    /// The block with this number, row by row from the north-west; none where it is one of a smaller copy.
    fn block(&self, number: u64) -> Option<Block> {
        let (width, height) = self.block_size();
        let across = u64::from(self.width.div_ceil(width));
        let (column, row) = ((number % across) as u32, u32::try_from(number / across).ok()?);
        if row >= self.height.div_ceil(height) {
            return None;
        }
        let (x, z) = (column * width, row * height);
        let (width, height) = (width.min(self.width - x), height.min(self.height - z));
        Some(Block { x, z, width, height, column, row })
    }

    /// Blocks of the part and of its smaller copies.
    fn block_total(&self) -> u64 {
        let (width, height) = self.block_size();
        let blocks = |(across, down): (u32, u32)| {
            u64::from(across.div_ceil(width)).saturating_mul(u64::from(down.div_ceil(height)))
        };
        let copies = self.tiles.map_or(Vec::new(), |tiles| tiles.copies(self.width, self.height));
        copies.into_iter().map(blocks).fold(blocks((self.width, self.height)), u64::saturating_add)
    }
}

impl Tiles {
    /// Sizes of the smaller copies of a part of this size.
    fn copies(&self, width: u32, height: u32) -> Vec<(u32, u32)> {
        let halvings = |length: u32| length.ilog2() + u32::from(self.round_up && !length.is_power_of_two());
        let halved = |length: u32, times: u32| {
            let length = u64::from(length);
            let rest = if self.round_up { length.div_ceil(1 << times) } else { length >> times };
            rest.max(1) as u32
        };
        match self.levels {
            Levels::One => Vec::new(),
            Levels::Mipmap => {
                (1..=halvings(width.max(height))).map(|n| (halved(width, n), halved(height, n))).collect()
            }
            Levels::Ripmap => {
                let rows = (0..=halvings(height)).map(|n| halved(height, n));
                let all = rows.flat_map(|down| (0..=halvings(width)).map(move |n| (halved(width, n), down)));
                all.skip(1).collect()
            }
        }
    }
}

/// Blocks of all parts together.
fn table_length(header: &Header) -> Result<u64, String> {
    let mut total = 0u64;
    for part in &header.parts {
        let blocks = part.block_total();
        if let Some(stated) = part.block_count
            && u64::try_from(stated) != Ok(blocks)
        {
            return Err(format!(
                "a broken header: it claims {stated} blocks, and a picture of its size has {blocks}"
            ));
        }
        total = total.saturating_add(blocks);
    }
    Ok(total)
}

/// Refuses a file that ends within its last block, which begins at this byte and is of this part.
fn check_end(
    source: &mut Source<impl BufRead + Seek>,
    header: &Header,
    (offset, part): (u64, usize),
) -> Result<(), String> {
    let part = &header.parts[part];
    source.go_to(offset)?;
    source.skip(if header.numbered { 4 } else { 0 } + if part.tiles.is_some() { 16 } else { 4 })?;
    let bytes = if part.deep {
        let (table, samples) = (source.u64()?, source.u64()?);
        source.skip(8)?;
        table.saturating_add(samples)
    } else {
        u64::try_from(source.i32()?).unwrap_or(0)
    };
    source.skip(bytes)
}
