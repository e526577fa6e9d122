"""Samples and nothing else, by NumPy."""

import numpy as np

from .numpy_arrays import WRITER

HEADER = bytes(range(32))


def write_all(catalogue):
    def sample(name, grid, exercises, dtype, header=b""):
        values = catalogue.grids[grid].astype(dtype)
        catalogue.path(name).write_bytes(header + values.tobytes())
        options = {"size": list(values.shape[::-1])}
        order = {"<": "little", ">": "big"}.get(np.dtype(dtype).str[0])
        options |= {"byte_order": order} if order else {}
        options |= {"offset": len(header)} if header else {}
        kind = np.dtype(dtype)
        options |= {"sample_type": f"{kind.kind}{8 * kind.itemsize}"} if kind.newbyteorder("=") != np.dtype("u2") else {}
        catalogue.add(name, WRITER, grid, exercises, options=options)

    sample("raw_u16_le.r16", "u16", "u16, little-endian", "<u2")
    sample("raw_u16_be.r16", "u16", "u16, big-endian", ">u2")
    sample("raw_u16_header.raw", "u16_small", "a header of 32 bytes", "<u2", HEADER)
    sample("raw_i16_be.raw", "i16_small", "i16, big-endian", ">i2")
    sample("raw_u8.raw", "u8", "u8", "u1")
    sample("raw_f32_le.raw", "f32_small", "f32, little-endian", "<f4")
    sample("raw_f32_be_header.raw", "f32_small", "f32, big-endian, behind a header of 32 bytes", ">f4", HEADER)
