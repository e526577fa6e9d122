"""The values of the samples: one relief, in every type of sample.

Nothing here depends on a mathematics library, so the values are the same on every machine. The relief has no symmetry,
so that a flip, a turn or a transposition shows. It has a lake, so that run lengths have runs, and rough ground, so that
predictors have something to lose.
"""

import numpy as np

# Columns × rows. None is a multiple of a tile, a strip or a block of a format.
LARGE = (37, 23)
SMALL = (19, 11)
# Two of the blocks of 32 rows that some EXR compressions have.
TALL = (11, 41)

# Values that a wrong rounding or a wrong path through another type changes.
AWKWARD = {
    "f16": [0.1, -1234.0, 2047.0, 1 / 3, -0.3333],
    "f32": [0.1, -12345.678, 16777215.0, 1 / 3, -3.1415927, 8848.86],
    "f64": [0.1, -12345.678, 9007199254740991.0, 1 / 3, -3.141592653589793, 8848.86],
}
CODES = {np.uint8: "u8", np.int8: "i8", np.uint16: "u16", np.int16: "i16", np.uint32: "u32", np.int32: "i32"}
CODES |= {np.int64: "i64", np.float16: "f16", np.float32: "f32", np.float64: "f64"}
TYPES = {code: np.dtype(kind) for kind, code in CODES.items()}


def type_code(dtype):
    """`i16` for NumPy's `int16` in either byte order."""
    return CODES[np.dtype(dtype).newbyteorder("=").type]


def scatter(column, row):
    """Ten bits that look random."""
    bits = (column * 0x9E3779B1 ^ row * 0x85EBCA77) & 0xFFFFFFFF
    bits = (bits ^ bits >> 15) * 0x2C1B3C6D & 0xFFFFFFFF
    return (bits ^ bits >> 13) & 1023


def relief(size):
    """Rows of numbers from 0 to 1, of which both are there: a peak in the north-east and a lake in the south-west."""
    width, height = size
    rows = [[height_at(c, r, c / (width - 1), r / (height - 1)) for c in range(width)] for r in range(height)]
    low = min(min(row) for row in rows)
    high = max(max(row) for row in rows)
    return [[(value - low) / (high - low) for value in row] for row in rows]


def height_at(column, row, x, z):
    if (x - 0.25) * (x - 0.25) + (z - 0.7) * (z - 0.7) < 0.05:
        return 0.2
    peak = max(0.0, 1.0 - 5.0 * ((x - 0.72) * (x - 0.72) + (z - 0.27) * (z - 0.27)))
    along = (3.0 * x + 2.0 * z) % 1.0
    return 0.6 * peak + 0.35 * x + 0.2 * (1.0 - z) + 0.1 * abs(2.0 * along - 1.0) + scatter(column, row) / 40000.0


def whole(code, size):
    """The relief over the whole width of a type of integers."""
    limits = np.iinfo(TYPES[code])
    span = int(limits.max) - int(limits.min)

    def value(height, column, row):
        number = int(height * span + 0.5)
        if span >> 53 and 0.0 < height < 1.0:
            # A double has no bits for these.
            number = number & ~0x7FF | scatter(column, row)
        return int(limits.min) + min(number, span)

    rows = [[value(h, c, r) for c, h in enumerate(row)] for r, row in enumerate(relief(size))]
    return np.array(rows, TYPES[code])


def metres(code, size, low=-431.73, high=8848.86, awkward=True):
    """The relief in metres. The west third has every bit of the mantissa, the rest is in eighths, which compress."""
    third = size[0] // 3

    def value(height, column):
        number = low + height * (high - low)
        return number if column < third else int(number * 8.0) / 8.0

    grid = np.array([[value(h, c) for c, h in enumerate(row)] for row in relief(size)], TYPES[code])
    if awkward:
        for index, number in enumerate(AWKWARD[code]):
            grid.flat[(index * 37 + 40) % grid.size] = number
    return grid


def steps(code, size, step, count):
    """Heights from 1024 m in a few steps, whose bits differ in few places: a code of many words costs more than it
    saves in so small a file."""
    return np.array([[1024 + step * int(height * count) for height in row] for row in relief(size)], TYPES[code])


def ramp(columns, rows, first):
    """Halves whose bits count up from `first`, so that no two are equal."""
    return (first + np.arange(columns * rows, dtype=np.uint16)).view(np.float16).reshape(rows, columns)


