"""tests/samples/expected.json while it grows: an entry a file, and the grids of values that they name."""

import json
import math

import numpy as np

from .grids import all_grids, type_code

METRES_A_DEGREE = 60.0 * 1852.0


def flat_degrees(east, south, latitude):
    """What an entry says of a map in degrees, with metres at the latitude of its middle, on a sphere."""
    return {
        "spacing_x": METRES_A_DEGREE * east * math.cos(math.radians(latitude)),
        "spacing_z": METRES_A_DEGREE * south,
        "spacing_degrees": [east, south],
        "latitude": latitude,
    }


def count_voids(grid, nodata):
    """Samples that are the declared void in their own type, NaN or infinite."""
    if grid is None:
        return 0
    void = ~np.isfinite(grid)
    if nodata is not None and not math.isnan(nodata):
        void |= grid == np.array(nodata).astype(grid.dtype)
    return int(void.sum())


class Catalogue:
    """Files and grids. Writers take grids from `grids` and add grids that only a decoder knows."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.grids = all_grids()
        self.entries = {}

    def names(self):
        return list(self.entries)

    def path(self, file):
        return self.folder / file

    def add(self, file, writer, grid, exercises, *, size=None, type=None, nodata=None, **facts):
        """Adds an entry. `grid` is a name, or none for a file whose samples nobody should see: then state its size
        and type. `facts` are the rest of the entry; what is not stated is null or absent."""
        assert file not in self.entries, file
        values = self.grids[grid] if grid else None
        width, height = size or values.shape[::-1]
        entry = {"file": file, "writer": writer, "width": width, "height": height}
        entry["type"] = type or type_code(values.dtype)
        entry["grid"] = grid
        entry["nodata"] = "nan" if nodata is not None and math.isnan(nodata) else nodata
        entry["voids"] = count_voids(values, nodata)
        entry |= {"spacing_x": None, "spacing_z": None, "refused": None, "options": {}} | facts
        entry["exercises"] = exercises
        self.entries[file] = entry

    def save(self):
        """Writes expected.json: an entry a line and a grid a line, of the grids that an entry names."""
        used = {name for entry in self.entries.values() for name in (entry["grid"], *entry.get("bands", []))}
        grids = [f'"{name}": {grid_text(grid)}' for name, grid in self.grids.items() if name in used]
        entries = [json.dumps(entry, ensure_ascii=False) for entry in self.entries.values()]
        text = '{"files": [\n' + ",\n".join(entries) + '\n], "grids": {\n' + ",\n".join(grids) + "\n}}\n"
        (self.folder / "expected.json").write_text(text)


def grid_text(grid):
    """A grid in JSON: integers as numbers, floats as the hexadecimal bits of their own type, most significant first.
    Where each has the bits of the one before it plus 1, only the first."""
    height, width = grid.shape
    head = {"type": type_code(grid.dtype), "width": width, "height": height}
    if grid.dtype.kind == "f":
        bytes_each = grid.dtype.itemsize
        bits = grid.astype(grid.dtype.newbyteorder("=")).view(f"u{bytes_each}").ravel()
        first = int(bits[0])
        if np.array_equal(bits, first + np.arange(bits.size)):
            head["bits_from"] = f"{first:0{2 * bytes_each}x}"
            return json.dumps(head, separators=(",", ":"))
        head["bits"] = " ".join(f"{int(word):0{2 * bytes_each}x}" for word in bits)
    else:
        head["values"] = [int(value) for value in grid.ravel()]
    return json.dumps(head, separators=(",", ":"))


def parse_grid(grid):
    """What grid_text wrote."""
    shape = grid["height"], grid["width"]
    if grid["type"][0] == "f":
        bytes_each = int(grid["type"][1:]) // 8
        if "bits" in grid:
            words = [int(word, 16) for word in grid["bits"].split(" ")]
        else:
            words = int(grid["bits_from"], 16) + np.arange(grid["width"] * grid["height"])
        return np.array(words, f"u{bytes_each}").view(f"f{bytes_each}").reshape(shape)
    code = grid["type"]
    return np.array(grid["values"], f"{code[0]}{int(code[1:]) // 8}").reshape(shape)
