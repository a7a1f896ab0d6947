# Writes rasters with GDAL in all variants that package geotiff reads, and for each a file .f8 with its values as float64
# (NaN for no data).
import os, sys
import numpy as np
from osgeo import gdal, osr
gdal.UseExceptions()
out = sys.argv[1]
srs = osr.SpatialReference(); srs.ImportFromEPSG(25832)
types = {"uint8": gdal.GDT_Byte, "uint16": gdal.GDT_UInt16, "int16": gdal.GDT_Int16, "uint32": gdal.GDT_UInt32,
         "int32": gdal.GDT_Int32, "uint64": gdal.GDT_UInt64, "int64": gdal.GDT_Int64,
         "float32": gdal.GDT_Float32, "float64": gdal.GDT_Float64}
random = np.random.default_rng(1)

def write(name, dtype, options, nodata=None, scale=None, rows=37, columns=53, point=False):
    a = random.normal(0, 1000, (rows, columns)).cumsum(axis=1)
    if dtype.startswith("u"):
        a = np.abs(a)
    if dtype == "uint8":
        a %= 256
    a = a.astype(dtype)
    if nodata is not None:
        a[3, 5] = a[20, 40:] = nodata
    path = os.path.join(out, name + ".tif")
    d = gdal.GetDriverByName("GTiff").Create(path, columns, rows, 1, types[dtype], options)
    d.SetProjection(srs.ExportToWkt())
    d.SetGeoTransform([500000.5, 2.5, 0, 5800000.25, 0, -2])
    if point:
        d.SetMetadataItem("AREA_OR_POINT", "Point")
    band = d.GetRasterBand(1)
    if nodata is not None:
        band.SetNoDataValue(nodata)
    if scale is not None:
        band.SetScale(scale[0]); band.SetOffset(scale[1])
    band.WriteArray(a)
    d = band = None
    v = a.astype("float64")
    if nodata is not None:
        v[a == np.dtype(dtype).type(nodata)] = np.nan
    if scale is not None:
        v = v * scale[0] + scale[1]
    v.astype("<f8").tofile(path + ".f8")

tiled = ["TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=16"]
strips = ["BLOCKYSIZE=8"]
for dtype in types:
    is_integer = not dtype.startswith("float")
    for layout, o in (("tiles", tiled), ("strips", strips)):
        for compression in ("NONE", "LZW", "DEFLATE", "ZSTD", "PACKBITS"):
            predictors = [1]
            if compression in ("LZW", "DEFLATE", "ZSTD"):
                predictors = [1, 2] if is_integer else [1, 2, 3]
            for p in predictors:
                for order in ("LITTLE", "BIG"):
                    if order == "BIG" and (p == 3 or layout == "strips"):
                        continue  # with predictor 3, GDAL does not read back the values that it has written
                    options = o + ["COMPRESS=" + compression, "ENDIANNESS=" + order]
                    if p > 1:
                        options.append("PREDICTOR=%d" % p)
                    write("-".join([dtype, layout, compression, str(p), order]), dtype, options)
for dtype in types:
    write("nodata-" + dtype, dtype, tiled + ["COMPRESS=LZW", "BIGTIFF=YES"], 7 if dtype == "uint8" else 9999)
write("lowest", "float32", tiled, -3.4028234663852886e38)
write("scaled", "int16", strips, -32768, (0.01, -100))
write("point", "float32", tiled, point=True)
write("sparse", "float32", tiled + ["SPARSE_OK=TRUE"], -1)
