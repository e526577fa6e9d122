//! Lamps that the device sorts into a view's cells, held against every lamp at every place, against the CPU's lists, and in pictures.

use ash::vk;
use glam::camera::rh::proj::directx;
use glam::{DVec3, DVec4, Mat4, Vec3};
use landform::draw::{DeviceClusters, LampLists};
use landform::gpu::{Buffer, BufferBarrier, BufferDesc, Device, MemoryLocation, Usage};
use landform::light::{ClusterGrid, Clusters, Cone, Lamp, MOST_LAMPS};
use landform::plan::{TerrainSettings, View, ViewId, Viewport};
use landform_device_tests::{FrameStage, Lighting, LitStage, Planes, hills, look, random};
use landform_harness::{Frames, Gpu, Image8, repository, shared, write_png};
use std::sync::Arc;

const VIEWPORT: Viewport = Viewport { x: 64.0, y: 32.0, width: 1280.0, height: 720.0 };

/// Numbers from 0 to 1, always the same.
struct Dice(Box<dyn FnMut() -> u32>);

impl Dice {
    fn new(seed: u32) -> Self {
        Self(Box::new(random(seed)))
    }

    fn roll(&mut self) -> f64 {
        f64::from((self.0)()) / f64::from(u32::MAX)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll()
    }

