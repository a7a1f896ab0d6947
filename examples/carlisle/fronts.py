"""Compare how far fronts have come on several meshes.

    python3 fronts.py BED PICTURE RUN ...

BED is bed.asc of the finest mesh, each RUN a folder with raster/arrival.tif. The course of each river is the way from
its inflow to the outlet that is lowest; a front is as far along it as the water has arrived. Prints the positions in
km each hour and the times at which the fronts reach each kilometre. Needs numpy, tifffile and matplotlib.
"""
import heapq
import os
import sys

import matplotlib
import numpy as np
import tifffile

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

STARTS = {"Eden": (342906, 557902), "Caldew": (339476, 552732), "Petteril": (343501, 551317)}
OUTLET = (337541, 558207)
HOURS = 10


class Raster:
    """Values with the position of the upper left corner and the size of pixels."""

    def __init__(self, values, left, top, size):
        self.values, self.left, self.top, self.size = values, left, top, size

    def index(self, at):
        row, column = int((self.top - at[1]) / self.size), int((at[0] - self.left) / self.size)
        return min(max(row, 0), self.values.shape[0] - 1), min(max(column, 0), self.values.shape[1] - 1)


def read_ascii(name):
    with open(name) as f:
        head = [next(f).split() for _ in range(6)]
        values = np.loadtxt(f)
    left, bottom, size = (float(head[k][1]) for k in (2, 3, 4))
    return Raster(values, left, bottom + size * values.shape[0], size)


def read_tiff(name):
    with tifffile.TiffFile(name) as file:
        page = file.pages[0]
        place, size = page.tags[33922].value, page.tags[33550].value[0]
        return Raster(page.asarray(), place[3], place[4], size)


def course(bed, start, end):
    """Return points of the path from start to end that stays lowest: Dijkstra's algorithm with steep costs of height."""
    z = bed.values - np.nanmin(bed.values)
    first, last = bed.index(start), bed.index(end)
    best, before, queue = {first: 0.0}, {}, [(0.0, first)]
    while queue:
        cost, at = heapq.heappop(queue)
        if at == last:
            break
        if cost > best[at]:
            continue
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                to = at[0] + dr, at[1] + dc
                if 0 <= to[0] < z.shape[0] and 0 <= to[1] < z.shape[1] and to != at:
                    new = cost + np.hypot(dr, dc) * (1 + z[to] ** 4)
                    if new < best.get(to, np.inf):
                        best[to], before[to] = new, at
                        heapq.heappush(queue, (new, to))
    path = [last]
    while path[-1] != first:
        path.append(before[path[-1]])
    rows, columns = np.array(path[::-1]).T
    return np.stack([bed.left + (columns + .5) * bed.size, bed.top - (rows + .5) * bed.size], 1)


def arrivals(raster, points):
    """Return the time at which the water has arrived at each point of a course and all before it, s."""
    reach = max(1, round(60 / raster.size))  # a river may be beside the course
    times = []
    for point in points:
        row, column = raster.index(point)
        near = raster.values[max(0, row - reach):row + reach + 1, max(0, column - reach):column + reach + 1]
        times.append(np.nanmin(near) if np.isfinite(near).any() else np.inf)
    return np.maximum.accumulate(times)


def main():
    bed, picture, runs = read_ascii(sys.argv[1]), sys.argv[2], sys.argv[3:]
    figure, axes = plt.subplots(1, len(STARTS), figsize=(12, 4), sharey=True)
    for axis, (river, start) in zip(axes, STARTS.items()):
        points = course(bed, start, OUTLET)
        along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))]) / 1000
        print(f"{river}: the front in km after 1 to {HOURS} hours")
        for run in runs:
            times = arrivals(read_tiff(os.path.join(run, "raster", "arrival.tif")), points) / 3600
            reached = [along[times <= hour].max(initial=0) for hour in range(1, HOURS + 1)]
            print(f"  {run}: " + " ".join(f"{r:.2f}" for r in reached))
            axis.plot(times, along, label=run)
        axis.set(title=river, xlabel="time, h", xlim=(0, HOURS))
    axes[0].set(ylabel="front, km from the inflow")
    axes[-1].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(picture, dpi=90)


main()
