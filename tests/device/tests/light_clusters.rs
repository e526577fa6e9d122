//! Lamps that the device sorts into a view's cells, held against every lamp at every place and against the CPU's lists.

use ash::vk;
use glam::camera::rh::proj::directx;
use glam::{DVec3, DVec4, Mat4, Vec3};
use landform::draw::{DeviceClusters, LampLists};
use landform::gpu::{Buffer, BufferBarrier, BufferDesc, Device, MemoryLocation, Usage};
use landform::light::{ClusterGrid, Clusters, Cone, Lamp, MOST_LAMPS};
use landform::plan::{View, Viewport};
use landform_device_tests::Dice;
use landform_harness::{Gpu, shared};
use std::sync::Arc;

const VIEWPORT: Viewport = Viewport { x: 64.0, y: 32.0, width: 1280.0, height: 720.0 };

fn upright(projection: Mat4) -> View {
    let position = DVec3::new(1234.5, 80.0, -987.6);
    View::with_projection(position, View::looking(0.7, -0.3), projection, VIEWPORT)
}

/// A view of each kind, and how deep its lamps are.
fn views() -> Vec<(&'static str, View, f64)> {
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
fn place(view: &View, x: f64, y: f64, depth: f64) -> DVec3 {
    let inverse = view.unjittered.as_dmat4().inverse();
    let on_ray = |z: f64| inverse * DVec4::new(2.0 * x - 1.0, 2.0 * y - 1.0, z, 1.0);
    let (a, b) = (on_ray(1.0), on_ray(0.5));
    let (a, b) = (a.truncate() / a.w, b.truncate() / b.w);
    let along = (-depth - a.z) / (b.z - a.z);
    view.position + view.rotation.as_dquat() * (a + (b - a) * along)
}

/// Lamps about what the view sees, of unlike sizes, some of them behind it or around it, half of them spots.
fn lamps(view: &View, far: f64, count: usize, seed: u32) -> Vec<Lamp> {
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
            position: place(view, x, y, depth),
            // Each its own, so that a record can be told.
            intensity: Vec3::new(number as f32 + 1.0, 1.0, 1.0),
            range: range as f32,
            cone: (number % 2 == 1).then_some(cone),
        }
    };
    (0..count).map(lamp).collect()
}

/// A device that sorts.
struct Sorter {
    gpu: Arc<Gpu>,
    device: Arc<Device>,
}

/// The numbers of the lamps of each cell.
type Lists = Vec<Vec<u32>>;

impl Sorter {
    fn new(gpu: &Arc<Gpu>) -> Self {
        // SAFETY: the harness' host is valid and outlives the device, and every frame is waited for.
        let device = unsafe { Device::new(gpu.host()) }.expect("a device");
        Self { gpu: gpu.clone(), device }
    }

