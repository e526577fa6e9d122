//! A file's samples in the type that the file has.

use super::mask::Mask;
use std::fmt;

/// The type of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SampleType {
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// Floating point, 32 bits.
    F32,
    /// Floating point, 64 bits.
    F64,
}

impl SampleType {
    /// Every type.
    pub const ALL: [Self; 7] = [Self::U8, Self::U16, Self::I16, Self::U32, Self::I32, Self::F32, Self::F64];

    /// Bytes of a sample.
    pub fn bytes(self) -> u32 {
        match self {
            SampleType::U8 => 1,
            SampleType::U16 | SampleType::I16 => 2,
            SampleType::U32 | SampleType::I32 | SampleType::F32 => 4,
            SampleType::F64 => 8,
        }
    }

    /// The name that Rust gives it, for instance `u16`.
    pub fn name(self) -> &'static str {
        match self {
            SampleType::U8 => "u8",
            SampleType::U16 => "u16",
            SampleType::I16 => "i16",
            SampleType::U32 => "u32",
            SampleType::I32 => "i32",
            SampleType::F32 => "f32",
            SampleType::F64 => "f64",
        }
    }

    /// What stands for all of a range: the greatest unsigned number, and 1 for floating point. None for signed types.
    pub(super) fn full(self) -> Option<f64> {
        match self {
            SampleType::U8 => Some(f64::from(u8::MAX)),
            SampleType::U16 => Some(f64::from(u16::MAX)),
            SampleType::U32 => Some(f64::from(u32::MAX)),
            SampleType::F32 | SampleType::F64 => Some(1.0),
            SampleType::I16 | SampleType::I32 => None,
        }
    }
}

