"""GeoTIFF by GDAL, through rasterio."""

import warnings

import numpy as np
import rasterio
import rasterio.shutil
from rasterio.enums import Resampling
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import Affine
from rasterio.windows import Window

from .catalogue import flat_degrees
from .grids import ABSENT, void_places

WRITER = f"rasterio {rasterio.__version__} / GDAL {rasterio.__gdal_version__}"
UTM = "EPSG:32632"
US_FOOT = 1200 / 3937
FOOT = 0.3048
# Some of the samples are meant to be without a place.
warnings.simplefilter("ignore", NotGeoreferencedWarning)


def north_up(east, south, x=500_000.0, y=5_200_000.0):
    return Affine(east, 0.0, x, 0.0, -south, y)


def metre_spacing(east, south):
    return {"spacing_x": east, "spacing_z": south}


SQUARE = {"crs": UTM, "transform": north_up(25.0, 25.0)}
SQUARE_FACTS = metre_spacing(25.0, 25.0)
TILES = {"tiled": True, "blockxsize": 16, "blockysize": 16}
# Five rows a strip divides neither 23 nor 11.
STRIPS = {"blockysize": 5}


def create(path, bands, dtype=None, place=SQUARE, **creation):
    """Opens a new file for its bands, which are not written yet."""
    height, width = bands[0].shape
    shape = {"width": width, "height": height, "count": len(bands), "dtype": dtype or bands[0].dtype}
    return rasterio.open(path, "w", driver="GTiff", **shape, **place, **creation)


def write(catalogue, name, grid, exercises, *, place=SQUARE, facts=SQUARE_FACTS, dtype=None, finish=None, **creation):
    """Writes one band. `creation` are GDAL's creation options, `finish` does more to the open file."""
    values = catalogue.grids[grid]
    file = f"gdal_{name}.tif"
    with create(catalogue.path(file), [values], dtype, place, **creation) as dataset:
        dataset.write(values.astype(dtype or values.dtype), 1)
        if finish:
            finish(dataset)
    catalogue.add(file, WRITER, grid, exercises, nodata=creation.get("nodata"), **facts)


def write_all(catalogue):
    types_and_compressions(catalogue)
    places(catalogue)
    voids(catalogue)
    units(catalogue)
    more_than_one_picture(catalogue)
    several_bands(catalogue)
    missing_tiles(catalogue)
    cloud_optimized(catalogue)
    min_is_white(catalogue)
    refused_kinds(catalogue)
    refused_compressions(catalogue)


def types_and_compressions(catalogue):
    def sample(*arguments, **creation):
        write(catalogue, *arguments, **creation)

    lzw, deflate, zstd = ({"compress": name} for name in ("LZW", "DEFLATE", "ZSTD"))
    packbits, big = {"compress": "PACKBITS"}, {"endianness": "BIG"}
    sample("u8_lzw_p2", "u8", "u8, LZW, predictor 2, a last strip of 3 rows", **lzw, predictor=2, **STRIPS)
    sample("u16_one_strip", "u16", "u16, nothing packed, one strip", blockysize=23)
    sample(
        "i16_tiles_deflate_p2", "i16", "i16, deflate, predictor 2, edge tiles padded", **deflate, predictor=2, **TILES
    )
    sample("u32_tiles_zstd_p2", "u32_small", "u32, zstd, predictor 2", **zstd, predictor=2, **TILES)
    sample("i32_be_lzw_p2", "i32_small", "i32, big-endian, LZW, predictor 2", **lzw, predictor=2, **big, **STRIPS)
    sample("i64_deflate_p2", "i64_small", "i64, predictor 2 of 64 bits", **deflate, predictor=2, **STRIPS)
    sample("i8_packbits", "i8", "i8: one signed byte a sample, packbits", **packbits, **STRIPS)
    sample("f32_tiles_deflate_p3", "f32", "f32, deflate, predictor 3, tiles", **deflate, predictor=3, **TILES)
    sample("f32_be_lzw_p3", "f32", "f32, big-endian, LZW, predictor 3", **lzw, predictor=3, **big, **STRIPS)
    sample("f32_deflate_p2", "f32_small", "floats with the predictor of integers", **deflate, predictor=2)
    sample("f64_tiles_zstd_p3", "f64_small", "f64, zstd, predictor 3, tiles", **zstd, predictor=3, **TILES)
    sample("f64_be_deflate_p3", "f64_small", "f64, big-endian, predictor 3", **deflate, predictor=3, **big, **STRIPS)
    sample("i16_big_be_packbits", "i16", "BigTIFF, big-endian, packbits", **packbits, **big, **STRIPS, bigtiff="YES")
    sample("f16_deflate", "f16", "f16: 16 bits a sample of SampleFormat 3", dtype="float32", nbits=16, **deflate)


