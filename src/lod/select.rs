//! Which nodes a view needs: a descent of the quadtree over the field's bounds.
//!
//! A node of level L + 1 is split where its rectangle on the ground is within `range(L)` of the camera. That is a
//! question of the plan alone, so the answer does not change when the ground is sculpted; bounds only cull. The four
//! children of a node are worked on at once, one in each lane of a vector: placed, culled, measured, and made into
//! records. All arithmetic is additions, multiplications, comparisons and a square root in f32, which every machine
//! rounds alike: equal inputs give equal nodes everywhere.

use super::{Frustum, GridSize, LodRanges};
use crate::abi::{MAX_LEVELS, MorphBand, NodeRecord};
use crate::field::{Bounds, Field, HeightRange, Level, MinMax};
use bytemuck::Zeroable;
use glam::{DVec3, Vec4};

/// What a selection looks at.
#[derive(Clone, Copy, Debug)]
pub struct SelectInput<'a> {
    /// The field's bounds.
    pub bounds: &'a Bounds,
    /// Quads of the map in x and z.
    pub quads: (u32, u32),
    /// Metres between samples in x and z.
    pub spacing: glam::DVec2,
    /// Metres of the codes.
    pub range: HeightRange,
    /// Quads a side of a patch.
    pub grid: GridSize,
    /// How far each level reaches.
    pub ranges: &'a LodRanges,
    /// The camera in the terrain's frame, metres: x east and z south of sample (0, 0), y up from 0 m.
    pub camera: DVec3,
    /// What the view sees.
    pub frustum: &'a Frustum,
}

impl<'a> SelectInput<'a> {
    /// A selection over a field.
    pub fn new(
        field: &'a Field,
        grid: GridSize,
        ranges: &'a LodRanges,
        camera: DVec3,
        frustum: &'a Frustum,
    ) -> Self {
        let desc = field.desc();
        Self {
            bounds: field.bounds(),
            quads: (desc.quads_x(), desc.quads_z()),
            spacing: desc.spacing,
            range: desc.range,
            grid,
            ranges,
            camera,
            frustum,
        }
    }

    /// How far the camera is above or below the declared height range, metres; 0 inside it.
    pub fn dy(&self) -> f64 {
        self.range.outside(self.camera.y)
    }
}

/// What a selection did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelectStats {
    /// Nodes whose bounds were tested.
    pub visited: u32,
    /// Nodes that no plane lets be seen.
    pub culled: u32,
    /// Nodes selected.
    pub selected: u32,
}

/// Selects the nodes of a view into `nodes`, near ones first; what was in there is replaced. Allocates only when `nodes`
/// has to grow.
///
/// Nodes are found from far to near and turned around in the end. What the last selection left in `nodes` is written
/// over, so that a steady frame neither clears nor grows it.
#[doc(alias = "TerrainLodTree")]
pub fn select(input: &SelectInput<'_>, nodes: &mut Vec<NodeRecord>) -> SelectStats {
    let walk = Walk::new(input);
    let mut stack = [Pending::default(); STACK];
    stack[0] = walk.root();
    let (mut waiting, mut found) = (usize::from(walk.splits_root()), 0);
    let (mut visited, mut split) = (0, 0);
    while waiting > 0 {
        waiting -= 1;
        let node = stack[waiting];
        let children = walk.children(node);
        visited += children.count;
        split += 1;
        if nodes.len() < found + 4 {
            nodes.resize(found + 64, NodeRecord::zeroed());
        }
        // Every lane is written, and counted where it is wanted: a branch a child would be guessed wrong too often.
        for lane in [3, 2, 1, 0].map(|order| order ^ children.nearest) {
            nodes[found] = children.records[lane];
            found += children.is_drawn(lane);
        }
        for lane in [0, 1, 2, 3].map(|order| order ^ children.nearest) {
            stack[waiting] = children.pending(node, lane);
            waiting += children.is_split(lane);
        }
    }
    nodes.truncate(found);
    if split == 0 {
        nodes.push(walk.root_record());
        return SelectStats { selected: 1, ..SelectStats::default() };
    }
    nodes.reverse();
    // What was visited and is neither drawn nor split was culled.
    SelectStats { visited, culled: visited - found as u32 - (split - 1), selected: found as u32 }
}

