"""USGS ASCII DEM by GDAL."""

import rasterio
import rasterio.shutil
from rasterio.transform import Affine

from .gdal_tiff import WRITER, create


def write_all(catalogue):
    """Centres of pixels must be multiples of their size, or GDAL writes a row more."""
    values = catalogue.grids["dem"]
    place = {"crs": "EPSG:26910", "transform": Affine(30.0, 0.0, 500_025.0, 0.0, -30.0, 5_200_005.0)}
    memory = "/vsimem/model.tif"
    with create(memory, [values], place=place, nodata=-32767) as dataset:
        dataset.write(values, 1)
    file = "gdal_utm.dem"
    rasterio.shutil.copy(memory, catalogue.path(file), driver="USGSDEM")
    exercises = "profiles from the south to the north, each in a record of 1024 characters; voids are -32767"
    catalogue.add(file, WRITER, "dem", exercises, nodata=-32767, spacing_x=30.0, spacing_z=30.0)
