//! A terrain as a folder: its description in `terrain.json`, its codes in `heights.png`, its open quads in `holes.png`.
//! Nothing is lost on the way there and back, and both pictures open in any viewer.
//!
//! `terrain.json` has `version` (1), `width`, `height`, `tile_samples`, `spacing` ([x, z] in metres) and `range` ([metres of
//! code 0, of code 65535]). `holes.png` has a pixel a quad, white where it is open, and is only there where one is.

use super::export::{make_new, write_png, write_png16};
use super::grid::Grid;
use super::mask::Mask;
use super::{Format, ImportOptions, length_of, png_file, unreadable};
use crate::field::{Field, FieldDesc, Quad, SampleRect};
use crate::{Error, Result};
use glam::DVec2;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

/// The file that makes a folder a terrain.
pub(super) const DESCRIPTION: &str = "terrain.json";
const HEIGHTS: &str = "heights.png";
const HOLES: &str = "holes.png";
/// All of them, the description last: a folder without it is no terrain.
const FILES: [&str; 3] = [HEIGHTS, HOLES, DESCRIPTION];
const VERSION: u32 = 1;
/// A description is some hundred bytes long.
const LONGEST: u64 = 1 << 16;

#[derive(Serialize, Deserialize)]
struct Description {
    version: u32,
    width: u32,
    height: u32,
    tile_samples: u32,
    spacing: [f64; 2],
    range: [f64; 2],
}

/// Writes a field as a folder that [`import`](super::import()) reads again, all of it: codes, spacing, range, tiling and
/// holes.
///
/// The folder appears when it is complete. Of a terrain that was there before three files change at the end, or none: those
/// that a terrain has. Other files in it stay as they are.
///
/// # Errors
/// [`Error::File`] where it cannot be written, and where there is something at `path` that is no terrain folder, which is
/// left alone.
pub fn export_folder(field: &Field, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    if !path.exists() {
        return write_new(field, path);
    }
    if !is_terrain(path) {
        return Err(Error::file(
            path,
            format!("is there already and has no {DESCRIPTION}; it is left alone"),
        ));
    }
    let failed = |error: io::Error| Error::file(path, format!("cannot be written: {error}"));
    let (part, ()) = make_new(path, "part", |part| fs::create_dir(part)).map_err(failed)?;
    let written = write_all(field, &part).map_err(failed).and_then(|()| exchange(path, &part));
    // What is left of an attempt is of no use; that it cannot be removed would hide the reason.
    let _ = remove(&part);
    written
}

/// Writes a terrain where nothing is.
fn write_new(field: &Field, path: &Path) -> Result<()> {
    let failed = |error: io::Error| Error::file(path, format!("cannot be written: {error}"));
    let parent = path.parent().unwrap_or(Path::new(""));
    if parent != Path::new("") {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    let (part, ()) = make_new(parent, "part", |part| fs::create_dir(part)).map_err(failed)?;
    let written = write_all(field, &part).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        // As above.
        let _ = remove(&part);
        failed(error)
    })
}

/// True for a terrain folder.
pub(super) fn is_terrain(path: &Path) -> bool {
    path.join(DESCRIPTION).is_file()
}

fn write_all(field: &Field, folder: &Path) -> io::Result<()> {
    write_file(&folder.join(HEIGHTS), |out| write_png16(field, out))?;
    if field.holes().count() > 0 {
        write_file(&folder.join(HOLES), |out| write_holes(field, out))?;
    }
    let desc = field.desc();
    let description = Description {
        version: VERSION,
        width: desc.width,
        height: desc.height,
        tile_samples: desc.tile_samples,
        spacing: [desc.spacing.x, desc.spacing.y],
        range: [desc.range.min, desc.range.max],
    };
    write_file(&folder.join(DESCRIPTION), |out| {
        serde_json::to_writer_pretty(&mut *out, &description)?;
        out.write_all(b"\n")
    })
}

fn write_file(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create_new(path)?);
    write(&mut out)?;
    out.flush()
}

fn write_holes(field: &Field, out: &mut impl Write) -> io::Result<()> {
    let (columns, rows) = (field.desc().quads_x(), field.desc().quads_z());
    write_png(out, (columns, rows), png::ColorType::Grayscale, png::BitDepth::Eight, |pixels| {
        let mut row = Vec::new();
        for z in 0..rows {
            row.clear();
            row.extend((0..columns).map(|x| if field.is_hole(Quad::new(x, z)) { u8::MAX } else { 0 }));
            pixels.write_all(&row)?;
        }
        Ok(())
    })
}

