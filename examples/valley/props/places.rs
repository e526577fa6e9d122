//! Where things stand: posts along a way over the valley's floor, boulders beside it, lamps on posts and elsewhere.

use super::shapes::{BOULDERS, Dice, LAMP_HEIGHT, POST};
use glam::{DQuat, DVec2, DVec3, Vec3};
use landform::field::Field;
use landform::light::Lamp;
use landform_cli::camera::Camera;
use landform_cli::ground;

/// Posts of the way, and metres between two.
const POSTS: usize = 26;
const STEP: f64 = 17.0;

/// Metres beside the way that posts stand.
const BESIDE: f64 = 2.6;

/// Boulders around the way.
const STONES: usize = 260;

/// Candela of a lamp on a post, and metres that it reaches: 1000 lumen all around are 80 cd, and a street's lamp has some ten times that.
const LAMP: (f32, f32) = (900.0, 60.0);

/// The same of lamps elsewhere: those of huts.
const SMALL_LAMP: (f32, f32) = (250.0, 32.0);

/// What light of 3000 K is to 1 of red.
const WARM: Vec3 = Vec3::new(1.0, 0.44, 0.16);

/// A thing, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Thing {
    /// The number of its form.
    pub(crate) form: usize,
    /// Metres.
    pub(crate) place: DVec3,
    pub(crate) turn: DQuat,
    /// Metres that a unit of the form has.
    pub(crate) scale: f64,
    /// Linear RGB.
    pub(crate) albedo: Vec3,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Places {
    /// In the order of their forms.
    pub(crate) things: Vec<Thing>,
    pub(crate) lamps: Vec<Lamp>,
}

impl Places {
    /// Things around a way that begins at a camera on the floor and goes where it looks, or none; with so many lamps, or as many as there are
    /// posts.
    pub(crate) fn on(field: &Field, floor: &Camera, stand: bool, lamps: Option<usize>) -> Self {
        let way = if stand { way(field, floor) } else { Vec::new() };
        let mut dice = Dice::new(0x57_0e5);
        let stones = if stand { STONES } else { 0 };
        let mut things: Vec<_> = (0..stones).filter_map(|_| stone(field, &way, &mut dice)).collect();
        let posts = posts(field, &way, &mut dice);
        things.extend(&posts);
        things.sort_by_key(|thing| thing.form);
        let on_post = |post: &Thing| lamp(post.place + post.turn * DVec3::Y * LAMP_HEIGHT, LAMP);
        let wanted = lamps.unwrap_or(posts.len());
        let mut lamps: Vec<_> = posts.iter().take(wanted).map(on_post).collect();
        while lamps.len() < wanted {
            lamps.push(lamp(somewhere_low(field, &mut dice), SMALL_LAMP));
        }
        Self { things, lamps }
    }
}

fn lamp(position: DVec3, (candela, range): (f32, f32)) -> Lamp {
    Lamp { position, intensity: candela * WARM, range, cone: None }
}

/// Places a step apart, each toward where the ground is most even of what lies ahead.
fn way(field: &Field, floor: &Camera) -> Vec<DVec2> {
    let extent = ground::extent(field);
    let height = |place: DVec2| ground::height(field, place.x, place.y);
    let mut yaw = floor.yaw;
    let mut way = vec![DVec2::new(floor.position.x, floor.position.z)];
    while way.len() < POSTS {
        let here = way[way.len() - 1];
        let ahead = |yaw: f64| here + STEP * DVec2::new(yaw.to_radians().sin(), -yaw.to_radians().cos());
        let inside =
            |place: &DVec2| place.cmpge(DVec2::splat(STEP)).all() && place.cmple(extent - STEP).all();
        let turns = [0.0, -6.0, 6.0, -12.0, 12.0, -18.0, 18.0];
        let best = turns
            .iter()
            .map(|turn| (turn, ahead(yaw + turn)))
            .filter(|(_, place)| inside(place))
            .min_by(|(one, a), (other, b)| {
                let cost = |turn: f64, place: DVec2| (height(place) - height(here)).abs() + 0.02 * turn.abs();
                cost(**one, *a).total_cmp(&cost(**other, *b))
            });
        let Some((turn, place)) = best else { break };
        yaw += turn;
        way.push(place);
    }
    way
}

/// Upright, on alternating sides of the way.
fn posts(field: &Field, way: &[DVec2], dice: &mut Dice) -> Vec<Thing> {
    let stand = |(at, pair): (usize, &[DVec2])| {
        let along = (pair[1] - pair[0]).normalize_or(DVec2::X);
        let side = if at % 2 == 0 { BESIDE } else { -BESIDE };
        let place = pair[1] + DVec2::new(-along.y, along.x) * side;
        // None stands quite straight.
        let lean = DQuat::from_axis_angle(dice.direction(), 0.03 * dice.next());
        let shade = 0.8 + 0.4 * dice.next() as f32;
        Thing {
            form: POST,
            place: DVec3::new(place.x, ground::height(field, place.x, place.y), place.y),
            turn: lean * DQuat::from_rotation_y(std::f64::consts::TAU * dice.next()),
            scale: 1.0,
            albedo: shade * Vec3::new(0.17, 0.12, 0.08),
        }
    };
    way.windows(2).enumerate().map(stand).collect()
}

