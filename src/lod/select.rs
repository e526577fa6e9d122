//! Which nodes a view needs: a descent of the quadtree over the field's bounds.
//!
//! A node of level L + 1 is split where its rectangle on the ground is within `range(L)` of the camera. That is a
//! question of the plan alone, so the answer does not change when the ground is sculpted; bounds only cull. The four
//! children of a node are tested at once, one in each lane of a vector. All arithmetic is additions, multiplications
//! and comparisons in f32, which every machine rounds alike: equal inputs give equal nodes everywhere.

use super::{GridSize, LodRanges};
use crate::abi::{MAX_LEVELS, NodeRecord};
use crate::field::{Bounds, Field, HeightRange, Level, MinMax};
use glam::{BVec4, DVec3, Mat4, Vec3, Vec4};

/// The planes that a view sees between, in the terrain's frame and relative to the camera, normals pointing in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    planes: [Vec4; 6],
    count: usize,
}

impl Frustum {
    /// No planes at all: everything is seen.
    pub const EVERYTHING: Self = Self { planes: [Vec4::ZERO; 6], count: 0 };

    /// The planes of a matrix from camera-relative terrain metres to clip space, depth 1 at the near plane and 0 at
    /// the far one. An infinite far plane gives five planes; the order of clip space's other axes does not matter,
    /// so mirrored, off-centre and orthographic views work.
    pub fn of(view_projection: &Mat4) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| view_projection.row(row));
        let mut frustum = Self::EVERYTHING;
        for plane in [w + x, w - x, w + y, w - y, w - z, z] {
            let length = plane.truncate().length();
            // The far plane of an infinite projection has no normal.
            if length > 1e-12 * plane.w.abs() && length > 0.0 {
                frustum.planes[frustum.count] = plane / length;
                frustum.count += 1;
            }
        }
        frustum
    }

    /// The planes: inward unit normal in xyz, distance in w.
    pub fn planes(&self) -> &[Vec4] {
        &self.planes[..self.count]
    }
}

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
        field: &'a Field, grid: GridSize, ranges: &'a LodRanges, camera: DVec3, frustum: &'a Frustum,
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
        (self.camera.y - self.range.max).max(self.range.min - self.camera.y).max(0.0)
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

/// Selects the nodes of a view into `nodes`, nearest children first; what was in there is replaced. Allocates only
/// when `nodes` has to grow.
#[doc(alias = "TerrainLodTree")]
pub fn select(input: &SelectInput<'_>, nodes: &mut Vec<NodeRecord>) -> SelectStats {
    nodes.clear();
    let walk = Walk::new(input);
    let mut stats = SelectStats::default();
    let mut stack = [Pending::default(); STACK];
    let top = input.ranges.levels() as u8 - 1;
    stack[0] = Pending { level: top, planes: (1 << input.frustum.count) - 1, x: 0, z: 0 };
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let node = stack[depth];
        if node.level > 0 && walk.within(node) {
            let children = walk.children(node);
            stats.visited += children.inside.count_ones();
            stats.culled += (children.inside & !children.seen).count_ones();
            for lane in walk.far_to_near(node) {
                if children.seen >> lane & 1 == 1 {
                    stack[depth] = Pending {
                        level: node.level - 1,
                        planes: children.planes[lane],
                        x: 2 * node.x + (lane as u32 & 1),
                        z: 2 * node.z + (lane as u32 >> 1),
                    };
                    depth += 1;
                }
            }
        } else {
            nodes.push(walk.record(node));
        }
    }
    stats.selected = nodes.len() as u32;
    stats
}

/// Each level leaves at most three nodes waiting.
const STACK: usize = 3 * MAX_LEVELS + 4;

#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    level: u8,
    /// A bit a plane that the node is not wholly inside of.
    planes: u8,
    x: u32,
    z: u32,
}

/// The four children of a node, a bit or a lane each: bit 0 of the lane is east, bit 1 south.
struct Children {
    inside: u32,
    seen: u32,
    planes: [u8; 4],
}

