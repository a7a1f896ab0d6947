# SPDX-License-Identifier: BSD-3-Clause
"""Reading and writing of the VTK files that Atoll writes and reads: .vtu and .vti with appended raw data."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as xml
import zlib
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Grid(NamedTuple):
    """What a file holds: its arrays, and of a uniform grid the number of cells, the spacing and the origin."""

    cells: Dict[str, Array]  # by name, for each cell
    points: Dict[str, Array]  # by name, for each point
    fields: Dict[str, Array]  # of the whole file
    units: Dict[str, str]  # by name
    positions: Array  # of the points, (n, 3); empty for a uniform grid
    connectivity: Array  # points of all cells
    offsets: Array  # where the points of each cell end
    types: Array  # VTK's numbers: 5 triangle, 10 tetrahedron
    shape: Tuple[int, ...]  # cells of a uniform grid along x, y, z; () for others
    spacing: Tuple[float, ...]
    origin: Tuple[float, ...]


_types = {"Float64": "<f8", "Float32": "<f4", "Int64": "<i8", "Int32": "<i4", "Int8": "<i1", "UInt8": "<u1",
          "UInt32": "<u4", "UInt64": "<u8", "Int16": "<i2", "UInt16": "<u2"}


def read(path: Path) -> Grid:
    """Read a .vtu or .vti file."""
    text = path.read_bytes()
    begin = text.find(b"<AppendedData")
    if begin < 0:
        raise ValueError(f"{path}: there are no appended data, as Atoll writes them")
    data = memoryview(text)[text.index(b"_", begin) + 1:]
    root = xml.fromstring(re.sub(rb"[^\x09\x0a\x0d\x20-\xff]", b"", text[:begin]) + b"</VTKFile>")
    compressed = root.get("compressor") is not None
    whole = root[0]
    pieces = whole.findall("Piece")
    parts = [_piece(p, data, compressed) for p in pieces]
    fields, units = _arrays(whole.find("FieldData"), data, compressed)
    for p in parts:
        units.update(p["units"])
    shape, spacing, origin = _uniform(whole)
    if shape:
        cells = {name: _assemble(name, parts, pieces, shape, whole) for name in parts[0]["CellData"]}
        none = np.zeros(0)
        return Grid(cells, {}, fields, units, none.reshape(0, 3), none, none, none, shape, spacing, origin)
    first = np.cumsum([0] + [len(p["Points"]) for p in parts])
    ends = np.cumsum([0] + [len(p["Cells"]["connectivity"]) for p in parts])

    def joined(kind: str) -> Dict[str, Array]:
        return {name: np.concatenate([p[kind][name] for p in parts]) for name in parts[0][kind]}

    return Grid(joined("CellData"), joined("PointData"), fields, units,
                np.concatenate([p["Points"] for p in parts]),
                np.concatenate([p["Cells"]["connectivity"] + n for p, n in zip(parts, first)]),
                np.concatenate([p["Cells"]["offsets"] + n for p, n in zip(parts, ends)]),
                np.concatenate([p["Cells"]["types"] for p in parts]), (), (), ())


def _piece(piece: xml.Element, data: memoryview, compressed: bool) -> Dict[str, Any]:
    result: Dict[str, Any] = {"units": {}}
    for kind in ("PointData", "CellData", "Cells"):
        result[kind], units = _arrays(piece.find(kind), data, compressed)
        result["units"].update(units)
    points, _ = _arrays(piece.find("Points"), data, compressed)
    result["Points"] = next(iter(points.values()), np.zeros((0, 3)))
    return result


def _arrays(parent: Optional[xml.Element], data: memoryview,
            compressed: bool) -> Tuple[Dict[str, Array], Dict[str, str]]:
    arrays: Dict[str, Array] = {}
    units: Dict[str, str] = {}
    for a in [] if parent is None else parent.findall("DataArray"):
        name, components = a.get("Name", ""), int(a.get("NumberOfComponents", "1"))
        values = np.frombuffer(_bytes(data, int(a.get("offset", "0")), compressed), _types[a.get("type", "")])
        arrays[name] = values.reshape(-1, components) if components > 1 else values
        for key in a.findall("InformationKey"):
            if key.get("name") == "UNITS_LABEL" and key.text:
                units[name] = key.text
    return arrays, units


def _bytes(data: memoryview, offset: int, compressed: bool) -> bytes:
    (count,) = struct.unpack_from("<Q", data, offset)
    if not compressed:
        return bytes(data[offset + 8:offset + 8 + count])
    sizes = struct.unpack_from(f"<{count}Q", data, offset + 24)
    at = offset + 24 + 8 * count
    blocks: List[bytes] = []
    for size in sizes:
        blocks.append(zlib.decompress(data[at:at + size]))
        at += size
    return b"".join(blocks)


def _uniform(whole: xml.Element) -> Tuple[Tuple[int, ...], Tuple[float, ...], Tuple[float, ...]]:
    extent = whole.get("WholeExtent")
    if extent is None:
        return (), (), ()
    e = [int(word) for word in extent.split()]
    shape = tuple(hi - lo for lo, hi in zip(e[::2], e[1::2]) if hi > lo)
    spacing = tuple(float(word) for word in whole.get("Spacing", "").split())
    origin = tuple(float(word) for word in whole.get("Origin", "").split())
    return shape, spacing[:len(shape)], origin[:len(shape)]


def _assemble(name: str, parts: List[Dict[str, Any]], pieces: List[xml.Element], shape: Tuple[int, ...],
              whole: xml.Element) -> Array:
    """Return the values of a uniform grid in the order (…, y, x), from the blocks of all ranks."""
    sample = parts[0]["CellData"][name]
    result = np.empty(shape[::-1] + sample.shape[1:], sample.dtype)
    first = [int(word) for word in whole.get("WholeExtent", "").split()][::2]
    for part, piece in zip(parts, pieces):
        e = [int(word) for word in piece.get("Extent", "").split()]
        ranges = [slice(lo - f, hi - f) for lo, hi, f in zip(e[::2], e[1::2], first)][:len(shape)][::-1]
        values = part["CellData"][name]
        result[tuple(ranges)] = values.reshape(tuple(r.stop - r.start for r in ranges) + sample.shape[1:])
    return result


def write_mesh(path: Path, points: Array, cells: Array) -> None:
    """Write a mesh of triangles (m, 3) or tetrahedra (m, 4) as .vtu."""
    corners = cells.shape[1]
    arrays = [("Points", "Float64", 3, np.ascontiguousarray(points, "<f8")),
              ("connectivity", "Int64", 1, np.ascontiguousarray(cells, "<i8")),
              ("offsets", "Int64", 1, np.arange(1, len(cells) + 1, dtype="<i8") * corners),
              ("types", "UInt8", 1, np.full(len(cells), {3: 5, 4: 10}[corners], "<u1"))]
    tags, blocks, offset = [], [], 0
    for name, kind, components, values in arrays:
        tags.append(f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{components}" format="appended" '
                    f'offset="{offset}"/>')
        block = values.tobytes()
        blocks.append(struct.pack("<Q", len(block)) + block)
        offset += 8 + len(block)
    head = ('<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" '
            f'header_type="UInt64">\n<UnstructuredGrid>\n<Piece NumberOfPoints="{len(points)}" '
            f'NumberOfCells="{len(cells)}">\n<Points>{tags[0]}</Points>\n<Cells>{"".join(tags[1:])}</Cells>\n</Piece>\n'
            '</UnstructuredGrid>\n<AppendedData encoding="raw">\n_')
    path.write_bytes(head.encode() + b"".join(blocks) + b"\n</AppendedData>\n</VTKFile>\n")
