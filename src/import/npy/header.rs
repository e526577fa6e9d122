//! The header of an array: a Python dictionary of three entries.

use super::super::{ByteOrder, SampleType};
use std::io::Read;

/// NumPy itself writes headers of some hundred bytes.
const LONGEST: usize = 1 << 16;

/// What an array holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Element {
    /// A type of our own.
    Sample(SampleType),
    I8,
    I64,
    U64,
    F16,
}

impl Element {
    pub(in super::super) fn bytes(self) -> usize {
        match self {
            Element::Sample(sample) => sample.bytes() as usize,
            Element::I8 => 1,
            Element::F16 => 2,
            Element::I64 | Element::U64 => 8,
        }
    }

    /// From what stands behind the byte order.
    fn of(code: &str) -> Option<Self> {
        Some(match code {
            "u1" => Element::Sample(SampleType::U8),
            "i1" => Element::I8,
            "i2" => Element::Sample(SampleType::I16),
            "u2" => Element::Sample(SampleType::U16),
            "i4" => Element::Sample(SampleType::I32),
            "u4" => Element::Sample(SampleType::U32),
            "i8" => Element::I64,
            "u8" => Element::U64,
            "f2" => Element::F16,
            "f4" => Element::Sample(SampleType::F32),
            "f8" => Element::Sample(SampleType::F64),
            _ => return None,
        })
    }
}

/// What a header says.
#[derive(Debug)]
pub(in super::super) struct Header {
    /// The type of the elements; its description where that is not one of ours.
    pub(in super::super) element: Result<Element, String>,
    pub(in super::super) order: ByteOrder,
    /// The first index changes fastest.
    pub(in super::super) fortran: bool,
    pub(in super::super) shape: Vec<u64>,
}

impl Header {
    /// Reads signature and header, up to the first element. The error is a sentence.
    pub(in super::super) fn read(input: &mut impl Read) -> Result<Self, String> {
        let mut take = |length: usize| {
            let mut bytes = vec![0; length];
            input.read_exact(&mut bytes).map_err(|error| super::unreadable(&error)).map(|()| bytes)
        };
        let start = take(8)?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err("begins without the signature of a NumPy array".to_owned());
        }
        let length = match start[6] {
            1 => take(2)?,
            2 | 3 => take(4)?,
            version => return Err(format!("a NumPy array of version {version}; 1 to 3 are read")),
        };
        let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
        if length > LONGEST {
            return Err(format!("claims a header of {length} bytes, more than {LONGEST}"));
        }
        let text = String::from_utf8(take(length)?).map_err(|_| "its header is no text".to_owned())?;
        Self::parse(&text).ok_or_else(|| "its header is not one of a NumPy array".to_owned())
    }

    /// Parses the dictionary.
    fn parse(text: &str) -> Option<Self> {
        let inside = text.trim().strip_prefix('{')?.strip_suffix('}')?;
        let descr = entry(inside, "descr")?;
        let fortran = match entry(inside, "fortran_order")? {
            order if order.starts_with("True") => true,
            order if order.starts_with("False") => false,
            _ => return None,
        };
        let shape = entry(inside, "shape")?.strip_prefix('(')?.split_once(')')?.0;
        let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
        let shape = lengths.map(|length| length.parse().ok()).collect::<Option<Vec<u64>>>()?;
        let (order, element) = if let Some(list) = descr.strip_prefix('[') {
            (ByteOrder::Little, Err(format!("records, [{}", list.chars().take(40).collect::<String>())))
        } else {
            let quote = descr.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
            let code = descr[1..].split_once(quote)?.0;
            element_of(code)
        };
        Some(Self { element, order, fortran, shape })
    }

    /// The shape as Python writes it.
    pub(in super::super) fn shape_text(&self) -> String {
        let lengths: Vec<_> = self.shape.iter().map(u64::to_string).collect();
        let comma = if lengths.len() == 1 { "," } else { "" };
        format!("({}{comma})", lengths.join(", "))
    }
}

/// What follows a key and its colon.
fn entry<'a>(dictionary: &'a str, key: &str) -> Option<&'a str> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let after = quoted.iter().find_map(|quoted| dictionary.split_once(quoted.as_str()))?.1;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

/// Byte order and type of a code such as `<f4`.
fn element_of(code: &str) -> (ByteOrder, Result<Element, String>) {
    let order = if code.starts_with('>') { ByteOrder::Big } else { ByteOrder::Little };
    let kind = code.trim_start_matches(['<', '>', '|', '=']);
    (order, Element::of(kind).ok_or_else(|| format!("`{code}`")))
}
