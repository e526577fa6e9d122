//! What GDAL writes beside a picture: the value of a void, and a scale, an offset and a unit for each band. (GDAL, *GTiff
//! driver*, tags 42112 and 42113.)

use super::super::Units;
use super::super::grid::Notes;
use super::super::meaning::Meaning;
use super::directory::{Directory, Source, tag};
use std::io::{Read, Seek};

/// What GDAL's tags say of a band.
pub(super) struct Said {
    pub(super) nodata: Option<f64>,
    scale: f64,
    offset: f64,
    units: Option<Units>,
}

impl Said {
    /// Reads what the tags say of a band, counted from 0. The error is a sentence.
    pub(super) fn read<R: Read + Seek>(
        source: &mut Source<R>,
        directory: &Directory,
        band: usize,
        notes: &mut Notes,
    ) -> Result<Self, String> {
        let nodata = source.text(directory, tag::GDAL_NODATA)?;
        let nodata = nodata.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let metadata = source.text(directory, tag::GDAL_METADATA)?.unwrap_or_default();
        let mut said = Self { nodata: nodata.and_then(number), scale: 1.0, offset: 0.0, units: None };
        if let (Some(text), None) = (nodata, said.nodata) {
            notes.warn(format!(
                "the file declares `{text}` for a void, which is no number; state it (--nodata, or \
                 ImportOptions::with_nodata)"
            ));
        }
        for item in items(&metadata).filter(|item| item.band == Some(band)) {
            said.take(&item, notes);
        }
        Ok(said)
    }

    /// Heights as the tags say, in the given unit where they say none.
    pub(super) fn meaning(&self, units: Option<Units>) -> Meaning {
        Meaning::Heights { scale: self.scale, offset: self.offset, units: self.units.or(units) }
    }

    fn take(&mut self, item: &Item<'_>, notes: &mut Notes) {
        let value = number(item.text).filter(|value| value.is_finite());
        match (item.role, value) {
            ("scale", Some(scale)) if scale != 0.0 => self.scale = scale,
            ("offset", Some(offset)) => self.offset = offset,
            ("scale" | "offset", _) => {
                notes.warn(format!("the {} that the file declares, `{}`, is none and is ignored", item.role, item.text));
            }
            ("unittype", _) if !item.text.is_empty() => match unit(item.text) {
                Some(units) => self.units = Some(units),
                None => notes.warn(format!(
                    "the file's heights are in `{}`, a unit that is not known here, and are taken as metres; state the \
                     unit (--units, or ImportOptions::with_units)",
                    item.text
                )),
            },
            _ => {}
        }
    }
}

/// A number as C's `strtod` reads it and as Windows writes it.
fn number(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    if lower.contains("nan") || lower.contains("#ind") || lower.contains("#qn") {
        return Some(f64::NAN);
    }
    if let Some(infinity) = lower.strip_suffix("1.#inf") {
        return Some(if infinity == "-" { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if let Some(digits) = lower.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(|whole| whole as f64);
    }
    lower.parse().or_else(|_| lower.replacen(',', ".", 1).parse()).ok()
}

/// A unit by a name that GDAL or a reference system gives it.
pub(super) fn unit(name: &str) -> Option<Units> {
    match name.to_ascii_lowercase().replace(['_', '-'], " ").as_str() {
        "us survey foot" | "us survey feet" | "foot us" | "us foot" | "sft" => Some(Units::US_SURVEY_FEET),
        "foot (international)" | "international foot" | "international feet" | "feet international" => {
            Some(Units::FEET)
        }
        // A number is no name of a unit.
        other if other.parse::<f64>().is_err() => other.replace(' ', "-").parse().ok(),
        _ => None,
    }
}

/// An item of GDAL's metadata.
struct Item<'a> {
    role: &'a str,
    /// The band, from 0.
    band: Option<usize>,
    text: &'a str,
}

/// The items of GDAL's metadata, which is XML of one form: `<Item name="SCALE" sample="0" role="scale">0.1</Item>`.
fn items(xml: &str) -> impl Iterator<Item = Item<'_>> {
    xml.split("<Item").skip(1).filter_map(|item| {
        let (head, rest) = item.split_once('>')?;
        let text = rest.split("</Item>").next().unwrap_or(rest).trim();
        let band = attribute(head, "sample").and_then(|sample| sample.parse().ok());
        Some(Item { role: attribute(head, "role")?, band, text })
    })
}

fn attribute<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = head;
    loop {
        let at = rest.find(name)?;
        let before = rest[..at].ends_with(char::is_whitespace);
        rest = rest[at + name.len()..].trim_start();
        if let Some(value) = rest.strip_prefix('=').filter(|_| before) {
            let value = value.trim_start();
            let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            return value[1..].split(quote).next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voids_are_numbers_as_programs_write_them() {
        for (text, value) in [
            ("-9999", -9999.0),
            ("-3.4e+38", -3.4e38),
            ("1.", 1.0),
            ("-9999,5", -9999.5),
            ("0x8000", 32768.0),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["nan", "NaN", "-nan", "-1.#IND", "1.#QNAN", "nan(0x1)"] {
            assert!(number(text).is_some_and(f64::is_nan), "{text}");
        }
        assert_eq!([number("-inf"), number("-1.#INF")], [Some(f64::NEG_INFINITY); 2]);
        assert_eq!(number("none"), None);
    }

    #[test]
    fn units_have_many_names() {
        for name in ["ft", "foot", "Feet", "foot (International)"] {
            assert_eq!(unit(name), Some(Units::FEET), "{name}");
        }
        for name in ["US survey foot", "ftUS", "us-ft", "Foot_US", "US Survey Feet"] {
            assert_eq!(unit(name), Some(Units::US_SURVEY_FEET), "{name}");
        }
        assert_eq!([unit("m"), unit("metre"), unit("Meter")], [Some(Units::METRES); 3]);
        assert_eq!([unit("fathom"), unit("1"), unit("")], [None; 3]);
    }

    #[test]
    fn items_are_found_whatever_is_around_them() {
        let xml = "<GDALMetadata>\n <Item name=\"STATISTICS_MEAN\" sample=\"0\">7</Item>\n\
                   <Item name='SCALE'  sample='1' role='scale' >0.5 </Item><Item nosample=\"3\" role=\"unittype\">m</Item>\
                   <Item name=\"role\" role=\"offset\" sample=\"0\">-3</Item><Item role=\"scale\" sample=\"2\"";
        let found: Vec<_> = items(xml).map(|item| (item.role, item.band, item.text)).collect();
        assert_eq!(found, [("scale", Some(1), "0.5"), ("unittype", None, "m"), ("offset", Some(0), "-3")]);
        for broken in ["", "<Item", "<Item >", "<Item role", "<Item role=", "<Item role=\">", "<Item role=ü>"]
        {
            assert_eq!(items(broken).filter(|item| item.band.is_some()).count(), 0, "{broken}");
        }
    }
}