def places(catalogue):
    def sample(name, grid, exercises, transform, crs, facts, **creation):
        place = {"crs": crs, "transform": transform}
        write(catalogue, name, grid, exercises, place=place, facts=facts, **creation)

    oblong = north_up(30.0, 20.0)
    sample("i16_oblong", "i16_small", "pixels of 30 × 20 m", oblong, UTM, metre_spacing(30.0, 20.0))
    east, south, north = 1 / 1800, 1 / 3600, 46.0
    degrees = flat_degrees(east, south, north - south * 11 / 2)
    sample(
        "f32_degrees_nan",
        "f32_nan",
        "EPSG:4326, 2″ × 1″; GDAL_NODATA nan; NaN and both infinities",
        north_up(east, south, 7.0, north),
        "EPSG:4326",
        degrees,
        nodata=float("nan"),
        compress="DEFLATE",
    )
    us_feet = metre_spacing(10 * US_FOOT, 10 * US_FOOT)
    sample(
        "u16_us_feet",
        "u16_small",
        "EPSG:2225: the ground is in US survey feet, 10 a pixel",
        north_up(10.0, 10.0, 6_000_000.0, 2_000_000.0),
        "EPSG:2225",
        us_feet,
    )
    own = "+proj=tmerc +lat_0=46 +lon_0=7 +k=0.9999 +x_0=0 +y_0=0 +datum=WGS84 +units=ft"
    sample(
        "i16_ground_feet",
        "i16_small",
        "a projection of its own, ProjectedCSTypeGeoKey 32767, in feet, 100 × 50 a pixel",
        north_up(100.0, 50.0),
        own,
        metre_spacing(100 * FOOT, 50 * FOOT),
    )
    turned = SQUARE["transform"] * Affine.rotation(30.0)
    sample(
        "f32_rotated", "f32_small", "ModelTransformation, turned by 30°", turned, UTM, SQUARE_FACTS | {"turned": 30.0}
    )
    south_up = Affine(25.0, 0.0, 500_000.0, 0.0, 25.0, 5_200_000.0)
    sample(
        "i16_south_up",
        "i16_small",
        "ModelTransformation with row 0 in the south; the grid is as stored",
        south_up,
        UTM,
        SQUARE_FACTS | {"south_up": True},
    )
    no_place = {"crs": None, "transform": None}
    write(
        catalogue,
        "i32_no_place",
        "i32_small",
        "by GDAL, without a place or a size of pixels",
        place=no_place,
        facts={},
    )
    write(
        catalogue,
        "i16_point",
        "i16_small",
        "AREA_OR_POINT=Point: samples, not areas",
        finish=lambda dataset: dataset.update_tags(AREA_OR_POINT="Point"),
        facts=SQUARE_FACTS | {"pixel_is": "point"},
    )


def voids(catalogue):
    def sample(*arguments, **creation):
        write(catalogue, *arguments, **creation)

    sample("i16_nodata", "i16_void", "GDAL_NODATA -9999", nodata=-9999, compress="LZW", **TILES)
    sample("u16_nodata_0", "u16_void_0", "GDAL_NODATA 0", nodata=0)
    sample(
        "f32_nodata",
        "f32_void",
        "GDAL_NODATA -9999 of floats, predictor 3",
        nodata=-9999.0,
        compress="ZSTD",
        predictor=3,
    )
    lowest = -3.4028234663852886e38
    sample("f32_nodata_lowest", "f32_lowest", "GDAL_NODATA -3.4028234663852886e+38", nodata=lowest, compress="LZW")
    masked(catalogue)


def masked(catalogue):
    values = catalogue.grids["i16_small"]
    mask = np.full(values.shape, 255, np.uint8)
    for column, row in void_places(values):
        mask[row, column] = 0
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        write(
            catalogue,
            "i16_mask",
            "i16_small",
            "a second picture is a mask: 0 where there is no height",
            finish=lambda dataset: dataset.write_mask(mask),
            compress="DEFLATE",
            facts=SQUARE_FACTS | {"masked": int((mask == 0).sum())},
        )


def units(catalogue):
    def scaled(dataset):
        dataset.scales, dataset.offsets = (0.01,), (100.0,)

    def feet(dataset):
        dataset.units = ("ft",)

    write(
        catalogue,
        "u16_scale_offset",
        "u16_small",
        "GDAL_METADATA: height = sample × 0.01 + 100; the grid is as stored",
        finish=scaled,
        facts=SQUARE_FACTS | {"scale": 0.01, "offset": 100.0},
    )
    write(
        catalogue,
        "f32_unit_ft",
        "f32_small",
        "GDAL_METADATA: the band's unit is ft",
        finish=feet,
        facts=SQUARE_FACTS | {"unit": "foot"},
    )
    compound = {"crs": "EPSG:26910+6360", "transform": north_up(25.0, 25.0)}
    write(
        catalogue,
        "f32_vertical_us_feet",
        "f32_small",
        "VerticalGeoKey 6360, NAVD88 in US survey feet, without a VerticalUnitsGeoKey",
        place=compound,
        facts=SQUARE_FACTS | {"unit": "us_survey_foot"},
    )
    compound = {"crs": "EPSG:32632+5773", "transform": north_up(25.0, 25.0)}
    write(
        catalogue,
        "f32_vertical_metres",
        "f32_small",
        "VerticalGeoKey 5773, EGM96 in metres",
        place=compound,
        facts=SQUARE_FACTS | {"unit": "metre"},
    )


