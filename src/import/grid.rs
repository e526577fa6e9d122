//! What a reader found in a file, before it becomes a field.

use super::{ByteOrder, Format};
use crate::field::HeightRange;
use glam::DVec2;

/// A file's samples and what the file says about them.
pub(super) struct Grid {
    pub(super) format: Format,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) bit_depth: u32,
    pub(super) byte_order: Option<ByteOrder>,
    /// Row-major, row 0 in the north, `width × height` of them.
    pub(super) values: Values,
    /// The void that the file or its format declares, in the file's own numbers.
    pub(super) nodata: Option<f64>,
    /// The reader made NaN of every void, because its values are not the file's own numbers any more.
    pub(super) voids_are_nan: bool,
    /// Metres between samples, where the file says.
    pub(super) spacing: Option<DVec2>,
    pub(super) notes: Notes,
}

/// Samples as they are stored, and what they stand for.
pub(super) enum Values {
    /// Codes of a range that the file does not know.
    Codes(Vec<u16>),
    /// Whole metres.
    I16(Vec<i16>),
    /// Metres; NaN and infinities are voids.
    F32(Vec<f32>),
    /// Metres; NaN and infinities are voids.
    F64(Vec<f64>),
}

/// Runs an expression on the list of samples, whatever their type.
macro_rules! each {
    ($values:expr, $list:ident => $body:expr) => {
        match $values {
            Values::Codes($list) => $body,
            Values::I16($list) => $body,
            Values::F32($list) => $body,
            Values::F64($list) => $body,
        }
    };
}
pub(super) use each;

impl Values {
    /// True for codes, false for metres.
    pub(super) fn are_codes(&self) -> bool {
        matches!(self, Values::Codes(_))
    }

    /// Indices of the voids, in ascending order, of which there are `count`.
    pub(super) fn voids(&self, nodata: Option<f64>, count: u64) -> Vec<u32> {
        let mut voids = Vec::with_capacity(count as usize);
        each!(self, list => {
            let void = VoidTest::new(nodata);
            voids.extend((0..).zip(list).filter(|&(_, &value)| void.is(value)).map(|(index, _): (u32, _)| index));
        });
        voids
    }

    /// How many samples are exactly this.
    pub(super) fn count(&self, wanted: f64) -> usize {
        each!(self, list => list.iter().filter(|value| value.value() == wanted).count())
    }

    /// Codes as they are, metres as the nearest codes of a range, clamped; those of voids are anything.
    pub(super) fn into_codes(self, range: &HeightRange) -> Vec<u16> {
        match self {
            Values::Codes(codes) => codes,
            Values::I16(list) => list.into_iter().map(|value| range.code(value.value())).collect(),
            Values::F32(list) => list.into_iter().map(|value| range.code(value.value())).collect(),
            Values::F64(list) => list.into_iter().map(|value| range.code(value)).collect(),
        }
    }
}

/// A sample's own type.
pub(super) trait Height: Copy + PartialEq {
    /// A declared void as a sample; none where no sample can be that.
    fn from_declared(nodata: f64) -> Option<Self>;
    /// The sample, exactly.
    fn value(self) -> f64;
}

impl Height for u16 {
    fn from_declared(nodata: f64) -> Option<Self> {
        (f64::from(nodata as u16) == nodata).then_some(nodata as u16)
    }

    fn value(self) -> f64 {
        f64::from(self)
    }
}

impl Height for i16 {
    fn from_declared(nodata: f64) -> Option<Self> {
        (f64::from(nodata as i16) == nodata).then_some(nodata as i16)
    }

    fn value(self) -> f64 {
        f64::from(self)
    }
}

impl Height for f32 {
    fn from_declared(nodata: f64) -> Option<Self> {
        Some(nodata as f32)
    }

    fn value(self) -> f64 {
        f64::from(self)
    }
}

impl Height for f64 {
    fn from_declared(nodata: f64) -> Option<Self> {
        Some(nodata)
    }

    fn value(self) -> f64 {
        self
    }
}

/// Tells voids from heights.
pub(super) struct VoidTest<T>(Option<T>);

impl<T: Height> VoidTest<T> {
    pub(super) fn new(nodata: Option<f64>) -> Self {
        Self(nodata.and_then(T::from_declared))
    }

    /// True for the declared value, for NaN and for infinities.
    pub(super) fn is(&self, value: T) -> bool {
        self.0 == Some(value) || !value.value().is_finite()
    }
}

/// The lines of a report that grow while a file is read.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) assumptions: Vec<String>,
    pub(super) warnings: Vec<String>,
}

impl Notes {
    pub(super) fn assume(&mut self, line: impl Into<String>) {
        self.assumptions.push(line.into());
    }

    pub(super) fn warn(&mut self, line: impl Into<String>) {
        self.warnings.push(line.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declared_void_is_compared_in_the_type_of_the_samples() {
        let rounded = VoidTest::<f32>::new(Some(-3.402_823_5e38));
        assert!(rounded.is(f32::MIN) && !rounded.is(0.0));
        assert!(VoidTest::<f32>::new(Some(0.1)).is(0.1));
        assert!(!VoidTest::<f64>::new(Some(0.1)).is(f64::from(0.1f32)));
        assert!(VoidTest::<i16>::new(Some(-32768.0)).is(i16::MIN));
        // What no sample can be marks none, and above all not the nearest one.
        for nodata in [-40000.0, 32768.0, 0.5, f64::NAN, f64::INFINITY] {
            let void = VoidTest::<i16>::new(Some(nodata));
            assert!(![i16::MIN, i16::MAX, 0, 1].into_iter().any(|value| void.is(value)), "{nodata}");
        }
        assert!(!VoidTest::<u16>::new(Some(-9999.0)).is(0));
    }

    #[test]
    fn nan_and_infinities_are_voids_without_a_declaration() {
        let values = Values::F32(vec![1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX]);
        assert_eq!(values.voids(None, 3), [1, 2, 3]);
    }

    #[test]
    fn the_ends_of_a_range_are_exact_codes() {
        let range = HeightRange { min: f64::from(-2.609_347_f32), max: f64::from(8.461_376_f32) };
        let codes = Values::F32(vec![8.461_376, -2.609_347]).into_codes(&range);
        assert_eq!(codes, [65535, 0]);
        assert_eq!((range.metres(0.0), range.metres(65535.0)), (range.min, range.max));
    }
}
