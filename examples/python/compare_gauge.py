"""Compare a gauge with a record: compare_gauge.py out/bay/gauges.nc creek z record.csv

The record has a header and two columns: the time as ISO 8601, or in s since the start where the case has no epoch, and
the value. Printed are the root of the mean square of the difference, and the difference of the largest values. Needs
xarray and netCDF4.
"""
import csv
import sys

import numpy as np
import xarray

file, name, field, record = sys.argv[1:]
gauges = xarray.open_dataset(file)
which = gauges.station_name.values.astype(str).tolist().index(name)
ours = gauges[field].isel(station=which).dropna("time")
with open(record) as f:
    rows = list(csv.reader(line for line in f if not line.startswith("#")))[1:]
dated = np.issubdtype(ours.time.dtype, np.datetime64)
times = np.array([r[0].rstrip("Z") if dated else float(r[0]) for r in rows],
                 dtype=ours.time.dtype if dated else float)
values = np.array([float(r[1]) for r in rows])
inside = (times >= ours.time.values[0]) & (times <= ours.time.values[-1])
if not inside.any():
    sys.exit(f"{record}: no row lies between {ours.time.values[0]} and {ours.time.values[-1]}")
computed = np.interp(times[inside].astype(float), ours.time.values.astype(float), ours.values)
difference = computed - values[inside]
print(f"rms {np.sqrt(np.mean(difference**2)):.4f} {gauges[field].units}, "
      f"largest {computed.max():.4f} against {values[inside].max():.4f}, {inside.sum()} rows")
