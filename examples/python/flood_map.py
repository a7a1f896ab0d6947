"""Draw the hazard map of a run from its NetCDF file: flood_map.py out/bay picture.png

Needs xarray, netCDF4 and matplotlib.
"""
import glob
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import xarray

folder, picture = sys.argv[1:]
(name,) = (f for f in glob.glob(os.path.join(folder, "*.nc"))
           if os.path.basename(f) not in ("gauges.nc", "transects.nc"))
run = xarray.open_dataset(name)
end = run.isel(time=-1)
wet = end.max_h > 0.1
flooded = wet & (run.h.isel(time=0) < 0.1)  # without cells that are wet from the start
fig, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for ax, field, where, colours, span in (
    (axes[0], "max_h", wet, matplotlib.colormaps["Blues"], (0, 5)),
    (axes[1], "hazard", flooded, matplotlib.colormaps["YlOrRd"].resampled(4), (-0.5, 3.5)),
):
    values = np.ma.masked_invalid(end[field].where(where))
    drawn = ax.tripcolor(run.node_x, run.node_y, run.face_nodes, facecolors=values, cmap=colours,
                         vmin=span[0], vmax=span[1])
    label = run[field].long_name.split(":")[0]
    if field == "max_h":
        fig.colorbar(drawn, ax=ax, label=f"{label} ({run[field].units})", extend="max")
    else:
        fig.colorbar(drawn, ax=ax, label=label, ticks=range(4))
    ax.set_aspect("equal")
    ax.set_xlabel("x (m)")
axes[0].set_ylabel("y (m)")
fig.suptitle(f"{run.attrs['title']}, {str(run.time.values[0])[:16]} to {str(run.time.values[-1])[:16]}")
fig.savefig(picture, dpi=120)
print(f"{run.sizes['time']} frames of {run.sizes['face']} cells, deepest water {float(end.max_h.max()):.3f} m")
