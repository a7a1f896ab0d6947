"""Writes rasters and series by netCDF4, xarray and pandas to the folder argv[1], as these libraries, CDO and NCO write
them, and prints for each, as a line of JSON, what netCDF4 or xarray reads from it, or the text of the refusal that is
expected. Times are in s after 2026-01-31 12:00."""
import json
import os
import sys

import cftime
import netCDF4
import numpy as np
import pandas as pd
import xarray as xr

folder = sys.argv[1]
rows, columns = 8, 11
zero = cftime.DatetimeGregorian(2026, 1, 31, 12)


def show(name, **line):
    print(json.dumps({"file": name, "refused": "", "tolerance": 1e-12} | line))


def surface():
    y, x = np.mgrid[0:rows, 0:columns]
    return 20 + 2 * x + 5 * y


def raster(name, format="NETCDF3_CLASSIC", kind="f4", stored=None, attrs={}, fill=None, axes={}, names=("lat", "lon"), x=None,
           y=None, coordinate="f8", time=0, order="yx", refused="", tolerance=1e-12):
    path = os.path.join(folder, name)
    x = 5 + 0.5 * np.arange(columns) if x is None else x
    y = 50 + 0.25 * np.arange(rows) if y is None else y
    with netCDF4.Dataset(path, "w", format=format) as d:
        d.set_auto_maskandscale(False)
        if time:
            d.createDimension("time", None)
            t = d.createVariable("time", "f8", ("time",))
            t.units = "hours since 2026-1-31 12:00:00"
            t.calendar = "proleptic_gregorian"
            t[:] = np.arange(time)
        for dim, along in (names[0], y), (names[1], x):
            d.createDimension(dim, len(along))
            v = d.createVariable(dim, coordinate, (dim,))
            v.setncatts(axes)
            v.set_auto_maskandscale(False)
            v[:] = along
        dims = tuple(names) if order == "yx" else (names[1], names[0])
        v = d.createVariable("z", kind, (("time",) if time else ()) + dims, fill_value=fill)
        v.set_auto_maskandscale(False)
        v.setncatts(attrs)
        data = surface() if stored is None else stored
        data = data if order == "yx" else data.T
        v[:] = np.stack([data] * time) if time else data
    if refused:
        return show(name, refused=refused)
    with netCDF4.Dataset(path) as d:
        z = np.ma.filled(d["z"][:].astype(float), np.nan).reshape(rows, columns)
        x, y = np.asarray(d[names[1]][:], float), np.asarray(d[names[0]][:], float)
    if y[1] > y[0]:
        z, y = z[::-1], y[::-1]
    dx, dy = (x[-1] - x[0]) / (columns - 1), (y[0] - y[-1]) / (rows - 1)
    show(name, west=x[0] - dx / 2, north=y[0] + dy / 2, dx=dx, dy=dy, tolerance=tolerance,
         values=[None if np.isnan(v) else float(v) for v in z.flat])


def hole(value, kind="f4"):
    z = surface().astype(kind)
    z[3, 4] = value
    return z


for format in "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA":
    for kind in ("i1", "i2", "i4", "f4", "f8") + (("u1", "u2", "u4", "i8", "u8") if format.endswith("DATA") else ()):
        raster(f"{format}-{kind}.nc", format=format, kind=kind)
raster("nc4.nc", format="NETCDF4")
raster("nc4classic.nc", format="NETCDF4_CLASSIC")
raster("packed.nc", kind="i2", attrs={"scale_factor": 0.01, "add_offset": 100.0})
raster("packed32.nc", kind="i2", attrs={"scale_factor": np.float32(0.01), "add_offset": np.float32(100)}, tolerance=1e-6)
raster("unsigned1.nc", kind="i1", attrs={"_Unsigned": "true"}, stored=surface() - 100)
raster("unsigned2.nc", kind="i2", attrs={"_Unsigned": "true", "scale_factor": 0.5}, stored=surface() - 60)
raster("fill.nc", fill=-9999.0, stored=hole(-9999))
raster("fillpacked.nc", kind="i2", fill=-32768, stored=hole(-32768, "i2"), attrs={"scale_factor": 0.1})
raster("missing.nc", attrs={"missing_value": np.float32(-1e30)}, stored=hole(-1e30))
raster("cdo.nc", fill=np.float32(-9e33), attrs={"missing_value": np.float32(-9e33), "units": "m"}, stored=hole(-9e33), time=1)
raster("default2.nc", kind="i2", stored=hole(-32767, "i2"))
raster("defaultf.nc", stored=hole(netCDF4.default_fillvals["f4"]))
raster("defaultd.nc", kind="f8", stored=hole(netCDF4.default_fillvals["f8"], "f8"))
raster("valid.nc", kind="i2", attrs={"valid_range": np.array([0, 200], "i2")}, stored=hole(300, "i2"))
raster("validmin.nc", kind="i4", attrs={"valid_min": np.int32(0)}, stored=hole(-5, "i4"))
raster("xypacked.nc", coordinate="i2", axes={"scale_factor": 0.01, "add_offset": 3.0}, x=100 + 50 * np.arange(columns),
       y=1000 + 25 * np.arange(rows))
raster("down.nc", y=50 - 0.25 * np.arange(rows))
raster("float32axes.nc", coordinate="f4")
raster("time1.nc", time=1)
raster("time2.nc", time=2, refused="select one by ncks -d time,0")
raster("xy.nc", order="xy", refused="ncpdq -a lat,lon")
raster("left.nc", x=-0.5 * np.arange(columns), refused="ncpdq -a -lon")
raster("uneven.nc", x=np.arange(columns) ** 2, refused="unequal steps")

