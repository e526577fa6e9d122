//! Texts in RON that people write: reading one, and saying where it is wrong.

use ron::Options;
use ron::extensions::Extensions;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest file, bytes: far more than any such text needs.
const MAX_BYTES: u64 = 1 << 20;

/// How one kind of text is written.
pub(crate) struct RonText {
    /// What it is, for instance `a material is a text of layers in RON`.
    pub(crate) what: &'static str,
    /// The liberties that its writer has.
    pub(crate) extensions: Extensions,
    /// What would work instead, where the parser's own words do not say it.
    pub(crate) hint: fn(&ron::Error) -> &'static str,
}

impl RonText {
    fn options(&self) -> Options {
        Options::default().with_default_extension(self.extensions)
    }

    /// The text of a file, or a sentence that says why there is none.
    pub(crate) fn read(&self, path: &Path) -> Result<String, String> {
        let unread = |error: std::io::Error| format!("cannot be read: {error}");
        let mut bytes = Vec::new();
        File::open(path).map_err(unread)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unread)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(format!("is larger than 1 MiB; {}", self.what));
        }
        String::from_utf8(bytes).map_err(|_| format!("is no text in UTF-8; {}", self.what))
    }

    /// What a text states, or a sentence that says where it cannot be read and what would work.
    pub(crate) fn parse<T: DeserializeOwned>(&self, text: &str) -> Result<T, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        self.options().from_str(text).map_err(|error| {
            let at = error.span.start;
            let mut said = error.code.to_string();
            if let Some(first) = said.get(..1) {
                let first = first.to_lowercase();
                said.replace_range(..1, &first);
            }
            format!("line {}, column {}: {said}{}", at.line, at.col, (self.hint)(&error.code))
        })
    }

    /// The text that [`RonText::parse`] reads as this value. The numbers come back bit for bit.
    pub(crate) fn write(&self, value: &impl Serialize) -> String {
        let pretty = ron::ser::PrettyConfig::new().indentor("  ").compact_arrays(false).new_line("\n");
        // Strings, numbers, words, lists and maps of strings: nothing in these texts that RON could not write.
        let mut text = self.options().to_string_pretty(value, pretty).unwrap_or_default();
        text.push('\n');
        text
    }
}
