"""PNG by pypng, Pillow and GDAL."""

import numpy as np
import PIL
import png
import rasterio
import rasterio.shutil
from PIL import Image

from .gdal_tiff import WRITER as GDAL
from .gdal_tiff import create

PYPNG = f"pypng {png.__version__}"
PILLOW = f"Pillow {PIL.__version__}"


def write(catalogue, name, grid, exercises, pixels=None, *, facts=None, **options):
    """Writes by pypng: the grid, or pixels of several samples side by side."""
    values = catalogue.grids[grid]
    height, width = values.shape
    rows = (values if pixels is None else pixels).reshape(height, -1)
    file = f"png_{name}.png"
    with open(catalogue.path(file), "wb") as output:
        png.Writer(width, height, **options).write(output, rows.tolist())
    catalogue.add(file, PYPNG, grid, exercises, **(facts or {}))


def write_all(catalogue):
    grey(catalogue)
    few_bits(catalogue)
    equal_channels(catalogue)
    palettes(catalogue)
    colours(catalogue)
    encoded(catalogue)
    by_others(catalogue)


def side_by_side(*channels):
    return np.stack(channels, axis=-1)


def grey(catalogue):
    u8, u16 = catalogue.grids["u8"], catalogue.grids["u16"]
    write(catalogue, "grey8", "u8", "8-bit grey", greyscale=True, bitdepth=8)
    write(
        catalogue,
        "grey16",
        "u16",
        "16-bit grey, with a gamma that heights ignore",
        greyscale=True,
        bitdepth=16,
        gamma=0.45455,
    )
    write(
        catalogue,
        "grey16_interlaced",
        "u16",
        "16-bit grey in seven passes",
        greyscale=True,
        bitdepth=16,
        interlace=True,
    )
    alpha = {"greyscale": True, "alpha": True}
    write(
        catalogue,
        "grey8_alpha",
        "u8",
        "grey with an alpha that is opaque",
        side_by_side(u8, u8 * 0 + 255),
        bitdepth=8,
        **alpha,
    )
    opacity = np.where(u16 == 0, 0, 65535)
    write(
        catalogue,
        "grey16_alpha",
        "u16",
        "16-bit grey with an alpha that has a hole at the lowest sample",
        side_by_side(u16, opacity),
        bitdepth=16,
        **alpha,
        facts={"masked": int((opacity == 0).sum())},
    )
    write(
        catalogue,
        "grey16_transparent",
        "u16_void_0",
        "tRNS: grey 0 is transparent",
        greyscale=True,
        bitdepth=16,
        transparent=0,
        facts={"masked": 8},
    )


def few_bits(catalogue):
    for bits in (1, 2, 4):
        write(
            catalogue,
            f"grey{bits}",
            f"u8_{bits}_bits",
            f"{bits}-bit grey; the grid has the codes as stored",
            greyscale=True,
            bitdepth=bits,
            facts={"bits": bits, "refused": "bits"},
        )


def equal_channels(catalogue):
    u8, u16 = catalogue.grids["u8"], catalogue.grids["u16_small"]
    write(catalogue, "rgb8_equal", "u8", "R, G and B are equal", side_by_side(u8, u8, u8), greyscale=False, bitdepth=8)
    write(
        catalogue,
        "rgb16_equal",
        "u16_small",
        "R, G and B are equal, 16 bits",
        side_by_side(u16, u16, u16),
        greyscale=False,
        bitdepth=16,
    )
    rgba = side_by_side(u16, u16, u16, u16 * 0 + 65535)
    write(
        catalogue,
        "rgba16_equal",
        "u16_small",
        "R, G and B are equal, opaque, interlaced",
        rgba,
        greyscale=False,
        alpha=True,
        bitdepth=16,
        interlace=True,
    )


def palettes(catalogue):
    """Index 255 − grey of a palette of greys: who takes indices for heights gets them upside down."""
    u8 = catalogue.grids["u8"]
    greys = [(255 - index,) * 3 for index in range(256)]
    write(
        catalogue,
        "palette_greys",
        "u8",
        "a palette of greys, upside down; the grid has the greys, not the indices",
        255 - u8,
        palette=greys,
        bitdepth=8,
        facts={"refused": "palette"},
    )
    colours = [(index, 255 - index, 7 * index % 256) for index in range(256)]
    write(
        catalogue,
        "palette_colours",
        "u8",
        "a palette of colours; the grid has the indices",
        u8,
        palette=colours,
        bitdepth=8,
        facts={"refused": "palette"},
    )


def colours(catalogue):
    u8 = catalogue.grids["u8"]
    file = "png_rgb8_colours.png"
    height, width = u8.shape
    with open(catalogue.path(file), "wb") as output:
        rows = side_by_side(u8, u8[::-1], u8[:, ::-1]).reshape(height, -1)
        png.Writer(width, height, greyscale=False, bitdepth=8).write(output, rows.tolist())
    catalogue.add(file, PYPNG, None, "a picture in colours", size=(width, height), type="u8", refused="colour")


def encoded(catalogue):
    """Tiles whose three channels are one 24-bit code: height = code × scale + offset. Black is a missing pixel."""
    for encoding, scale, offset in (("terrarium", 1 / 256, -32768.0), ("mapbox", 0.1, -10000.0)):
        for grid, holes in ((encoding, ""), (f"{encoding}_void", " and black where nothing is known")):
            codes = catalogue.grids[grid]
            channels = [(codes >> shift & 255).astype(np.uint8) for shift in (16, 8, 0)]
            facts = {"type": "u24", "scale": scale, "offset": offset, "options": {"encoding": encoding}}
            facts |= {"nodata": 0} if holes else {}
            rgba = side_by_side(*channels, channels[0] * 0 + 255) if holes else side_by_side(*channels)
            write(
                catalogue,
                grid,
                grid,
                f"24-bit codes in colours, {encoding}{holes}",
                rgba,
                greyscale=False,
                alpha=bool(holes),
                bitdepth=8,
                facts=facts,
            )


def by_others(catalogue):
    for grid in ("u8", "u16"):
        file = f"pillow_{grid}.png"
        Image.fromarray(catalogue.grids[grid]).save(catalogue.path(file))
        catalogue.add(file, PILLOW, grid, f"Pillow's grey of {grid[1:]} bits")
    memory = "/vsimem/grey.tif"
    with create(memory, [catalogue.grids["u16_void_0"]], nodata=0, place={}) as dataset:
        dataset.write(catalogue.grids["u16_void_0"], 1)
    file = "gdal_u16_nodata.png"
    rasterio.shutil.copy(memory, catalogue.path(file), driver="PNG", ZLEVEL=9)
    catalogue.path(file + ".aux.xml").unlink(missing_ok=True)
    catalogue.add(file, GDAL, "u16_void_0", "GDAL's 16-bit grey; nodata 0 became a transparent grey", masked=8)
