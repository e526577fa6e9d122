"""TIFF by tifffile and Pillow: what GDAL does not write, and GeoTIFF keys by hand.

The GeoTIFF tags are those of OGC 19-008: a directory of keys, four numbers each, whose first four are the version, the
revision and the count of keys.
"""

import numpy as np
import PIL
import tifffile
from PIL import Image

WRITER = f"tifffile {tifffile.__version__}"
TILES = {"tile": (16, 16)}
STRIPS = {"rowsperstrip": 5}
BIG = {"byteorder": ">"}
GREY = {"photometric": "minisblack", "planarconfig": "contig"}
QUIET = {"metadata": None, "software": False}

# Names of OGC 19-008.
MODEL_TYPE, RASTER_TYPE, PROJECTED_CRS, LINEAR_UNITS, VERTICAL_UNITS = 1024, 1025, 3072, 3076, 4099
METRE, FOOT = 9001, 9002
NODATA_TAG = 42113


def text_tag(tag, text):
    return (tag, "s", 0, text, True)


def geo_keys(*keys):
    """The directory of keys whose values fit into it, sorted as the standard wants."""
    numbers = [1, 1, 0, len(keys)]
    for key, value in sorted(keys):
        numbers += [key, 0, 1, value]
    return (34735, "H", len(numbers), tuple(numbers), True)


UTM_KEYS = geo_keys((MODEL_TYPE, 1), (RASTER_TYPE, 1), (PROJECTED_CRS, 32632), (LINEAR_UNITS, METRE))


def pixel_scale(east, south):
    """ModelPixelScale and a ModelTiepoint of the north-west corner."""
    tie = (0.0, 0.0, 0.0, 500_000.0, 5_200_000.0, 0.0)
    return [(33550, "d", 3, (east, south, 0.0), True), (33922, "d", 6, tie, True)]


def write(catalogue, name, grid, exercises, *, data=None, tags=(), nodata=None, facts=None, **options):
    file = f"other_{name}.tif"
    values = catalogue.grids[grid] if data is None else data
    options = GREY | QUIET | options
    tifffile.imwrite(catalogue.path(file), values, extratags=list(tags), **options)
    catalogue.add(file, WRITER, grid, exercises, nodata=nodata, **(facts or {}))
    return catalogue.path(file)


def write_all(catalogue):
    layouts(catalogue)
    geography(catalogue)
    voids(catalogue)
    bands(catalogue)
    pages(catalogue)
    odd_tags(catalogue)
    by_pillow(catalogue)


def layouts(catalogue):
    def sample(*arguments, **options):
        write(catalogue, *arguments, **options)

    lzw, zlib, zstd = ({"compression": name} for name in ("lzw", "zlib", "zstd"))
    sample("u16_plain", "u16", "u16 without any tag of geography, one strip", rowsperstrip=23)
    sample("u16_be_lzw_p2", "u16", "u16, big-endian, LZW, predictor 2", **BIG, **lzw, predictor=2, **STRIPS)
    sample("i16_deflate_old", "i16_small", "deflate by its older number, 32946", compression="deflate", **STRIPS)
    sample("u8_packbits", "u8", "u8, packbits", compression="packbits", **STRIPS)
    sample(
        "u32_be_zlib_p2", "u32_small", "u32, big-endian, deflate, predictor 2", **BIG, **zlib, predictor=2, **STRIPS
    )
    sample("i64_be_lzw_p2", "i64_small", "i64, big-endian, LZW, predictor 2", **BIG, **lzw, predictor=2, **STRIPS)
    sample("f32_be_tiles_zlib_p3", "f32", "f32, big-endian, predictor 3, tiles", **BIG, **zlib, predictor=3, **TILES)
    sample(
        "f64_be_tiles_lzw_p3",
        "f64_small",
        "f64, big-endian, LZW, predictor 3, tiles",
        **BIG,
        **lzw,
        predictor=3,
        **TILES,
    )
    sample("f16_be_p3", "f16_small", "f16, big-endian, predictor 3", **BIG, **zlib, predictor=3, **STRIPS)
    sample("i16_big_tiles", "i16_small", "BigTIFF, tiles, nothing packed", bigtiff=True, **TILES)
    sample(
        "f32_big_be_zstd_p3",
        "f32_small",
        "BigTIFF, big-endian, zstd, predictor 3",
        bigtiff=True,
        **BIG,
        **zstd,
        predictor=3,
    )
    sample(
        "i32_wide_tiles_lzw_p2",
        "i32_small",
        "tiles of 48 × 16: wider than the map, not square",
        **lzw,
        predictor=2,
        tile=(16, 48),
    )


