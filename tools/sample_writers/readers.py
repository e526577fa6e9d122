"""Readers for the check. Each takes a path and an entry, and returns what it found: `size`, `bands` and facts.

No format is read by the package that wrote the file, but for OpenEXR's compressions that nothing else here decodes.
NumPy only turns bytes into numbers: headers of arrays are read here.
"""

import ast
import io
import logging
import math
import xml.etree.ElementTree
import zipfile

import numpy as np
import OpenEXR
import png
import rasterio
import simpleimageio
import tifffile

from .catalogue import METRES_A_DEGREE
from .gdal_tiff import FOOT, US_FOOT


# It warns where GDAL's text for the lowest float rounds to infinity.
logging.getLogger("tifffile").setLevel(logging.CRITICAL)


def reader_of(entry):
    """Another reader than the writer, by the name of the file."""
    name, writer = entry["file"], entry["writer"]
    kind = name.rpartition(".")[2]
    by_gdal = writer.startswith("rasterio")
    if kind == "tif":
        return by_tifffile if by_gdal else by_gdal_raster
    if kind == "png":
        return by_pypng if by_gdal else by_gdal_raster
    if kind == "asc":
        return by_splitting if by_gdal else by_gdal_raster
    return {"exr": by_exr_readers, "npy": by_literal, "npz": by_literal_in_zip, "dem": by_columns}.get(kind, by_bytes)


def by_gdal_raster(path, entry):
    with rasterio.open(path) as dataset:
        bands, places = dataset.read(), dataset.transform
        found = {"size": [dataset.width, dataset.height], "bands": bands, "nodata": dataset.nodata}
        if dataset.nodata is None and not entry["voids"]:
            # GDAL keeps a nodata to itself that no sample can be.
            del found["nodata"]
        if path.suffix == ".png":
            return png_facts(found, dataset, entry)
        metres = dataset.crs.linear_units_factor[1] if dataset.crs else 1.0
        if not places.is_identity:
            found |= {"spacing_x": metres * places.a, "spacing_z": metres * -places.e}
        else:
            found |= {"spacing_x": None, "spacing_z": None}
        if dataset.scales[0] != 1.0 or dataset.offsets[0] != 0.0:
            found |= {"scale": dataset.scales[0], "offset": dataset.offsets[0]}
        if path.suffix == ".tif" and dataset.units[0]:
            found["unit"] = {"foot": "foot", "metre": "metre"}.get(dataset.units[0], dataset.units[0])
        return found


def png_facts(found, dataset, entry):
    """One band of what a picture's channels mean."""
    bands = found["bands"]
    transparent = found.pop("nodata", None)
    if transparent is not None:
        found["masked"] = int((bands[0] == transparent).sum())
    colours, alpha = (bands[:-1], bands[-1]) if len(bands) in (2, 4) else (bands, None)
    if alpha is not None and "masked" in entry:
        found["masked"] = int((alpha == 0).sum())
    if "encoding" in entry["options"]:
        red, green, blue = (band.astype(np.uint32) for band in colours)
        colours = [red << 16 | green << 8 | blue]
    elif entry["file"] == "png_palette_greys.png":
        greys = np.array([dataset.colormap(1)[index][0] for index in range(256)], np.uint8)
        colours = [greys[colours[0]]]
    elif entry["grid"] and any((band != colours[0]).any() for band in colours):
        raise ValueError("the channels differ")
    return found | {"bands": colours}


def by_tifffile(path, entry):
    with tifffile.TiffFile(path) as picture:
        page = picture.pages[0]
        found = {"size": [page.imagewidth, page.imagelength], **tiff_facts(picture, page)}
        if entry["grid"]:
            values = picture.series[0].levels[0].asarray() if entry.get("bands") else page.asarray()
            pixels = values.ndim == 3 and page.planarconfig == 1
            found["bands"] = np.moveaxis(values, -1, 0) if pixels else values.reshape(-1, *values.shape[-2:])
        if "masked" in entry:
            mask = next(page for page in picture.pages if page.subfiletype & 4)
            found["masked"] = int((mask.asarray() == 0).sum())
        return found


def tiff_facts(picture, page):
    """What the tags of GDAL and GeoTIFF say."""
    text = page.tags.get(42113)
    found = {"nodata": float(text.value) if text else None, **metadata_facts(page)}
    keys = picture.geotiff_metadata or {}
    if "VerticalCSTypeGeoKey" in keys:
        found["unit"] = {6360: "us_survey_foot", 5773: "metre"}[keys["VerticalCSTypeGeoKey"]]
    if "ModelPixelScale" in keys:
        east, south, _ = keys["ModelPixelScale"]
    elif "ModelTransformation" in keys:
        rows = np.array(keys["ModelTransformation"]).reshape(4, 4)
        east, south = (math.hypot(rows[0, axis], rows[1, axis]) for axis in (0, 1))
    else:
        return found | {"spacing_x": None, "spacing_z": None}
    if keys["GTModelTypeGeoKey"] == 2:
        latitude = keys["ModelTiepoint"][4] - south * page.imagelength / 2
        east *= METRES_A_DEGREE * math.cos(math.radians(latitude))
        south *= METRES_A_DEGREE
    metres = {9002: FOOT, 9003: US_FOOT}.get(keys.get("ProjLinearUnitsGeoKey"), 1.0)
    return found | {"spacing_x": metres * east, "spacing_z": metres * south}


