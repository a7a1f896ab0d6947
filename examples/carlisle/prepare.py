"""Make a case of the flood of Carlisle, December 2015, on a mesh of about a given number of triangles.

    python3 prepare.py INPUT CELLS FOLDER

INPUT is the folder hipims/sample/input of the wheel of hipims (see README.md): terrain of 5 m, hydrographs of three
rivers. FOLDER gets mesh.msh, bed.asc, a CSV file for each river, and carlisle.toml. Needs numpy, Pillow and Gmsh.

The hydrographs are discharges per metre of a river's width. The places of inflow and the widths are assumptions: the
data do not say them.
"""
import math
import os
import re
import struct
import subprocess
import sys
import zipfile

import numpy as np
from PIL import Image

# Sheet of the hydrograph, position on the outline in m (British National Grid), width in m.
RIVERS = {
    "eden": ("Eden", (342906, 557902), 300),
    "caldew": ("Caldew", (339476, 552732), 60),
    "petteril": ("Petteril", (343501, 551317), 40),
}

CASE = """# The flood of Carlisle, December 2015, made by prepare.py: {cells} triangles of {edge:.0f} m. From dry ground.
solver = "shallow-water"
title = "Carlisle 2015"
crs = "EPSG:27700"

[mesh]
file = "mesh.msh"

[physics]
layers = 1
manning = 0.035

[initial]
depth = {{ raster = "bed.asc", positive = "up" }}
h = 0

[boundary]
default = "open"
{inflows}
[maxima]
threshold = 0.05

[time]
end = 108000

[output]
every = 7200
fields = ["h", "u", "v", "max_h", "arrival"]
format = ["vtu"]
raster = 20
"""


def outline(folder):
    """Return the vertices of the outline, the only polygon of the shapefile."""
    with open(os.path.join(folder, "outline.shp"), "rb") as f:
        data = f.read()
    record = 108  # after the file's and the record's headers
    (points,) = struct.unpack("<i", data[record + 40:record + 44])
    return np.frombuffer(data, "<f8", 2 * points, record + 48).reshape(-1, 2)[:-1]


def resampled(line, edge):
    """Return points on a closed line, about an edge apart: the line has steps of 5 m, which are smoothed first."""
    return spaced(spaced(line, 50), edge)


def spaced(line, edge):
    closed = np.vstack([line, line[:1]])
    along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
    at = np.linspace(0, along[-1], round(along[-1] / edge), endpoint=False)
    return np.stack([np.interp(at, along, closed[:, k]) for k in range(2)], 1)


def write_mesh(line, edge, folder):
    """Write the mesh: an edge of the outline belongs to a river if its middle is within half the river's width."""
    with open(os.path.join(folder, "mesh.geo"), "w") as f:
        for k, (x, y) in enumerate(line):
            f.write(f"Point({k + 1}) = {{{x:.3f}, {y:.3f}, 0, {edge:.3f}}};\n")
        groups = {name: [] for name in RIVERS} | {"sides": []}
        n = len(line)
        for k in range(n):
            f.write(f"Line({k + 1}) = {{{k + 1}, {(k + 1) % n + 1}}};\n")
        middles = (line + np.roll(line, -1, 0)) / 2
        for name, (_, at, width) in RIVERS.items():
            distance = np.hypot(*(middles - at).T)
            groups[name] = [k for k in range(n) if distance[k] <= max(width / 2, distance.min())]
        taken = {k for edges in groups.values() for k in edges}
        groups["sides"] = [k for k in range(n) if k not in taken]
        f.write(f"Curve Loop(1) = {{1:{n}}};\nPlane Surface(1) = {{1}};\nPhysical Surface(\"ground\") = {{1}};\n")
        for name, edges in groups.items():
            f.write(f"Physical Curve(\"{name}\") = {{{', '.join(str(k + 1) for k in edges)}}};\n")
    subprocess.run(["gmsh", "-2", "-v", "1", "mesh.geo", "-o", "mesh.msh"], cwd=folder, check=True)


def write_bed(source, edge, folder):
    """Write the terrain as means over squares of about half an edge: those of 5 m would be noise on the mesh."""
    Image.MAX_IMAGE_PIXELS = None
    image = Image.open(os.path.join(source, "DEM.tif"))
    left, top, size = image.tag_v2[33922][3], image.tag_v2[33922][4], image.tag_v2[33550][0]
    n = max(1, round(edge / 2 / size))
    z = np.array(image)
    rows, columns = (z.shape[0] + n - 1) // n, (z.shape[1] + n - 1) // n
    padded = np.full((rows * n, columns * n), np.nan, np.float32)
    padded[:z.shape[0], :z.shape[1]] = z
    blocks = padded.reshape(rows, n, columns, n).transpose(0, 2, 1, 3).reshape(rows, columns, -1)
    count = np.isfinite(blocks).sum(-1)
    bed = np.where(count > 0, np.nansum(blocks, -1) / np.maximum(count, 1), np.nan)
    while np.isnan(bed).any():  # beyond the outline: the nearest values, which cells at the outline need
        near = np.pad(bed, 1, constant_values=np.nan)
        sides = np.stack([near[:-2, 1:-1], near[2:, 1:-1], near[1:-1, :-2], near[1:-1, 2:]])
        number = np.isfinite(sides).sum(0)
        bed = np.where(np.isnan(bed) & (number > 0), np.nansum(sides, 0) / np.maximum(number, 1), bed)
    with open(os.path.join(folder, "bed.asc"), "w") as f:
        f.write(f"ncols {columns}\nnrows {rows}\nxllcorner {left}\nyllcorner {top - rows * n * size}\n"
                f"cellsize {n * size}\nNODATA_value -9999\n")
        np.savetxt(f, bed, "%.3f")


def write_hydrographs(source, folder):
    """Write discharges in m³/s from the workbook's components, m²/s, which need no library for spreadsheets."""
    book = zipfile.ZipFile(os.path.join(source, "Q_source.xlsx"))
    sheets = re.findall(r'<sheet [^>]*name="([^"]*)"', book.read("xl/workbook.xml").decode())
    for name, (sheet, _, width) in RIVERS.items():
        text = book.read(f"xl/worksheets/sheet{sheets.index(sheet) + 1}.xml").decode()
        with open(os.path.join(folder, name + ".csv"), "w") as f:
            f.write("t,discharge\n")
            for row in re.findall(r"<row [^>]*>(.*?)</row>", text)[1:]:
                values = [float(v) for v in re.findall(r"<v>([^<]*)</v>", row)[:3]]
                if len(values) == 3:
                    f.write(f"{values[0]:g},{width * math.hypot(values[1], values[2]):.3f}\n")


def main():
    source, cells, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    line = outline(source)
    x, y = line.T
    area = abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2
    edge = math.sqrt(4 / math.sqrt(3) * area / cells)
    write_mesh(resampled(line, edge), edge, folder)
    write_bed(source, edge, folder)
    write_hydrographs(source, folder)
    inflows = "".join(f'{name} = {{ inflow = {{ series = "{name}.csv" }} }}\n' for name in RIVERS)
    with open(os.path.join(folder, "carlisle.toml"), "w") as f:
        f.write(CASE.format(cells=cells, edge=edge, inflows=inflows))


main()
