"""tools/samples --check: every file by another reader than its writer, compared bit for bit with expected.json."""

import json
import math

import numpy as np

from . import readers
from .catalogue import parse_grid


def check(folder):
    """Reads every file and prints what differs. Returns 1 where something does."""
    expected = json.loads((folder / "expected.json").read_text())
    grids = {name: parse_grid(grid) for name, grid in expected["grids"].items()}
    wrong = strays(folder, expected["files"])
    read_by = {}
    for entry in expected["files"]:
        reader = readers.reader_of(entry)
        read_by[reader.__name__] = read_by.get(reader.__name__, 0) + 1
        try:
            found = reader(folder / entry["file"], entry)
            wrong += [f"{entry['file']}: {line}" for line in differences(entry, grids, found)]
        except Exception as error:
            wrong.append(f"{entry['file']}: {reader.__name__} says {error!r}")
    for line in wrong:
        print(line)
    counts = ", ".join(f"{count} by {name}" for name, count in sorted(read_by.items()))
    print(f"{len(expected['files'])} files, {len(wrong)} differences ({counts})")
    return 1 if wrong else 0


def strays(folder, entries):
    """Files without an entry and entries without a file."""
    there = {path.name for path in folder.iterdir()}
    named = {entry["file"] for entry in entries} | {"expected.json", "README.md"}
    return [f"{name}: a file without an entry" for name in sorted(there - named)] + [
        f"{name}: an entry without a file" for name in sorted(named - there)
    ]


def differences(entry, grids, found):
    """Sentences on what is not as the entry says. A reader says only what it knows."""
    size = [entry["width"], entry["height"]]
    if found["size"] != size:
        return [f"{found['size']} samples, not {size}"]
    lines = []
    if entry["grid"]:
        names, bands = entry.get("bands", [entry["grid"]]), found["bands"]
        # A picture's equal channels are one map.
        lines += [f"{len(bands)} bands"] if len(bands) < len(names) else []
        for name, band in zip(names, bands, strict=False):
            lines += [f"{name}: {line}" for line in unequal(grids[name], band)]
    if entry.get("source"):
        lines += far_from(grids[entry["source"]], grids[entry["grid"]])
    for fact in ("nodata", "spacing_x", "spacing_z", "scale", "offset", "unit", "masked"):
        if fact in found and not same(entry.get(fact), found[fact]):
            lines.append(f"{fact} is {found[fact]}, not {entry.get(fact)}")
    return lines


def unequal(expected, band):
    """Bits are compared, so that NaN is NaN. A reader may have widened the type."""
    values = np.asarray(band)
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = np.ascontiguousarray(values.astype(expected.dtype))
    if not np.array_equal(narrow.astype(values.dtype), values, equal_nan=values.dtype.kind == "f"):
        return [f"{values.dtype} that no {expected.dtype} is"]
    word = f"u{expected.dtype.itemsize}"
    nan = np.isnan(expected) & np.isnan(narrow) if expected.dtype.kind == "f" else np.zeros(expected.shape, bool)
    differs = (expected.view(word) != narrow.view(word)) & ~nan
    if not differs.any():
        return []
    row, column = np.argwhere(differs)[0]
    there = f"{narrow[row, column]} and not {expected[row, column]} at column {column} of row {row}"
    return [f"{differs.sum()} samples differ, the first is {there}"]


def far_from(source, decoded):
    """A lossy file is near what was written: the mean of the differences is small beside the range."""
    mean = np.abs(source.astype("f8") - decoded.astype("f8")).mean()
    return [] if mean < 0.01 * float(np.ptp(source)) else [f"{mean} from its source"]


def same(expected, found):
    if expected == "nan":
        return found is not None and math.isnan(found)
    if expected is None or found is None or isinstance(expected, str):
        return expected == found
    return math.isclose(expected, found, rel_tol=1e-9)
