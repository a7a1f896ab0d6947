# SPDX-License-Identifier: BSD-3-Clause
"""Mesh functions on numpy arrays: quality, smoothing and adaptation toward a metric."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, Dict, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _vtk
from ._program import call

__all__ = ["Adapted", "Smoothed", "adapt", "quality", "smooth"]


class Smoothed(NamedTuple):
    """A smoothed mesh: the positions of its vertices, and the report with measures before and after."""

    points: NDArray[np.float64]
    report: Dict[str, Any]


class Adapted(NamedTuple):
    """An adapted mesh: its vertices and cells, and the report with measures before and after."""

    points: NDArray[np.float64]
    cells: NDArray[np.int64]
    report: Dict[str, Any]


def quality(points: ArrayLike, cells: ArrayLike) -> NDArray[np.float64]:
    """Return the quality of each triangle (m, 3) or tetrahedron (m, 4).

    It is 1 if the cell is equilateral, 0 if it is flat, negative if it is inverted. points are (n, 2) or (n, 3). The
    quality of a triangle of area A with edges of length P in all is 12√3 A/P²; that of a tetrahedron of volume V is
    1296√2 V/P³. Triangles in space are never inverted. ``atoll smooth`` calls these numbers shape.
    """
    x, c = _arrays(points, cells)
    corners = [x[c[:, k]] for k in range(c.shape[1])]
    edges = np.zeros(len(c))
    for i, a in enumerate(corners):
        for b in corners[i + 1:]:
            edges += np.linalg.norm(a - b, axis=1)
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    with np.errstate(invalid="ignore", divide="ignore"):
        if len(corners) == 3:
            area = np.linalg.norm(normal, axis=1) / 2 if np.any(x[:, 2]) else normal[:, 2] / 2
            result = 12 * np.sqrt(3) * area / edges**2
        else:
            volume = np.einsum("ij,ij->i", normal, corners[3] - corners[0]) / 6
            result = 1296 * np.sqrt(2) * volume / edges**3
    return np.asarray(np.where(edges > 0, result, 0.0))


def smooth(points: ArrayLike, cells: ArrayLike, **options: Any) -> Smoothed:
    """Move the vertices of a mesh so that its cells have the sizes that a metric requires, keeping the cells.

    points are (n, 2) or (n, 3), cells (m, 3) triangles or (m, 4) tetrahedra. options are the flags of ``atoll
    smooth``, as in ``width="0.1 + 0.2*x", height=0.1, smoother="barrier", untangle=True``; without a metric the sizes
    are those of the given cells. Vertices keep their order. AtollError says why a mesh is refused.
    """
    after, report = _call("smooth", points, cells, options)
    return Smoothed(np.array(after.positions[:, :np.shape(points)[1]]), report)


def adapt(points: ArrayLike, cells: ArrayLike, **options: Any) -> Adapted:
    """Split, collapse and swap cells, and move vertices, so that cells have the sizes that a metric requires.

    Arguments are those of smooth, and options the flags of ``atoll adapt``, as in ``size=0.02`` or
    ``hessian="tanh(20*(x - y))", target=4000``.
    """
    after, report = _call("adapt", points, cells, options)
    corners = np.shape(cells)[1]
    chosen = np.repeat(after.types == {3: 5, 4: 10}[corners], np.diff(after.offsets, prepend=0))
    adapted = after.connectivity[chosen].reshape(-1, corners).astype(np.int64)
    return Adapted(np.array(after.positions[:, :np.shape(points)[1]]), adapted, report)


def _call(command: str, points: ArrayLike, cells: ArrayLike,
          options: Dict[str, Any]) -> "tuple[_vtk.Grid, Dict[str, Any]]":
    """Run a command on a mesh; return the mesh that it writes, and its report."""
    x, c = _arrays(points, cells)
    flags = []
    for name, value in options.items():
        text = str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)
        flags.append(f"--{name.replace('_', '-')}={text}")
    with tempfile.TemporaryDirectory(prefix="atoll-") as folder:
        before, after, report = (Path(folder, name) for name in ("before.vtu", "after.vtu", "report.json"))
        _vtk.write_mesh(before, x, c)
        call([command, str(before), str(after), f"--json={report}", *flags])
        return _vtk.read(after), json.loads(report.read_text(encoding="utf-8"))


def _arrays(points: ArrayLike, cells: ArrayLike) -> "tuple[NDArray[np.float64], NDArray[np.int64]]":
    x, c = np.asarray(points, float), np.asarray(cells)
    if x.ndim != 2 or x.shape[1] not in (2, 3):
        raise ValueError(f"points have the shape {x.shape}: want (n, 2) or (n, 3)")
    if c.ndim != 2 or c.shape[1] not in (3, 4) or not np.issubdtype(c.dtype, np.integer):
        raise ValueError(f"cells have the shape {c.shape} and type {c.dtype}: want integers (m, 3) or (m, 4)")
    if c.shape[1] == 4 and x.shape[1] == 2:
        raise ValueError("tetrahedra need points (n, 3)")
    if len(c) and (c.min() < 0 or c.max() >= len(x)):
        raise ValueError(f"cells refer to points {c.min()} to {c.max()}: there are points 0 to {len(x) - 1}")
    if x.shape[1] == 2:
        x = np.column_stack([x, np.zeros(len(x))])
    return x, c.astype(np.int64)
