# Writes files with netCDF4 in all three classic formats and in NetCDF-4, and prints a line for each variable: its file,
# its name and the bits of its values.
import sys
import netCDF4
import numpy as np
random = np.random.default_rng(2)
for kind in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "one", "NETCDF4"):
    path = "%s/%s.nc" % (sys.argv[1], kind)
    d = netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC" if kind == "one" else kind)
    d.title = "three"
    d.createDimension("time", None); d.createDimension("y", 3); d.createDimension("x", 5)
    types = ["i1", "i2", "i4", "f4", "f8"]
    if kind == "NETCDF3_64BIT_DATA":
        types += ["u1", "u2", "u4", "i8", "u8"]
    if kind == "one":
        types = ["i2"]  # the only record variable, whose records are not padded
    for t in types:
        a = random.integers(0, 100, (4, 3, 5)).astype(t)
        if t[0] == "f":
            a = random.normal(0, 1e3, (4, 3, 5)).astype(t)
        if kind != "one":
            v = d.createVariable("fixed_" + t, t, ("y", "x")); v[:] = a[0]
            print(kind, v.name, *["%016x" % n for n in a[0].astype("<f8").view("<u8").ravel()])
        v = d.createVariable("rec_" + t, t, ("time", "y", "x")); v[:] = a
        v.units = "m"; v.setncattr("scale", np.float32(.5))
        print(kind, v.name, *["%016x" % n for n in a.astype("<f8").view("<u8").ravel()])
    d.close()