/// The input in the units that the descent works in.
struct Walk<'a> {
    bounds: &'a Bounds,
    quads: [f32; 2],
    camera_whole: [f32; 2],
    camera_part: [f32; 2],
    spacing: [f32; 2],
    code_whole: f32,
    code_part: f32,
    metres_per_code: f32,
    dy_squared: f32,
    grid_quads: u32,
    grid: GridSize,
    frustum: &'a Frustum,
    /// What rounding may put a corner off by, metres: added to each plane, so that no node is lost to it.
    slack: f32,
    range_squared: [f32; MAX_LEVELS],
    ranges: &'a LodRanges,
}

impl<'a> Walk<'a> {
    fn new(input: &SelectInput<'a>) -> Self {
        let split = |value: f64| (value.floor() as f32, (value - value.floor()) as f32);
        let (column, column_part) = split(input.camera.x / input.spacing.x);
        let (row, row_part) = split(input.camera.z / input.spacing.y);
        let (code, code_part) = split((input.camera.y - input.range.min) / input.range.metres_per_code());
        let dy = input.dy() as f32;
        let reach = input.camera.abs().max_element()
            + input.spacing.max_element() * f64::from(input.quads.0.max(input.quads.1));
        Self {
            bounds: input.bounds,
            quads: [input.quads.0 as f32, input.quads.1 as f32],
            camera_whole: [column, row],
            camera_part: [column_part, row_part],
            spacing: [input.spacing.x as f32, input.spacing.y as f32],
            code_whole: code,
            code_part,
            metres_per_code: input.range.metres_per_code() as f32,
            dy_squared: dy * dy,
            grid_quads: input.grid.quads(),
            grid: input.grid,
            frustum: input.frustum,
            slack: reach as f32 * (1.0 / (1 << 21) as f32),
            range_squared: std::array::from_fn(|level| {
                let range = input.ranges.range(level as u32) as f32;
                range * range
            }),
            ranges: input.ranges,
        }
    }

    /// A sample column (axis 0) or row (axis 1), clipped to the map, relative to the camera in metres.
    #[inline]
    fn relative(&self, sample: f32, axis: usize) -> f32 {
        let sample = sample.min(self.quads[axis]);
        ((sample - self.camera_whole[axis]) - self.camera_part[axis]) * self.spacing[axis]
    }

    /// Squared distance of the level field from a node's rectangle, metres².
    #[inline]
    fn distance_squared(&self, node: Pending) -> f32 {
        let side = (self.grid_quads << node.level) as f32;
        let axis = |index: u32, axis: usize| {
            let low = self.relative(index as f32 * side, axis);
            let high = self.relative(index as f32 * side + side, axis);
            low.max(-high).max(0.0)
        };
        let (x, z) = (axis(node.x, 0), axis(node.z, 1));
        x * x + z * z + self.dy_squared
    }

    /// True where a node is to be split.
    #[inline]
    fn within(&self, node: Pending) -> bool {
        self.distance_squared(node) < self.range_squared[node.level as usize - 1]
    }

    /// The lanes of a node's children, those away from the camera first: they wait longest on the stack.
    #[inline]
    fn far_to_near(&self, node: Pending) -> [usize; 4] {
        let side = (self.grid_quads << (node.level - 1)) as f32;
        let middle = |index: u32, axis: usize| {
            ((2 * index + 1) as f32 * side - self.camera_whole[axis]) - self.camera_part[axis]
        };
        let nearest = usize::from(middle(node.x, 0) < 0.0) | usize::from(middle(node.z, 1) < 0.0) << 1;
        [nearest ^ 3, nearest ^ 2, nearest ^ 1, nearest]
    }