/// Each level leaves at most three nodes waiting.
const STACK: usize = 3 * MAX_LEVELS + 4;

/// A node that is to be split.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    x: u32,
    z: u32,
    level: u32,
    /// The planes that the node is not wholly inside of: bit 4 · plane.
    planes: u32,
}

/// The four children of a node, a bit or a lane each: bit 0 of the lane is east, bit 1 south.
struct Children {
    /// How many lie on the map.
    count: u32,
    /// Those that are drawn as they are.
    drawn: u32,
    /// Those that are split.
    split: u32,
    /// The planes that cross each: bit 4 · plane + lane.
    crossed: u32,
    /// The lane nearest to the camera. A lane's place from near to far is its number with these bits flipped.
    nearest: usize,
    records: [NodeRecord; 4],
}

impl Children {
    #[inline]
    fn pending(&self, parent: Pending, lane: usize) -> Pending {
        Pending {
            x: 2 * parent.x + (lane as u32 & 1),
            z: 2 * parent.z + (lane as u32 >> 1),
            level: parent.level - 1,
            planes: self.crossed >> lane & EVERY_PLANE,
        }
    }

    /// 1 for a child that is drawn.
    #[inline]
    fn is_drawn(&self, lane: usize) -> usize {
        self.drawn as usize >> lane & 1
    }

    /// 1 for a child that is split.
    #[inline]
    fn is_split(&self, lane: usize) -> usize {
        self.split as usize >> lane & 1
    }
}

/// Bit 4 · plane of six planes.
const EVERY_PLANE: u32 = 0x11_1111;

/// A plane, each number in all four lanes.
#[derive(Clone, Copy)]
struct Plane {
    normal: [Vec4; 3],
    /// The normal's absolute values: how far a box reaches along it.
    reach: [Vec4; 3],
    offset: Vec4,
}

/// What is the same for all nodes of a level.
#[derive(Clone, Copy)]
struct Step<'a> {
    /// Samples a side of a node.
    side: f32,
    /// Samples between two vertices.
    samples: f32,
    /// Where a node is nearer than this, squared, it is split; negative at level 0.
    split_squared: f32,
    band: MorphBand,
    /// The bounds' cells that serve these nodes, and how many make a row.
    cells: &'a [MinMax],
    columns: usize,
    /// From a node's column to its cell's.
    shift: u32,
}

/// What turns sample columns, or rows, or codes, into metres relative to the camera; each number in all four lanes.
struct Axis {
    most: Vec4,
    camera_whole: Vec4,
    camera_part: Vec4,
    spacing: Vec4,
}

impl Axis {
    /// `camera` is the camera's place in the axis' own units.
    fn new(camera: f64, spacing: f64, most: f32) -> Self {
        let (whole, part) = super::level_field::split(camera);
        Self {
            most: Vec4::splat(most),
            camera_whole: Vec4::splat(whole),
            camera_part: Vec4::splat(part),
            spacing: Vec4::splat(spacing as f32),
        }
    }

    /// Clipped to the map; the first subtraction is exact.
    #[inline]
    fn relative(&self, places: Vec4) -> Vec4 {
        ((places.min(self.most) - self.camera_whole) - self.camera_part) * self.spacing
    }
}

/// The input in the units that the descent works in.
struct Walk<'a> {
    x: Axis,
    y: Axis,
    z: Axis,
    dy_squared: f32,
    planes: [Plane; 6],
    plane_count: usize,
    steps: [Step<'a>; MAX_LEVELS],
    top: u32,
}

impl<'a> Walk<'a> {
    fn new(input: &SelectInput<'a>) -> Self {
        let code = input.range.metres_per_code();
        let dy = input.dy() as f32;
        Self {
            x: Axis::new(input.camera.x / input.spacing.x, input.spacing.x, input.quads.0 as f32),
            y: Axis::new((input.camera.y - input.range.min) / code, code, HeightRange::MAX_CODE as f32),
            z: Axis::new(input.camera.z / input.spacing.y, input.spacing.y, input.quads.1 as f32),
            dy_squared: dy * dy,
            planes: planes(input),
            plane_count: input.frustum.count,
            steps: steps(input),
            top: input.ranges.levels() - 1,
        }
    }

    fn root(&self) -> Pending {
        Pending { x: 0, z: 0, level: self.top, planes: EVERY_PLANE & ((1 << (4 * self.plane_count)) - 1) }
    }