/// Puts the files of a terrain in the place of those of another one. Whoever ends this half-way leaves a folder without a
/// description, which nothing takes for a terrain.
fn exchange(path: &Path, new: &Path) -> Result<()> {
    let refuse = |why: String| Error::file(path, why);
    let (old, ()) = make_new(path, "old", |old| fs::create_dir(old))
        .map_err(|error| refuse(format!("cannot be written: {error}")))?;
    let mut moves = Vec::new();
    let mut add = |from: &Path, to: &Path, name: &str| {
        if from.join(name).symlink_metadata().is_ok() {
            moves.push((from.join(name), to.join(name)));
        }
    };
    FILES.iter().rev().for_each(|name| add(path, &old, name));
    FILES.iter().for_each(|name| add(new, path, name));
    if let Err((error, undone)) = move_all(&moves) {
        if undone {
            // An empty folder in the way of nobody.
            let _ = fs::remove_dir(&old);
            return Err(refuse(format!("cannot be written: {error}")));
        }
        let old = old.display();
        return Err(refuse(format!("cannot be written: {error}; what was there before is in {old}")));
    }
    remove(&old).map_err(|error| {
        refuse(format!("is written, but what was there before is left in {}: {error}", old.display()))
    })
}

/// Moves files, or none: what was moved before one that cannot be is moved back. Besides the reason, an error tells whether
/// all of it was.
fn move_all(moves: &[(PathBuf, PathBuf)]) -> Result<(), (io::Error, bool)> {
    for (done, (from, to)) in moves.iter().enumerate() {
        if let Err(error) = fs::rename(from, to) {
            let undone = moves[..done].iter().rev().all(|(from, to)| fs::rename(to, from).is_ok());
            return Err((error, undone));
        }
    }
    Ok(())
}

