"""Writes rasters by the drivers and options of GDAL to the folder argv[1], and prints for each, as a line of JSON, what
GDAL reads from it, or the text of the refusal that is expected."""
import json
import os
import sys

import numpy as np
from osgeo import gdal, osr

gdal.UseExceptions()
folder = sys.argv[1]
rows, columns = 20, 30
west, north, step = 100.0, 90.0, 2.5


def surface(kind):
    y, x = np.mgrid[0:rows, 0:columns]
    z = 10 + 3 * x + y * y / 4 + 0.1
    if kind == gdal.GDT_Byte:
        z = z % 200
    return z


def dataset(kind, nodata=None, bands=1, transform=None, epsg=25832, scale=None, offset=None, point=False, unit=None):
    d = gdal.GetDriverByName("MEM").Create("", columns, rows, bands, kind)
    d.SetGeoTransform(transform or (west, step, 0, north, 0, -step))
    if epsg:
        system = osr.SpatialReference()
        system.ImportFromEPSG(epsg)
        d.SetProjection(system.ExportToWkt())
    if point:
        d.SetMetadataItem("AREA_OR_POINT", "Point")
    for k in range(bands):
        band, z = d.GetRasterBand(k + 1), surface(kind)
        if nodata is not None:
            z[7, 11] = nodata
            band.SetNoDataValue(nodata)
        band.WriteArray(z)
        if scale is not None:
            band.SetScale(scale)
            band.SetOffset(offset)
        if unit:
            band.SetUnitType(unit)
    return d


def values(path):
    d = gdal.Open(path)
    band = d.GetRasterBand(1)
    raw = band.ReadAsArray()
    z = raw.astype(float)
    missing = band.GetMaskBand().ReadAsArray() == 0
    if band.GetScale() is not None:
        z = z * band.GetScale() + (band.GetOffset() or 0)
    z[missing | np.isnan(z)] = np.nan
    _, dx, _, top, _, dy = t = d.GetGeoTransform()
    if dy > 0:
        z, top, dy = z[::-1], top + dy * d.RasterYSize, -dy
    return {"west": t[0], "north": top, "dx": dx, "dy": -dy,
            "values": [None if np.isnan(v) else float(v) for v in z.flat]}


def write(name, driver="GTiff", options=(), refused="", tolerance=1e-12, **kwargs):
    path = os.path.join(folder, name)
    kind = kwargs.pop("kind", gdal.GDT_Float32)
    gdal.GetDriverByName(driver).CreateCopy(path, dataset(kind, **kwargs), 0, list(options))
    line = {"file": name, "refused": refused, "tolerance": tolerance}
    if not refused:
        line.update(values(path))
    print(json.dumps(line))


for name in "Byte", "UInt16", "Int16", "UInt32", "Int32", "Float32", "Float64", "Int64", "UInt64":
    write(name.lower() + ".tif", kind=getattr(gdal, "GDT_" + name))
write("lzw2.tif", options=["COMPRESS=LZW", "PREDICTOR=2"], kind=gdal.GDT_Int16, nodata=-32768)
write("deflate3.tif", options=["COMPRESS=DEFLATE", "PREDICTOR=3"], nodata=-9999)
write("zstd.tif", options=["COMPRESS=ZSTD", "PREDICTOR=2", "TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16"], kind=gdal.GDT_Int32)
write("packbits.tif", options=["COMPRESS=PACKBITS"], kind=gdal.GDT_Byte, nodata=255)
write("big.tif", options=["BIGTIFF=YES", "TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=32"])
write("endian.tif", options=["ENDIANNESS=BIG"], kind=gdal.GDT_Float64)
write("strips.tif", options=["BLOCKYSIZE=3"])
write("point.tif", point=True)
write("nan.tif", nodata=float("nan"))
write("least.tif", nodata=-3.4028234663852886e38)
write("rounded.tif", nodata=-9999.9)
write("scaled.tif", kind=gdal.GDT_Int16, nodata=-32768, scale=0.01, offset=5)
write("scaledaside.tif", options=["PROFILE=GeoTIFF"], kind=gdal.GDT_Int16, nodata=-32768, scale=0.01, offset=5)
write("southup.tif", transform=(west, step, 0, north, 0, step))
write("cog.tif", driver="COG", nodata=-9999)
write("feet.tif", epsg=2263, unit="ft")
write("lerc.tif", options=["COMPRESS=LERC"], refused="compression")
write("lzma.tif", options=["COMPRESS=LZMA"], refused="compression")
write("bands.tif", bands=2, refused="gdal_translate -b 1 selects one")
write("rotated.tif", transform=(west, step, 1, north, 1, -step), refused="rotated or sheared: gdalwarp")
write("bits12.tif", options=["NBITS=12"], kind=gdal.GDT_UInt16, refused="12 bits are not supported")
write("complex.tif", kind=gdal.GDT_CFloat32, refused="numbers of format 6 and 64 bits are not supported")
write("default.asc", driver="AAIGrid", nodata=-9999, tolerance=1e-6)
write("digits.asc", driver="AAIGrid", options=["SIGNIFICANT_DIGITS=5"], nodata=-3.4028234663852886e38, tolerance=1e-6)
write("decimals.asc", driver="AAIGrid", options=["DECIMAL_PRECISION=3"], kind=gdal.GDT_Float64, nodata=-1e30, tolerance=1e-6)
write("integers.asc", driver="AAIGrid", kind=gdal.GDT_Int32, nodata=-2147483648)
write("cells.asc", driver="AAIGrid", transform=(west, step, 0, north, 0, -2 * step), tolerance=1e-6)
write("default.xyz", driver="XYZ", tolerance=1e-6)
write("commas.xyz", driver="XYZ", options=["COLUMN_SEPARATOR=,", "ADD_HEADER_LINE=YES"], tolerance=1e-6)
write("semicolons.xyz", driver="XYZ", options=["COLUMN_SEPARATOR=;"], tolerance=1e-6)
write("nc.nc", driver="netCDF", options=["FORMAT=NC"], nodata=-9999)
write("nc2.nc", driver="netCDF", options=["FORMAT=NC2", "WRITE_BOTTOMUP=NO"], kind=gdal.GDT_Int16, nodata=-32768)
write("byte.nc", driver="netCDF", options=["FORMAT=NC"], kind=gdal.GDT_Byte)
write("nc4.nc", driver="netCDF", options=["FORMAT=NC4"])
write("imagine.img", driver="HFA", refused="convert it by gdal_translate IN OUT.tif")
write("surfer.grd", driver="GSAG", refused="convert it by gdal_translate IN OUT.tif")
