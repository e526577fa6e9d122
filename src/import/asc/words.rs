//! A text file as words between blanks and line ends, in bounded memory whatever its lines are.

use std::io::BufRead;

/// What some editors put before a text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// No number and no word of a header is longer.
const LONGEST: usize = 400;

/// Reads words.
pub(super) struct Words<R> {
    input: R,
    word: String,
    started: bool,
    /// A word with a decimal comma was seen.
    pub(super) commas: bool,
    /// The file ended in its last word, with neither blank nor line end behind it.
    pub(super) ends_within_a_word: bool,
}

impl<R: BufRead> Words<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, word: String::new(), started: false, commas: false, ends_within_a_word: false }
    }

    /// The next word, or none at the end. The error is a sentence.
    pub(super) fn next(&mut self) -> Result<Option<&str>, String> {
        self.word.clear();
        loop {
            let bytes = self.input.fill_buf().map_err(|error| format!("cannot be read: {error}"))?;
            if bytes.is_empty() {
                self.ends_within_a_word |= !self.word.is_empty();
                break;
            }
            let mut used = 0;
            if !self.started {
                self.started = true;
                used = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
            }
            let mut ended = false;
            for &byte in &bytes[used..] {
                used += 1;
                if byte.is_ascii_whitespace() {
                    ended = !self.word.is_empty();
                    if ended {
                        break;
                    }
                } else if byte.is_ascii_graphic() && self.word.len() < LONGEST {
                    self.commas |= byte == b',';
                    self.word.push(char::from(byte));
                } else if byte.is_ascii_graphic() {
                    return Err(format!("`{}…` is longer than any number", &self.word[..16]));
                } else {
                    return Err(format!("holds the byte {byte:#04x}, which is no text"));
                }
            }
            self.input.consume(used);
            if ended {
                break;
            }
        }
        Ok(if self.word.is_empty() { None } else { Some(&self.word) })
    }
}

/// A number with a decimal point or comma; `nan` and infinities are numbers too.
pub(super) fn number(word: &str) -> Option<f64> {
    if word.contains(',') { word.replacen(',', ".", 1).parse().ok() } else { word.parse().ok() }
}
