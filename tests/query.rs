//! The queries against answers that are found another way: by looking at every triangle.

use glam::{DVec2, DVec3};
use landform::field::{Field, FieldDesc, Quad, Sample, SampleRect};
use landform::query::{RayHit, face_normal_at, height_at, heights, normal_at, raycast};
use proptest::prelude::*;

/// A deterministic stream, so that a failing case is named by its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u32) -> u32 {
        (self.next() % u64::from(end)) as u32
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A rough field below and above 0, with pixels that are not square and one quad in `one_hole_in` open.
fn rough(width: u32, height: u32, seed: u64, one_hole_in: Option<u32>) -> Field {
    let mut random = Random(seed);
    let desc = FieldDesc::new(width, height).with_spacing(75.9, 108.5).with_range(-400.0, 250.0);
    let samples = (0..width * height).map(|_| random.next() as u16).collect();
    let mut field = Field::from_samples(desc, samples).unwrap();
    if let Some(n) = one_hole_in {
        for _ in 0..(desc.quads_x() * desc.quads_z()).div_ceil(n) {
            field.set_hole(Quad::new(random.below(desc.quads_x()), random.below(desc.quads_z())), true);
        }
    }
    field
}

/// Metres of a place in the map: 0 to 1 in x and z from border to border, in y from the range's minimum to its maximum.
fn in_map(field: &Field, part: DVec3) -> DVec3 {
    let desc = field.desc();
    let size = DVec2::new(f64::from(desc.quads_x()), f64::from(desc.quads_z())) * desc.spacing;
    DVec3::new(part.x * size.x, desc.range.min + part.y * desc.range.extent(), part.z * size.y)
}

fn sample_place(field: &Field, x: u32, z: u32) -> DVec3 {
    let spacing = field.desc().spacing;
    DVec3::new(f64::from(x) * spacing.x, field.sample_metres(Sample::new(x, z)), f64::from(z) * spacing.y)
}

/// Every closed triangle of the map.
fn triangles(field: &Field) -> impl Iterator<Item = (Quad, [DVec3; 3])> {
    let quads =
        (0..field.desc().quads_z()).flat_map(|z| (0..field.desc().quads_x()).map(move |x| Quad::new(x, z)));
    quads.filter(|&quad| !field.is_hole(quad)).flat_map(|quad| {
        let corner = |x: u32, z: u32| sample_place(field, quad.x + x, quad.z + z);
        let (nw, ne, sw, se) = (corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1));
        let halves = if (quad.x + quad.z) % 2 == 0 {
            [[nw, sw, se], [nw, se, ne]]
        } else {
            [[nw, sw, ne], [ne, sw, se]]
        };
        halves.map(|triangle| (quad, triangle))
    })
}

/// Weights of a triangle's corners at a place seen from above.
fn weights_from_above([a, b, c]: [DVec3; 3], place: DVec2) -> DVec3 {
    let flat = |p: DVec3| DVec2::new(p.x, p.z);
    let (ab, ac, ap) = (flat(b - a), flat(c - a), place - flat(a));
    let area = ab.perp_dot(ac);
    let (v, w) = (ap.perp_dot(ac) / area, ab.perp_dot(ap) / area);
    DVec3::new(1.0 - v - w, v, w)
}

/// Möller and Trumbore's test: distance along a unit ray, and the least weight of a corner, negative outside.
fn meet([a, b, c]: [DVec3; 3], origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
    let (ab, ac, ao) = (b - a, c - a, origin - a);
    let p = direction.cross(ac);
    let det = ab.dot(p);
    if det == 0.0 {
        return None;
    }
    let v = ao.dot(p) / det;
    let q = ao.cross(ab);
    let w = direction.dot(q) / det;
    Some((ac.dot(q) / det, v.min(w).min(1.0 - v - w)))
}

