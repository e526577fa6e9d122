"""OpenEXR by the library of the Academy Software Foundation, through its own Python package."""

import Imath
import numpy as np
import OpenEXR

WRITER = f"OpenEXR {OpenEXR.__version__}"
METHODS = ("NO", "RLE", "ZIPS", "ZIP", "PIZ", "PXR24", "B44", "B44A", "DWAA", "HTJ2K32")
# Rows of a block. A block that does not shrink is stored as it is, which exercises nothing.
BLOCK_ROWS = {"RLE": 1, "ZIPS": 1, "ZIP": 16, "PIZ": 32, "PXR24": 16, "B44": 32, "B44A": 32, "DWAA": 32, "HTJ2K32": 32}
COMPRESSIONS = {name: getattr(OpenEXR, f"{name}_COMPRESSION") for name in METHODS}


def header(compression, **more):
    return {"compression": COMPRESSIONS[compression], "type": OpenEXR.scanlineimage} | more


def write(catalogue, name, grid, exercises, channels, head, *, channel=None, **facts):
    """Writes one part. `channels` has names of grids, or arrays; `channel` is what a reader must be told."""
    arrays = {key: catalogue.grids[value] if isinstance(value, str) else value for key, value in channels.items()}
    file = f"exr_{name}.exr"
    save(catalogue.path(file), head, arrays)
    options = {"channel": channel} if channel else {}
    catalogue.add(file, WRITER, grid, exercises, options=options, **facts)