    fn splits_root(&self) -> bool {
        self.root_distance_squared() < self.steps[self.top as usize].split_squared
    }

    fn root_record(&self) -> NodeRecord {
        let band = self.steps[self.top as usize].band;
        let morph = super::level_field::morph(self.root_distance_squared().sqrt(), band);
        NodeRecord::new(Level(self.top as u8), 0, 0, morph)
    }

    fn root_distance_squared(&self) -> f32 {
        let ends = Vec4::new(0.0, self.steps[self.top as usize].side, 0.0, 0.0);
        let [x, z] = [&self.x, &self.z].map(|axis| axis.relative(ends));
        self.distance_squared([x, z], [x, z].map(|ends| Vec4::splat(ends.y))).x
    }

    /// Squared distances of the level field from rectangles on the ground, given by their corners in x and z, metres².
    #[inline]
    fn distance_squared(&self, low: [Vec4; 2], high: [Vec4; 2]) -> Vec4 {
        let [x, z] = [0, 1].map(|axis| low[axis].max(-high[axis]).max(Vec4::ZERO));
        x * x + z * z + Vec4::splat(self.dy_squared)
    }

    /// Culls, measures and sorts the children of a node.
    #[inline]
    fn children(&self, node: Pending) -> Children {
        let step = &self.steps[node.level as usize - 1];
        let side = Vec4::splat(step.side);
        let across = Vec4::splat((2 * node.x) as f32 * step.side) + Vec4::new(0.0, step.side, 0.0, step.side);
        let down = Vec4::splat((2 * node.z) as f32 * step.side) + Vec4::new(0.0, 0.0, step.side, step.side);
        let inside = across.cmplt(self.x.most).bitmask() & down.cmplt(self.z.most).bitmask();
        let [bottom, top] = child_codes(step, node, inside).map(|codes| self.y.relative(codes));
        let low = [self.x.relative(across), bottom, self.z.relative(down)];
        let high = [self.x.relative(across + side), top, self.z.relative(down + side)];
        let (outside, crossed) = self.cull(node.planes, &low, &high);
        let distance_squared = self.distance_squared([low[0], low[2]], [high[0], high[2]]);
        let near = distance_squared.cmplt(Vec4::splat(step.split_squared)).bitmask();
        let seen = inside & !outside;
        // The middle, from which the children lie to all sides, is the corner of the eastern and of the southern ones.
        let [west, north] = [low[0], low[2]].map(|edge| edge.cmplt(Vec4::ZERO).bitmask());
        Children {
            count: (1 + (inside >> 1 & 1)) * (1 + (inside >> 2 & 1)),
            drawn: seen & !near,
            split: seen & near,
            crossed,
            nearest: (west >> 1 & 1 | north >> 1 & 2) as usize,
            records: records(step, node.level - 1, across, down, distance_squared),
        }
    }

    /// Tests four boxes, whose corners are given axis by axis, against the planes that still matter: the lanes that a
    /// plane hides, and the planes that cross each.
    #[inline]
    fn cull(&self, planes: u32, low: &[Vec4; 3], high: &[Vec4; 3]) -> (u32, u32) {
        let centre = [0, 1, 2].map(|axis| (low[axis] + high[axis]) * 0.5);
        let half = [0, 1, 2].map(|axis| (high[axis] - low[axis]) * 0.5);
        let dot = |a: &[Vec4; 3], b: &[Vec4; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (mut outside, mut crossed) = (0, 0);
        let mut left = planes;
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let plane = &self.planes[bit as usize / 4];
            let middle = dot(&centre, &plane.normal) + plane.offset;
            let reach = dot(&half, &plane.reach);
            outside |= (middle + reach).cmplt(Vec4::ZERO).bitmask();
            crossed |= (middle - reach).cmplt(Vec4::ZERO).bitmask() << bit;
        }
        (outside, crossed)
    }
}

/// The frustum's planes, each moved out by what rounding may put a corner off by, so that no node is lost to it.
fn planes(input: &SelectInput<'_>) -> [Plane; 6] {
    let reach = input.camera.abs().max_element()
        + input.spacing.max_element() * f64::from(input.quads.0.max(input.quads.1));
    let slack = reach as f32 * (1.0 / (1 << 20) as f32);
    input.frustum.planes.map(|plane| Plane {
        normal: [plane.x, plane.y, plane.z].map(Vec4::splat),
        reach: [plane.x, plane.y, plane.z].map(|part| Vec4::splat(part.abs())),
        offset: Vec4::splat(plane.w + slack),
    })
}

