//! The baseline of selection: the quadtree that one writes first. A node owns its children and its box; a recursion tests
//! six planes corner by corner, a box that lies inside of all of them passes that on, and a node is split by landform's
//! own rule. It selects the nodes that landform selects, which [`super::selection`] checks.

use glam::{Vec3, Vec4};
use landform::abi::NodeRecord;
use landform::field::{Field, Level};
use landform::lod::{Frustum, GridSize, LodRanges, node_bounds};

pub(super) struct Tree {
    root: Node,
    nodes: usize,
}

struct Node {
    /// Metres, in the field's frame.
    low: Vec3,
    high: Vec3,
    x: u32,
    z: u32,
    level: u8,
    children: [Option<Box<Node>>; 4],
}

/// What a recursion carries along.
struct Descent<'a> {
    camera: Vec3,
    dy: f32,
    planes: &'a [Vec4],
    ranges: &'a [f32],
    visited: u32,
    out: &'a mut Vec<NodeRecord>,
}

#[derive(Clone, Copy, PartialEq)]
enum Seen {
    Outside,
    Partly,
    Wholly,
}

impl Tree {
    pub(super) fn new(field: &Field, grid: GridSize, levels: u32) -> Self {
        let mut nodes = 0;
        let root = Node::new(field, grid, levels as u8 - 1, 0, 0, &mut nodes);
        Self { root: root.expect("a map has a first node"), nodes }
    }

    /// Bytes that the tree takes, what the allocator adds left out.
    pub(super) fn bytes(&self) -> usize {
        self.nodes * size_of::<Node>()
    }

    /// Selects into `out` and returns how many nodes were visited.
    pub(super) fn select(
        &self,
        camera: Vec3,
        dy: f32,
        frustum: &Frustum,
        ranges: &[f32],
        out: &mut Vec<NodeRecord>,
    ) -> u32 {
        out.clear();
        let mut descent = Descent { camera, dy, planes: frustum.planes(), ranges, visited: 0, out };
        self.root.select(&mut descent, false);
        descent.visited
    }

    /// The ranges of all levels as this tree reads them.
    pub(super) fn ranges(ranges: &LodRanges) -> Vec<f32> {
        (0..ranges.levels()).map(|level| ranges.range(level) as f32).collect()
    }
}

impl Node {
    fn new(field: &Field, grid: GridSize, level: u8, x: u32, z: u32, nodes: &mut usize) -> Option<Self> {
        let desc = field.desc();
        if x >= desc.quads_x() || z >= desc.quads_z() {
            return None;
        }
        *nodes += 1;
        let side = grid.quads() << level;
        let found = node_bounds(field.bounds(), grid, &NodeRecord::new(Level(level), x, z, 0.0));
        let corner = |x: u32, code: u16, z: u32| {
            let (x, z) = (x.min(desc.quads_x()), z.min(desc.quads_z()));
            let metres = desc.range.metres(f64::from(code));
            Vec3::new(x as f32 * desc.spacing.x as f32, metres as f32, z as f32 * desc.spacing.y as f32)
        };
        let mut child = |east: u32, south: u32| {
            let half = side / 2;
            let below = level.checked_sub(1)?;
            Node::new(field, grid, below, x + east * half, z + south * half, nodes).map(Box::new)
        };
        let children = [child(0, 0), child(1, 0), child(0, 1), child(1, 1)];
        let (low, high) = (corner(x, found.min, z), corner(x + side, found.max, z + side));
        Some(Self { low, high, x, z, level, children })
    }

    fn select(&self, descent: &mut Descent<'_>, inside: bool) {
        descent.visited += 1;
        let (low, high) = (self.low - descent.camera, self.high - descent.camera);
        let seen = if inside { Seen::Wholly } else { seen(descent.planes, low, high) };
        if seen == Seen::Outside {
            return;
        }
        let (x, z) = (low.x.max(-high.x).max(0.0), low.z.max(-high.z).max(0.0));
        let distance = (x * x + z * z + descent.dy * descent.dy).sqrt();
        if self.level > 0 && distance < descent.ranges[self.level as usize - 1] {
            for child in self.children.iter().flatten() {
                child.select(descent, seen == Seen::Wholly);
            }
        } else {
            descent.out.push(NodeRecord::new(Level(self.level), self.x, self.z, 0.0));
        }
    }
}

fn seen(planes: &[Vec4], low: Vec3, high: Vec3) -> Seen {
    let mut seen = Seen::Wholly;
    for plane in planes {
        let normal = plane.truncate();
        let far = Vec3::select(normal.cmpge(Vec3::ZERO), high, low);
        let near = Vec3::select(normal.cmpge(Vec3::ZERO), low, high);
        if normal.dot(far) + plane.w < 0.0 {
            return Seen::Outside;
        }
        if normal.dot(near) + plane.w < 0.0 {
            seen = Seen::Partly;
        }
    }
    seen
}
