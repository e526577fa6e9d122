//! A file's bytes by number, held against its length before memory is taken for them.

use std::io::{self, BufRead, ErrorKind, Seek};

/// A reader that knows where it is. Every error is a sentence.
pub(super) struct Source<R> {
    input: R,
    at: u64,
    bytes: u64,
}

impl<R: BufRead + Seek> Source<R> {
    /// Reads a file of `bytes` bytes from its start.
    pub(super) fn new(input: R, bytes: u64) -> Self {
        Self { input, at: 0, bytes }
    }

    /// Bytes before the next one.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    /// Bytes of the whole file.
    pub(super) fn length(&self) -> u64 {
        self.bytes
    }

    /// Refuses to go on where the file ends before `count` more bytes.
    pub(super) fn expect(&self, count: u64) -> Result<(), String> {
        if count > self.bytes.saturating_sub(self.at) { Err(truncated()) } else { Ok(()) }
    }

    /// Goes to a byte of the file.
    pub(super) fn go_to(&mut self, position: u64) -> Result<(), String> {
        if position > self.bytes {
            return Err(truncated());
        }
        // Relative, so that a buffer is kept where it holds the byte. No file is longer than an i64 counts.
        self.input.seek_relative(position.wrapping_sub(self.at) as i64).map_err(unreadable)?;
        self.at = position;
        Ok(())
    }

    pub(super) fn skip(&mut self, count: u64) -> Result<(), String> {
        self.go_to(self.at.saturating_add(count))
    }

    pub(super) fn vec(&mut self, count: u64) -> Result<Vec<u8>, String> {
        self.expect(count)?;
        let mut bytes = vec![0; usize::try_from(count).map_err(|_| truncated())?];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.expect(N as u64)?;
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, String> {
        self.array().map(i32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, String> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a text of at most 255 bytes and the 0 behind it.
    pub(super) fn text(&mut self) -> Result<String, String> {
        let mut text = Vec::new();
        loop {
            match self.array()? {
                [0] => return Ok(String::from_utf8_lossy(&text).into_owned()),
                [byte] if text.len() < 255 => text.push(byte),
                _ => return Err("a broken header: a name of more than 255 bytes".to_owned()),
            }
        }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), String> {
        self.input.read_exact(bytes).map_err(unreadable)?;
        self.at += bytes.len() as u64;
        Ok(())
    }
}

pub(super) fn truncated() -> String {
    "the OpenEXR file ends before its picture is complete: truncated".to_owned()
}

fn unreadable(error: io::Error) -> String {
    if error.kind() == ErrorKind::UnexpectedEof { truncated() } else { format!("cannot be read: {error}") }
}