/// Holds a ray's answer between a search of all triangles made a little larger and one of all made a little smaller.
fn check_ray(field: &Field, origin: DVec3, direction: DVec3, reach: f64) -> Option<RayHit> {
    let unit = direction.normalize();
    let slack = 1e-6;
    let (mut larger, mut smaller) = (f64::INFINITY, f64::INFINITY);
    for (_, triangle) in triangles(field) {
        let Some((distance, inside)) = meet(triangle, origin, unit) else { continue };
        if inside >= -slack && distance >= -slack && distance <= reach + slack {
            larger = larger.min(distance);
        }
        if inside >= slack && distance >= slack && distance <= reach - slack {
            smaller = smaller.min(distance);
        }
    }
    let hit = raycast(field, origin, direction, reach);
    let found = hit.map_or(f64::INFINITY, |hit| hit.distance);
    assert!(
        found >= larger - slack && found <= smaller + slack,
        "{found} is not between {larger} and {smaller}"
    );
    if let Some(hit) = hit {
        assert!(hit.distance >= 0.0 && hit.distance <= reach);
        assert!((origin + unit * hit.distance - hit.position).length() < 1e-4, "{hit:?}");
        let ground =
            height_at(field, DVec2::new(hit.position.x, hit.position.z)).expect("a hit lies on the ground");
        assert!((ground - hit.position.y).abs() < 1e-6, "{hit:?} on {ground}");
        assert!(!field.is_hole(hit.quad) && hit.normal.is_normalized() && hit.normal.y > 0.0);
        let facing = hit.normal.dot(unit);
        assert!(facing.abs() < 1e-9 || hit.from_below == (facing > 0.0), "{hit:?}");
    }
    hit
}

