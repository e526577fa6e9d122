//! Records of 1024 characters and the numbers at fixed places in them.

use std::io::{BufRead, Read};

/// Characters of a record.
const LENGTH: u64 = 1024;
/// Characters before the samples of a profile's first record.
const PROFILE_HEAD: usize = 144;
/// Characters of a sample.
const SAMPLE: usize = 6;
/// Samples in the first record of a profile and in each of the others.
const IN_FIRST: u32 = 146;
const IN_OTHERS: u32 = 170;

/// One record, the last of a file without the blanks that may be missing behind it.
pub(super) struct Record(Vec<u8>);

impl Record {
    pub(super) fn new(text: &[u8]) -> Self {
        Self(text.to_vec())
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.0
    }

    /// The whole number in six characters. The error is a sentence.
    pub(super) fn integer(&self, at: usize) -> Result<i64, String> {
        let text = self.field(at, SAMPLE)?;
        text.parse().map_err(|_| format!("`{text}` is no whole number, at character {at} of a record"))
    }

    /// The number in so many characters, with an exponent of E or D. The error is a sentence.
    pub(super) fn real(&self, at: usize, length: usize) -> Result<f64, String> {
        let text = self.field(at, length)?.replace(['D', 'd'], "E");
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(format!("`{text}` is no number, at character {at} of a record")),
        }
    }

    fn field(&self, at: usize, length: usize) -> Result<&str, String> {
        let bytes = self.0.get(at..at + length).ok_or("the file is truncated within a record")?;
        let text = str::from_utf8(bytes).map_err(|_| format!("no text at character {at} of a record"))?;
        Ok(text.trim_ascii())
    }
}

/// Reads records, whether or not line ends stand between them.
pub(super) struct Records<R> {
    input: R,
}

impl<R: BufRead> Records<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input }
    }

    /// The next record. The error is a sentence.
    pub(super) fn next(&mut self) -> Result<Record, String> {
        let mut record = Record(Vec::new());
        self.next_into(&mut record)?;
        Ok(record)
    }

    /// The next record, in place of another.
    pub(super) fn next_into(&mut self, record: &mut Record) -> Result<(), String> {
        let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
        while let Some(b'\r' | b'\n') = self.input.fill_buf().map_err(unreadable)?.first() {
            self.input.consume(1);
        }
        record.0.clear();
        self.input.by_ref().take(LENGTH).read_to_end(&mut record.0).map_err(unreadable)?;
        if record.0.is_empty() { Err("the file is truncated after a record".to_owned()) } else { Ok(()) }
    }

    /// A sample of a profile by its number, which follows that of the call before; `record` is the one it is in, or the
    /// one before, and then the next takes its place.
    pub(super) fn elevation(&mut self, record: &mut Record, sample: u32) -> Result<i32, String> {
        let at = if sample < IN_FIRST {
            PROFILE_HEAD + SAMPLE * sample as usize
        } else {
            let place = (sample - IN_FIRST) % IN_OTHERS;
            if place == 0 {
                self.next_into(record)?;
            }
            SAMPLE * place as usize
        };
        let value = record.integer(at)?;
        i32::try_from(value).map_err(|_| format!("an elevation of {value}"))
    }
}