def metadata_facts(page):
    """Scale, offset and unit in GDAL's XML."""
    tag = page.tags.get(42112)
    if not tag:
        return {}
    items = {item.get("role"): item.text for item in xml.etree.ElementTree.fromstring(tag.value)}
    facts = {name: float(items[name]) for name in ("scale", "offset") if name in items}
    return facts | ({"unit": {"ft": "foot"}[items["unittype"]]} if "unittype" in items else {})


def by_exr_readers(path, entry):
    """OpenEXR itself, and tinyexr where it knows the compression."""
    parts = OpenEXR.File(str(path), separate_channels=True).parts
    wanted = entry["options"].get("part")
    part = next(part for part in parts if wanted in (None, part.name()))
    low, high = part.header["dataWindow"]
    found = {"size": [int(side) for side in high - low + 1]}
    if not entry["grid"]:
        return found
    channels = part.channels
    name = entry["options"].get("channel") or next(name for name in (*"YRG", *channels) if name in channels)
    found["bands"] = [channels[name].pixels]
    lossless = part.header["compression"] in (
        OpenEXR.NO_COMPRESSION,
        OpenEXR.RLE_COMPRESSION,
        OpenEXR.ZIPS_COMPRESSION,
        OpenEXR.ZIP_COMPRESSION,
        OpenEXR.PIZ_COMPRESSION,
    )
    if lossless and len(parts) == 1 and len(channels) == 1 and entry["type"] != "u32":
        other = next(iter(simpleimageio.read_layered_exr(str(path)).values()))
        if not np.array_equal(other, found["bands"][0].astype(np.float32), equal_nan=True):
            raise ValueError("tinyexr decodes something else")
    return found


def parse_npy(data):
    """An array by the letter of NEP 1."""
    wide = data[6] > 1
    length = int.from_bytes(data[8 : 12 if wide else 10], "little")
    start = (12 if wide else 10) + length
    head = ast.literal_eval(data[start - length : start].decode("utf-8" if data[6] > 2 else "latin-1"))
    values = np.frombuffer(data, np.dtype(head["descr"]), offset=start)
    shape = head["shape"]
    return values.reshape(shape[::-1]).T if head["fortran_order"] else values.reshape(shape)


def by_literal(path, entry):
    return array_found(parse_npy(path.read_bytes()), entry)


def by_literal_in_zip(path, entry):
    with zipfile.ZipFile(path) as archive:
        name = entry["options"].get("array")
        arrays = [name + ".npy"] if name else archive.namelist()
        maps = [array for array in (parse_npy(archive.read(array)) for array in arrays) if array.ndim == 2]
    (only,) = maps
    return array_found(only, entry)


def array_found(values, entry):
    found = {"size": list(values.shape[1::-1])}
    return found | {"bands": [values]} if entry["grid"] else found


def by_pypng(path, _):
    width, height, rows, info = png.Reader(str(path)).read()
    values = np.vstack([np.array(row) for row in rows])
    found = {"size": [width, height], "bands": [values[:, :: info["planes"]]]}
    if "transparent" in info:
        found["masked"] = int((values == np.array(info["transparent"])).sum())
    return found


def by_bytes(path, entry):
    options = entry["options"]
    kind = np.dtype(options.get("sample_type", "u16").replace("16", "2").replace("32", "4").replace("8", "1"))
    order = {"little": "<", "big": ">"}.get(options.get("byte_order"), "|")
    width, height = options["size"]
    values = np.frombuffer(path.read_bytes()[options.get("offset", 0) :], kind.newbyteorder(order))
    return {"size": [width, height], "bands": [values.reshape(height, width)]}


def by_splitting(path, entry):
    """Words of a grid that GDAL wrote: a header of pairs, then numbers."""
    words = path.read_text().split()
    head = {}
    while words[0][0].isalpha():
        word, number, *words = words
        head[word.lower()] = float(number)
    width, height = int(head["ncols"]), int(head["nrows"])
    cell = head.get("dx", head.get("cellsize")), head.get("dy", head.get("cellsize"))
    if "latitude" in entry:
        latitude = head["yllcorner"] + cell[1] * height / 2
        cell = METRES_A_DEGREE * cell[0] * math.cos(math.radians(latitude)), METRES_A_DEGREE * cell[1]
    values = np.array([float(word) for word in words]).reshape(height, width)
    kind = np.float32 if entry["type"] == "f32" else np.int64
    return {
        "size": [width, height],
        "bands": [values.astype(kind)],
        "nodata": head.get("nodata_value"),
        "spacing_x": cell[0],
        "spacing_z": cell[1],
    }


def by_columns(path, entry):
    """A DEM by the columns of the standard, of profiles that are one record each."""
    text = path.read_text()
    records = io.StringIO(text[1024:])
    width = int(text[858:864])
    profiles = []
    for _ in range(width):
        record = records.read(1024)
        count = int(record[12:18])
        profiles.append([int(record[144 + 6 * at : 150 + 6 * at]) for at in range(count)][::-1])
    values = np.array(profiles).T
    east, south = (float(text[at : at + 12].replace("D", "E")) for at in (816, 828))
    return {"size": list(values.shape[::-1]), "bands": [values], "spacing_x": east, "spacing_z": south}