/// Small ones are many and large ones few; the further from the way the larger, and none lies on it.
fn stone(field: &Field, way: &[DVec2], dice: &mut Dice) -> Option<Thing> {
    let at = way[(dice.next() * way.len() as f64) as usize % way.len()];
    let far = 4.0 + 70.0 * dice.next() * dice.next();
    let (sin, cos) = (std::f64::consts::TAU * dice.next()).sin_cos();
    let place = at + far * DVec2::new(cos, sin);
    let size = (0.18 + 0.012 * far) / (0.06 + dice.next()).powf(0.75);
    let extent = ground::extent(field);
    let clear = way.iter().all(|other| other.distance(place) > 2.5 + size);
    if !clear || place.cmplt(DVec2::splat(size)).any() || place.cmpgt(extent - size).any() {
        return None;
    }
    let form = (dice.next() * BOULDERS as f64) as usize % BOULDERS;
    let shade = (0.75 + 0.5 * dice.next()) as f32;
    // A third of it lies in the ground, the lowest that it stands on.
    let around = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y].map(|by| place + 0.6 * size * by);
    let low =
        around.iter().map(|place| ground::height(field, place.x, place.y)).fold(f64::INFINITY, f64::min);
    let turn = DQuat::from_axis_angle(dice.direction(), 0.35 * dice.next())
        * DQuat::from_rotation_y(std::f64::consts::TAU * dice.next());
    Some(Thing {
        form,
        place: DVec3::new(place.x, low + 0.35 * size, place.y),
        turn,
        scale: size,
        albedo: shade * Vec3::new(0.19, 0.18, 0.165),
    })
}

/// Two metres and a half over even ground in the lower half of the map.
fn somewhere_low(field: &Field, dice: &mut Dice) -> DVec3 {
    let extent = ground::extent(field);
    let range = field.desc().range;
    let mut best: Option<(f64, DVec3)> = None;
    for _ in 0..6 {
        let place = extent * DVec2::new(0.02 + 0.96 * dice.next(), 0.02 + 0.96 * dice.next());
        let height = |by: DVec2| ground::height(field, place.x + by.x, place.y + by.y);
        let here = height(DVec2::ZERO);
        let steep = (height(3.0 * DVec2::X) - here).abs() + (height(3.0 * DVec2::Y) - here).abs();
        let cost = steep + 20.0 * (here - range.min) / (range.max - range.min).max(1e-9);
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, DVec3::new(place.x, here + 2.5, place.y)));
        }
    }
    best.map_or(DVec3::ZERO, |(_, place)| place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landform::field::FieldDesc;

    fn field() -> Field {
        let height = |x: u32, z: u32| {
            (20_000.0 + 9000.0 * (f64::from(x) / 40.0).sin() * (f64::from(z) / 55.0).cos()) as u16
        };
        let samples = (0..257 * 257).map(|at| height(at % 257, at / 257)).collect();
        Field::from_samples(FieldDesc::new(257, 257).with_spacing(4.0, 4.0).with_range(100.0, 400.0), samples)
            .unwrap()
    }

    fn floor() -> Camera {
        Camera { position: DVec3::new(300.0, 200.0, 700.0), yaw: 40.0, pitch: 0.0 }
    }

    #[test]
    fn things_stand_on_the_map_and_in_its_ground() {
        let field = field();
        let places = Places::on(&field, &floor(), true, None);
        let posts = places.things.iter().filter(|thing| thing.form == POST).count();
        assert!(posts > 20 && places.things.len() > 150 && places.lamps.len() == posts, "{posts} posts");
        assert!(places.things.is_sorted_by_key(|thing| thing.form));
        for thing in &places.things {
            let above = thing.place.y - ground::height(&field, thing.place.x, thing.place.z);
            assert!(above.abs() < 1.5 * thing.scale && thing.turn.is_normalized(), "{above} m: {thing:?}");
        }
        assert_eq!(places, Places::on(&field, &floor(), true, None), "the same each time");
    }

    #[test]
    fn there_are_as_many_lamps_as_are_wanted() {
        let field = field();
        for wanted in [0, 3, 500] {
            let lamps = Places::on(&field, &floor(), wanted < 100, Some(wanted)).lamps;
            assert_eq!(lamps.len(), wanted);
            for lamp in lamps {
                let above = lamp.position.y - ground::height(&field, lamp.position.x, lamp.position.z);
                assert!((1.0..4.0).contains(&above) && lamp.range > 0.0, "{above} m above the ground");
            }
        }
        // A map that is smaller than a step has a lamp, if nothing else.
        let small = Field::new(FieldDesc::new(9, 9)).unwrap();
        let places =
            Places::on(&small, &Camera { position: DVec3::splat(4.0), yaw: 0.0, pitch: 0.0 }, true, Some(2));
        assert_eq!(places.lamps.len(), 2);
    }
}
