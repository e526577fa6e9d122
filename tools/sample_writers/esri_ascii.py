"""Esri ASCII grids: by GDAL, and in the ways of headers and numbers that people's files have."""

import numpy as np
import rasterio
import rasterio.shutil

from .catalogue import flat_degrees
from .gdal_tiff import WRITER as GDAL
from .gdal_tiff import create, metre_spacing, north_up

BY_HAND = "tools/samples, as text"
SPACING = metre_spacing(25.0, 25.0)


def write_all(catalogue):
    by_gdal(catalogue)
    by_hand(catalogue)


def by_gdal(catalogue):
    def sample(name, grid, exercises, transform, facts, nodata=None, **options):
        memory = "/vsimem/grid.tif"
        values = catalogue.grids[grid]
        with create(memory, [values], place={"transform": transform}, nodata=nodata) as dataset:
            dataset.write(values, 1)
        file = f"gdal_{name}.asc"
        rasterio.shutil.copy(memory, catalogue.path(file), driver="AAIGrid", **options)
        catalogue.path(file + ".aux.xml").unlink(missing_ok=True)
        catalogue.add(file, GDAL, grid, exercises, nodata=nodata, **facts)

    square, oblong = north_up(25.0, 25.0), north_up(30.0, 20.0)
    sample("i16", "i16_small", "whole numbers, no void declared", square, SPACING)
    sample("i16_nodata", "i16_void", "whole numbers, NODATA_value -9999", square, SPACING, nodata=-9999)
    sample("f32", "f32_small", "floats of nine digits", square, SPACING, SIGNIFICANT_DIGITS=9)
    sample(
        "f32_nodata_dx_dy",
        "f32_void",
        "dx and dy in place of cellsize; floats of 20 digits",
        oblong,
        metre_spacing(30.0, 20.0),
        nodata=-9999.0,
        FORCE_CELLSIZE=False,
    )
    second, north = 1 / 3600, 46.0
    degrees = flat_degrees(second, second, north - second * 11 / 2)
    sample(
        "i16_degrees",
        "i16_small",
        "a cell of degrees, which no word of the header says",
        north_up(second, second, 7.0, north),
        degrees,
    )


def text_of(number):
    """The shortest text that is this number in its own type."""
    if isinstance(number, np.floating):
        return "nan" if np.isnan(number) else np.format_float_positional(number, unique=True, trim="-")
    return str(number)


def by_hand(catalogue):
    def sample(name, grid, exercises, head, *, end="\n", last="\n", words=str, a_line=None, nodata=None):
        values = catalogue.grids[grid]
        height, width = values.shape
        numbers = [words(text_of(number)) for number in values.ravel()]
        a_line = a_line or width
        lines = [" ".join(numbers[at : at + a_line]) for at in range(0, len(numbers), a_line)]
        head = [line.format(width=width, height=height) for line in head]
        file = f"hand_{name}.asc"
        catalogue.path(file).write_bytes((end.join(head + lines) + last).encode())
        catalogue.add(file, BY_HAND, grid, exercises, nodata=nodata, **SPACING)

    lower = ["ncols {width}", "nrows {height}", "xllcorner 500000", "yllcorner 5200000", "cellsize 25"]
    sample(
        "upper_center_crlf",
        "i16_void",
        "words in capitals, centres, lines that end in CR LF",
        [
            "NCOLS {width}",
            "NROWS {height}",
            "XLLCENTER 500012.5",
            "YLLCENTER 5200012.5",
            "CELLSIZE 25.0",
            "NODATA_VALUE -9999",
        ],
        end="\r\n",
        last="\r\n",
        nodata=-9999,
    )
    comma = {"words": lambda text: text.replace(".", ",")}
    sample(
        "comma",
        "f32_void",
        "decimal commas, no line end after the last sample",
        [*lower, "NODATA_value -9999,0"],
        last="",
        **comma,
        nodata=-9999,
    )
    missing = {"nodata": float("nan")}
    sample("nodata_nan", "f32_nan_only", "NODATA_value nan", [*lower, "NODATA_value nan"], **missing)
    sample(
        "wrapped",
        "i16_small",
        "lines that end anywhere, several spaces, tabs",
        [line.replace(" ", "\t  ") for line in lower],
        a_line=7,
        words=lambda text: text.rjust(7),
    )