impl fmt::Display for SampleType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Samples, row-major, row 0 in the north, in the file's own type or in one that holds each of them exactly.
pub(super) enum Values {
    U8(Vec<u8>),
    U16(Vec<u16>),
    I16(Vec<i16>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Runs an expression on the list of samples, whatever their type.
macro_rules! each {
    ($values:expr, $list:ident => $body:expr) => {
        match $values {
            Values::U8($list) => $body,
            Values::U16($list) => $body,
            Values::I16($list) => $body,
            Values::U32($list) => $body,
            Values::I32($list) => $body,
            Values::F32($list) => $body,
            Values::F64($list) => $body,
        }
    };
}
pub(super) use each;

impl Values {
    pub(super) fn sample_type(&self) -> SampleType {
        match self {
            Values::U8(_) => SampleType::U8,
            Values::U16(_) => SampleType::U16,
            Values::I16(_) => SampleType::I16,
            Values::U32(_) => SampleType::U32,
            Values::I32(_) => SampleType::I32,
            Values::F32(_) => SampleType::F32,
            Values::F64(_) => SampleType::F64,
        }
    }

    /// A sample, exactly.
    pub(super) fn get(&self, index: usize) -> f64 {
        each!(self, list => list[index].value())
    }

    /// The voids, of which there are `count`.
    pub(super) fn voids(&self, nodata: &[f64], count: u64) -> Mask {
        if count == 0 {
            return Mask::default();
        }
        each!(self, list => {
            let void = VoidTest::new(nodata);
            Mask::of(list.iter().map(|&value| void.is(value)))
        })
    }

    /// How many samples are exactly this.
    pub(super) fn count(&self, wanted: f64) -> usize {
        each!(self, list => list.iter().filter(|value| value.value() == wanted).count())
    }

    /// Codes of 16 bits. The samples' memory is given back band by band, so that the two together never take more than
    /// the larger of them and a band.
    pub(super) fn into_codes(self, code: impl Fn(f64) -> u16) -> Vec<u16> {
        match self {
            Values::U8(list) => convert(list, code),
            Values::U16(list) => convert(list, code),
            Values::I16(list) => convert(list, code),
            Values::U32(list) => convert(list, code),
            Values::I32(list) => convert(list, code),
            Values::F32(list) => convert(list, code),
            Values::F64(list) => convert(list, code),
        }
    }

    /// Turns the map over: rows, columns, or both.
    pub(super) fn mirror(&mut self, width: usize, west_east: bool, north_south: bool) {
        each!(self, list => {
            if west_east && north_south {
                list.reverse();
            } else if west_east {
                list.chunks_exact_mut(width).for_each(<[_]>::reverse);
            } else if north_south {
                let rows = list.len() / width;
                let (north, south) = list.split_at_mut(rows / 2 * width);
                let skipped = rows % 2 * width;
                let facing = south[skipped..].chunks_exact_mut(width).rev();
                north.chunks_exact_mut(width).zip(facing).for_each(|(a, b)| a.swap_with_slice(b));
            }
        });
    }
}

/// Samples that are given back at once.
const BAND: usize = 1 << 18;

fn convert<T: Height>(mut list: Vec<T>, code: impl Fn(f64) -> u16) -> Vec<u16> {
    // Zeroes take no memory until they are written.
    let mut codes = vec![0; list.len()];
    while !list.is_empty() {
        let start = (list.len() - 1) / BAND * BAND;
        for (code_of, value) in codes[start..].iter_mut().zip(&list[start..]) {
            *code_of = code(value.value());
        }
        list.truncate(start);
        list.shrink_to_fit();
    }
    codes
}

/// A sample's own type.
pub(super) trait Height: Copy + PartialEq + Default {
    /// It has 16 bits at most.
    const IS_SMALL: bool = false;
    /// A number of its own for each sample of a small type.
    fn small(self) -> u16 {
        0
    }
    /// Neither NaN nor infinite.
    fn is_finite(self) -> bool {
        true
    }
    /// A declared void as a sample; none where no sample can be that.
    fn from_declared(nodata: f64) -> Option<Self>;
    /// The sample, exactly.
    fn value(self) -> f64;
    /// The sample nearest to a number.
    fn nearest(value: f64) -> Self;
}

macro_rules! whole_heights {
    ($($type:ty $(as $small:ty)?),*) => {$(
        impl Height for $type {
            $(
                const IS_SMALL: bool = true;
                fn small(self) -> u16 {
                    u16::from(self as $small)
                }
            )?

            fn from_declared(nodata: f64) -> Option<Self> {
                (f64::from(nodata as $type) == nodata).then_some(nodata as $type)
            }

            fn value(self) -> f64 {
                f64::from(self)
            }

            fn nearest(value: f64) -> Self {
                // The cast clamps.
                value.round() as $type
            }
        }
    )*};
}
whole_heights!(u8 as u8, u16 as u16, i16 as u16, u32, i32);

impl Height for f32 {
    fn is_finite(self) -> bool {
        self.abs() < Self::INFINITY
    }

    fn from_declared(nodata: f64) -> Option<Self> {
        Some(nodata as f32)
    }

    fn value(self) -> f64 {
        f64::from(self)
    }

    fn nearest(value: f64) -> Self {
        value as f32
    }
}

impl Height for f64 {
    fn is_finite(self) -> bool {
        self.abs() < Self::INFINITY
    }

    fn from_declared(nodata: f64) -> Option<Self> {
        Some(nodata)
    }

    fn value(self) -> f64 {
        self
    }

    fn nearest(value: f64) -> Self {
        value
    }
}

/// Tells voids from heights.
pub(super) struct VoidTest<T> {
    code: T,
    has_code: bool,
    /// Further codes, which hardly any file has.
    more: Vec<T>,
}

impl<T: Height> VoidTest<T> {
    pub(super) fn new(codes: &[f64]) -> Self {
        let mut codes = codes.iter().filter_map(|&code| T::from_declared(code));
        let code = codes.next();
        Self { code: code.unwrap_or_default(), has_code: code.is_some(), more: codes.collect() }
    }

    /// True for the declared values, for NaN and for infinities.
    #[inline]
    pub(super) fn is(&self, value: T) -> bool {
        self.is_usual(value) || (!self.more.is_empty() && self.more.contains(&value))
    }

    /// How many of these are void.
    pub(super) fn count(&self, values: &[T]) -> usize {
        if self.more.is_empty() {
            values.iter().filter(|&&value| self.is_usual(value)).count()
        } else {
            values.iter().filter(|&&value| self.is(value)).count()
        }
    }

    /// Without the further codes, and without a branch, so that many are tested at once.
    #[inline]
    fn is_usual(&self, value: T) -> bool {
        (self.has_code & (self.code == value)) | !value.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declared_void_is_compared_in_the_type_of_the_samples() {
        let rounded = VoidTest::<f32>::new(&[-3.402_823_5e38]);
        assert!(rounded.is(f32::MIN) && !rounded.is(0.0));
        assert!(VoidTest::<f32>::new(&[0.1]).is(0.1));
        assert!(!VoidTest::<f64>::new(&[0.1]).is(f64::from(0.1f32)));
        assert!(VoidTest::<i16>::new(&[-32768.0]).is(i16::MIN));
        // What no sample can be marks none, and above all not the nearest one.
        for nodata in [-40000.0, 32768.0, 0.5, f64::NAN, f64::INFINITY] {
            let void = VoidTest::<i16>::new(&[nodata]);
            assert!(![i16::MIN, i16::MAX, 0, 1].into_iter().any(|value| void.is(value)), "{nodata}");
        }
        assert!(!VoidTest::<u16>::new(&[-9999.0]).is(0));
        let two = VoidTest::<f32>::new(&[-9999.0, -3.402_823_5e38]);
        assert!(two.is(-9999.0) && two.is(f32::MIN) && !two.is(0.0));
    }

    #[test]
    fn nan_and_infinities_are_voids_without_a_declaration() {
        let values = Values::F32(vec![1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX]);
        assert_eq!(values.voids(&[], 3).iter().collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn a_map_is_turned_over_along_either_side() {
        let turned = |west_east, north_south| {
            let mut values = Values::I16(vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
            values.mirror(3, west_east, north_south);
            (0..15).map(|index| values.get(index) as u8).collect::<Vec<_>>()
        };
        assert_eq!(turned(true, false), [3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10, 15, 14, 13]);
        assert_eq!(turned(false, true), [13, 14, 15, 10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3]);
        assert_eq!(turned(true, true), [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(turned(false, false)[..4], [1, 2, 3, 4]);
    }

    #[test]
    fn every_sample_is_converted_in_its_place() {
        let count = BAND + 1000;
        let list: Vec<u32> = (0..count as u32).collect();
        let codes = Values::U32(list).into_codes(|value| (value % 65536.0) as u16);
        assert!(codes.iter().enumerate().all(|(index, &code)| code == (index % 65536) as u16));
        assert_eq!(codes.len(), count);
    }
}
