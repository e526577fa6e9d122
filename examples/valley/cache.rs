//! Made maps, kept on disk.
//!
//! A file is a header of five little-endian words of 64 bits (a mark, what the map was made from, its ends in metres), the
//! samples, the flow and the deposit of each of them, and a checksum over all of it. It is written under another name and
//! renamed when it is whole.

use half::bf16;
use landform::synth::ValleyParams;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

const MARK: u64 = u64::from_le_bytes(*b"landval2");
const WORDS: usize = 5;
/// Samples, flow and deposit.
const MAPS: usize = 3;

/// A map as it is kept: 16-bit samples and the metres of 0 and of 65535, and what layers grow by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kept {
    pub(crate) samples: Vec<u16>,
    pub(crate) min: f64,
    pub(crate) max: f64,
    /// Ground that drains through a sample, m².
    pub(crate) flow: Vec<bf16>,
    /// Loose ground over rock, metres.
    pub(crate) deposit: Vec<bf16>,
}

/// Where what is made once may be kept, the best first: `$XDG_CACHE_HOME/landform`, or else `target/valley` beside the
/// example; and where that cannot be written, the folder for temporary files.
pub(crate) fn folders() -> [PathBuf; 2] {
    [preferred(), std::env::temp_dir().join("landform")]
}

/// The first of some folders that can be written to, made where it is missing.
pub(crate) fn writable(folders: &[PathBuf]) -> io::Result<&Path> {
    let mut first_error = None;
    for folder in folders {
        let probe = folder.join(format!("{}.part", std::process::id()));
        match fs::create_dir_all(folder).and_then(|()| File::create(&probe)) {
            Ok(_) => {
                let _ = fs::remove_file(&probe);
                return Ok(folder);
            }
            Err(error) => {
                let why = format!("{}: {error}", folder.display());
                first_error.get_or_insert(io::Error::new(error.kind(), why));
            }
        }
    }
    Err(first_error.unwrap_or_else(|| io::Error::other("no folder to write to")))
}

/// The name of a map's file.
pub(crate) fn file_name(params: &ValleyParams) -> String {
    format!("valley-{}-{}.heights", params.size, params.seed)
}

fn preferred() -> PathBuf {
    if let Some(cache) = std::env::var_os("XDG_CACHE_HOME").filter(|folder| !folder.is_empty()) {
        return Path::new(&cache).join("landform");
    }
    // target/release/examples/valley
    let exe = std::env::current_exe().unwrap_or_default();
    let target = exe
        .parent()
        .filter(|folder| folder.ends_with("examples"))
        .and_then(|folder| folder.ancestors().nth(2));
    target.map_or_else(|| std::env::temp_dir().join("landform"), |target| target.join("valley"))
}

/// The map of these parameters, or None where none is kept or the file is not whole.
pub(crate) fn load(path: &Path, params: &ValleyParams) -> Option<Kept> {
    let bytes = fs::read(path).ok()?;
    let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
    let (header, samples) = content.split_at_checked(8 * WORDS)?;
    let word =
        |index: usize| u64::from_le_bytes(header[8 * index..8 * index + 8].try_into().unwrap_or_default());
    let count = params.size as usize * params.size as usize;
    let right = word(0) == MARK
        && word(1) == from(params)
        && word(2) == params.seed
        && samples.len() == size_of::<u16>() * MAPS * count;
    if !right || sum != checksum(content).to_le_bytes() {
        return None;
    }
    let values = |map: usize| {
        let bytes = samples[2 * map * count..2 * (map + 1) * count].as_chunks::<2>().0;
        bytes.iter().map(|bytes| u16::from_le_bytes(*bytes))
    };
    Some(Kept {
        samples: values(0).collect(),
        min: f64::from_bits(word(3)),
        max: f64::from_bits(word(4)),
        flow: values(1).map(bf16::from_bits).collect(),
        deposit: values(2).map(bf16::from_bits).collect(),
    })
}

/// Keeps a map. Whatever goes wrong, there is no broken file under its name.
pub(crate) fn store(path: &Path, params: &ValleyParams, map: &Kept) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let unfinished = path.with_extension(format!("{}.part", std::process::id()));
    let written = write(&unfinished, params, map).and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        // The failure to write is what is worth telling.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn write(path: &Path, params: &ValleyParams, map: &Kept) -> io::Result<()> {
    let mut content = Vec::with_capacity(8 * WORDS + 2 * MAPS * map.samples.len());
    for word in [MARK, from(params), params.seed, map.min.to_bits(), map.max.to_bits()] {
        content.extend(word.to_le_bytes());
    }
    content.extend(map.samples.iter().flat_map(|sample| sample.to_le_bytes()));
    content.extend(map.flow.iter().chain(&map.deposit).flat_map(|value| value.to_le_bytes()));
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(&content)?;
    file.write_all(&checksum(&content).to_le_bytes())?;
    file.into_inner()?.sync_all()
}

/// Generator and size in one word.
fn from(params: &ValleyParams) -> u64 {
    u64::from(landform::synth::VERSION) << 32 | u64::from(params.size)
}

/// FNV-1a over words of 64 bits, which is fast enough to be checked at every start.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    let sum = words.iter().fold(0xcbf2_9ce4_8422_2325, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(size: u32) -> ValleyParams {
        let mut params = ValleyParams::default();
        params.size = size;
        params
    }

    #[test]
    fn what_cannot_be_written_is_passed_over() {
        let folder = std::env::temp_dir().join(format!("landform-folders-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        // A file where a folder should be: nobody can write into it, not even root.
        let file = folder.join("file");
        fs::write(&file, []).unwrap();
        let good = folder.join("good");
        assert_eq!(writable(&[file.join("cache"), good.clone()]).unwrap(), good);
        assert_eq!(writable(std::slice::from_ref(&good)).unwrap(), good);
        assert_eq!(fs::read_dir(&good).unwrap().count(), 0, "nothing is left there");
        let why = writable(&[file.join("cache"), file.join("other")]).unwrap_err().to_string();
        assert!(why.contains("cache"), "{why}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_map_is_found_again_and_a_broken_file_is_not() {
        let folder = std::env::temp_dir().join(format!("landform-cache-{}", std::process::id()));
        let path = folder.join("a.heights");
        let samples: Vec<_> = (0..65 * 65).map(|i| (i * 7) as u16).collect();
        let flow = samples.iter().map(|&sample| bf16::from_f32(sample.into())).collect();
        let deposit = vec![bf16::from_f32(0.5); samples.len()];
        let map = Kept { samples, min: -1.5, max: 900.25, flow, deposit };
        store(&path, &params(65), &map).unwrap();
        assert_eq!(load(&path, &params(65)), Some(map));
        assert_eq!(load(&path, &params(129)), None);
        let whole = fs::read(&path).unwrap();
        for (at, cut) in
            [(0, whole.len()), (50, whole.len()), (8000, whole.len()), (0, whole.len() - 1), (0, 3)]
        {
            let mut broken = whole[..cut].to_vec();
            if cut == whole.len() {
                broken[at] ^= 1;
            }
            fs::write(&path, broken).unwrap();
            assert_eq!(load(&path, &params(65)), None, "{at} {cut}");
        }
        let left: Vec<_> = fs::read_dir(&folder).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing unfinished is left");
        fs::remove_dir_all(folder).unwrap();
    }
}
