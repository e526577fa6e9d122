"""NumPy arrays, alone and in archives, by NumPy."""

import time
import unittest.mock

import numpy as np

WRITER = f"numpy {np.__version__}"
# Archives hold the time that they were written at.
EPOCH = time.struct_time((1980, 1, 1, 0, 0, 0, 1, 1, 0))


def save(path, values, version=None):
    with open(path, "wb") as file:
        np.lib.format.write_array(file, values, version=version, allow_pickle=False)


def write_all(catalogue):
    every_type(catalogue)
    headers(catalogue)
    refused(catalogue)
    archives(catalogue)


def every_type(catalogue):
    for kind in (
        "|u1",
        "|i1",
        "<u2",
        ">u2",
        ">i2",
        "<u4",
        ">i4",
        "<i8",
        ">i8",
        "<f2",
        ">f2",
        "<f4",
        ">f4",
        "<f8",
        ">f8",
    ):
        code = f"{kind[1]}{8 * int(kind[2])}"
        grid = code if kind[0] == "|" else f"{code}_small"
        file = f"npy_{kind[1:]}{ {'|': '', '<': '_le', '>': '_be'}[kind[0]] }.npy"
        save(catalogue.path(file), catalogue.grids[grid].astype(kind))
        catalogue.add(file, WRITER, grid, f"elements {kind}")


def headers(catalogue):
    def sample(name, grid, exercises, values, version=None):
        save(catalogue.path(f"npy_{name}.npy"), values, version)
        catalogue.add(f"npy_{name}.npy", WRITER, grid, exercises)

    i16, f32 = catalogue.grids["i16"], catalogue.grids["f32_small"]
    sample("i2_fortran", "i16", "columns first", np.asfortranarray(i16))
    sample("f4_be_fortran", "f32_small", "columns first, big-endian", np.asfortranarray(f32.astype(">f4")))
    sample("f4_version_2", "f32_small", "a header of version 2, with a length of four bytes", f32, (2, 0))
    sample("f4_version_3", "f32_nan", "a header of version 3; NaN and infinities", catalogue.grids["f32_nan"], (3, 0))


def refused(catalogue):
    def sample(name, values, exercises, word, type):
        file = f"npy_{name}.npy"
        save(catalogue.path(file), values)
        catalogue.add(file, WRITER, None, exercises, size=values.shape[1::-1], type=type, refused=word)

    i16 = catalogue.grids["i16_small"]
    records = np.zeros(i16.shape, [("height", "<i2"), ("kind", "u1")])
    records["height"] = i16
    sample("3d", np.stack([i16, i16], axis=-1), "three dimensions", "dimensions", "i16")
    sample("records", records, "a structure an element", "records", "i16")
    sample("bool", i16 > 0, "truth values", "b1", "bool")
    sample("complex", i16.astype("<c8"), "complex numbers", "c8", "c64")


def archives(catalogue):
    first, second = catalogue.grids["f32_small"], catalogue.grids["i16_small"]
    several = {"a": first, "b": second, "count": np.array(3), "names": np.array(["north", "south"])}

    def sample(name, grid, exercises, save_archive, arrays, array=None):
        file = f"npz_{name}.npz"
        with unittest.mock.patch("time.localtime", lambda *_: EPOCH):
            save_archive(catalogue.path(file), **arrays)
        catalogue.add(file, WRITER, grid, exercises, options={"array": array} if array else {})

    sample("stored", "i16_small", "two maps and other arrays, stored", np.savez, several, "b")
    sample("deflated", "f32_small", "two maps and other arrays, deflated", np.savez_compressed, several, "a")
    only = {"count": several["count"], "height": catalogue.grids["u16_small"].astype(">u2")}
    sample("one_map", "u16_small", "one map among other arrays; nobody says which", np.savez_compressed, only)