def geography(catalogue):
    east, south = 30.0, 20.0
    matrix = (east, 0.0, 0.0, 500_000.0, 0.0, -south, 0.0, 5_200_000.0) + (0.0,) * 7 + (1.0,)
    write(
        catalogue,
        "f32_transformation",
        "f32_small",
        "ModelTransformation that is not turned, in place of a pixel scale",
        tags=[(34264, "d", 16, matrix, True), UTM_KEYS],
        facts={"spacing_x": east, "spacing_z": south},
    )
    vertical = geo_keys(
        (MODEL_TYPE, 1), (RASTER_TYPE, 1), (PROJECTED_CRS, 32632), (LINEAR_UNITS, METRE), (VERTICAL_UNITS, FOOT)
    )
    write(
        catalogue,
        "f32_vertical_feet",
        "f32_small",
        "VerticalUnitsGeoKey 9002: heights in feet over a ground in metres",
        tags=[*pixel_scale(25.0, 25.0), vertical],
        facts={"spacing_x": 25.0, "spacing_z": 25.0, "unit": "foot"},
    )


def voids(catalogue):
    placed = [*pixel_scale(25.0, 25.0), UTM_KEYS]
    spacing = {"spacing_x": 25.0, "spacing_z": 25.0}
    write(
        catalogue,
        "i16_nodata_spaces",
        "i16_void",
        "GDAL_NODATA -9999 between spaces",
        tags=[*placed, text_tag(NODATA_TAG, " -9999  ")],
        nodata=-9999,
        facts=spacing,
        compression="lzw",
        predictor=2,
    )
    write(
        catalogue,
        "u8_nodata_impossible",
        "u8",
        "GDAL_NODATA -9999, which no u8 is: no voids",
        tags=[*placed, text_tag(NODATA_TAG, "-9999")],
        nodata=-9999,
        facts=spacing,
        compression="zlib",
    )


def bands(catalogue):
    names = ["i16_small", "i16_turned"]
    first, second = (catalogue.grids[name] for name in names)
    write(
        catalogue,
        "i16_two_bands_p2",
        names[0],
        "two samples a pixel: predictor 2 has a step of two",
        data=np.stack([first, second], axis=-1),
        facts={"bands": names},
        compression="zlib",
        predictor=2,
        **STRIPS,
    )
    write(
        catalogue,
        "i16_two_planes_be_tiles",
        names[0],
        "two planes in tiles, big-endian",
        data=np.stack([first, second]),
        facts={"bands": names},
        planarconfig="separate",
        compression="lzw",
        **BIG,
        **TILES,
    )


def pages(catalogue):
    def new(file):
        return tifffile.TiffWriter(catalogue.path(file))

    values, other = catalogue.grids["i16_small"], catalogue.grids["i16_turned"]
    with new("other_i16_sub_ifd.tif") as writer:
        writer.write(values, subifds=1, **GREY, **QUIET)
        writer.write(values[::2, ::2].copy(), subfiletype=1, **GREY, **QUIET)
    catalogue.add("other_i16_sub_ifd.tif", WRITER, "i16_small", "an overview in a SubIFD")
    with new("other_i16_two_pages.tif") as writer:
        writer.write(values, **GREY, **QUIET)
        writer.write(other, **GREY, **QUIET)
    catalogue.add(
        "other_i16_two_pages.tif", WRITER, "i16_small", "a second page of the same size; the first is the map"
    )


def odd_tags(catalogue):
    """tifffile states no SampleFormat for whole numbers without a sign, so they are written as others and renamed."""
    path = write(
        catalogue,
        "u16_undefined",
        "u16_small",
        "SampleFormat 4, undefined: taken as numbers without a sign",
        data=catalogue.grids["u16_small"].view(np.int16),
    )
    with tifffile.TiffFile(path, mode="r+b") as picture:
        picture.pages[0].tags["SampleFormat"].overwrite(4)
    write(
        catalogue,
        "u16_min_is_white",
        "u16_small",
        "PhotometricInterpretation 0 of 16 bits; the grid is as stored",
        photometric="miniswhite",
        facts={"photometric": "min_is_white", "scale": -1, "offset": 65535},
    )


def by_pillow(catalogue):
    writer = f"Pillow {PIL.__version__}"
    Image.fromarray(catalogue.grids["u16_small"]).save(catalogue.path("pillow_u16.tif"))
    catalogue.add("pillow_u16.tif", writer, "u16_small", "Pillow's 16-bit grey")
    Image.fromarray(catalogue.grids["f32_small"]).save(catalogue.path("pillow_f32_lzw.tif"), compression="tiff_lzw")
    catalogue.add("pillow_f32_lzw.tif", writer, "f32_small", "Pillow's 32-bit floats, LZW")