def save(path, head, arrays):
    """Writes one part, and makes sure that a block of it is packed."""
    OpenEXR.File(head, dict(arrays)).write(str(path))
    names = [name for name in BLOCK_ROWS if COMPRESSIONS[name] == head["compression"]]
    if names and head["type"] == OpenEXR.scanlineimage:
        plain = path.with_suffix(".plain")
        OpenEXR.File(head | {"compression": COMPRESSIONS["NO"]}, dict(arrays)).write(str(plain))
        rows = next(iter(arrays.values())).shape[0]
        blocks = -(-rows // BLOCK_ROWS[names[0]])
        # A block has eight bytes of a table and eight of its own.
        saved = (plain.stat().st_size - 16 * rows) - (path.stat().st_size - 16 * blocks)
        plain.unlink()
        assert saved > 0, f"{path.name}: no block is packed"


def write_all(catalogue):
    lossless(catalogue)
    lossy(catalogue)
    channels(catalogue)
    windows(catalogue)
    tiles(catalogue)
    parts(catalogue)
    smaller_channels(catalogue)
    refused(catalogue)


def lossless(catalogue):
    def sample(name, grid, exercises, channel, compression):
        write(catalogue, name, grid, exercises, {channel: grid}, header(compression))

    sample("f32_none", "f32_small", "f32, nothing packed", "Y", "NO")
    sample("f16_rle", "f16", "f16, RLE; rows that do not shrink are stored as they are", "R", "RLE")
    sample("f32_zips", "f32_small", "f32, a row a block, a channel named height", "height", "ZIPS")
    sample("f32_zip", "f32", "f32, blocks of 16 rows, the last of 7", "Y", "ZIP")
    sample("f16_zip", "f16_small", "f16, ZIP", "Y", "ZIP")
    sample(
        "f32_piz",
        "f32_steps_tall",
        "f32, PIZ: wavelets and Huffman codes; the second block of rows is not packed",
        "Y",
        "PIZ",
    )
    sample("f16_piz", "f16_steps", "f16, PIZ", "Y", "PIZ")
    sample(
        "f16_piz_ramp",
        "f16_ramp",
        "PIZ of more than 2¹⁴ different halves, whose wavelets wrap around 16 bits",
        "Y",
        "PIZ",
    )
    sample("u32_zip", "u32_small", "u32: whole numbers", "id", "ZIP")
    sample("u32_pxr24", "u32_small", "u32 by PXR24, which keeps whole numbers", "Y", "PXR24")
    sample("f16_pxr24", "f16_tall", "f16 by PXR24, which keeps them", "Y", "PXR24")
    sample("f32_nan_zip", "f32_nan", "NaN and both infinities", "Y", "ZIP")
    sample("f16_nan_pxr24", "f16_nan", "NaN and both infinities as halves", "Y", "PXR24")


def lossy(catalogue):
    """What these files hold is what the library decodes. `source` names the grid that it is near."""
    flat = np.ones_like(catalogue.grids["f16_tall"])
    for name, grid, others, compression, exercises in (
        ("f32_pxr24", "f32_tall", {}, "PXR24", "f32 by PXR24, rounded to 24 bits"),
        ("f16_b44", "f16_tall", {}, "B44", "f16 by B44: blocks of 4 × 4 samples in 14 bytes"),
        ("f16_b44a", "f16_tall", {"A": flat}, "B44A", "f16 by B44A, which packs the flat blocks of A in 3 bytes"),
    ):
        path = catalogue.path("lossy.exr")
        save(path, header(compression), others | {"Y": catalogue.grids[grid]})
        decoded = OpenEXR.File(str(path), separate_channels=True).channels()["Y"].pixels
        path.unlink()
        assert not np.array_equal(decoded, catalogue.grids[grid]), f"{name} lost nothing"
        equal = [key for key, values in catalogue.grids.items() if np.array_equal(values, decoded)]
        key = equal[0] if equal else f"exr_{name}"
        catalogue.grids[key] = decoded
        write(catalogue, name, key, exercises, others | {"Y": grid}, header(compression), source=grid)


def channels(catalogue):
    def sample(name, grid, exercises, parts, compression, channel=None):
        write(catalogue, name, grid, exercises, parts, header(compression), channel=channel)

    f16, f32 = catalogue.grids["f16_small"], catalogue.grids["f32_small"]
    opaque = np.ones_like(f16)
    sample(
        "rgba_grey", "f16_small", "R, G and B are equal, A is 1", {"R": f16, "G": f16, "B": f16, "A": opaque}, "RLE"
    )
    sample("bgr_grey", "f32_small", "B, G and R are equal floats", {"B": f32, "G": f32, "R": f32}, "ZIP")
    different = {"R": f16, "G": f16[::-1].copy(), "B": f16[:, ::-1].copy()}
    sample("rgb_one_stated", "f16_small", "R, G and B differ; R is stated", different, "PXR24", "R")
    file = "exr_rgb_differ.exr"
    save(catalogue.path(file), header("ZIP"), different)
    catalogue.add(
        file, WRITER, None, "R, G and B differ and none is stated", size=f16.shape[::-1], type="f16", refused="channel"
    )
    layered = {"Height.Z": f32, "beauty.G": opaque, "beauty.R": f16}
    sample("layers", "f32_small", "a channel of a layer among others", layered, "ZIP", "Height.Z")
    two = {"A": catalogue.grids["f16_steps"], "Y": catalogue.grids["f32_steps"]}
    sample("mixed_piz", "f32_steps", "halves and floats in a row, PIZ", two, "PIZ", "Y")
    two = {"A": catalogue.grids["f16_tall"], "Y": catalogue.grids["f32_tall"]}
    sample("mixed_b44", "f32_tall", "floats beside halves by B44, which packs only halves", two, "B44", "Y")
    mixed = {"A": f16, "Y": f32, "id": catalogue.grids["u32_small"]}
    sample("mixed_pxr24", "u32_small", "three types of channels in a row, PXR24", mixed, "PXR24", "id")


def windows(catalogue):
    def box(left, top, right, bottom):
        return np.array([left, top], "i"), np.array([right, bottom], "i")

    moved = header("ZIP", dataWindow=box(-5, -3, 31, 19), displayWindow=box(0, 0, 99, 49))
    write(catalogue, "f16_window", "f16", "samples from −5, −3 of a picture of 100 × 50", {"Y": "f16"}, moved)
    upwards = header("ZIP", lineOrder=OpenEXR.DECREASING_Y)
    write(catalogue, "f16_decreasing", "f16", "blocks from the bottom to the top", {"Y": "f16"}, upwards)


def tiles(catalogue):
    def tiled(compression, side, **more):
        description = OpenEXR.TileDescription()
        description.xSize, description.ySize = side
        description.mode = OpenEXR.ONE_LEVEL
        return header(compression, type=OpenEXR.tiledimage, tiles=description, **more)

    write(
        catalogue,
        "f32_tiles_zip",
        "f32_small",
        "tiles of 16 × 16, cut at the edges",
        {"Y": "f32_small"},
        tiled("ZIP", (16, 16)),
    )
    write(catalogue, "f32_tiles_piz", "f32_steps", "tiles of 32 × 20, PIZ", {"Y": "f32_steps"}, tiled("PIZ", (32, 20)))


def parts(catalogue):
    f16 = catalogue.grids["f16_small"]
    colour = OpenEXR.Part(header("ZIP"), {"R": f16, "G": f16[::-1].copy(), "B": f16}, "colour")
    height = OpenEXR.Part(header("ZIP"), {"Y": catalogue.grids["f32_small"]}, "height")
    file = "exr_two_parts.exr"
    OpenEXR.File([colour, height]).write(str(catalogue.path(file)))
    catalogue.add(
        file, WRITER, "f32_small", "the map is the second of two parts", options={"part": "height", "channel": "Y"}
    )


def smaller_channels(catalogue):
    """Luminance with chroma of half the size, which must be even. The newer interface wants channels of one shape, the
    older one reads behind the end of the smaller ones, so that zeros must follow them."""
    values = catalogue.grids["f32_even"]
    height, width = values.shape
    chroma = memoryview(bytes(2 * width * height))[: width * height // 2]
    head = OpenEXR.Header(width, height)
    half, full = (Imath.PixelType(kind) for kind in (Imath.PixelType.HALF, Imath.PixelType.FLOAT))
    head["channels"] = {
        "Y": Imath.Channel(full, 1, 1),
        "RY": Imath.Channel(half, 2, 2),
        "BY": Imath.Channel(half, 2, 2),
    }
    head["compression"] = Imath.Compression(Imath.Compression.ZIP_COMPRESSION)
    file = "exr_luminance_chroma.exr"
    output = OpenEXR.OutputFile(str(catalogue.path(file)), head)
    output.writePixels({"Y": values.tobytes(), "RY": chroma, "BY": chroma})
    output.close()
    catalogue.add(file, WRITER, "f32_even", "Y beside chroma of half the size", options={"channel": "Y"})


def refused(catalogue):
    def sample(name, exercises, word, head, values, type="f16"):
        file = f"exr_{name}.exr"
        save(catalogue.path(file), head, {"Y": values})
        catalogue.add(file, WRITER, None, exercises, size=values.shape[::-1], type=type, refused=word)

    values = catalogue.grids["f32_small"]
    steps = catalogue.grids["f16_steps"]
    sample("dwaa", "compressed by DWAA", "DWAA", header("DWAA"), steps)
    sample("htj2k", "compressed by HTJ2K", "HTJ2K", header("HTJ2K32"), steps)
    deep = np.empty(values.shape, object)
    for (row, column), value in np.ndenumerate(values):
        deep[row, column] = np.full(1 + (row + column) % 2, value, np.float32)
    sample("deep", "several samples a pixel", "deep", header("ZIPS", type=OpenEXR.deepscanline), deep, "f32")
