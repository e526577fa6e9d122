//! The map as a file of every format that is measured.

use super::{File, libraries};
use landform::field::Field;
use landform::import::{ByteOrder, ImportOptions, export_exr, export_geotiff, export_png16, export_r16};
use std::io::{Cursor, Write};
use std::path::Path;
use tiff::encoder::{TiffEncoder, colortype};
use tiff::tags::Predictor;

/// Writes the files and reads their bytes. The error is a sentence.
pub(super) fn write(field: &Field, folder: &Path) -> Result<Vec<File>, String> {
    let options = ImportOptions::default().with_range(0.0, 2400.0);
    let at = |name: &str| folder.join(name);
    let failed = |error: landform::Error| error.to_string();
    export_png16(field, at("a.png")).map_err(failed)?;
    export_r16(field, at("a.r16"), ByteOrder::Little).map_err(failed)?;
    export_geotiff(field, at("deflate.tif")).map_err(failed)?;
    export_exr(field, at("a.exr")).map_err(failed)?;
    put(&at("lzw.tif"), &lzw_tiff(field)?)?;
    put(&at("plain.tif"), &plain_tiff(field)?)?;
    put(&at("a.npy"), &npy(field))?;
    put(&at("a.npz"), &npz(field)?)?;
    put(&at("a.asc"), &esri_ascii(field)?)?;
    let list: [(&'static str, &'static str, libraries::Library); 9] = [
        ("a.png", "PNG, 16 bits", libraries::png),
        ("a.r16", "raw, u16", libraries::bytes),
        ("plain.tif", "GeoTIFF, f32, not packed", libraries::tiff),
        ("lzw.tif", "GeoTIFF, i16, LZW, predictor 2", libraries::tiff),
        ("deflate.tif", "GeoTIFF, f32, deflate", libraries::tiff),
        ("a.exr", "OpenEXR, f32, ZIP", libraries::exr),
        ("a.npy", "NumPy, f32", libraries::bytes),
        ("a.npz", "NumPy archive, f32, deflate", libraries::zip),
        ("a.asc", "Esri ASCII grid", libraries::words),
    ];
    let read = |(name, what, library)| {
        let path = at(name);
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(File { name, what, path, bytes, options: options.clone(), library })
    };
    list.into_iter().map(read).collect()
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

fn metres(field: &Field) -> Vec<f32> {
    let range = field.desc().range;
    field.samples().iter().map(|&code| range.metres(f64::from(code)) as f32).collect()
}

fn plain_tiff(field: &Field) -> Result<Vec<u8>, String> {
    let mut file = Cursor::new(Vec::new());
    let desc = field.desc();
    let written = TiffEncoder::new(&mut file).and_then(|mut tiff| {
        tiff.write_image::<colortype::Gray32Float>(desc.width, desc.height, &metres(field))
    });
    written.map_err(|error| error.to_string())?;
    Ok(file.into_inner())
}

fn lzw_tiff(field: &Field) -> Result<Vec<u8>, String> {
    let mut file = Cursor::new(Vec::new());
    let desc = field.desc();
    let whole: Vec<i16> = metres(field).into_iter().map(|metres| metres as i16).collect();
    let written = TiffEncoder::new(&mut file).and_then(|tiff| {
        let mut tiff =
            tiff.with_compression(tiff::encoder::Compression::Lzw).with_predictor(Predictor::Horizontal);
        tiff.write_image::<colortype::GrayI16>(desc.width, desc.height, &whole)
    });
    written.map_err(|error| error.to_string())?;
    Ok(file.into_inner())
}

fn npy(field: &Field) -> Vec<u8> {
    let desc = field.desc();
    let header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}\n", desc.height, desc.width);
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(metres(field).into_iter().flat_map(f32::to_le_bytes));
    bytes
}

fn npz(field: &Field) -> Result<Vec<u8>, String> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let written = archive.start_file("heights.npy", zip::write::SimpleFileOptions::default());
    written.map_err(|error| error.to_string())?;
    archive.write_all(&npy(field)).map_err(|error| error.to_string())?;
    Ok(archive.finish().map_err(|error| error.to_string())?.into_inner())
}

fn esri_ascii(field: &Field) -> Result<Vec<u8>, String> {
    let desc = field.desc();
    let mut text = format!("ncols {}\nnrows {}\ncellsize 10\nNODATA_value -9999\n", desc.width, desc.height);
    for row in metres(field).chunks_exact(desc.width as usize) {
        let row: Vec<String> = row.iter().map(|metres| format!("{metres:.2}")).collect();
        text.push_str(&row.join(" "));
        text.push('\n');
    }
    Ok(text.into_bytes())
}
