//! Lamps in views of every kind, and a device that sorts them.

use ash::vk;
use glam::camera::rh::proj::directx;
use glam::{DVec3, DVec4, Mat4, Vec3};
use landform::draw::{DeviceClusters, LampLists};
use landform::gpu::{Buffer, BufferBarrier, BufferDesc, Device, MemoryLocation, Usage};
use landform::light::{Cone, Lamp};
use landform::plan::{View, Viewport};
use landform_harness::Gpu;
use std::sync::Arc;

use crate::Dice;

const VIEWPORT: Viewport = Viewport { x: 64.0, y: 32.0, width: 1280.0, height: 720.0 };

fn upright(projection: Mat4) -> View {
    let position = DVec3::new(1234.5, 80.0, -987.6);
    View::with_projection(position, View::looking(0.7, -0.3), projection, VIEWPORT)
}

/// A view of each kind, and how deep its lamps are.
pub fn lamp_views() -> Vec<(&'static str, View, f64)> {
    let infinite = directx::perspective_infinite_reverse(1.1, VIEWPORT.aspect(), 0.05);
    let finite = directx::perspective(0.9, VIEWPORT.aspect(), 150.0, 0.5);
    let flat = directx::orthographic(-60.0, 40.0, -30.0, 30.0, 300.0, -20.0);
    let mut oblique = flat;
    oblique.x_axis.z += 5e-4;
    let mut off_centre = infinite;
    off_centre.z_axis.x += 0.4;
    off_centre.z_axis.y -= 0.25;
    let mirror = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    let rolled = Mat4::from_rotation_z(0.4);
    let orbit = directx::perspective_infinite_reverse(0.002, VIEWPORT.aspect(), 100.0);
    let orbit = View {
        position: DVec3::new(3e5, 5e5, -2e5),
        rotation: View::looking(0.3, -std::f32::consts::FRAC_PI_2),
        ..upright(orbit)
    };
    vec![
        ("infinite", upright(infinite), 400.0),
        ("deep", upright(infinite), 2000.0),
        ("finite", upright(finite), 400.0),
        ("off-centre", upright(off_centre), 400.0),
        ("jittered", upright(infinite).jittered([0.45, -0.4]), 400.0),
        ("mirrored", upright(mirror * infinite), 400.0),
        ("rolled", upright(rolled * infinite), 400.0),
        ("orthographic", upright(flat), 400.0),
        ("oblique", upright(oblique), 400.0),
        ("upside down", View { flip_y: false, ..upright(flat) }, 400.0),
        ("from orbit", orbit, 6e5),
    ]
}

/// The place, in the world, that the view shows at this part of its width and height and at this depth.
pub fn place_seen(view: &View, x: f64, y: f64, depth: f64) -> DVec3 {
    let inverse = view.unjittered.as_dmat4().inverse();
    let on_ray = |z: f64| inverse * DVec4::new(2.0 * x - 1.0, 2.0 * y - 1.0, z, 1.0);
    let (a, b) = (on_ray(1.0), on_ray(0.5));
    let (a, b) = (a.truncate() / a.w, b.truncate() / b.w);
    let along = (-depth - a.z) / (b.z - a.z);
    view.position + view.rotation.as_dquat() * (a + (b - a) * along)
}

/// Lamps about what the view sees, of unlike sizes, some of them behind it or around it, half of them spots.
pub fn lamps_seen(view: &View, far: f64, count: usize, seed: u32) -> Vec<Lamp> {
    let mut dice = Dice::new(seed);
    let orbit = far > 1e5;
    let lamp = |number: usize| {
        let depth = match orbit {
            true => dice.between(0.9, 1.05) * 5e5,
            false => dice.between(-0.02, 1.1) * far * dice.roll(),
        };
        let (x, y) = (dice.between(-0.3, 1.3), dice.between(-0.3, 1.3));
        let range = if orbit { dice.between(20.0, 500.0) } else { dice.between(1.0, 40.0) };
        let toward = dice.direction().as_vec3() * 2.0;
        // Narrow ones, wide ones, and those that leave hardly anything out.
        let outer = match number % 8 {
            1 => dice.between(0.01, 0.1),
            3 => dice.between(3.0, std::f64::consts::PI),
            _ => dice.between(0.1, 3.0),
        } as f32;
        let cone = Cone { toward, inner: outer * dice.roll() as f32, outer };
        Lamp {
            position: place_seen(view, x, y, depth),
            // Each its own, so that a record can be told.
            intensity: Vec3::new(number as f32 + 1.0, 1.0, 1.0),
            range: range as f32,
            cone: (number % 2 == 1).then_some(cone),
        }
    };
    (0..count).map(lamp).collect()
}