grid = xr.DataArray(surface() / 7, coords={"y": np.arange(rows), "x": np.arange(columns) * 10.0}, dims=("y", "x"), name="z")
grid.values[2, 2] = np.nan
for name, options in {
    "scipy.nc": dict(engine="scipy"), "xarray.nc": dict(format="NETCDF3_64BIT"),
    "encoded.nc": dict(format="NETCDF3_CLASSIC", encoding={"z": {"dtype": "i2", "scale_factor": 0.01, "_FillValue": -9999}}),
    "encodedf.nc": dict(format="NETCDF3_CLASSIC", encoding={"z": {"dtype": "f4", "_FillValue": np.float32(1e20)}}),
}.items():
    grid.to_netcdf(os.path.join(folder, name), **options)
    z = xr.open_dataset(os.path.join(folder, name))["z"].values[::-1]
    show(name, west=-5, north=rows - 0.5, dx=10, dy=1, tolerance=1e-6,
         values=[None if np.isnan(v) else float(v) for v in z.flat])


def series(name, units, times, calendar="standard", kind="f8", attrs={}, unlimited=False, refused="", values=(0.5, 0.25, 8.0)):
    path = os.path.join(folder, name)
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as d:
        d.createDimension("time", None if unlimited else len(times))
        t = d.createVariable("time", kind, ("time",))
        t.set_auto_maskandscale(False)
        t.setncatts({"units": units, "calendar": calendar} | attrs)
        t[:] = times
        d.createVariable("level", "f8", ("time",))[:] = values
    if refused:
        return show(name, refused=refused, series=True)
    with netCDF4.Dataset(path) as d:
        when = cftime.num2date(d["time"][:], units, calendar)
        seconds = [(x - zero.replace(year=2026)).total_seconds() if x.calendar == "standard" else
                   cftime.date2num(cftime.datetime(x.year, x.month, x.day, x.hour, x.minute, x.second, x.microsecond,
                                                   calendar="standard"), "microseconds since 2026-01-31 12:00") / 1e6
                   for x in when]
        show(name, series=True, times=seconds, values=[float(v) for v in d["level"][:]], tolerance=1e-9)


series("s-plain.nc", "seconds since 2026-01-31 12:00:00", [0, 1.5, 100])
series("s-zone.nc", "seconds since 2026-01-31 12:00:00 +00:00", [0, 1.5, 100])
series("s-zone2.nc", "minutes since 2026-01-31 13:00:00 +01:00", [0, 1.5, 100])
series("s-z.nc", "hours since 2026-01-31T12:00:00Z", [0, 1.5, 100])
series("s-cdo.nc", "hours since 2026-1-31 12:00:00", [0, 1, 2], calendar="proleptic_gregorian", unlimited=True)
series("s-1900.nc", "hours since 1900-01-01 00:00:0.0", [1105236, 1105237, 1105240], kind="i4")
series("s-1.nc", "days since 0001-01-01", [739648.5, 739649.5, 739650.5])
series("s-1p.nc", "days since 1-1-1 0:0:0", [739646.5, 739647.5, 739648.5], calendar="proleptic_gregorian")
series("s-1582.nc", "days since 1582-10-04", [161908.5, 161909.5, 161910.5])
series("s-julian.nc", "days since 1858-11-17 00:00:00", [61071.5, 61072.5, 61072.75], calendar="gregorian")
series("s-packed.nc", "seconds since 2026-01-31 12:00:00", [0, 100, 200], kind="i2", attrs={"scale_factor": 0.1})
series("s-ms.nc", "milliseconds since 2026-01-31 12:00:00", [0, 1500, 2000], kind="i4")
series("s-noleap.nc", "days since 2026-01-31", [0, 1, 2], calendar="noleap", refused='its calendar is "noleap"')
series("s-months.nc", "months since 2026-01-31", [0, 1, 2], refused='its units are "months since 2026-01-31"')
series("s-absolute.nc", "day as %Y%m%d.%f", [20260131.5, 20260201.5, 20260202.5], refused='its units are "day as')
series("s-same.nc", "seconds since 2026-01-31 12:00:00", [0, 1, 1], refused="want increasing times")

when = pd.date_range("2026-01-31 12:00", periods=3, freq="90min")
table = pd.Series([0.5, -2.0, 8.25], index=pd.Index(when, name="time"), name="level")
seconds = [0.0, 5400.0, 10800.0]
for name, options in {"p-plain.csv": {}, "p-excel.csv": dict(sep=";", decimal=",", encoding="utf-8-sig"),
                      "p-tabs.csv": dict(sep="\t"), "p-iso.csv": dict(date_format="%Y-%m-%dT%H:%MZ"),
                      "p-basic.csv": dict(date_format="%Y%m%dT%H%M%S"), "p-ordinal.csv": dict(date_format="%Y-%jT%H:%M")}.items():
    table.to_csv(os.path.join(folder, name), **options)
    show(name, series=True, times=seconds, values=[0.5, -2.0, 8.25])
table.to_csv(os.path.join(folder, "p-german.csv"), date_format="%d.%m.%Y %H:%M")
show("p-german.csv", series=True, refused="31.01.2026")
table.to_csv(os.path.join(folder, "p-utf16.csv"), encoding="utf-16")
show("p-utf16.csv", series=True, refused="UTF-16: save it as UTF-8")
ds = table.to_xarray().to_dataset()
for name, encoding in {"x-default.nc": {}, "x-hours.nc": {"time": {"units": "hours since 1950-01-01", "dtype": "f8"}},
                       "x-int.nc": {"time": {"units": "seconds since 1970-01-01", "dtype": "i4"}}}.items():
    ds.to_netcdf(os.path.join(folder, name), format="NETCDF3_64BIT", encoding=encoding)
    show(name, series=True, times=seconds, values=[0.5, -2.0, 8.25])