def void_places(grid):
    """A block, a corner and a place at the east edge: column and row."""
    height, width = grid.shape
    block = [(column, row) for row in (4, 5) for column in (6, 7, 8)]
    return [(0, 0), (width - 1, height - 2), *block]


def with_voids(grid, nodata):
    grid = grid.copy()
    assert not (grid == np.array(nodata).astype(grid.dtype)).any(), "a height is the void"
    for column, row in void_places(grid):
        grid[row, column] = nodata
    return grid


def with_infinities(grid):
    """NaN where the voids are, but for one infinity of each sign."""
    grid = with_voids(grid, np.nan)
    (a, b), (c, d) = void_places(grid)[2:4]
    grid[b, a], grid[d, c] = np.inf, -np.inf
    return grid


def without_void_code(grid, nodata):
    """The grid with the heights that happen to be a void's code moved by one."""
    return np.where(grid == nodata, grid + grid.dtype.type(1), grid)


def tile_codes(heights, scale, offset):
    """24-bit codes of heights that a tile of colours encodes: height = code × scale + offset."""
    return ((heights - offset) / scale + 0.5).astype(np.uint32)


def all_grids():
    """Every grid of values by its name in expected.json."""
    grids = {code: whole(code, LARGE) for code in ("u8", "i8", "u16", "i16")}
    grids["f16"] = metres("f16", LARGE, -120.0, 1790.0)
    grids["f32"] = metres("f32", LARGE)
    for code in ("u16", "i16", "u32", "i32", "i64"):
        grids[f"{code}_small"] = whole(code, SMALL)
    grids["f16_small"] = metres("f16", SMALL, -120.0, 1790.0)
    grids["f32_small"] = metres("f32", SMALL)
    grids["f16_steps"] = steps("f16", LARGE, 1, 255)
    grids["f32_steps"] = steps("f32", LARGE, 8, 127)
    grids["f32_steps_tall"] = steps("f32", TALL, 8, 127)
    grids["f16_ramp"] = ramp(530, 32, 0x0400)
    grids["f32_even"] = grids["f32_small"][:10, :18].copy()
    grids["f64_small"] = metres("f64", SMALL)
    grids["f16_tall"] = metres("f16", TALL, -120.0, 1790.0)
    grids["f32_tall"] = metres("f32", TALL)
    grids["i16_turned"] = grids["i16_small"][::-1, ::-1].copy()
    grids["i16_void"] = with_voids(metres("f64", SMALL, -431.0, 8848.0, awkward=False).astype(np.int16), -9999)
    grids["u16_void_0"] = with_voids(without_void_code(grids["u16_small"], 0), 0)
    grids["f32_void"] = with_voids(grids["f32_small"], -9999.0)
    grids["f32_lowest"] = with_voids(grids["f32_small"], np.finfo(np.float32).min)
    grids["f32_nan"] = with_infinities(grids["f32_small"])
    grids["f32_nan_only"] = with_voids(grids["f32_small"], np.nan)
    grids["f16_nan"] = with_infinities(grids["f16_small"])
    grids["i16_sparse"] = sparse(without_void_code(grids["i16"], -9999), -9999)
    grids["u16_sparse"] = sparse(grids["u16"], 0)
    for name, size, scale, offset in (("terrarium", LARGE, 1 / 256, -32768.0), ("mapbox", SMALL, 0.1, -10000.0)):
        grids[name] = tile_codes(metres("f64", size, -50.0, 2950.0, awkward=False), scale, offset)
        grids[f"{name}_void"] = with_voids(grids[name], 0)
    for bits in (1, 2, 4):
        grids[f"u8_{bits}_bits"] = whole("u8", SMALL) >> np.uint8(8 - bits)
    grids["dem"] = with_voids(metres("f64", (9, 13), -43.0, 1890.0, awkward=False).astype(np.int16), -32767)
    return grids


# Tiles of 16×16 that a sparse file of the large size has not: tile column and tile row, of 3 × 2.
ABSENT = [(1, 0), (2, 1)]


def sparse(grid, fill):
    grid = grid.copy()
    for column, row in ABSENT:
        grid[16 * row : 16 * row + 16, 16 * column : 16 * column + 16] = fill
    return grid