fn part(low: f64, high: f64) -> impl Strategy<Value = DVec3> {
    (low..high, low..high, low..high).prop_map(DVec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_height_is_that_of_the_triangle(
        size in (2u32..20, 2u32..20), seed: u64, holes in prop_oneof![Just(None), Just(Some(3))], places in
        prop::collection::vec(part(-0.1, 1.1), 20),
    ) {
        let field = rough(size.0, size.1, seed, holes);
        for place in places {
            let place = in_map(&field, place);
            let place = DVec2::new(place.x, place.z);
            let on: Vec<_> = triangles(&field)
                .map(|(_, triangle)| (triangle, weights_from_above(triangle, place)))
                .filter(|(_, weights)| weights.min_element() >= 0.0)
                .collect();
            let height = height_at(&field, place);
            prop_assert_eq!(height.is_some(), !on.is_empty());
            prop_assert_eq!(normal_at(&field, place).is_some(), height.is_some());
            let face = face_normal_at(&field, place);
            prop_assert_eq!(face.is_some(), height.is_some());
            for ([a, b, c], weights) in on {
                let expected = DVec3::new(a.y, b.y, c.y).dot(weights);
                prop_assert!((height.unwrap() - expected).abs() < 1e-9, "{height:?}, not {expected}");
                let normal = (b - a).cross(c - a).normalize();
                prop_assert!((face.unwrap() - normal).length() < 1e-9);
            }
        }
    }

    #[test]
    fn a_ray_hits_what_a_search_of_all_triangles_hits(
        size in (2u32..70, 2u32..70), seed: u64, holes in prop_oneof![Just(None), Just(Some(2)), Just(Some(20))],
        from in part(-1.0, 2.0), to in part(-0.2, 1.2), flat in 0u32..7, length in 1e-3f64..1e3,
        reach in prop_oneof![Just(f64::INFINITY), 0.0f64..10_000.0],
    ) {
        let field = rough(size.0, size.1, seed, holes);
        let from = in_map(&field, from);
        let mut direction = in_map(&field, to) - from;
        // Rays in the planes of the axes, and along the axes.
        for axis in 0..3 {
            if flat >> axis & 1 == 1 {
                direction[axis] = 0.0;
            }
        }
        prop_assume!(direction.length() > 1e-9);
        check_ray(&field, from, direction.normalize() * length, reach);
    }

    /// A ray from above the ground to below it, both inside the map, has to meet it, wherever it passes: through
    /// samples, along edges and diagonals, steep or grazing.
    #[test]
    fn no_ray_leaks(size in (4u32..40, 4u32..40), seed: u64) {
        let field = rough(size.0, size.1, seed, None);
        let mut random = Random(seed ^ 7);
        for _ in 0..200 {
            let mut inner = || (random.below(size.0 - 1), random.below(size.1 - 1));
            let ((x, z), (far_x, far_z)) = (inner(), inner());
            let sample = sample_place(&field, x, z);
            let along = [
                sample,
                sample.midpoint(sample_place(&field, x + 1, z)),
                sample.lerp(sample_place(&field, x, z + 1), 0.3),
                sample.lerp(sample_place(&field, x + 1, z + 1), random.between(0.0, 1.0)),
            ][random.below(4) as usize];
            let far = sample_place(&field, far_x, far_z);
            let above = DVec3::new(far.x, random.between(251.0, 3000.0), far.z);
            // From above through the place, until it is under all ground or at the map's border.
            let down = along - above;
            let mut most = f64::INFINITY;
            for (axis, end) in [(0, f64::from(size.0 - 1) * 75.9), (2, f64::from(size.1 - 1) * 108.5)] {
                let room = if down[axis] > 0.0 { end - above[axis] } else { above[axis] };
                most = most.min(room / down[axis].abs().max(1e-9));
            }
            let under = (401.0 + above.y) / -down.y;
            if under < most {
                let hit = raycast(&field, above, down, f64::INFINITY);
                prop_assert!(hit.is_some_and(|hit| hit.distance <= down.length() * under && !hit.from_below));
                let up = raycast(&field, above + down * under, -down, down.length() * under);
                prop_assert!(up.is_some_and(|hit| hit.from_below));
            }
            // Straight down at the place itself.
            let hit = raycast(&field, DVec3::new(along.x, 1000.0, along.z), DVec3::NEG_Y, 2000.0).unwrap();
            let ground = height_at(&field, DVec2::new(along.x, along.z)).unwrap();
            prop_assert!((hit.position.y - ground).abs() < 1e-9 && (1000.0 - hit.distance - ground).abs() < 1e-9);
        }
    }

    /// Heights and vertical rays agree on what is ground, to the last bit of a border.
    #[test]
    fn a_plumb_line_agrees_with_the_height(size in (2u32..12, 2u32..12), seed: u64) {
        let field = rough(size.0, size.1, seed, Some(2));
        let mut random = Random(seed);
        for _ in 0..100 {
            let nudge = |metres: f64, random: &mut Random| match random.below(4) {
                0 => metres.next_up(),
                1 => metres.next_down(),
                2 => metres + random.between(-100.0, 100.0),
                _ => metres,
            };
            let sample = sample_place(&field, random.below(size.0), random.below(size.1));
            let (x, z) = (nudge(sample.x, &mut random), nudge(sample.z, &mut random));
            let height = height_at(&field, DVec2::new(x, z));
            let hit = raycast(&field, DVec3::new(x, 500.0, z), DVec3::NEG_Y, f64::INFINITY);
            prop_assert_eq!(hit.is_some(), height.is_some(), "at {} {}", x, z);
            if let (Some(hit), Some(height)) = (hit, height) {
                prop_assert!((hit.position.y - height).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_sample_has_its_own_height(size in (2u32..40, 2u32..40), seed: u64, spacing in (1e-3f64..1e3, 1e-3f64..1e3)) {
        let rough = rough(size.0, size.1, seed, None);
        let desc = rough.desc().with_spacing(spacing.0, spacing.1).with_range(-50.95, 365.62);
        let field = Field::from_samples(desc, rough.samples().to_vec()).unwrap();
        let all = (0..size.1).flat_map(|z| (0..size.0).map(move |x| Sample::new(x, z)));
        let places: Vec<_> = all.clone().map(|s| DVec2::new(f64::from(s.x), f64::from(s.z)) * desc.spacing).collect();
        let mut out = vec![None; places.len()];
        heights(&field, &places, &mut out);
        for ((sample, place), height) in all.zip(places).zip(out) {
            let stored = desc.range.metres(f64::from(field.sample(sample)));
            prop_assert_eq!(height.map(f64::to_bits), Some(stored.to_bits()));
            prop_assert_eq!(height_at(&field, place).map(f64::to_bits), Some(stored.to_bits()));
        }
    }
}

#[test]
fn many_heights_are_the_single_ones() {
    let field = rough(65, 33, 5, Some(10));
    let mut random = Random(9);
    let places: Vec<_> = (0..10_000)
        .map(|_| DVec2::new(random.between(-500.0, 5500.0), random.between(-500.0, 4000.0)))
        .chain([DVec2::NAN, DVec2::INFINITY, DVec2::new(3.0, f64::NEG_INFINITY), DVec2::new(-0.0, -0.0)])
        .collect();
    let mut out = vec![Some(1.0); places.len()];
    heights(&field, &places, &mut out);
    for (&place, height) in places.iter().zip(out) {
        assert_eq!(height, height_at(&field, place));
        assert!(height.is_none_or(f64::is_finite));
    }
}

/// A flat field has bounds without thickness; so have the cells of a flat part of any field.
#[test]
fn a_flat_field_is_hit() {
    for (code, level) in [(0, -30.0), (65535, 170.0), (32768, -30.0 + 200.0 * 32768.0 / 65535.0)] {
        let desc = FieldDesc::new(513, 513).with_range(-30.0, 170.0);
        let field = Field::from_samples(desc, vec![code; 513 * 513]).unwrap();
        for (from, to) in
            [((3.0, 4.0), (500.0, 200.0)), ((256.0, 256.0), (256.0, 256.0)), ((700.0, -90.0), (64.0, 32.0))]
        {
            for height in [1e-6, 1.0, 500.0, 1e7, -1e-6, -400.0] {
                let origin = DVec3::new(from.0, level + height, from.1);
                let target = DVec3::new(to.0, level, to.1);
                let hit =
                    raycast(&field, origin, target - origin, f64::INFINITY).expect("a brush finds the plain");
                assert!(
                    (hit.position - target).length() < 1e-6 * (1.0 + height.abs()),
                    "{hit:?}, not {target}"
                );
                assert_eq!((hit.normal, hit.from_below), (DVec3::Y, height < 0.0));
            }
        }
        let level = field.sample_metres(Sample::new(0, 0));
        let along = |x, z| raycast(&field, DVec3::new(-5.0, level, 100.5), DVec3::new(x, 0.0, z), 1e9);
        assert_eq!(
            along(1.0, 0.0).map(|hit| hit.distance),
            Some(5.0),
            "in the plane it is met at the map's edge"
        );
        assert!(along(-1.0, 0.0).is_none() && along(0.0, 1.0).is_none());
    }
}

#[test]
fn an_edit_and_its_undo_are_seen_at_once() {
    let desc = FieldDesc::new(513, 513).with_range(0.0, 4000.0);
    let mut field = Field::new(desc).unwrap();
    for (x, z) in [(256, 256), (0, 0), (512, 512), (32, 31), (400, 63)] {
        let tip = DVec3::new(f64::from(x), 2000.0, f64::from(z));
        let look = |field: &Field| {
            // Level, a little under the tip: nothing else of the map is as high.
            raycast(field, tip + DVec3::new(-900.0, -1.0, -900.0), DVec3::new(1.0, 0.0, 1.0), f64::INFINITY)
        };
        assert!(look(&field).is_none());
        field.set_sample(Sample::new(x, z), desc.range.code(2000.0));
        let hit = look(&field);
        // At the corners the tower has but one or two faces, and all of them lie on this ray's line.
        assert!(hit.is_some_and(|hit| (hit.position - tip).length() < 2.0), "{hit:?}");
        let raised = height_at(&field, DVec2::new(tip.x, tip.z)).unwrap();
        assert!((raised - 2000.0).abs() < 0.05);
        field.set_sample(Sample::new(x, z), 0);
        assert!(look(&field).is_none());
        assert_eq!(height_at(&field, DVec2::new(tip.x, tip.z)), Some(0.0));
    }
    field.edit(SampleRect::new(10, 10, 40, 40), |_, row| row.fill(65535));
    let hit = raycast(&field, DVec3::new(30.0, 5000.0, 30.0), DVec3::NEG_Y, 1500.0).unwrap();
    assert_eq!((hit.distance, hit.position.y), (1000.0, 4000.0));
}

/// A thousand rays from any height, over ground that lies under 0 everywhere, with a large hole.
#[test]
fn ground_below_zero_with_a_hole_is_hit_from_any_height() {
    let rough = rough(49, 41, 77, None);
    let desc = rough.desc().with_range(-3000.0, -12.5);
    let mut field = Field::from_samples(desc, rough.samples().to_vec()).unwrap();
    for (x, z) in (10..30).flat_map(|x| (12..25).map(move |z| (x, z))) {
        field.set_hole(Quad::new(x, z), true);
    }
    let mut random = Random(1);
    let (mut hits, mut from_below) = (0, 0);
    for _ in 0..1000 {
        let mut any = |low, high| {
            DVec3::new(random.between(low, high), random.between(low, high), random.between(low, high))
        };
        let (from, to) = (in_map(&field, any(-0.5, 1.5)), in_map(&field, any(0.0, 1.0)));
        if let Some(hit) = check_ray(&field, from, to - from, f64::INFINITY) {
            hits += 1;
            from_below += u32::from(hit.from_below);
        }
    }
    assert!(hits > 800 && from_below > 100, "{hits} hits, {from_below} from below");
    let through = DVec3::new(20.0 * 75.9, 100.0, 18.0 * 108.5);
    assert_eq!(raycast(&field, through, DVec3::NEG_Y, f64::INFINITY), None);
    assert_eq!(height_at(&field, DVec2::new(through.x, through.z)), None);
}

#[test]
fn a_ray_from_far_away_or_of_any_length_means_the_same() {
    let field = rough(129, 129, 3, None);
    let target = in_map(&field, DVec3::new(0.4, 2.0, 0.6));
    let direction = DVec3::new(0.3, -1.0, 0.2);
    let near = raycast(&field, target, direction, f64::INFINITY).unwrap();
    for length in [1e-300, 1e-9, 1e9, 1e300] {
        let hit = raycast(&field, target, direction * length, f64::INFINITY).unwrap();
        assert!((hit.distance - near.distance).abs() < 1e-9 && hit.quad == near.quad);
    }
    for back in [1e3, 1e6, 1e9, 1e12] {
        let hit = raycast(&field, target - direction * back, direction, f64::INFINITY).unwrap();
        let away = hit.distance - direction.length() * back;
        assert!((away - near.distance).abs() < 1e-6 + back * 1e-14, "{back}: {away}, not {}", near.distance);
        assert!((hit.position - near.position).length() < 1e-6 + back * 1e-14);
        assert_eq!(raycast(&field, target - direction * back, direction, back), None);
    }
    let exactly = raycast(&field, target, direction, near.distance);
    assert_eq!(exactly, Some(near), "the end of the ray belongs to it");
    assert_eq!(raycast(&field, target, direction, near.distance.next_down()), None);
}

#[test]
fn what_is_not_a_ray_hits_nothing() {
    let field = rough(9, 9, 3, None);
    let (origin, down) = (DVec3::new(100.0, 900.0, 100.0), DVec3::NEG_Y);
    assert!(raycast(&field, origin, down, f64::INFINITY).is_some());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for axis in 0..3 {
            let spoil = |mut v: DVec3| {
                v[axis] = bad;
                v
            };
            assert_eq!(raycast(&field, spoil(origin), down, 1e9), None);
            assert_eq!(raycast(&field, origin, spoil(down), 1e9), None);
        }
    }
    assert_eq!(raycast(&field, origin, DVec3::ZERO, 1e9), None);
    assert_eq!(raycast(&field, origin, down, f64::NAN), None);
    assert_eq!(raycast(&field, origin, down, -1.0), None);
    for huge in [1e150, 1e300, f64::MAX] {
        for origin in [DVec3::splat(huge), DVec3::new(100.0, huge, 100.0), DVec3::splat(-huge)] {
            for direction in [-origin, DVec3::NEG_Y, DVec3::X, DVec3::splat(f64::MIN_POSITIVE)] {
                let hit = raycast(&field, origin, direction, f64::INFINITY);
                assert!(hit.is_none_or(|hit| hit.distance.is_finite() && hit.position.is_finite()));
            }
        }
    }
}

/// Where a smooth normal is on a sample it is that of the central difference, and it does not jump between quads.
#[test]
fn the_smooth_normal_is_continuous_and_central() {
    let field = rough(33, 17, 12, None);
    let spacing = field.desc().spacing;
    let at = |x: u32, z: u32| sample_place(&field, x, z).y;
    for (x, z) in [(1, 1), (16, 8), (31, 15), (7, 3)] {
        let slope_x = (at(x + 1, z) - at(x - 1, z)) / (2.0 * spacing.x);
        let slope_z = (at(x, z + 1) - at(x, z - 1)) / (2.0 * spacing.y);
        let expected = DVec3::new(-slope_x, 1.0, -slope_z).normalize();
        let place = DVec2::new(f64::from(x), f64::from(z)) * spacing;
        for nudge in [DVec2::ZERO, DVec2::X, DVec2::NEG_X, DVec2::Y, DVec2::NEG_Y, DVec2::NEG_ONE] {
            let normal = normal_at(&field, place + nudge * 1e-7).unwrap();
            assert!((normal - expected).length() < 1e-6, "{normal}, not {expected}");
        }
    }
}