    #[inline]
    fn children(&self, node: Pending) -> Children {
        let level = node.level - 1;
        let side = (self.grid_quads << level) as f32;
        let (first_x, first_z) = (2.0 * node.x as f32 * side, 2.0 * node.z as f32 * side);
        let edges = |first: f32, axis: usize| {
            [first, first + side, first + 2.0 * side].map(|sample| self.relative(sample, axis))
        };
        let ([x0, x1, x2], [z0, z1, z2]) = (edges(first_x, 0), edges(first_z, 1));
        let east = first_x + side < self.quads[0];
        let south = first_z + side < self.quads[1];
        let inside = 1 | u32::from(east) << 1 | u32::from(south) << 2 | u32::from(east && south) << 3;
        let codes = self.child_bounds(level, node, east, south);
        let metres = |code: Vec4| {
            ((code - Vec4::splat(self.code_whole)) - Vec4::splat(self.code_part)) * self.metres_per_code
        };
        let lanes = |low: f32, high: f32| Vec4::new(low, high, low, high);
        let low = [lanes(x0, x1), metres(codes[0]), Vec4::new(z0, z0, z1, z1)];
        let high = [lanes(x1, x2), metres(codes[1]), Vec4::new(z1, z1, z2, z2)];
        self.cull(node.planes, inside, &low, &high)
    }

    /// Tests four boxes, whose corners are given axis by axis, against the planes that still matter.
    #[inline]
    fn cull(&self, planes: u8, inside: u32, low: &[Vec4; 3], high: &[Vec4; 3]) -> Children {
        let mut outside = BVec4::FALSE.bitmask();
        let mut crossed = [0u8; 4];
        let mut left = planes;
        while left != 0 {
            let index = left.trailing_zeros() as usize;
            left &= left - 1;
            let plane = self.frustum.planes[index];
            let normal = plane.truncate();
            let (far, near) = corners(normal, low, high);
            let offset = Vec4::splat(plane.w + self.slack);
            let dot = |corner: [&Vec4; 3]| {
                *corner[0] * normal.x + *corner[1] * normal.y + *corner[2] * normal.z + offset
            };
            outside |= dot(far).cmplt(Vec4::ZERO).bitmask();
            let cut = dot(near).cmplt(Vec4::ZERO).bitmask();
            for (lane, planes) in crossed.iter_mut().enumerate() {
                *planes |= ((cut >> lane & 1) as u8) << index;
            }
        }
        Children { inside, seen: inside & !outside, planes: crossed }
    }

    /// Least and greatest codes of the four children of `node`, which are of `level`.
    #[inline]
    fn child_bounds(&self, level: u8, node: Pending, east: bool, south: bool) -> [Vec4; 2] {
        let (cell_level, shift) = cell_of(self.grid, level);
        let last = self.bounds.level_count() - 1;
        let cells = if cell_level > last {
            [self.bounds.root(); 4]
        } else {
            let column = |east: bool| ((2 * node.x + u32::from(east)) >> shift) as usize;
            let north_row = self.bounds.row_of(cell_level, (2 * node.z) >> shift);
            let south_row = self.bounds.row_of(cell_level, (2 * node.z + u32::from(south)) >> shift);
            let (west, east) = (column(false), column(east));
            [north_row[west], north_row[east], south_row[west], south_row[east]]
        };
        let lanes = |pick: fn(MinMax) -> u16| Vec4::from_array(cells.map(|cell| f32::from(pick(cell))));
        [lanes(|cell| cell.min), lanes(|cell| cell.max)]
    }