/// A device that sorts.
pub struct LampSorter {
    /// The host's.
    pub gpu: Arc<Gpu>,
    /// Its own.
    pub device: Arc<Device>,
}

/// The numbers of the lamps of each cell.
pub type Lists = Vec<Vec<u32>>;

impl LampSorter {
    /// Of its own device.
    pub fn new(gpu: &Arc<Gpu>) -> Self {
        // SAFETY: the harness' host is valid and outlives the device, and every frame is waited for.
        let device = unsafe { Device::new(gpu.host()) }.expect("a device");
        Self { gpu: gpu.clone(), device }
    }

    /// A frame that sorts and does nothing else, and its words.
    pub fn words(&self, clusters: &mut DeviceClusters, view: &View, far: f64, lamps: &[Lamp]) -> Vec<u32> {
        self.device.begin_frame();
        clusters.prepare(view, far, lamps).unwrap();
        let size = clusters.words().size();
        let desc = BufferDesc {
            name: "test words",
            size,
            usage: vk::BufferUsageFlags::TRANSFER_DST,
            location: MemoryLocation::Readback,
        };
        let read = Buffer::new(&self.device, &desc).unwrap();
        let whole = |buffer, from, to| BufferBarrier { buffer, offset: 0, size: vk::WHOLE_SIZE, from, to };
        let recorded = self.gpu.submit_and_wait(|raw| {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { self.device.record(raw) };
            clusters.record(&cmd).unwrap();
            let words = clusters.words();
            cmd.barriers(&[], &[whole(words, Usage::FragmentRead, Usage::TransferSrc)]);
            let region = vk::BufferCopy { src_offset: 0, dst_offset: 0, size };
            cmd.copy_to_buffer(words.raw(), &read, &[region]);
            cmd.barriers(
                &[],
                &[
                    whole(words, Usage::TransferSrc, Usage::FragmentRead),
                    whole(&read, Usage::TransferDst, Usage::HostRead),
                ],
            );
        });
        recorded.expect("a frame");
        read.invalidate(0, size).unwrap();
        bytemuck::cast_slice(read.mapped().unwrap()).to_vec()
    }

    /// The lists, by the lamps' own numbers, which are one less than their red.
    pub fn lists(&self, clusters: &mut DeviceClusters, view: &View, far: f64, lamps: &[Lamp]) -> Lists {
        let words = self.words(clusters, view, far, lamps);
        let records = clusters.lamps().records();
        let headers = 2 * clusters.lamps().cells() as usize;
        if records.is_empty() {
            // A shader that is told of no lamps looks at no list.
            return vec![Vec::new(); headers / 2];
        }
        let mut ends: Vec<_> = Vec::new();
        let lists = words[..headers].chunks(2).map(|header| {
            let (first, count) = (header[0] as usize, header[1] as usize);
            assert!(first >= headers && first + count <= words.len());
            ends.extend((count > 0).then_some((first, first + count)));
            let list = &words[first..first + count];
            assert!(list.is_sorted_by(|a, b| a < b), "{list:?}");
            list.iter().map(|&lamp| records[lamp as usize].intensity[0] as u32 - 1).collect()
        });
        let lists = lists.collect();
        ends.sort_unstable();
        assert!(ends.windows(2).all(|pair| pair[0].1 == pair[1].0), "lists lie one after another");
        lists
    }

    /// Frames until the numbers of one like this have come back.
    pub fn counted(&self, clusters: &mut DeviceClusters, view: &View, far: f64, lamps: &[Lamp]) -> LampLists {
        for _ in 0..=self.device.slots() {
            self.words(clusters, view, far, lamps);
        }
        clusters.lists()
    }
}
