//! A walk over the markers of a JPEG, from the first to the end marker, without decoding anything.

/// What the markers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) width: u32,
    pub(super) height: u32,
    /// 1 grey, 3 colours, 4 inks.
    pub(super) components: u8,
    /// How it is to be seen, 1 to 8 as EXIF counts; 1 where nothing is said.
    pub(super) orientation: u16,
}

/// Walks to the end marker. The error is a sentence.
pub(super) fn walk(bytes: &[u8]) -> Result<Head, String> {
    let mut head: Option<Head> = None;
    let mut orientation = 1;
    let mut at = 2;
    loop {
        // Whatever is between two markers is of the entropy coder, which marks nothing by an FF before 00 or a restart.
        let rest = bytes.get(at..).unwrap_or_default();
        let found = rest.windows(2).position(|pair| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xff));
        let Some(found) = found else { return Err(truncated()) };
        let marker = rest[found + 1];
        at += found + 2;
        if matches!(marker, 0x01 | 0xd0..=0xd8) {
            continue;
        }
        if marker == 0xd9 {
            return head
                .map(|head| Head { orientation, ..head })
                .ok_or_else(|| "a broken JPEG: it ends without a picture".into());
        }
        let length = bytes.get(at..at + 2).map(|pair| usize::from(be16(pair))).ok_or_else(truncated)?;
        if length < 2 {
            return Err(format!("a broken JPEG: marker {marker:02x} has a length of {length}"));
        }
        let segment = bytes.get(at + 2..at + length).ok_or_else(truncated)?;
        at += length;
        match marker {
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                if head.is_some() {
                    return Err("is a JPEG of several frames; save it as a plain one".into());
                }
                head = Some(frame(marker, segment)?);
            }
            0xe1 => orientation = orientation_of(segment).unwrap_or(orientation),
            _ => {}
        }
    }
}

/// What the header of a frame says.
fn frame(marker: u8, segment: &[u8]) -> Result<Head, String> {
    match marker {
        0xc0..=0xc2 => {}
        0xc9..=0xcf => {
            return Err("is an arithmetic-coded JPEG; save it as a baseline or progressive one".into());
        }
        _ => {
            return Err("is a lossless or hierarchical JPEG; save it as a baseline or progressive one".into());
        }
    }
    let Some(&[precision, h0, h1, w0, w1, components]) = segment.first_chunk() else {
        return Err("a broken JPEG: the header of its frame is too short".into());
    };
    if precision != 8 {
        return Err(format!("is a JPEG of {precision} bits a sample; save it with 8"));
    }
    let side = |high, low| u32::from(u16::from_be_bytes([high, low]));
    let head = Head { width: side(w0, w1), height: side(h0, h1), components, orientation: 1 };
    if head.height == 0 {
        return Err("is a JPEG that states its height after its picture; save it as a plain one".into());
    }
    Ok(head)
}

/// The orientation in an EXIF segment: a TIFF directory, of which one tag is looked at.
fn orientation_of(segment: &[u8]) -> Option<u16> {
    const ORIENTATION: u16 = 0x0112;
    let tiff = segment.strip_prefix(b"Exif\0\0")?;
    let read16: fn([u8; 2]) -> u16 = match tiff.get(..4)? {
        b"II*\0" => u16::from_le_bytes,
        b"MM\0*" => u16::from_be_bytes,
        _ => return None,
    };
    let at16 = |at: usize| tiff.get(at..)?.first_chunk().copied().map(read16);
    let at32 = |at: usize| {
        let (a, b) = (u32::from(at16(at)?), u32::from(at16(at.checked_add(2)?)?));
        Some(if tiff[0] == b'I' { b << 16 | a } else { a << 16 | b } as usize)
    };
    let directory = at32(4)?;
    let entries = (0..usize::from(at16(directory)?)).map(|index| directory + 2 + 12 * index);
    let mut found = entries.take_while(|&entry| entry < tiff.len()).filter(|&e| at16(e) == Some(ORIENTATION));
    at16(found.next()? + 8).filter(|orientation| (1..=8).contains(orientation))
}

fn be16(pair: &[u8]) -> u16 {
    u16::from_be_bytes([pair[0], pair[1]])
}

fn truncated() -> String {
    "the JPEG ends before its end marker: truncated".into()
}