fn steps<'a>(input: &SelectInput<'a>) -> [Step<'a>; MAX_LEVELS] {
    let (band, cells) = (MorphBand::NEVER, &[][..]);
    let none = Step { side: 0.0, samples: 0.0, split_squared: 0.0, band, cells, columns: 0, shift: 0 };
    let mut steps = [none; MAX_LEVELS];
    for level in 0..input.ranges.levels() {
        let range = level.checked_sub(1).map(|below| input.ranges.range(below) as f32);
        let (cell_level, shift) = cell_of(input.grid, level as u8);
        let (cells, columns) = input.bounds.cells_of(cell_level);
        steps[level as usize] = Step {
            side: (input.grid.quads() << level) as f32,
            samples: (1u32 << level) as f32,
            split_squared: range.map_or(-1.0, |range| range * range),
            band: input.ranges.band(level),
            cells,
            columns,
            // Above the top of the bounds there is the root alone, whatever the column.
            shift: if cell_level < input.bounds.level_count() { shift } else { u32::BITS - 1 },
        };
    }
    steps
}

/// Least and greatest codes of the four children of `node`; those outside of the map take a neighbour's.
#[inline]
fn child_codes(step: &Step<'_>, node: Pending, inside: u32) -> [Vec4; 2] {
    let (east, south) = (inside >> 1 & 1, inside >> 2 & 1);
    let [west, east] = [2 * node.x, 2 * node.x + east].map(|column| (column >> step.shift) as usize);
    let [north, south] =
        [2 * node.z, 2 * node.z + south].map(|row| (row >> step.shift) as usize * step.columns);
    let cells = [north + west, north + east, south + west, south + east].map(|index| step.cells[index]);
    let codes = |pick: fn(MinMax) -> u16| Vec4::from_array(cells.map(|cell| f32::from(pick(cell))));
    [codes(|cell| cell.min), codes(|cell| cell.max)]
}

/// The records of four nodes of a level, from their north-west samples.
#[inline]
fn records(step: &Step<'_>, level: u32, across: Vec4, down: Vec4, distance_squared: Vec4) -> [NodeRecord; 4] {
    let (distance, band) = (distance_squared.sqrt(), step.band);
    let part = ((distance - Vec4::splat(band.start)) * band.inverse).max(Vec4::ZERO).min(Vec4::ONE);
    let morph = Vec4::select(distance.cmpge(Vec4::splat(band.end)), Vec4::ONE, part);
    // Beyond 2²³ a float's last bits are a whole number.
    let codes = (morph * 65535.0 + 8_388_608.0).to_array().map(f32::to_bits);
    let (across, down) = (across.to_array(), down.to_array());
    std::array::from_fn(|lane| NodeRecord {
        origin: [across[lane], down[lane]],
        step: step.samples,
        packed: codes[lane] << 16 | level,
    })
}

/// The level of the bounds whose cells serve the nodes of a level, and the shift from a node's column to its cell's.
/// A cell has 32 quads; the nodes of 16 share it, four to a cell.
#[inline]
fn cell_of(grid: GridSize, level: u8) -> (u32, u32) {
    match grid {
        GridSize::G16 if level == 0 => (0, 1),
        GridSize::G16 => (u32::from(level) - 1, 0),
        GridSize::G32 => (u32::from(level), 0),
        GridSize::G64 => (u32::from(level) + 1, 0),
    }
}

/// The codes between which everything lies that a node can draw: what it is culled by.
///
/// # Panics
/// For a node that lies outside the map.
pub fn node_bounds(bounds: &Bounds, grid: GridSize, node: &NodeRecord) -> MinMax {
    let (cell_level, shift) = cell_of(grid, node.level().0);
    if cell_level >= bounds.level_count() {
        return bounds.root();
    }
    let side = grid.quads() << node.level().0;
    let [x, z] = node.origin.map(|origin| (origin as u32 / side) >> shift);
    bounds.cell(cell_level, x, z)
}

#[cfg(test)]
mod tests;
