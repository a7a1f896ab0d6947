"""Compare runs of the flood of Carlisle on several meshes: how far fronts have come along the rivers, and how high the
water has risen.

    python3 convergence.py PICTURE HOURS NAME=RUN ...

HOURS is the time until which runs are compared. Each RUN is the output folder of a run of carlisle.toml, or a folder of
against_anuga.py; NAME is shown in the tables and in PICTURE. A front is as far along the line of a river in
channels.geojson as water deeper than [maxima] threshold has arrived within 50 m everywhere before: on coarse meshes the
water may be beside the line. Needs numpy, tifffile and matplotlib.
"""
import csv
import json
import os
import sys

import matplotlib
import numpy as np
import tifffile

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
THRESHOLD = .05  # m
SPACING, REACH = 10, 50  # m: of points along a river, and how far from these water is looked for


def courses():
    """Return points along each river, and their distances from its inflow in km."""
    result = {}
    with open(os.path.join(HERE, "channels.geojson")) as f:
        for feature in json.load(f)["features"]:
            line = np.array(feature["geometry"]["coordinates"], float)
            corners = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
            along = np.arange(SPACING, corners[-1] - SPACING, SPACING)
            points = np.stack([np.interp(along, corners, line[:, k]) for k in range(2)], 1)
            result[feature["properties"]["name"]] = points, along / 1000
    return result


def around(points):
    """Return positions within REACH of each point, in an array of points, positions and coordinates."""
    offset = np.arange(-REACH, REACH + 1, 10.)
    all_offsets = np.stack(np.meshgrid(offset, offset), -1).reshape(-1, 2)
    return points[:, None] + all_offsets[np.hypot(*all_offsets.T) <= REACH]


def earliest(times):
    """Return the earliest time of each row, infinite if water came nowhere."""
    return np.where(np.isfinite(times), times, np.inf).min(axis=1)


def places():
    with open(os.path.join(HERE, "places.csv")) as f:
        return [(row["name"], float(row["x"]), float(row["y"])) for row in csv.DictReader(f)]


def arrivals(run, points):
    """Return the times at which water has arrived near points, s."""
    saved = os.path.join(run, "arrival.csv")
    if os.path.exists(saved):  # of ANUGA, by positions
        with open(saved) as f:
            times = {(row["x"], row["y"]): float(row["t"]) for row in csv.DictReader(f)}
        return np.array([times[f"{x:.1f}", f"{y:.1f}"] for x, y in points])
    with tifffile.TiffFile(os.path.join(run, "raster", "arrival.tif")) as file:
        page = file.pages[0]
        values, size = page.asarray(), page.tags[33550].value[0]
        left, top = page.tags[33922].value[3:5]
    near = around(points)
    rows, columns = ((top - near[..., 1]) / size).astype(int), ((near[..., 0] - left) / size).astype(int)
    rows, columns = rows.clip(0, values.shape[0] - 1), columns.clip(0, values.shape[1] - 1)
    return earliest(values[rows, columns])


def front(times, along, hour):
    """Return how far the front has come at an hour, km."""
    late = np.flatnonzero(times > hour * 3600)
    return along[-1] if len(late) == 0 else along[late[0] - 1] if late[0] > 0 else 0


def levels(run, hours):
    """Return the highest levels at the places, m; not a number where no water came."""
    saved = os.path.join(run, "maxima.csv")
    if os.path.exists(saved):
        with open(saved) as f:
            return {row["name"]: float(row["max_z"]) for row in csv.DictReader(f)}
    result = {}
    for name, _, _ in places():
        with open(os.path.join(run, "gauges", name + ".csv")) as f:
            rows = [row for row in csv.DictReader(f) if float(row["t"]) <= 3600 * hours]
        result[name] = max((float(row["z"]) for row in rows if float(row["h"]) > THRESHOLD), default=np.nan)
    return result


def main():
    picture, hours, runs = sys.argv[1], float(sys.argv[2]), [a.split("=", 1) for a in sys.argv[3:]]
    columns = np.arange(.5, hours + .01, .5)
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.2))
    print("| river | run | " + " | ".join(f"{h:g} h" for h in columns) + " |")
    print("| --- | --- |" + " ---: |" * len(columns))
    for axis, (river, (points, along)) in zip(axes, courses().items()):
        for name, run in runs:
            times = arrivals(run, points)
            reached = [front(times, along, h) for h in columns]
            print(f"| {river} | {name} | " + " | ".join(f"{r:.2f}" for r in reached) + " |")
            fine = np.linspace(0, hours, 601)
            axis.plot(fine, [front(times, along, h) for h in fine], "--" if "ANUGA" in name else "-", label=name)
        axis.set(title=river.capitalize(), xlabel="time, h", xlim=(0, hours), ylim=(0, None))
        axis.grid(alpha=.3)
    axes[0].set(ylabel="front, km from the inflow")
    axes[0].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(picture, dpi=90)
    print("\n| place | " + " | ".join(name for name, _ in runs) + " |")
    print("| --- |" + " ---: |" * len(runs))
    found = [levels(run, hours) for _, run in runs]
    for place, _, _ in places():
        print(f"| {place} | " + " | ".join(f"{each[place]:.2f}" for each in found) + " |")


if __name__ == "__main__":
    main()