/// Removes the files of a terrain, and its folder where nothing else is in it.
fn remove(folder: &Path) -> io::Result<()> {
    for file in FILES.map(|name| folder.join(name)) {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::remove_dir(folder)
}

/// The picture with the heights, where a path is a terrain folder or the description in one.
pub(super) fn heights_of(path: &Path) -> Option<PathBuf> {
    if is_terrain(path) {
        return Some(path.join(HEIGHTS));
    }
    let named = path.file_name().is_some_and(|name| name == DESCRIPTION);
    (named && path.is_file()).then(|| path.with_file_name(HEIGHTS))
}

/// Reads a folder by its picture of heights. What is stated goes before what its description says, but for the tiling, of
/// which only another one than usual counts as stated. The options that are returned have both.
pub(super) fn read(
    heights: &Path,
    mut input: impl BufRead + Seek,
    options: &ImportOptions,
) -> Result<(Grid, ImportOptions)> {
    options.check()?;
    let description = read_description(&heights.with_file_name(DESCRIPTION))?;
    let usual = options.tile_samples == FieldDesc::DEFAULT_TILE_SAMPLES;
    let options = ImportOptions {
        spacing: options.spacing.or(Some(DVec2::from(description.spacing))),
        range: options.range.or(Some((description.range[0], description.range[1]))),
        tile_samples: if usual { description.tile_samples } else { options.tile_samples },
        ..options.clone()
    };
    options.check()?;
    let bytes = length_of(heights, &mut input)?;
    let mut grid = png_file::read(heights, input, bytes, &options)?;
    if grid.size != (description.width, description.height) || grid.bit_depth != 16 {
        let why = format!(
            "is {}×{} samples of {} bits, and {DESCRIPTION} says {}×{} of 16",
            grid.size.0, grid.size.1, grid.bit_depth, description.width, description.height
        );
        return Err(Error::file(heights, why));
    }
    let holes = heights.with_file_name(HOLES);
    if holes.exists() {
        grid.holes = read_holes(&holes, grid.size, grid.window)?;
    }
    grid.format = Format::Folder;
    Ok((grid, options))
}

fn read_description(file: &Path) -> Result<Description> {
    let refuse = |why: String| Error::file(file, why);
    let length = fs::metadata(file).map_err(|error| unreadable(file, &error))?.len();
    if length > LONGEST {
        return Err(refuse(format!("has {length} bytes, more than any description of a terrain")));
    }
    let text = fs::read(file).map_err(|error| unreadable(file, &error))?;
    let description: Description = serde_json::from_slice(&text)
        .map_err(|error| refuse(format!("is no description of a terrain: {error}")))?;
    if description.version != VERSION {
        return Err(refuse(format!("is of version {}; only {VERSION} is read", description.version)));
    }
    Ok(description)
}

/// The open quads of a window of samples.
fn read_holes(path: &Path, (width, height): (u32, u32), window: SampleRect) -> Result<Mask> {
    let refuse = |why: &str| Error::file(path, why);
    let mut decoder =
        png::Decoder::new(BufReader::new(File::open(path).map_err(|error| unreadable(path, &error))?));
    decoder.set_transformations(png::Transformations::IDENTITY);
    let mut reader = decoder.read_info().map_err(|error| refuse(&format!("a broken PNG: {error}")))?;
    let info = reader.info();
    if (info.width, info.height) != (width - 1, height - 1)
        || (info.color_type, info.bit_depth) != (png::ColorType::Grayscale, png::BitDepth::Eight)
        || info.interlaced
    {
        return Err(refuse("is no 8-bit grey picture of a pixel a quad"));
    }
    let mut quads = Vec::with_capacity((window.width() - 1) as usize * (window.height() - 1) as usize);
    for z in 0..height - 1 {
        let row = reader.next_row().map_err(|error| refuse(&format!("a broken PNG: {error}")))?;
        let row = row.ok_or_else(|| refuse("ends before its last row: truncated"))?;
        if (window.z0..window.z1 - 1).contains(&z) {
            quads.extend(
                row.data()[window.x0 as usize..window.x1 as usize - 1].iter().map(|&pixel| pixel != 0),
            );
        }
    }
    Ok(Mask::of(quads.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::super::{Fill, Filter, Flip, import};
    use super::*;

    fn field() -> Field {
        let desc =
            FieldDesc::new(37, 23).with_spacing(3.5, 2.0).with_range(-12.25, 1001.5).with_tile_samples(16);
        let mut field =
            Field::from_samples(desc, (0..37 * 23).map(|i| (i * 4099 % 65536) as u16).collect()).unwrap();
        for quad in [Quad::new(0, 0), Quad::new(5, 9), Quad::new(6, 9), Quad::new(35, 21)] {
            field.set_hole(quad, true);
        }
        field
    }

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("landform-folder-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn nothing_is_lost_and_a_second_writing_replaces_the_first() {
        let (field, path) = (field(), folder("whole"));
        for _ in 0..2 {
            export_folder(&field, &path).unwrap();
            let (again, report) = import(&path, &ImportOptions::default()).unwrap();
            assert!(again.samples() == field.samples() && again.holes() == field.holes());
            assert_eq!((again.desc(), report.format, report.holes), (field.desc(), Format::Folder, 4));
            assert!(report.assumptions.is_empty(), "{report}");
        }
        let mut whole = field.clone();
        whole.set_hole(Quad::new(5, 9), false);
        fs::write(path.join("notes.txt"), "the ford is here").unwrap();
        export_folder(&whole, &path).unwrap();
        assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "the ford is here");
        let (again, _) = import(path.join(DESCRIPTION), &ImportOptions::default()).unwrap();
        assert!(again.holes() == whole.holes(), "by its description too");
        let stated = ImportOptions::default().with_range(0.0, 10.0).with_spacing(1.0, 1.0);
        let (stated, _) = import(&path, &stated).unwrap();
        assert_eq!((stated.desc().range.max, stated.desc().spacing), (10.0, DVec2::ONE));
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn holes_go_with_the_ground() {
        let (field, path) = (field(), folder("moved"));
        export_folder(&field, &path).unwrap();
        let holes = |options: ImportOptions| {
            let (field, report) = import(&path, &options).unwrap();
            let desc = *field.desc();
            let quads = (0..desc.quads_z()).flat_map(|z| (0..desc.quads_x()).map(move |x| Quad::new(x, z)));
            let open: Vec<_> =
                quads.filter(|&quad| field.is_hole(quad)).map(|quad| (quad.x, quad.z)).collect();
            assert_eq!(open.len() as u64, report.holes);
            open
        };
        let plain = ImportOptions::default;
        assert_eq!(holes(plain().with_crop(SampleRect::new(4, 8, 10, 10))), [(1, 1), (2, 1)]);
        assert_eq!(holes(plain().with_flip(Flip::WestEast)), [(35, 0), (29, 9), (30, 9), (0, 21)]);
        assert_eq!(holes(plain().with_flip(Flip::NorthSouth)), [(35, 0), (5, 12), (6, 12), (0, 21)]);
        let twice = plain().with_resample(1.75, 1.0, Filter::Bilinear);
        assert_eq!(holes(twice).len(), 4 * 4);
        assert!(holes(plain().with_fill(Fill::Nearest)).is_empty());
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn what_is_no_terrain_is_left_alone_and_named() {
        let path = folder("other");
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("letters.txt"), "dear").unwrap();
        let text = export_folder(&field(), &path).unwrap_err().to_string();
        assert!(text.contains("left alone") && path.join("letters.txt").exists(), "{text}");
        assert!(import(&path, &ImportOptions::default()).unwrap_err().to_string().contains(DESCRIPTION));
        fs::remove_dir_all(&path).unwrap();
        export_folder(&field(), &path).unwrap();
        fs::write(path.join(DESCRIPTION), "{}").unwrap();
        let text = import(&path, &ImportOptions::default()).unwrap_err().to_string();
        assert!(text.contains("no description of a terrain"), "{text}");
        export_folder(&field(), &path).unwrap();
        fs::write(path.join(HOLES), "no picture").unwrap();
        assert!(import(&path, &ImportOptions::default()).unwrap_err().to_string().contains(HOLES));
        fs::remove_file(path.join(HEIGHTS)).unwrap();
        assert!(import(&path, &ImportOptions::default()).unwrap_err().to_string().contains(HEIGHTS));
        assert!(import(folder("none"), &ImportOptions::default()).is_err());
        fs::remove_dir_all(path).unwrap();
    }
    /// The names in a folder, sorted.
    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_of_anybody_else_is_touched() {
        let (field, room) = (field(), folder("others"));
        let own = format!(".landform-{}-0", std::process::id());
        let others =
            ["a.part", "a.old", &format!("{own}.part"), &format!("a/{own}.part"), &format!("a/{own}.old")];
        export_folder(&field, room.join("a")).unwrap();
        for other in others {
            fs::create_dir(room.join(other)).unwrap();
            fs::write(room.join(other).join(HEIGHTS), other).unwrap();
        }
        let before = (names(&room), names(&room.join("a")));
        export_folder(&field, room.join("a/")).unwrap();
        assert_eq!((names(&room), names(&room.join("a"))), before, "something is left");
        export_folder(&field, room.join("new/b/")).unwrap();
        assert_eq!(names(&room.join("new")), ["b"]);
        for other in others {
            assert_eq!(fs::read_to_string(room.join(other).join(HEIGHTS)).unwrap(), other);
        }
        fs::write(room.join("file"), "mine").unwrap();
        assert!(export_folder(&field, room.join("file/b")).is_err());
        assert!(export_folder(&field, room.join("file")).is_err());
        fs::remove_dir_all(room).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_a_link() {
        let (field, room) = (field(), folder("link"));
        export_folder(&Field::new(FieldDesc::new(2, 2)).unwrap(), room.join("disk/a")).unwrap();
        fs::write(room.join("disk/a/notes.txt"), "the ford is here").unwrap();
        std::os::unix::fs::symlink("disk/a", room.join("link")).unwrap();
        export_folder(&field, room.join("link")).unwrap();
        assert!(room.join("link").is_symlink());
        let (again, _) = import(room.join("disk/a"), &ImportOptions::default()).unwrap();
        assert!(again.samples() == field.samples());
        assert_eq!(names(&room.join("disk/a")), [HEIGHTS, HOLES, "notes.txt", DESCRIPTION]);
        assert_eq!(
            (names(&room), names(&room.join("disk"))),
            (vec!["disk".into(), "link".into()], vec!["a".into()])
        );
        std::os::unix::fs::symlink("nowhere", room.join("broken")).unwrap();
        assert!(export_folder(&field, room.join("broken")).is_err() && room.join("broken").is_symlink());
        assert_eq!(names(&room), ["broken", "disk", "link"]);
        fs::remove_dir_all(room).unwrap();
    }

    #[test]
    fn what_cannot_be_done_is_undone() {
        let (field, room) = (field(), folder("undone"));
        let path = room.join("a");
        export_folder(&field, &path).unwrap();
        let moves = [HEIGHTS, DESCRIPTION, "none"].map(|name| (path.join(name), room.join(name)));
        assert!(move_all(&moves).is_err_and(|(_, undone)| undone));
        assert_eq!(
            (names(&room), names(&path)),
            (vec!["a".into()], vec![HEIGHTS.into(), HOLES.into(), DESCRIPTION.into()])
        );
        // Somebody's folder has the name of one of the files.
        fs::remove_file(path.join(HOLES)).unwrap();
        fs::create_dir(path.join(HOLES)).unwrap();
        fs::write(path.join(HOLES).join("letter.txt"), "dear").unwrap();
        let text = export_folder(&field, &path).unwrap_err().to_string();
        let old = format!(".landform-{}-0.old", std::process::id());
        assert!(text.contains("is written, but") && text.contains(&old), "{text}");
        assert!(path.join(old).join(HOLES).join("letter.txt").is_file());
        assert!(import(&path, &ImportOptions::default()).unwrap().0.holes() == field.holes());
        fs::remove_dir_all(room).unwrap();
    }
}
