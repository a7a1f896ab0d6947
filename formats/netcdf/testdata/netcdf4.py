# Writes NetCDF-4 files with netCDF4 and xarray, and prints a line for each variable: its file, its name, its shape as a
# text, and the bits of its values.
import sys
import netCDF4
import numpy as np
import xarray

random = np.random.default_rng(3)
folder = sys.argv[1]


def show(file, name, values):
    values = np.asarray(values)
    shape = "x".join(map(str, values.shape)) or "scalar"
    print(file, name, shape, *["%016x" % n for n in values.astype("<f8").view("<u8").ravel()])


def create(file, **options):
    return netCDF4.Dataset("%s/%s.nc" % (folder, file), "w", format="NETCDF4", **options)


types = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


def draw(shape, t):
    if t[0] == "f":
        return random.normal(0, 1e3, shape).astype(t)
    return random.integers(0, 100, shape).astype(t)


# 1 to 6: each type, contiguous and chunked, with filters, big-endian, and more than eight variables and attributes,
# which HDF5 stores in other structures than few.
for file, options in {"contiguous": dict(contiguous=True), "chunked": dict(chunksizes=(2, 3)),
                      "deflate": dict(zlib=True, complevel=4, shuffle=False, chunksizes=(3, 2)),
                      "shuffle": dict(zlib=True, shuffle=True, chunksizes=(7, 5)),
                      "fletcher32": dict(zlib=True, fletcher32=True, chunksizes=(4, 4)),
                      "big": dict(endian="big")}.items():
    d = create(file)
    d.createDimension("y", 7)
    d.createDimension("x", 11)
    for t in types:
        v = d.createVariable("v_" + t, t, ("y", "x"), fill_value=False if options.get("contiguous") else None, **options)
        a = draw((7, 11), t)
        v[:] = a
        v.units = "m"
        v.setncattr("scale", np.float32(.5))
        v.setncattr("list", np.arange(3, dtype="i4"))
        show(file, v.name, a)
    for k in range(30):
        d.setncattr("attribute_%d" % k, "text %d" % k)
    x = d.createVariable("x", "f8", ("x",))
    x[:] = np.arange(11) * .5
    show(file, "x", np.arange(11) * .5)
    d.close()

# 7: unlimited dimensions, of which one variable has fewer records; a scalar; what is never written; text.
d = create("unlimited")
d.createDimension("time", None)
d.createDimension("x", 5)
d.createDimension("letters", 4)
t = d.createVariable("time", "f8", ("time",))
t[:] = np.arange(9)
t.units = "hours since 2026-01-31 00:00:00"
show("unlimited", "time", np.arange(9.))
a = draw((9, 5), "f4")
v = d.createVariable("full", "f4", ("time", "x"), zlib=True)
v[:] = a
show("unlimited", "full", a)
v = d.createVariable("short", "f4", ("time", "x"), fill_value=-7)
v[:4] = a[:4]
show("unlimited", "short", np.where(np.arange(9)[:, None] < 4, a, np.float32(-7)))
v = d.createVariable("never", "i2", ("x",), fill_value=-99, chunksizes=(2,))
show("unlimited", "never", np.full(5, -99.))
v = d.createVariable("holes", "f8", ("x",), fill_value=3, chunksizes=(2,))
v[3] = 8
show("unlimited", "holes", [3., 3, 3, 8, 3])
v = d.createVariable("crs", "i4", ())
v[:] = 27700
show("unlimited", "crs", 27700.)
v = d.createVariable("names", str, ("x",))
v[:] = np.array(["a", "bb", "", "dddd", "e"], dtype=object)
v = d.createVariable("chars", "S1", ("x", "letters"))
v[:] = np.full((5, 4), b"q")
d.close()

# 8 and 9: files of xarray, with times, packed values and text.
ds = xarray.Dataset({"z": (("time", "y", "x"), draw((3, 4, 6), "f8")), "name": (("y",), np.array(list("abcd")))},
                    coords={"x": np.arange(6.), "y": np.arange(4.)[::-1], "time": np.arange(3)}, attrs={"title": "three"})
ds.to_netcdf(folder + "/xarray.nc", engine="netcdf4", unlimited_dims=["time"])
show("xarray", "z", ds.z)
show("xarray", "y", ds.y)
ds.drop_vars("name").to_netcdf(folder + "/packed.nc", engine="netcdf4", encoding={
    "z": dict(dtype="i2", scale_factor=.25, add_offset=1., _FillValue=-32768, zlib=True, chunksizes=(1, 2, 3))})
show("packed", "z", netCDF4.Dataset(folder + "/packed.nc").variables["z"][:].data if False else np.round((ds.z - 1) / .25))

# 10: many variables and many chunks, for deep trees.
d = create("many")
d.createDimension("x", 3000)
a = draw(3000, "f8")
v = d.createVariable("chunks", "f8", ("x",), chunksizes=(1,))
v[:] = a
show("many", "chunks", a)
for k in range(300):
    v = d.createVariable("variable_%d" % k, "i4", ("x",), chunksizes=(3000,), zlib=True)
    if k % 100 == 7:
        a = draw(3000, "i4")
        v[:] = a
        show("many", v.name, a)
d.close()

# What is refused, by name.
d = create("left_out")
d.createDimension("x", 2)
d.createGroup("inner").createVariable("v", "f4", ("x",))
pair = np.dtype([("a", "f4"), ("b", "i4")])
d.createVariable("pairs", d.createCompoundType(pair, "pair"), ("x",))[:] = np.zeros(2, dtype=pair)
d.createVariable("lists", d.createVLType("f4", "list"), ("x",))[0] = np.arange(3, dtype="f4")
d.createVariable("kinds", d.createEnumType("u1", "kind", {"dry": 0, "wet": 1}), ("x",), fill_value=0)[:] = [0, 1]
show("left_out", "kinds", [0., 1.])
d.close()
d = create("zstd")
d.createDimension("x", 30)
try:
    d.createVariable("v", "f4", ("x",), compression="zstd")[:] = np.arange(30)
except RuntimeError:
    pass
d.close()
