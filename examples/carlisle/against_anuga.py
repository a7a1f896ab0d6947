"""Compute the flood of Carlisle by ANUGA, on the triangles, the bed and the roughness of a run of Atoll.

    python3 against_anuga.py RUN HOURS FOLDER

RUN is the output folder of a run of carlisle.toml with the field depth in its frames, in the folder of the case. FOLDER
gets arrival.csv and maxima.csv for convergence.py. The rivers enter by ANUGA's inlets, in the cells at the edges of
the groups, and leave through a transmissive outlet. Prints the processor time of the steps, and the volumes. Needs
numpy, matplotlib, tifffile, Pillow and anuga.
"""
import csv
import json
import math
import os
import re
import sys
import time
import zipfile

import anuga
import numpy as np
from matplotlib.tri import Triangulation
from PIL import Image

from convergence import around, courses, earliest, places

INPUT = "hipims/sample/input"
THRESHOLD = .05  # m
YIELD = 60  # s
OUTLET = (337463, 557450), 1000  # position and radius, m


def arrays(path):
    """Return the arrays of a VTK file with raw appended data, by name."""
    with open(path, "rb") as f:
        text = f.read()
    start = text.index(b"_", text.index(b"<AppendedData")) + 1
    kinds = {"Float64": "<f8", "Int32": "<i4", "Int64": "<i8", "UInt8": "<u1"}
    found = {}
    for tag in re.finditer(rb'<DataArray type="(\w+)" Name="(\w+)".*?offset="(\d+)', text[:start]):
        kind, name, offset = (g.decode() for g in tag.groups())
        begin = start + int(offset)
        size = int(np.frombuffer(text, "<u8", 1, begin)[0])
        dtype = np.dtype(kinds[kind])
        found[name] = np.frombuffer(text, dtype, size // dtype.itemsize, begin + 8)
    return found


def roughness(x, y):
    """Return Manning's n of the class of the land cover at positions, or of the nearest one with data."""
    Image.MAX_IMAGE_PIXELS = None
    image = Image.open(os.path.join(INPUT, "Landcover.tif"))
    left, top, size = image.tag_v2[33922][3], image.tag_v2[33922][4], image.tag_v2[33550][0]
    classes = np.array(image)
    rows, columns = ((top - y) / size).astype(int), ((x - left) / size).astype(int)
    found = classes[np.minimum(rows, classes.shape[0] - 1), np.minimum(columns, classes.shape[1] - 1)]
    with open("classes.csv") as f:
        table = {float(row["class"]): float(row["manning"]) for row in csv.DictReader(f)}
    for cell in np.flatnonzero(~np.isfinite(found)):
        r, c = rows[cell], columns[cell]
        near = classes[max(0, r - 6):r + 7, max(0, c - 6):c + 7]
        i, j = np.nonzero(np.isfinite(near))
        k = np.argmin((i - min(r, 6))**2 + (j - min(c, 6))**2)
        found[cell] = near[i[k], j[k]]
    return np.array([table[v] for v in found.astype(float)])


def hydrographs():
    """Return times and discharges of each river: rows of the workbook's components, times the width of the inflow."""
    book = zipfile.ZipFile(os.path.join(INPUT, "Q_source.xlsx"))
    sheets = re.findall(r'<sheet [^>]*name="([^"]*)"', book.read("xl/workbook.xml").decode())
    result = {}
    with open("boundaries.geojson") as f:
        for feature in json.load(f)["features"]:
            name, width = feature["properties"]["name"], feature["properties"]["width"]
            if name == "outlet":
                continue
            text = book.read(f"xl/worksheets/sheet{sheets.index(name.capitalize()) + 1}.xml").decode()
            rows = [[float(v) for v in re.findall(r"<v>([^<]*)</v>", row)]
                    for row in re.findall(r"<row [^>]*>(.*?)</row>", text)[1:]]
            t, q = np.array([(r[0], width * math.hypot(r[1], r[2])) for r in rows if r]).T
            result[name] = feature["geometry"]["coordinates"], width, t, q
    return result


class Places:
    """The cells near the points of the rivers and at the places of the gauges."""

    def __init__(self, points, cells):
        cell_at = Triangulation(*points.T, cells).get_trifinder()
        self.along = [(line, cell_at(*around(line).transpose(2, 0, 1))) for line, _ in courses().values()]
        self.places = [(name, cell_at(x, y)) for name, x, y in places()]

    def write(self, folder, arrival, top):
        arrival = np.append(arrival, np.nan)  # of cell -1, beyond the outline
        with open(os.path.join(folder, "arrival.csv"), "w") as f:
            f.write("x,y,t\n")
            for line, near in self.along:
                f.writelines(f"{x:.1f},{y:.1f},{t}\n" for (x, y), t in zip(line, earliest(arrival[near])))
        with open(os.path.join(folder, "maxima.csv"), "w") as f:
            f.write("name,max_z\n")
            f.writelines(f"{name},{top[cell]}\n" for name, cell in self.places)


def main():
    run, hours, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    frames = os.path.join(run, "frames")
    frame = arrays(os.path.join(frames, sorted(os.listdir(frames))[0]))
    points, cells = frame["Points"].reshape(-1, 3)[:, :2], frame["connectivity"].reshape(-1, 3)
    origin = points.min(axis=0)

    # Edges of the outline: those of one triangle. An edge is in a river's group if its middle is in the width around.
    edges = np.sort(np.stack([cells[:, [1, 2]], cells[:, [2, 0]], cells[:, [0, 1]]], 1).reshape(-1, 2), 1)
    _, first, count = np.unique(edges, axis=0, return_index=True, return_counts=True)
    boundary, inlets = {}, {name: [] for name in hydrographs()}
    for k in first[count == 1]:
        cell, side = int(k) // 3, int(k) % 3
        middle = points[edges[k]].mean(axis=0)
        name = "outlet" if np.hypot(*(middle - OUTLET[0])) <= OUTLET[1] else "outline"
        for river, (at, width, _, _) in hydrographs().items():
            if np.hypot(*(middle - at)) <= width / 2:
                name = river
                inlets[river].append(cell)
        boundary[cell, side] = name
    domain = anuga.Domain(points - origin, cells, boundary)
    domain.set_flow_algorithm("DE1")
    domain.set_store(False)
    x, y = (domain.centroid_coordinates + origin).T
    domain.set_quantity("elevation", -frame["depth"], location="centroids")
    domain.set_quantity("stage", -frame["depth"], location="centroids")
    domain.set_quantity("friction", roughness(x, y), location="centroids")
    wall = anuga.Reflective_boundary(domain)
    domain.set_boundary({name: wall for name in ["outline", *inlets]} | {"outlet": anuga.Transmissive_boundary(domain)})
    operators = [anuga.Inlet_operator(domain, anuga.Region(domain, indices=inlets[river]),
                                      Q=lambda now, t=t, q=q: float(np.interp(now, t, q)))
                 for river, (_, _, t, q) in hydrographs().items()]

    at = Places(points, cells)
    bed, area = domain.quantities["elevation"].centroid_values, domain.areas
    arrival, top, steps = np.full(len(cells), np.nan), np.full(len(cells), np.nan), 0
    before = time.process_time()
    for now in domain.evolve(yieldstep=YIELD, finaltime=3600 * hours):
        level = domain.quantities["stage"].centroid_values
        wet = level - bed > THRESHOLD
        arrival[wet & np.isnan(arrival)] = now
        top[wet] = np.fmax(top, level)[wet]
        steps += domain.number_of_steps
        if now % 3600 == 0:
            entered = sum(o.total_applied_volume for o in operators)
            at.write(folder, arrival, top)
            print(f"{now / 3600:.0f} h: {steps} steps, {time.process_time() - before:.0f} s of the processor, "
                  f"{entered:.6g} m³ in, {np.sum(area * (level - bed)):.6g} m³ there", flush=True)


main()