    fn record(&self, node: Pending) -> NodeRecord {
        let side = self.grid_quads << node.level;
        let band = self.ranges.band(u32::from(node.level));
        let morph = super::level_field::morph(self.distance_squared(node).sqrt(), band);
        NodeRecord::new(Level(node.level), node.x * side, node.z * side, morph)
    }
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

/// For each axis, the side of the boxes that lies furthest along a normal, and the one that lies least far.
#[inline]
fn corners<'v>(normal: Vec3, low: &'v [Vec4; 3], high: &'v [Vec4; 3]) -> ([&'v Vec4; 3], [&'v Vec4; 3]) {
    let mut far = [&high[0], &high[1], &high[2]];
    let mut near = [&low[0], &low[1], &low[2]];
    for axis in 0..3 {
        if normal[axis] < 0.0 {
            std::mem::swap(&mut far[axis], &mut near[axis]);
        }
    }
    (far, near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{FieldDesc, SampleRect};
    use crate::lod::LodGeometry;
    use glam::camera::rh::proj::directx;
    use glam::{Quat, Vec3};

    fn hills(width: u32, height: u32) -> Field {
        let desc = FieldDesc::new(width, height).with_tile_samples(64).with_range(-20.0, 300.0);
        let mut field = Field::new(desc).unwrap();
        field.edit(SampleRect::new(0, 0, width, height), |z, row| {
            for (x, code) in row.iter_mut().enumerate() {
                *code = ((x as f64 * 0.05).sin() * (f64::from(z) * 0.04).cos() * 20000.0 + 30000.0) as u16;
            }
        });
        field
    }

    /// Every quad of the map is drawn exactly once when nothing is culled.
    #[test]
    fn the_nodes_tile_the_map() {
        for (width, height) in [(2, 2), (513, 513), (701, 300), (33, 900)] {
            let field = hills(width, height);
            for grid in GridSize::ALL {
                let geometry = LodGeometry::new(field.desc(), grid);
                let (ranges, _) = LodRanges::clamped(&geometry, 1.0, 0.66).unwrap();
                let input =
                    SelectInput::new(&field, grid, &ranges, DVec3::new(60.0, 40.0, 90.0), &Frustum::EVERYTHING);
                let mut nodes = Vec::new();
                let stats = select(&input, &mut nodes);
                assert_eq!((stats.culled, stats.selected as usize), (0, nodes.len()));
                let area: f64 = nodes
                    .iter()
                    .map(|node| {
                        let side = node.step * grid.quads() as f32;
                        let clip = |at: f32, quads: u32| f64::from((at + side).min(quads as f32) - at);
                        clip(node.origin[0], width - 1) * clip(node.origin[1], height - 1)
                    })
                    .sum();
                assert_eq!(area, f64::from(width - 1) * f64::from(height - 1), "{width}×{height} {grid:?}");
            }
        }
    }

    /// What the frustum culls is what no plane lets be seen, and the rest is what is selected without a frustum.
    #[test]
    fn culling_only_removes() {
        let field = hills(513, 513);
        let geometry = LodGeometry::new(field.desc(), GridSize::G16);
        let (ranges, _) = LodRanges::clamped(&geometry, 1.0, 0.66).unwrap();
        let mut all = Vec::new();
        let mut some = Vec::new();
        for turn in 0..16 {
            let camera = DVec3::new(200.0, 150.0, 260.0);
            let rotation = Quat::from_rotation_y(turn as f32 * 0.4) * Quat::from_rotation_x(-0.3);
            let projection = directx::perspective_infinite_reverse(1.0, 1.6, 0.1);
            let frustum = Frustum::of(&(projection * Mat4::from_quat(rotation.inverse())));
            assert_eq!(frustum.planes().len(), 5, "an infinite far plane is no plane");
            select(&SelectInput::new(&field, GridSize::G16, &ranges, camera, &Frustum::EVERYTHING), &mut all);
            let stats =
                select(&SelectInput::new(&field, GridSize::G16, &ranges, camera, &frustum), &mut some);
            assert!(stats.culled > 0 && some.iter().all(|node| all.contains(node)));
            // A node left out has no sample in view.
            let seen = |at: Vec3| frustum.planes().iter().all(|p| p.truncate().dot(at) + p.w >= 0.0);
            for node in all.iter().filter(|node| !some.contains(node)) {
                let end = |at: f32| ((at + 16.0 * node.step) as u32).min(512);
                for z in node.origin[1] as u32..=end(node.origin[1]) {
                    for x in node.origin[0] as u32..=end(node.origin[0]) {
                        let y = field.sample_metres(crate::field::Sample::new(x, z));
                        let at = DVec3::new(f64::from(x), y, f64::from(z)) - camera;
                        assert!(!seen(at.as_vec3()), "sample {x}, {z} of a culled node is in view");
                    }
                }
            }
        }
    }
}