    fn direction(&mut self) -> DVec3 {
        let (turn, up) = (self.between(0.0, std::f64::consts::TAU), self.between(-1.0, 1.0));
        let out = (1.0 - up * up).sqrt();
        DVec3::new(out * turn.cos(), up, out * turn.sin())
    }
}

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
    let away = if turn % 4 == 0 { 0.999 } else { dice.roll().cbrt() } * f64::from(lamp.range);
    let mut direction = dice.direction();
    if let Some(cone) = lamp.cone.filter(|_| turn % 2 == 0) {
        let axis = cone.toward.as_dvec3().normalize();
        let aside = axis.cross(direction).normalize();
        let angle = f64::from(cone.outer) * if turn % 3 == 0 { 0.98 } else { dice.roll() };
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

/// What they light is the same picture, to the last bit: the same lamps are added up in the same order.
#[test]
fn a_picture_is_the_cpu_s() {
    let gpu = shared();
    let size = [192, 108];
    let mut stage = LitStage::new(&gpu, hills(257, 257), TerrainSettings::default(), size);
    let mut dice = Dice::new(21);
    let lamp = |index: usize| {
        let position = DVec3::new(512.0 * dice.roll(), dice.between(40.0, 190.0), 512.0 * dice.roll());
        let outer = dice.between(0.2, 1.2) as f32;
        let toward = (dice.direction() - DVec3::Y * 0.5).as_vec3();
        Lamp {
            position,
            intensity: Vec3::new(0.5, 1.0, 1.5) * 1e5,
            range: dice.between(8.0, 80.0) as f32,
            cone: (index % 2 == 0).then_some(Cone { toward, inner: 0.6 * outer, outer }),
        }
    };
    let lamps: Vec<Lamp> = (0..400).map(lamp).collect();
    let whole = stage.viewport();
    let part = Viewport { x: 37.0, y: 11.0, width: 121.0, height: 83.0 };
    let flat = directx::orthographic(-200.0, 200.0, -112.0, 112.0, 900.0, 1.0);
    let seen = DVec3::new(250.0, 210.0, 500.0);
    let tilted = View::looking(0.4, -60f32.to_radians());
    for view in [
        look(seen, 4.0, -25.0, whole),
        View { viewport: part, ..look(seen, 4.0, -25.0, part) },
        look(DVec3::new(250.0, 160.0, 330.0), -20.0, -35.0, whole),
        View::with_projection(DVec3::new(256.0, 420.0, 400.0), tilted, flat, whole),
    ] {
        // One cell: every lamp is asked at every pixel.
        let one = ClusterGrid { columns: 1, rows: 1, slices: 1 };
        let all = Lighting { lamps: lamps.clone(), grid: one, ..Lighting::sun(DVec3::Y, 0.0) };
        let all = stage.draw(&view, &all, Planes::Luminance);
        for grid in [ClusterGrid::default(), ClusterGrid { columns: 7, rows: 5, slices: 40 }] {
            let lighting = Lighting { lamps: lamps.clone(), grid, ..Lighting::sun(DVec3::Y, 0.0) };
            let cpu = stage.draw(&view, &lighting, Planes::Luminance);
            let device = stage.draw(&view, &Lighting { on_device: true, ..lighting }, Planes::Luminance);
            let lit = cpu.ground().filter(|&pixel| cpu.light(pixel) != Vec3::ZERO).count();
            assert!(lit > 2000, "{lit} pixels are lit");
            assert!(cpu.luminance == device.luminance, "{grid:?}");
            assert!(all.luminance == device.luminance, "{grid:?}: what is not listed lights something");
        }
    }
    gpu.assert_silent();
}

const SMALL: (u32, u32) = (160, 90);

fn camera((width, height): (u32, u32)) -> View {
    look(DVec3::new(640.0, 215.0, 985.0), 6.0, -17.0, Viewport::whole(width, height))
}

/// Candela of a lamp, over the square of its range.
const INTENSITY: f32 = 1.2;

/// Hills after sunset, with lamps on them.
fn dusk(gpu: &Arc<Gpu>, document: &str, size: (u32, u32), count: usize) -> FrameStage {
    let field = hills(513, 513);
    let height = |x: f64, z: f64| landform::query::height_at(&field, glam::DVec2::new(x, z)).unwrap_or(0.0);
    let mut dice = Dice::new(3);
    let lamp = |index: usize| {
        let (x, z) = (dice.between(300.0, 1000.0), dice.between(400.0, 960.0));
        let colours = [Vec3::new(1.0, 0.72, 0.4), Vec3::new(1.0, 0.55, 0.25), Vec3::new(0.7, 0.85, 1.0)];
        let range = dice.between(18.0, 55.0) as f32;
        let toward = dice.direction().as_vec3() - Vec3::Y;
        let cone = Cone { toward, inner: 0.35, outer: 0.7 };
        Lamp {
            position: DVec3::new(x, height(x, z) + dice.between(3.0, 9.0), z),
            intensity: colours[index % 3] * range * range * INTENSITY,
            range,
            cone: (index % 3 == 1).then_some(cone),
        }
    };
    let lamps = (0..count).map(lamp).collect();
    let mut stage = FrameStage::new(gpu, field, document, size.0, size.1);
    stage.set_sun(-7.0, 250.0);
    stage.lamps = lamps;
    stage
}

fn mean(picture: &Image8) -> f64 {
    let bytes = picture.data.iter().enumerate().filter(|(at, _)| at % 4 != 3);
    bytes.map(|(_, byte)| f64::from(*byte)).sum::<f64>() / (picture.data.len() as f64 * 0.75)
}

/// The node's place.
fn node(stage: &FrameStage) -> usize {
    let nodes = &stage.compositor.document().nodes;
    nodes.iter().position(|node| node.kind() == "LightClusters").expect("the node")
}

/// A frame whose document has the node is the frame without it; off it has no lamps; lost it is drawn again.
#[test]
fn a_frame_is_the_same_with_the_node() {
    let gpu = shared();
    let without = "(nodes: [StandardFrame(shadow_tile: 64)])";
    let with = "(nodes: [StandardFrame(clusters: true, shadow_tile: 64)])";
    let view = camera(SMALL);
    let mut cpu = dusk(&gpu, without, SMALL, 200);
    let expected = cpu.draw(&view);
    let lamps = std::mem::take(&mut cpu.lamps);
    let dark = cpu.draw(&view);
    assert!(mean(&expected) > mean(&dark) + 2.0, "{} and {}", mean(&expected), mean(&dark));
    let mut stage = dusk(&gpu, with, SMALL, 200);
    stage.lose(&view);
    assert!(stage.draw(&view) == expected);
    let at = node(&stage);
    assert!(stage.compositor.set_enabled(at, false));
    assert!(stage.draw(&view) == dark, "off, nothing is lit by lamps");
    assert!(stage.compositor.set_enabled(at, true));
    stage.lose(&view);
    assert!(stage.draw(&view) == expected);
    for _ in 0..3 {
        stage.draw(&view);
    }
    let lists = stage.compositor.lamp_lists(at).unwrap();
    assert!(lists.listed > 1000 && lists.left_out == 0, "{lists:?}");
    assert!(stage.compositor.lamp_lists(at + 1).is_none());
    stage.lamps.clear();
    assert!(stage.draw(&view) == dark);
    stage.lamps = lamps;
    assert!(stage.draw(&view) == expected);
    gpu.assert_silent();
}

/// Two views with lists of their own, side by side and of changing sizes.
#[test]
fn two_views_of_changing_sizes() {
    let gpu = shared();
    let document = |clusters: &str| {
        let half = |view: &str, stage: &str| {
            format!(
                "{clusters}Pass(stage: Main, view: \"VIEW\", output: \"{stage}\", depth: \"{stage}Z\"), \
                 Terrain(view: \"VIEW\", output: \"{stage}\", depth: \"{stage}Z\"), "
            )
            .replace("VIEW", view)
        };
        format!(
            "(views: [\"Left\", \"Right\"], targets: [(name: \"L\", format: Rgba16Float), (name: \"R\", format: \
             Rgba16Float), (name: \"LZ\", format: Depth32Float), (name: \"RZ\", format: Depth32Float), \
             (name: \"ShadowAtlas\", format: Depth32Float, size: Shadow)], nodes: [ShadowMap(view: \"Left\", tile: \
             64, cascades: 2), {}{}Tonemap(input: \"INPUT\")])",
            half("Left", "L"),
            half("Right", "R")
        )
    };
    let eyes = |size: (u32, u32)| {
        let left = camera(size);
        let right = View { id: ViewId(1), position: left.position + DVec3::new(60.0, 20.0, -200.0), ..left };
        [("Left", left), ("Right", right)]
    };
    for input in ["L", "R"] {
        let text = |clusters| document(clusters).replace("INPUT", input);
        let mut on_device = dusk(&gpu, &text("LightClusters(view: \"VIEW\"), "), SMALL, 200);
        let mut cpu = dusk(&gpu, &text(""), SMALL, 200);
        for size in [SMALL, (97, 60), (200, 44), SMALL] {
            for stage in [&mut on_device, &mut cpu] {
                stage.resize(size.0, size.1);
                stage.draw_views(&eyes(size), &mut ()).unwrap();
            }
            let device = on_device.offscreen.read_color().unwrap();
            let expected = cpu.offscreen.read_color().unwrap();
            assert!(device == expected && mean(&device) > 4.0, "{input} at {size:?}: {}", mean(&device));
        }
    }
    gpu.assert_silent();
}

/// A steady frame writes no descriptor and makes nothing, whatever the camera and the lamps do.
#[test]
fn a_steady_frame_writes_nothing() {
    let gpu = shared();
    let mut stage = dusk(&gpu, "(nodes: [StandardFrame(clusters: true, shadow_tile: 64)])", SMALL, 200);
    let mut before = None;
    for step in 0..14 {
        let mut view = camera(SMALL);
        view.position.z -= f64::from(step);
        stage.lamps.iter_mut().for_each(|lamp| lamp.position.y += 0.1);
        stage.draw_with(&view, &mut ()).unwrap();
        let now = (stage.device.descriptor_writes(), stage.device.live_resources().len());
        if step >= 6 {
            assert_eq!(*before.get_or_insert(now), now, "at step {step}");
        }
    }
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

/// Frames that overlap: each draws what it would alone, whatever lamps the one before had.
#[test]
fn frames_in_flight() {
    let gpu = shared();
    let document = "(nodes: [StandardFrame(clusters: true, shadow_tile: 64)])";
    let mut alone = dusk(&gpu, document, SMALL, 300);
    let mut stage = dusk(&gpu, document, SMALL, 300);
    let lamps = stage.lamps.clone();
    let mut frames = Frames::new(&gpu).unwrap();
    // Fewer, more than there was room for, none.
    for (step, count) in [40, 300, 0, 300, 7, 300, 150].into_iter().enumerate() {
        let mut view = camera(SMALL);
        view.position.x += 5.0 * step as f64;
        let raw = frames.begin().unwrap();
        stage.device.begin_frame();
        stage.lamps = lamps[..count].to_vec();
        stage.record(raw, &[("Camera", view)], &mut ()).unwrap();
        frames.submit(vk::SubmitInfo::default()).unwrap();
        if step % 2 == 1 {
            gpu.wait_idle();
            alone.lamps = lamps[..count].to_vec();
            assert!(stage.offscreen.read_color().unwrap() == alone.draw(&view), "frame {step}");
        }
    }
    gpu.wait_idle();
    gpu.assert_silent();
}

/// Two nearby poses over a whole picture: no cell's border is seen, for the CPU's frame has the same pixels; and what is lit moves with
/// the ground. The pictures are for people: out/clusters-*.png.
#[test]
fn dusk_on_the_hills() {
    let gpu = shared();
    let size = (640, 360);
    let mut on_device = dusk(&gpu, "(nodes: [StandardFrame(clusters: true, shadow_tile: 64)])", size, 300);
    let mut cpu = dusk(&gpu, "(nodes: [StandardFrame(shadow_tile: 64)])", size, 300);
    let mut pictures = Vec::new();
    for step in 0..2 {
        let mut view = camera(size);
        view.position.x += 0.02 * f64::from(step);
        let picture = on_device.draw(&view);
        assert!(picture == cpu.draw(&view), "at pose {step}");
        write_png(repository().join(format!("out/clusters-{step}.png")), &picture).unwrap();
        pictures.push(picture);
    }
    let moved = pictures[0].difference(&pictures[1]).unwrap();
    println!("{moved:?}");
    let jumps = pictures[0].pixels().zip(pictures[1].pixels());
    let jumps = jumps.filter(|(a, b)| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 24)).count();
    assert!(jumps < 60, "{jumps} pixels change by two centimetres of the camera's");
    gpu.assert_silent();
}
