use super::*;
use crate::field::{FieldDesc, Sample};

fn never(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn band(from: f32, to: f32, soft: f32) -> Option<Band> {
    Some(Band { from, to, soft })
}

fn layer(name: &str, rule: Rule) -> Layer {
    Layer { rule: Some(rule), ..Layer::new(name) }
}

fn of(layers: Vec<Layer>) -> Material {
    Material { layers, ..Material::default() }
}

/// A field of this ground by metres, its samples 1 m apart.
fn ground(width: u32, height: u32, metres: impl Fn(f64, f64) -> f64) -> Field {
    let desc = FieldDesc::new(width, height).with_range(0.0, 200.0);
    let code = |at: u32| desc.range.code(metres(f64::from(at % width), f64::from(at / width)));
    Field::from_samples(desc, (0..width * height).map(code).collect()).unwrap()
}

fn grown(field: &Field, material: &Material, maps: &RuleMaps) -> Weights {
    grow(field, material, maps, &mut never).unwrap().unwrap()
}

/// A cone of this slope in degrees, 101 samples a side, that stands on level ground.
fn cone(degrees: f64) -> Field {
    ground(101, 101, |x, z| (60.0 - (x - 50.0).hypot(z - 50.0) * degrees.to_radians().tan()).max(10.0))
}

#[test]
fn rock_lies_on_the_faces_of_a_cone_and_snow_on_its_top() {
    let field = cone(50.0);
    let material = of(vec![
        Layer::new("grass"),
        layer("rock", Rule { slope: band(40.0, 90.0, 5.0), ..Rule::default() }),
        layer("snow", Rule { altitude: band(45.0, f32::INFINITY, 2.0), ..Rule::default() }),
    ]);
    let weights = grown(&field, &material, &RuleMaps::default());
    let at = |x, z| weights.at(Sample::new(x, z)).to_vec();
    assert_eq!(at(5, 50), [255, 0, 0], "level ground");
    assert_eq!(at(50, 25), [0, 255, 0], "a face");
    assert_eq!(at(50, 45), [0, 0, 255], "the top, over the rock");
    assert!(weights.bytes().chunks_exact(3).all(|w| w.iter().map(|&w| u32::from(w)).sum::<u32>() == 255));
}

#[test]
fn a_band_fades_within_its_soft_edge() {
    let close = |value: f32, share: f32| {
        let found = inside(Band { from: 10.0, to: 20.0, soft: 4.0 }, value);
        assert!((found - share).abs() < 1e-6, "{found} at {value}");
    };
    [(6.0, 0.0), (8.0, 0.5), (10.0, 1.0), (20.0, 1.0), (22.0, 0.5), (24.0, 0.0)]
        .into_iter()
        .for_each(|(value, share)| close(value, share));
    let hard = Band { from: 10.0, to: 10.0, soft: 0.0 };
    assert_eq!([9.999, 10.0, 10.001, f32::NAN].map(|value| inside(hard, value)), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!([-1e30, f32::MAX].map(|value| inside(Band::default(), value)), [1.0, 1.0]);
}

#[test]
fn later_layers_lie_over_earlier_ones() {
    let everywhere = |amount| Rule { amount, ..Rule::default() };
    let field = ground(8, 5, |_, _| 3.0);
    let material = of(vec![
        layer("first", everywhere(0.0)),
        layer("second", everywhere(1.0)),
        Layer::new("painted by hand"),
        layer("third", everywhere(0.4)),
    ]);
    let weights = grown(&field, &material, &RuleMaps::default());
    assert_eq!(weights.at(Sample::new(7, 4)), [0, 153, 0, 102]);
    let one = grown(&field, &of(vec![layer("only", everywhere(0.0))]), &RuleMaps::default());
    assert_eq!(one.at(Sample::new(0, 0)), [255], "the first layer takes what is left");
}

#[test]
fn what_lies_over_the_others_takes_none_of_their_weight() {
    let mut snow = layer("snow", Rule { amount: 0.5, ..Rule::default() });
    snow.mode = LayerMode::Alpha;
    let material =
        of(vec![snow, Layer::new("grass"), layer("rock", Rule { amount: 0.25, ..Rule::default() })]);
    let field = ground(4, 4, |_, _| 3.0);
    let painter = Painter::new(&field, &material, &RuleMaps::default()).unwrap();
    let mut amounts = [9; 12];
    painter.row(0, 0, &mut amounts);
    assert_eq!(amounts[..3], [128, 49151, 16384], "its own 0 to 255, and the others' 65535");
}

#[test]
fn flow_is_followed_where_no_map_of_it_is_given() {
    let field = ground(81, 61, |x, z| 100.0 + (x - 40.0).abs() - 0.2 * z);
    let material = of(vec![
        Layer::new("grass"),
        layer("gravel", Rule { flow: band(1500.0, f32::INFINITY, 100.0), ..Rule::default() }),
    ]);
    let weights = grown(&field, &material, &RuleMaps::default());
    assert_eq!(weights.at(Sample::new(40, 50)), [0, 255], "the bottom of the valley");
    assert_eq!(weights.at(Sample::new(60, 50)), [255, 0], "its side");
    let flow = flow_map(&field, &mut never).unwrap().unwrap();
    let maps = RuleMaps { flow: Some(&flow), ..RuleMaps::default() };
    assert_eq!(grown(&field, &material, &maps), weights);

    let rect = SampleRect::new(33, 20, 17, 9);
    let part = grow_rect(&field, &material, &maps, rect).unwrap();
    let whole = |at: usize| weights.at(Sample::new(33 + at as u32 % 17, 20 + at as u32 / 17));
    assert!(part.chunks_exact(2).enumerate().all(|(at, part)| part == whole(at)));
    let says = grow_rect(&field, &material, &RuleMaps::default(), rect).unwrap_err().to_string();
    assert!(says.contains("'gravel' grows by flow"), "{says}");
}

#[test]
fn deposit_and_curvature_are_asked() {
    let field = ground(64, 64, |x, _| 100.0 + 0.01 * (x - 32.0).powi(2));
    let loose: Vec<f32> = (0..64 * 64).map(|at| if at % 64 < 32 { f32::NAN } else { 2.0 }).collect();
    let material = of(vec![
        Layer::new("grass"),
        layer("scree", Rule { deposit: band(1.0, 9.0, 0.0), ..Rule::default() }),
        layer("moss", Rule { curvature: band(9.0, 11.0, 0.0), ..Rule::default() }),
    ]);
    let maps = RuleMaps { deposit: Some(&loose), ..RuleMaps::default() };
    let weights = grown(&field, &material, &maps);
    assert_eq!(weights.at(Sample::new(10, 30)), [255, 0, 0]);
    assert_eq!(weights.at(Sample::new(60, 30)), [0, 255, 0]);
    assert_eq!(weights.at(Sample::new(32, 30)), [0, 0, 255], "a trough of 0.02/m has a mean of 10/km");
}

#[test]
fn ragged_edges_wander_and_stay_near() {
    let field = ground(200, 200, |x, _| x);
    let snow = |ragged| {
        of(vec![
            Layer::new("grass"),
            layer(
                "snow",
                Rule { altitude: band(100.0, 500.0, 10.0), ragged, patch: 20.0, ..Rule::default() },
            ),
        ])
    };
    let edges = |ragged| {
        let weights = grown(&field, &snow(ragged), &RuleMaps::default());
        let edge = |z| (0..200).find(|&x| weights.at(Sample::new(x, z))[1] > 127).unwrap();
        let edges: Vec<u32> = (0..200).map(edge).collect();
        (*edges.iter().min().unwrap(), *edges.iter().max().unwrap())
    };
    let (west, east) = edges(0.0);
    assert!(west == east && (94..97).contains(&west), "{west} {east}");
    let (west, east) = edges(1.0);
    assert!(west >= 85 && east <= 105 && east - west >= 6, "{west} {east}");
}

#[test]
fn any_number_of_threads_makes_the_same_and_any_can_be_stopped() {
    // More than one batch.
    let field = ground(900, 700, |x, z| 60.0 + 40.0 * (x * 0.05).sin() * (z * 0.03).cos());
    let rule =
        Rule { slope: band(20.0, 90.0, 10.0), flow: band(50.0, 1e9, 30.0), ragged: 1.0, ..Rule::default() };
    let material = of(vec![Layer::new("grass"), layer("rock", rule)]);
    let maps = RuleMaps::default();
    let mut heard = Vec::new();
    let mut hear = |part: f32| {
        heard.push(part);
        ControlFlow::Continue(())
    };
    let one = grow_on(1, &field, &material, &maps, &mut hear).unwrap().unwrap();
    assert!(heard.is_sorted() && heard.iter().all(|part| (0.0..=1.0).contains(part)), "{heard:?}");
    for threads in [2, 3, 7] {
        assert_eq!(grow_on(threads, &field, &material, &maps, &mut never).unwrap().unwrap(), one);
    }
    for stop in 0..heard.len() {
        let mut left = stop;
        let mut hear = |_: f32| {
            left = left.wrapping_sub(1);
            if left == usize::MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        assert!(grow_on(1, &field, &material, &maps, &mut hear).unwrap().is_none(), "stopped after {stop}");
    }
}

#[test]
fn what_cannot_grow_is_refused_in_sentences() {
    let field = ground(9, 7, |_, _| 1.0);
    let says = |material: &Material, maps: &RuleMaps, part: &str| {
        let text = grow(&field, material, maps, &mut never).unwrap_err().to_string();
        assert!(text.contains(part), "{text}");
    };
    let scree = of(vec![
        Layer::new("grass"),
        layer("scree", Rule { deposit: band(0.1, 9.0, 0.0), ..Rule::default() }),
    ]);
    says(&of(vec![]), &RuleMaps::default(), "no layer");
    says(&scree, &RuleMaps::default(), "'scree' grows by deposit");
    says(&scree, &RuleMaps { deposit: Some(&[0.0; 62]), flow: None }, "9×7 samples needs 63");
    let past = SampleRect::new(5, 5, 5, 1);
    let text =
        grow_rect(&field, &of(vec![Layer::new("a")]), &RuleMaps::default(), past).unwrap_err().to_string();
    assert!(text.contains("reaches past a map of 9×7"), "{text}");
    let empty = SampleRect::new(3, 3, 0, 2);
    assert!(grow_rect(&field, &of(vec![Layer::new("a")]), &RuleMaps::default(), empty).unwrap().is_empty());
}