def more_than_one_picture(catalogue):
    write(
        catalogue,
        "i16_overviews",
        "i16",
        "overviews of a half and a quarter are further pictures",
        compress="LZW",
        **TILES,
    )
    with rasterio.Env(GDAL_TIFF_OVR_BLOCKSIZE=64):
        with rasterio.open(catalogue.path("gdal_i16_overviews.tif"), "r+") as dataset:
            dataset.build_overviews([2, 4], Resampling.average)


def several_bands(catalogue):
    bands = ["i16_small", "i16_turned"]
    values = [catalogue.grids[grid] for grid in bands]
    for name, interleave in (("pixel", "PIXEL"), ("planes", "BAND")):
        file = f"gdal_i16_two_bands_{name}.tif"
        creation = {"interleave": interleave, "compress": "LZW", "predictor": 2, **STRIPS}
        with create(catalogue.path(file), values, **creation) as dataset:
            dataset.write(np.stack(values))
        kind = {"pixel": "sample beside sample", "planes": "plane behind plane"}[name]
        catalogue.add(file, WRITER, bands[0], f"two bands, {kind}, predictor 2", bands=bands, **SQUARE_FACTS)


def missing_tiles(catalogue):
    for name, grid, nodata in (("i16_sparse_nodata", "i16_sparse", -9999), ("u16_sparse", "u16_sparse", None)):
        values = catalogue.grids[grid]
        file = f"gdal_{name}.tif"
        with create(
            catalogue.path(file), [values], nodata=nodata, compress="DEFLATE", sparse_ok=True, **TILES
        ) as dataset:
            for row in range(2):
                for column in range(3):
                    if (column, row) not in ABSENT:
                        tile = values[16 * row : 16 * row + 16, 16 * column : 16 * column + 16]
                        window = Window(16 * column, 16 * row, tile.shape[1], tile.shape[0])
                        dataset.write(tile, 1, window=window)
        fill = "nodata" if nodata else "0"
        catalogue.add(
            file, WRITER, grid, f"two tiles are missing, of offset and length 0: {fill}", nodata=nodata, **SQUARE_FACTS
        )


def cloud_optimized(catalogue):
    values = catalogue.grids["i16"]
    memory = "/vsimem/cog.tif"
    with create(memory, [values]) as dataset:
        dataset.write(values, 1)
    file = "gdal_i16_cog.tif"
    options = {"BLOCKSIZE": 128, "COMPRESS": "DEFLATE", "PREDICTOR": "YES"}
    rasterio.shutil.copy(memory, catalogue.path(file), driver="COG", **options)
    catalogue.add(file, WRITER, "i16", "cloud-optimized: a ghost area, one tile larger than the map", **SQUARE_FACTS)


def min_is_white(catalogue):
    write(
        catalogue,
        "u8_min_is_white",
        "u8",
        "PhotometricInterpretation 0: 0 is white; the grid is as stored",
        photometric="MINISWHITE",
        facts=SQUARE_FACTS | {"photometric": "min_is_white", "scale": -1, "offset": 255},
    )


def refuse(catalogue, name, bands, exercises, word, finish=None, type=None, **creation):
    """A file that a reader of heights should name and refuse."""
    file = f"gdal_{name}.tif"
    with create(catalogue.path(file), bands, **creation) as dataset:
        dataset.write(np.stack(bands))
        if finish:
            finish(dataset)
    size = bands[0].shape[::-1]
    kind = type or bands[0].dtype.kind + str(8 * bands[0].dtype.itemsize)
    catalogue.add(file, WRITER, None, exercises, size=size, type=kind, refused=word, **SQUARE_FACTS)


def refused_kinds(catalogue):
    u8, u16 = (catalogue.grids[grid] for grid in ("u8", "u16_small"))
    colours = {index: (index, 255 - index, 7 * index % 256, 255) for index in range(256)}
    refuse(
        catalogue,
        "rgb",
        [u8, u8[::-1], u8[:, ::-1]],
        "a picture in colours",
        "colour",
        photometric="RGB",
        compress="DEFLATE",
    )
    refuse(
        catalogue,
        "palette",
        [u8],
        "indices of a palette",
        "palette",
        photometric="PALETTE",
        compress="DEFLATE",
        finish=lambda dataset: dataset.write_colormap(1, colours),
    )
    refuse(catalogue, "1_bit", [u8 >> np.uint8(7)], "one bit a sample", "bit", type="u1", nbits=1)
    refuse(catalogue, "12_bits", [u16 >> np.uint16(4)], "twelve bits a sample", "12", type="u12", nbits=12)
    refuse(catalogue, "complex", [catalogue.grids["f32_small"].astype(np.complex64)], "complex numbers", "complex")


def refused_compressions(catalogue):
    """LERC writes floats, because its Huffman codes of bytes have other bits each time."""
    for name, grid in (("JPEG", "u8"), ("LERC", "f32_small"), ("LZMA", "u8")):
        word = f"compressed by {name}"
        refuse(catalogue, name.lower(), [catalogue.grids[grid]], word, name, compress=name)
