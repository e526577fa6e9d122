//! On which line of a document's text something stands. The parser says so for what it cannot read; this is for what it
//! can, and the frame refuses.

/// The line, from 1, on which the element of a list begins: `list` is a field of the outermost structure, `index` counts
/// from 0. The text is one that was parsed.
pub(super) fn of_element(text: &str, list: &str, index: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut in_list = false;
    let mut count = 0usize;
    let mut wants_element = false;
    let mut last_word = String::new();
    let mut rest = text;
    while let Some((token, after)) = next_token(rest) {
        let begins = text.len() - rest.len();
        let first = token.chars().next()?;
        let closes = matches!(first, ')' | ']' | '}');
        if in_list && depth == 2 && wants_element && !closes {
            if count == index {
                return Some(text[..begins].matches('\n').count() + 1);
            }
            wants_element = false;
        }
        match first {
            '(' | '[' | '{' => {
                depth += 1;
                if depth == 2 && first == '[' && last_word == list {
                    (in_list, wants_element) = (true, true);
                }
            }
            _ if closes => {
                depth = depth.saturating_sub(1);
                if in_list && depth < 2 {
                    return None;
                }
            }
            ',' if in_list && depth == 2 => {
                count += 1;
                wants_element = true;
            }
            ':' => {}
            _ if depth == 1 && is_word(first) => token.clone_into(&mut last_word),
            _ => {}
        }
        rest = after;
        // White space and comments are no tokens: they are skipped where the next begins.
        rest = &rest[skipped(rest)..];
    }
    None
}

/// The first token of a text that begins with one, and what follows.
fn next_token(text: &str) -> Option<(&str, &str)> {
    let text = &text[skipped(text)..];
    let first = text.chars().next()?;
    let length = if first == '"' {
        string_length(text)
    } else if let Some(raw) = raw_string_length(text) {
        raw
    } else if is_word(first) {
        text.find(|c| !is_word(c)).unwrap_or(text.len())
    } else {
        first.len_utf8()
    };
    Some(text.split_at(length))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Bytes of a string in quotation marks.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Bytes of a raw string, `r#"…"#` with any number of marks, if it is one.
fn raw_string_length(text: &str) -> Option<usize> {
    let marks = text.strip_prefix('r')?;
    let hashes = marks.len() - marks.trim_start_matches('#').len();
    marks[hashes..].strip_prefix('"')?;
    let body = 1 + hashes + 1;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(text[body..].find(&end).map_or(text.len(), |at| body + at + end.len()))
}

/// Bytes of white space and comments at the beginning.
fn skipped(text: &str) -> usize {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start();
        rest = if trimmed.starts_with("//") {
            trimmed.find('\n').map_or("", |at| &trimmed[at..])
        } else if trimmed.starts_with("/*") {
            &trimmed[block_comment(trimmed)..]
        } else {
            return text.len() - trimmed.len();
        };
    }
}

/// Bytes of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_past_strings_and_comments() {
        let text = "\n// nodes: [\n(\n  targets: [(name: \"nodes: [\", size: Pixels(1, 2))], /* , /* [ */ */\n  \
                    nodes: [\n    Sky(), // one, two\n\n    Host((name: r#\"a\"),\n]\"#)),\n    Sky(),\n  ],\n)";
        let line = |list, index| of_element(text, list, index);
        assert_eq!([0, 1, 2, 3].map(|index| line("nodes", index)), [Some(6), Some(8), Some(10), None]);
        assert_eq!([0, 1].map(|index| line("targets", index)), [Some(4), None]);
        assert_eq!(line("views", 0), None);
    }
}
