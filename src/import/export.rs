//! A field's samples as a file: every code as it is, in the size it has. Metres, spacing and holes do not fit into
//! these formats; whoever imports the file again states the range and the spacing.

use super::ByteOrder;
use crate::field::{Field, Quad};
use crate::{Error, Result};
use png::{BitDepth, ColorType};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a field's codes as a 16-bit grey PNG, one pixel a sample, row 0 in the north. Holes are not in the file.
///
/// The file appears when it is complete: one that was there before stays until then.
///
/// # Errors
/// [`Error::File`] where the file cannot be written.
pub fn export_png16(field: &Field, path: impl AsRef<Path>) -> Result<()> {
    replace(path.as_ref(), |out| write_png16(field, out))
}

/// Writes a field's codes as raw 16-bit samples, row 0 in the north; [`ByteOrder::Auto`] is little-endian. Neither size
/// nor holes are in the file.
///
/// The file appears when it is complete: one that was there before stays until then.
///
/// # Errors
/// [`Error::File`] where the file cannot be written.
pub fn export_r16(field: &Field, path: impl AsRef<Path>, order: ByteOrder) -> Result<()> {
    replace(path.as_ref(), |out| write_rows(field, out, order))
}

pub(super) fn write_png16(field: &Field, out: &mut impl Write) -> io::Result<()> {
    let size = (field.desc().width, field.desc().height);
    write_png(out, size, ColorType::Grayscale, BitDepth::Sixteen, |pixels| {
        write_rows(field, pixels, ByteOrder::Big)
    })
}

/// Writes a PNG whose rows `write` gives one after the other, without a copy of the picture.
pub(super) fn write_png(
    out: &mut impl Write,
    (width, height): (u32, u32),
    color: ColorType,
    depth: BitDepth,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header()?;
    let mut pixels = writer.stream_writer_with_size(1 << 16)?;
    write(&mut pixels)?;
    pixels.finish()?;
    Ok(writer.finish()?)
}

