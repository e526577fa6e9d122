//! The header of a KTX2 file and its list of levels.

/// Bytes of a header; the list of levels follows.
const HEADER: usize = 80;
/// Bytes of an entry of the list.
const ENTRY: usize = 24;

/// What is needed of a header.
pub(super) struct Header {
    /// A Vulkan format by its number; 0 where it has to be transcoded first.
    pub(super) format: u32,
    pub(super) width: u32,
    pub(super) height: u32,
    /// How many levels are in the file; 0 for one, with the wish that mips are made.
    pub(super) levels: u32,
    /// How the levels are packed.
    pub(super) scheme: u32,
    depth: u32,
    layers: u32,
    faces: u32,
    /// Where keys and values are, and their bytes.
    keys: (u32, u32),
}

impl Header {
    pub(super) fn of(bytes: &[u8]) -> Result<Self, String> {
        let word = |at: usize| {
            let word = bytes.get(..HEADER).and_then(|header| header[at..].first_chunk());
            word.copied().map(u32::from_le_bytes).ok_or_else(truncated)
        };
        Ok(Self {
            format: word(12)?,
            width: word(20)?,
            height: word(24)?,
            depth: word(28)?,
            layers: word(32)?,
            faces: word(36)?,
            levels: word(40)?,
            scheme: word(44)?,
            keys: (word(56)?, word(60)?),
        })
    }

    /// Refuses what is no plain 2D picture.
    pub(super) fn check_kind(&self, bytes: &[u8]) -> Result<(), String> {
        if self.height == 0 || self.depth > 1 {
            return Err("is a KTX2 of a line or a volume; a texture is a 2D picture".into());
        }
        if self.layers > 1 || self.faces != 1 {
            let Self { layers, faces, .. } = self;
            return Err(format!("is a KTX2 of {layers} layers and {faces} faces; save one picture a file"));
        }
        match self.orientation(bytes)? {
            Some(orientation) if !orientation.starts_with(b"rd") => Err(format!(
                "is a KTX2 whose rows or columns run the other way (KTXorientation {}); write it as rd",
                String::from_utf8_lossy(orientation.trim_ascii_end()).trim_end_matches('\0')
            )),
            _ => Ok(()),
        }
    }

    /// The value of the key that says which way rows and columns run.
    fn orientation<'a>(&self, bytes: &'a [u8]) -> Result<Option<&'a [u8]>, String> {
        let (at, length) = (self.keys.0 as usize, self.keys.1 as usize);
        if length == 0 {
            return Ok(None);
        }
        let mut rest = at.checked_add(length).and_then(|end| bytes.get(at..end)).ok_or_else(truncated)?;
        while let Some((length, after)) = rest.split_first_chunk() {
            let length = u32::from_le_bytes(*length) as usize;
            let pair = after.get(..length).ok_or("a broken KTX2: a key is longer than all keys")?;
            if let Some(value) = pair.strip_prefix(b"KTXorientation\0") {
                return Ok(Some(value));
            }
            rest = after.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
        Ok(None)
    }

    /// The bytes of a level as they are packed, and how many it claims that they become.
    pub(super) fn level<'a>(&self, bytes: &'a [u8], level: usize) -> Result<(&'a [u8], u64), String> {
        let number = |part: usize| {
            let at = HEADER + ENTRY * level + 8 * part;
            let number = bytes.get(at..).and_then(|rest| rest.first_chunk()).copied();
            number.map(u64::from_le_bytes).ok_or_else(truncated)
        };
        let (at, length, claimed) = (number(0)?, number(1)?, number(2)?);
        let place = || {
            let end = at.checked_add(length)?;
            bytes.get(usize::try_from(at).ok()?..usize::try_from(end).ok()?)
        };
        Ok((place().ok_or_else(truncated)?, claimed))
    }
}

fn truncated() -> String {
    "the KTX2 ends before its picture is complete: truncated".into()
}
