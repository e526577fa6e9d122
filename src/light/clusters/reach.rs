//! What a lamp may reach, in the camera's frame: a ball, and for a spot a sector of one.

use crate::light::Lamp;
use glam::{DQuat, DVec3, DVec4};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// By how much a lamp reaches further than it does, as a part of its range and of its distance, for what 32 bits round.
const FURTHER: f64 = 1e-6;
/// Radians by which a cone is wider: the cosine of an angle near π tells no less in 32 bits.
const WIDER: f64 = 1e-3;

/// A half space, `normal · p + offset >= 0`. A normal of 0 is everything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    normal: DVec3,
    offset: f64,
}

impl Plane {
    /// From the plane's four numbers, of any scale.
    pub(super) fn new(plane: DVec4) -> Self {
        let length = plane.truncate().length();
        if length <= 1e-12 * plane.w.abs() || length == 0.0 {
            return Self { normal: DVec3::ZERO, offset: 0.0 };
        }
        Self { normal: plane.truncate() / length, offset: plane.w / length }
    }

    /// What is deeper than this along the camera's axis.
    pub(super) fn deeper_than(depth: f64) -> Self {
        Self { normal: DVec3::NEG_Z, offset: -depth }
    }

    /// What is nearer than this along the camera's axis.
    pub(super) fn nearer_than(depth: f64) -> Self {
        Self { normal: DVec3::Z, offset: depth }
    }

    fn distance(&self, place: DVec3) -> f64 {
        self.normal.dot(place) + self.offset
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub(super) centre: DVec3,
    pub(super) radius: f64,
}

impl Ball {
    pub(super) fn enters(&self, planes: &[Plane; 2]) -> bool {
        planes.iter().all(|plane| plane.distance(self.centre) >= -self.radius)
    }

    /// A ball that holds what of this one is inside the plane; None where nothing is. (Persson, *Practical Clustered Shading*,
    /// 2013.)
    pub(super) fn beyond(&self, plane: &Plane) -> Option<Self> {
        let distance = plane.distance(self.centre);
        if distance >= 0.0 {
            return Some(*self);
        }
        if distance < -self.radius {
            return None;
        }
        let radius = (self.radius * self.radius - distance * distance).sqrt();
        Some(Self { centre: self.centre - plane.normal * distance, radius })
    }
}

/// What a spot reaches: what is within its range of its apex and within its angle of its axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sector {
    apex: DVec3,
    axis: DVec3,
    sin: f64,
    cos: f64,
    range: f64,
}

impl Sector {
    /// How far it goes from its apex along a direction of length 1.
    fn along(&self, direction: DVec3) -> f64 {
        let cosine = direction.dot(self.axis);
        if cosine >= self.cos {
            return self.range;
        }
        // The edge of the cone that is nearest to the direction.
        let nearest = cosine * self.cos + (1.0 - cosine * cosine).max(0.0).sqrt() * self.sin;
        (self.range * nearest).max(0.0)
    }

    fn enters(&self, plane: &Plane) -> bool {
        // A normal of 0 passes, as for a ball.
        plane.distance(self.apex) + self.along(plane.normal) >= -self.range * FURTHER
    }

    /// False where the ball is outside the cone, or beyond its range. (Wronski, *Cull that cone!*, 2017, with
    /// the apex, and with cones wider than a half space.)
    fn meets(&self, ball: &Ball) -> bool {
        let from = ball.centre - self.apex;
        let square = from.length_squared();
        let along = from.dot(self.axis);
        let across = (square - along * along).max(0.0).sqrt();
        let outside = across * self.cos - along * self.sin;
        let apex_is_nearest = along * self.cos + across * self.sin < 0.0;
        let apart = if outside > 0.0 && apex_is_nearest { square.sqrt() } else { outside };
        // Negated, so that a cell without bounds, whose ball is not a number, is met.
        !(apart > ball.radius || square > (ball.radius + self.range).powi(2))
    }
}

/// What a lamp may reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Everything that it reaches is in here.
    pub(super) ball: Ball,
    /// And in here, for a spot.
    pub(super) sector: Option<Sector>,
}

impl Reach {
    /// Of this valid lamp, at this offset from the camera in the world's axes. `turn` goes from there to the camera's frame.
    pub(super) fn new(lamp: &Lamp, relative: DVec3, turn: DQuat) -> Self {
        let apex = turn * relative;
        let range = f64::from(lamp.range);
        let margin = FURTHER * (range + apex.length());
        let range = range + margin;
        let whole = Self { ball: Ball { centre: apex, radius: range }, sector: None };
        let Some(cone) = lamp.cone else { return whole };
        let angle = (f64::from(cone.outer) + WIDER).min(PI);
        let axis = turn * cone.toward.as_dvec3().normalize_or(DVec3::NEG_Y);
        let (sin, cos) = angle.sin_cos();
        // The cone begins a margin behind where the lamp is, so that a lamp rounded to 32 bits is in it.
        let apex = apex - axis * (margin / sin.max(1e-2));
        let range = range + margin / sin.max(1e-2);
        let ball = match angle {
            // Through the apex and the rim.
            _ if angle <= FRAC_PI_4 => {
                let radius = range / (2.0 * cos);
                Ball { centre: apex + axis * radius, radius }
            }
            // Around the rim, which is the sector's widest part.
            _ if angle < FRAC_PI_2 => Ball { centre: apex + axis * (range * cos), radius: range * sin },
            _ => Ball { centre: apex, radius: range },
        };
        Self { ball, sector: Some(Sector { apex, axis, sin, cos, range }) }
    }

    /// The least and the greatest depth along the camera's axis that it reaches.
    pub(super) fn depths(&self) -> [f64; 2] {
        let Ball { centre, radius } = self.ball;
        let mut depths = [-centre.z - radius, -centre.z + radius];
        if let Some(sector) = &self.sector {
            let apex = -sector.apex.z;
            depths[0] = depths[0].max(apex - sector.along(DVec3::Z));
            depths[1] = depths[1].min(apex + sector.along(DVec3::NEG_Z));
        }
        depths
    }

    /// Whether it may reach what is between two planes.
    pub(super) fn enters(&self, planes: &[Plane; 2]) -> bool {
        let sector = |sector: &Sector| planes.iter().all(|plane| sector.enters(plane));
        self.ball.enters(planes) && self.sector.as_ref().is_none_or(sector)
    }

    /// Whether it may reach into a ball.
    pub(super) fn meets(&self, ball: &Ball) -> bool {
        self.sector.as_ref().is_none_or(|sector| sector.meets(ball))
    }
}