    /// A frame that sorts and does nothing else, and its words.
    fn words(&self, clusters: &mut DeviceClusters, view: &View, far: f64, lamps: &[Lamp]) -> Vec<u32> {
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
    fn lists(&self, clusters: &mut DeviceClusters, view: &View, far: f64, lamps: &[Lamp]) -> Lists {
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
    fn counted(&self, clusters: &mut DeviceClusters, view: &View, far: f64, lamps: &[Lamp]) -> LampLists {
        for _ in 0..=self.device.slots() {
            self.words(clusters, view, far, lamps);
        }
        clusters.lists()
    }
}

fn listed(lists: &Lists) -> usize {
    lists.iter().map(Vec::len).sum()
}

fn by_cpu(clusters: &Clusters, cells: usize) -> Lists {
    let number = |&lamp: &u32| clusters.records()[lamp as usize].intensity[0] as u32 - 1;
    (0..cells).map(|cell| clusters.lamps_of(cell).iter().map(number).collect()).collect()
}

/// A place that a lamp may light: anywhere in its ball, within its cone, at its cone's edge, or at the end of its range.
fn near(lamp: &Lamp, turn: u32, dice: &mut Dice) -> DVec3 {
    let away = if turn.is_multiple_of(4) { 0.999 } else { dice.roll().cbrt() } * f64::from(lamp.range);
    let mut direction = dice.direction();
    if let Some(cone) = lamp.cone.filter(|_| turn.is_multiple_of(2)) {
        let axis = cone.toward.as_dvec3().normalize();
        let aside = axis.cross(direction).normalize();
        let angle = f64::from(cone.outer) * if turn.is_multiple_of(3) { 0.98 } else { dice.roll() };
        direction = axis * angle.cos() + aside * angle.sin();
    }
    lamp.position + direction * away
}

/// A lattice of places in a cell, so many a side.
fn within(view: &View, clusters: &Clusters, cell: usize, fine: u32) -> impl Iterator<Item = DVec3> {
    let constants = clusters.constants();
    let (columns, rows, slices) = (constants.columns, constants.rows, constants.slices);
    let at = cell as u32;
    let (column, row, slice) = (at % columns, at / columns % rows, at / columns / rows);
    let begin = if view.is_orthographic() { -20.0 } else { 0.0 };
    let ratio = f64::from(constants.far / constants.near).powf(1.0 / f64::from(slices));
    let edge = move |slice: u32| match slice {
        0 => begin,
        _ => f64::from(constants.near) * ratio.powf(slice.into()),
    };
    let part = move |step: u32| (f64::from(step) + 0.5) / f64::from(fine);
    let view = *view;
    (0..fine * fine * fine).map(move |step| {
        let x = (f64::from(column) + part(step % fine)) / f64::from(columns);
        let down = (f64::from(row) + part(step / fine % fine)) / f64::from(rows);
        let y = if view.flip_y { 1.0 - down } else { down };
        let depth = edge(slice) + (edge(slice + 1) - edge(slice)) * part(step / fine / fine);
        place(&view, x, y, depth)
    })
}

/// What one list of a cell has and the other lacks.
fn only<'a>(one: &'a Lists, other: &'a Lists) -> impl Iterator<Item = (usize, u32)> + 'a {
    one.iter().zip(other).enumerate().flat_map(|(cell, (one, other))| {
        let lacking = one.iter().filter(|lamp| other.binary_search(lamp).is_err());
        lacking.map(move |&lamp| (cell, lamp))
    })
}

/// 4096 lamps: whatever lights a place is listed in its cell. Lists are those of the CPU, and one lamp in a thousand more; what they
/// lack of them, one in a hundred, lights nothing there: the CPU's runs of cells hold it, and lamps behind the eye.
#[test]
fn every_lamp_that_lights_a_place_is_listed_there() {
    let gpu = shared();
    let sorter = Sorter::new(&gpu);
    let grids = [ClusterGrid::default(), ClusterGrid { columns: 37, rows: 5, slices: 11 }];
    for (name, view, far) in views() {
        let lamps = lamps(&view, far, 4096, 7);
        for grid in grids {
            let mut on_device = DeviceClusters::new(&sorter.device, grid).unwrap();
            let lists = sorter.lists(&mut on_device, &view, far, &lamps);
            let mut clusters = Clusters::new(grid);
            clusters.build(&view, far, &lamps).unwrap();
            let mut dice = Dice::new(11);
            let mut lit = 0;
            for (number, lamp) in lamps.iter().enumerate() {
                for turn in 0..32 {
                    let at = near(lamp, turn, &mut dice);
                    let Some(cell) = clusters.cell_of((at - view.position).as_vec3()) else { continue };
                    if lamp.illuminance(at) != Vec3::ZERO {
                        lit += 1;
                        let found = lists[cell].binary_search(&(number as u32)).is_ok();
                        assert!(found, "{name}: {lamp:?} lights {at} in cell {cell}");
                    }
                }
            }
            let cpu = by_cpu(&clusters, lists.len());
            let (more, fewer) = (only(&lists, &cpu).count(), only(&cpu, &lists).count());
            for (cell, lamp) in only(&cpu, &lists) {
                for at in within(&view, &clusters, cell, 6) {
                    let seen = clusters.cell_of((at - view.position).as_vec3()) == Some(cell);
                    let lights = seen && lamps[lamp as usize].illuminance(at) != Vec3::ZERO;
                    assert!(!lights, "{name}: {:?} lights {at} in cell {cell}", lamps[lamp as usize]);
                }
            }
            println!(
                "{name}, {grid:?}: {} listed, {more} not by the CPU, {fewer} only by it, {lit} places lit",
                listed(&lists)
            );
            assert!(lit > 500, "{name}: {lit} places are lit");
            // From 500 km a number of 32 bits knows a lamp of twenty metres by a decimetre or two, and its margin is ten of those.
            let most = if name == "from orbit" { 16 } else { 1000 };
            assert!(more * most <= listed(&cpu) && fewer * 100 <= listed(&cpu), "{name}: {more}, {fewer}");
        }
    }
    gpu.assert_silent();
}

/// Of a lattice of places in each cell, lists have at most a sixth as many lamps more as light any.
#[test]
fn cells_list_few_lamps_that_do_not_reach_them() {
    let gpu = shared();
    let sorter = Sorter::new(&gpu);
    let grid = ClusterGrid { columns: 8, rows: 6, slices: 12 };
    for (name, view, far) in views() {
        // The first slice of an oblique view has no beginning, and from far the lattice is too coarse for lamps.
        if ["oblique", "from orbit", "deep"].contains(&name) {
            continue;
        }
        let lamps = lamps(&view, far, 80, 23);
        let mut on_device = DeviceClusters::new(&sorter.device, grid).unwrap();
        let lists = sorter.lists(&mut on_device, &view, far, &lamps);
        let mut clusters = Clusters::new(grid);
        clusters.build(&view, far, &lamps).unwrap();
        let mut least = 0;
        for cell in 0..lists.len() {
            let mut lit = vec![false; lamps.len()];
            for at in within(&view, &clusters, cell, 8) {
                if clusters.cell_of((at - view.position).as_vec3()) == Some(cell) {
                    lit.iter_mut().zip(&lamps).for_each(|(lit, lamp)| *lit |= lamp.illuminance(at).x > 0.0);
                }
            }
            least += lit.into_iter().filter(|&lit| lit).count();
        }
        let ratio = listed(&lists) as f64 / least as f64;
        println!("{name}: {} listed, {least} reach: {ratio:.3}", listed(&lists));
        assert!((1.0..1.17).contains(&ratio), "{name}: {} listed, {least} reach", listed(&lists));
    }
    gpu.assert_silent();
}

/// None, one, and as many as there may be; where lists outgrow their room some lamps are left out, which is said, and then they fit.
#[test]
fn none_one_and_the_most() {
    let gpu = shared();
    let sorter = Sorter::new(&gpu);
    let (_, view, far) = views()[0];
    let grid = ClusterGrid { columns: 16, rows: 2, slices: 8 };
    let mut on_device = DeviceClusters::new(&sorter.device, grid).unwrap();
    assert_eq!(sorter.counted(&mut on_device, &view, far, &[]), LampLists::default());
    let ahead = view.rotation.as_dquat() * DVec3::NEG_Z;
    let around =
        |range: f32| Lamp { position: view.position + ahead, intensity: Vec3::ONE, range, cone: None };
    let lists = sorter.lists(&mut on_device, &view, far, &[around(1e5)]);
    assert!(lists.len() == 256 && lists.iter().all(|list| *list == [0]), "it reaches everything");
    // A cell's depth is no bound of what a lamp without an end reaches.
    let lists = sorter.lists(&mut on_device, &view, far, &[around(f32::MAX)]);
    assert!(lists.iter().all(|list| *list == [0]));
    let behind = Lamp { position: view.position - ahead * 50.0, ..around(20.0) };
    assert_eq!(listed(&sorter.lists(&mut on_device, &view, far, &[behind])), 0);
    assert_eq!(on_device.lamps().records().len(), 0, "the CPU left it out");

    let many = lamps(&view, far, MOST_LAMPS, 5);
    let lists = sorter.lists(&mut on_device, &view, far, &many);
    let mut clusters = Clusters::new(grid);
    clusters.build(&view, far, &many).unwrap();
    let cpu = by_cpu(&clusters, 256);
    println!("65536 lamps: {} listed, {} by the CPU", listed(&lists), listed(&cpu));
    assert!(listed(&lists) > 100_000 && listed(&lists).abs_diff(listed(&cpu)) * 200 < listed(&cpu));
    let more = vec![many[0]; MOST_LAMPS + 1];
    sorter.device.begin_frame();
    let why = on_device.prepare(&view, far, &more).unwrap_err().to_string();
    assert!(why.contains("65537 in one view"), "{why}");
    gpu.assert_silent();
}

#[test]
fn lists_that_do_not_fit_are_cut_and_then_grow() {
    let gpu = shared();
    let sorter = Sorter::new(&gpu);
    let (_, view, far) = views()[0];
    let grid = ClusterGrid { columns: 16, rows: 16, slices: 16 };
    let mut on_device = DeviceClusters::new(&sorter.device, grid).unwrap();
    // Each of them reaches each of 4096 cells.
    let everywhere = |number: usize| Lamp {
        position: view.position,
        intensity: Vec3::new(number as f32 + 1.0, 1.0, 1.0),
        range: 1e5,
        cone: None,
    };
    let lamps: Vec<Lamp> = (0..600).map(everywhere).collect();
    let lists = sorter.lists(&mut on_device, &view, far, &lamps);
    let room = (1 << 18) + 512 * 1024;
    assert_eq!(listed(&lists), room, "what there is room for is used up");
    for list in &lists {
        assert!(list.iter().enumerate().all(|(at, lamp)| *lamp as usize == at), "the first of its lamps");
    }
    let first = on_device.words().size() as usize;
    // Until the first frame's numbers have come back.
    let mut counted = LampLists::default();
    while counted == LampLists::default() {
        sorter.words(&mut on_device, &view, far, &lamps);
        counted = on_device.lists();
    }
    assert_eq!(counted, LampLists { listed: 4096 * 600, left_out: (4096 * 600 - room) as u32 });
    let lists = sorter.lists(&mut on_device, &view, far, &lamps);
    assert!(lists.iter().all(|list| list.len() == 600), "all of them fit");
    let counted = sorter.counted(&mut on_device, &view, far, &lamps);
    assert_eq!(counted, LampLists { listed: 4096 * 600, left_out: 0 });
    let grown = on_device.words().size() as usize;
    assert_eq!((first, grown), (4 * (2 * 4096 + room), 4 * (2 * 4096 + 4096 * 600 / 4 * 5)));
    gpu.assert_silent();
}

/// What was not prepared, or is prepared twice, is refused with a sentence.
#[test]
fn what_is_out_of_turn_is_refused() {
    let gpu = shared();
    let sorter = Sorter::new(&gpu);
    let (_, view, far) = views()[0];
    let mut clusters = DeviceClusters::new(&sorter.device, ClusterGrid::default()).unwrap();
    let says = |result: landform::Result<()>, part: &str| {
        let why = result.unwrap_err().to_string();
        assert!(why.contains(part), "{why}");
    };
    says(clusters.prepare(&view, far, &[]), "call Device::begin_frame first");
    sorter.device.begin_frame();
    clusters.prepare(&view, far, &[]).unwrap();
    says(clusters.prepare(&view, far, &[]), "clusters for each view");
    // Unless the frame was lost.
    clusters.forget();
    clusters.prepare(&view, far, &[]).unwrap();
    sorter.device.begin_frame();
    let recorded = sorter.gpu.record_and_discard(|raw| {
        // SAFETY: the harness hands over a command buffer that records, and throws it away.
        let cmd = unsafe { sorter.device.record(raw) };
        clusters.record(&cmd)
    });
    says(recorded.unwrap(), "call prepare once a frame");
    let none = ClusterGrid { columns: 0, rows: 9, slices: 24 };
    says(DeviceClusters::new(&sorter.device, none).map(|_| ()), "use 1 to 32768 cells");
    gpu.assert_silent();
}