fn write_rows(field: &Field, out: &mut (impl Write + ?Sized), order: ByteOrder) -> io::Result<()> {
    let mut bytes = Vec::new();
    for row in field.samples().chunks_exact(field.desc().width as usize) {
        bytes.clear();
        bytes.extend(row.iter().flat_map(|&code| order.encode(code)));
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// The metres of a row of samples, as the floats that a file holds; NaN for a sample that only open quads touch, which is
/// what a void of an imported file is.
pub(super) fn metres_of_row(field: &Field, z: u32, row: &mut Vec<f32>) {
    let desc = field.desc();
    let open = |x: u32| {
        let columns = x.saturating_sub(1)..=x.min(desc.quads_x() - 1);
        let rows = z.saturating_sub(1)..=z.min(desc.quads_z() - 1);
        rows.into_iter().all(|z| columns.clone().all(|x| field.is_hole(Quad::new(x, z))))
    };
    let holes = field.holes().count() > 0;
    let codes = &field.samples()[z as usize * desc.width as usize..][..desc.width as usize];
    row.clear();
    row.extend((0..).zip(codes).map(|(x, &code)| {
        if holes && open(x) { f32::NAN } else { desc.range.metres(f64::from(code)) as f32 }
    }));
}

/// Writes a file beside `path` and moves it there when it is complete. A link to a file stays one.
pub(super) fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<()> {
    let failed = |error: io::Error| Error::file(path, format!("cannot be written: {error}"));
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if target.exists() && !target.is_file() {
        return Err(Error::file(path, "is there already and is no file; it is left alone"));
    }
    let folder = target.parent().unwrap_or(Path::new(""));
    let (part, file) = make_new(folder, "part", |part| File::create_new(part)).map_err(failed)?;
    let mut out = BufWriter::new(file);
    let written = write(&mut out).and_then(|()| out.flush()).and_then(|()| fs::rename(&part, &target));
    written.map_err(|error| {
        // What is left of the attempt is of no use; that it cannot be removed would hide the reason.
        let _ = fs::remove_file(&part);
        failed(error)
    })
}

/// Makes a file or a folder in `folder` under a hidden name that nothing has. `make` fails where there is something, so that
/// nothing of anybody's is touched.
pub(super) fn make_new<T>(
    folder: &Path,
    ending: &str,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    let mut number = 0;
    loop {
        let path = folder.join(format!(".landform-{}-{number}.{ending}", std::process::id()));
        match make(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            made => return Ok((path, made?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ImportOptions, import_bytes};
    use super::*;
    use crate::field::FieldDesc;
    use proptest::prelude::*;

    /// A field of any size with any samples.
    fn fields() -> impl Strategy<Value = Field> {
        (2u32..40, 2u32..40).prop_flat_map(|(width, height)| {
            let samples = prop::collection::vec(any::<u16>(), (width * height) as usize);
            samples
                .prop_map(move |samples| Field::from_samples(FieldDesc::new(width, height), samples).unwrap())
        })
    }

    proptest! {
        #[test]
        fn any_grid_survives_png_and_r16(field in fields()) {
            let size = (field.desc().width, field.desc().height);
            let options = ImportOptions::default().with_raw_size(size.0, size.1);
            let mut bytes = Vec::new();
            write_png16(&field, &mut bytes).unwrap();
            let (again, report) = import_bytes("a.png", &bytes, &ImportOptions::default()).unwrap();
            prop_assert_eq!((again.samples(), (report.width, report.height)), (field.samples(), size));
            for order in [ByteOrder::Auto, ByteOrder::Little, ByteOrder::Big] {
                bytes.clear();
                write_rows(&field, &mut bytes, order).unwrap();
                let options = options.clone().with_byte_order(order);
                let (again, report) = import_bytes("a.r16", &bytes, &options).unwrap();
                prop_assert_eq!((again.samples(), (report.width, report.height)), (field.samples(), size));
            }
        }

        #[test]
        fn no_bytes_panic(name in "[a-z]\\.(png|r16|raw|hgt|tif)", bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let _ = import_bytes(&name, &bytes, &ImportOptions::default());
            let mut signed = b"\x89PNG\r\n\x1a\n".to_vec();
            signed.extend(bytes);
            let _ = import_bytes(&name, &signed, &ImportOptions::default());
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_with_its_name() {
        let field = Field::new(FieldDesc::new(2, 2)).unwrap();
        let text = export_png16(&field, "no/such/folder/a.png").unwrap_err().to_string();
        assert!(text.contains("no/such/folder/a.png") && text.contains("cannot be written"), "{text}");
    }
    #[test]
    fn nothing_of_anybody_else_is_touched() {
        let folder = std::env::temp_dir().join(format!("landform-export-{}", std::process::id()));
        fs::create_dir_all(folder.join("folder")).unwrap();
        let own = format!(".landform-{}-0.part", std::process::id());
        for name in ["a.png.part", &*own] {
            fs::write(folder.join(name), "mine").unwrap();
        }
        let target = folder.join("a.png");
        replace(&target, |out| out.write_all(b"whole")).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"whole");
        let failed = replace(&target, |out| {
            out.write_all(b"hal")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.unwrap_err().to_string().contains("a.png: cannot be written: the disk is full"));
        assert_eq!(fs::read(&target).unwrap(), b"whole");
        let refused = replace(&folder.join("folder"), |_| Ok(())).unwrap_err().to_string();
        assert!(refused.contains("is no file"), "{refused}");
        for name in ["a.png.part", &*own] {
            assert_eq!(fs::read(folder.join(name)).unwrap(), b"mine", "{name}");
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 4, "something is left");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_a_link() {
        let folder = std::env::temp_dir().join(format!("landform-export-link-{}", std::process::id()));
        fs::create_dir_all(folder.join("elsewhere")).unwrap();
        fs::write(folder.join("elsewhere/a.png"), "old").unwrap();
        std::os::unix::fs::symlink("elsewhere/a.png", folder.join("b.png")).unwrap();
        replace(&folder.join("b.png"), |out| out.write_all(b"new")).unwrap();
        assert!(folder.join("b.png").is_symlink());
        assert_eq!(fs::read(folder.join("elsewhere/a.png")).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.join("elsewhere")).unwrap().count(), 1, "something is left");
        fs::remove_dir_all(folder).unwrap();
    }
}
