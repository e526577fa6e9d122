//! Lamps that the device sorts into a view's cells, held against every lamp at every place and against the CPU's lists.

use glam::{DVec3, Vec3};
use landform::draw::{DeviceClusters, LampLists};
use landform::light::{ClusterGrid, Clusters, Lamp, MOST_LAMPS};
use landform::plan::View;
use landform_device_tests::{Dice, LampSorter, Lists, lamp_views, lamps_seen, place_seen};
use landform_harness::shared;

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
        place_seen(&view, x, y, depth)
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
    let sorter = LampSorter::new(&gpu);
    let grids = [ClusterGrid::default(), ClusterGrid { columns: 37, rows: 5, slices: 11 }];
    for (name, view, far) in lamp_views() {
        let lamps = lamps_seen(&view, far, 4096, 7);
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
    let sorter = LampSorter::new(&gpu);
    let grid = ClusterGrid { columns: 8, rows: 6, slices: 12 };
    for (name, view, far) in lamp_views() {
        // The first slice of an oblique view has no beginning, and from far the lattice is too coarse for lamps.
        if ["oblique", "from orbit", "deep"].contains(&name) {
            continue;
        }
        let lamps = lamps_seen(&view, far, 80, 23);
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
    let sorter = LampSorter::new(&gpu);
    let (_, view, far) = lamp_views()[0];
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

    let many = lamps_seen(&view, far, MOST_LAMPS, 5);
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
    let sorter = LampSorter::new(&gpu);
    let (_, view, far) = lamp_views()[0];
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
    let sorter = LampSorter::new(&gpu);
    let (_, view, far) = lamp_views()[0];
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
