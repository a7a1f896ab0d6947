# SPDX-License-Identifier: BSD-3-Clause
"""Runs and their results."""

from __future__ import annotations

import base64
import builtins
import csv
import json
import sys
import tempfile
import xml.etree.ElementTree as xml
from functools import cached_property
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional

import numpy as np
import xarray

from . import _vtk
from ._program import PathLike, assignments, call


class Picture:
    """A picture, which Jupyter shows. ``save`` writes it to a file."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def _repr_png_(self) -> str:
        return base64.b64encode(self.data).decode()

    def save(self, path: PathLike) -> None:
        Path(path).write_bytes(self.data)


class Result:
    """The results in the output folder of a run, which may still be under way."""

    def __init__(self, folder: PathLike) -> None:
        self.folder = Path(folder)
        if not self.folder.joinpath("run.json").is_file():
            raise FileNotFoundError(f"{self.folder} has no run.json: it is not the output folder of a run")

    def __repr__(self) -> str:
        return f"<atoll.Result {self.folder}>"

    @property
    def summary(self) -> Dict[str, Any]:
        """The summary of a run that has ended: steps, metrics, hash of the state and so on."""
        return dict(json.loads(self.folder.joinpath("summary.json").read_text(encoding="utf-8")))

    @property
    def metrics(self) -> Dict[str, float]:
        """The numbers measured at the end."""
        return dict(self.summary["metrics"])

    @property
    def hash(self) -> str:
        """The SHA-256 of the last state."""
        return str(self.summary["state_sha256"])

    @cached_property
    def frames(self) -> xarray.Dataset:
        """All frames: fields over time and the cells of a mesh (by key), or over time, (z,) y and x of a grid."""
        series = sorted(p for p in self.folder.glob("*.pvd")
                        if _series(p) and _series(p)[0][1].suffix in (".vti", ".vtu"))
        if series:
            return _dataset(_series(series[0]))
        files = [p for p in self.folder.glob("*.nc") if p.name not in ("gauges.nc", "transects.nc")]
        if files:
            return xarray.open_dataset(files[0])
        raise FileNotFoundError(f"{self.folder} has no frames: set output.every")

    @cached_property
    def gauges(self) -> Dict[str, xarray.Dataset]:
        """The rows of each gauge, over t in s, by its name."""
        return {p.stem: _table(p, "t") for p in sorted(self.folder.glob("gauges/*.csv"))}

    @cached_property
    def conservation(self) -> xarray.Dataset:
        """The table of conserved quantities, over t in s or sweeps."""
        return _table(self.folder / "conservation.csv", "t")

    @property
    def tables(self) -> Dict[str, xarray.Dataset]:
        """All tables of the folder, by the names of their files without .csv."""
        return {p.stem: _table(p, "t") for p in sorted(self.folder.glob("*.csv"))}

    def plot(self, field: Optional[str] = None, **options: Any) -> Picture:
        """Draw a field, by ``atoll plot``; options are its flags, as in ``frame=3, isolines=8, window="0:5,0:5"``."""
        flags = [] if field is None else [f"--field={field}"]
        for name, value in options.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            flags.append(f"--{name.replace('_', '-')}={text}")
        with tempfile.TemporaryDirectory(prefix="atoll-") as folder:
            path = Path(folder, "picture.png")
            call(["plot", str(self.folder), f"--out={path}", *flags])
            return Picture(path.read_bytes())


def open(folder: PathLike) -> Result:  # noqa: A001
    """Open the output folder of a run."""
    return Result(folder)


def run(case: PathLike, *, set: Optional[Mapping[str, Any]] = None, out: Optional[PathLike] = None,  # noqa: A002
        ranks: Optional[int] = None, threads: Optional[int] = None, backend: Optional[str] = None, force: bool = False,
        progress: Optional[Callable[[str], None]] = None) -> Result:
    """Run a case and return its results.

    set overrides keys of the case, as in ``{"physics.scheme": "roe"}``. A run that was stopped continues, and one that
    has ended is not repeated unless force is given or the case has changed. An interrupt (Ctrl-C, or the stop button
    of Jupyter) saves the state. progress is called with each line that the program prints; by default Jupyter shows
    the last one.
    """
    folder = Path(out) if out is not None else _folder(case, set)
    arguments = ["run", str(case), f"--out={folder}", *assignments(set)]
    for name, value in (("ranks", ranks), ("threads", threads), ("backend", backend)):
        if value is not None:
            arguments.append(f"--{name}={value}")
    if force:
        arguments.append("--force")
    call(arguments, progress or _notebook())
    return Result(folder)


def _folder(case: PathLike, values: Optional[Mapping[str, Any]]) -> Path:
    """Return the output folder that a case names."""
    with tempfile.TemporaryDirectory(prefix="atoll-") as folder:
        path = Path(folder, "estimate.json")
        text = call(["run", str(case), "--check", f"--summary={path}", *assignments(values)])
    inside = False
    for line in text.splitlines():
        if line.startswith("["):
            inside = line.strip() == "[output]"
        key, _, value = line.partition("=")
        if inside and key.strip() == "dir":
            return Path(json.loads(value.partition("#")[0].strip().replace("'", '"')))
    return Path("out", Path(case).stem)


def _notebook() -> Optional[Callable[[str], None]]:
    """Return a function that shows the last line of progress in Jupyter, or None elsewhere."""
    if "ipykernel" not in sys.modules:
        return None
    from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

    handle = display({"text/plain": "starting"}, raw=True, display_id=True)

    def show(line: str) -> None:
        percent = line.split(" %")[0].rsplit(None, 1)[-1] if " %" in line else ""
        bar = ""
        if percent.isdigit():
            bar = f'<progress value="{percent}" max="100" style="width:30em"></progress> '
        shown = line.replace("&", "&amp;").replace("<", "&lt;")
        if line.startswith(("step", "state", "simulated", "atoll:")) or bar:
            handle.update({"text/html": bar + f"<code>{shown}</code>", "text/plain": line}, raw=True)

    return show


def _table(path: Path, index: str) -> xarray.Dataset:
    """Read a table in CSV as a dataset over one of its columns. Empty cells are NaN."""
    with builtins.open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if not rows:
        return xarray.Dataset()
    columns: Dict[str, Any] = {}
    for k, name in enumerate(rows[0]):
        words = [row[k] for row in rows[1:] if len(row) == len(rows[0])]
        try:
            columns[name] = np.array([float(word) if word else np.nan for word in words])
        except ValueError:
            columns[name] = np.array(words)
    over = index if index in columns else rows[0][0]
    data = {name: (over, values) for name, values in columns.items() if name != over}
    return xarray.Dataset(data, coords={over: columns[over]})


def _series(path: Path) -> "List[tuple[float, Path]]":
    return [(float(d.get("timestep", "0")), path.parent / d.get("file", "")) for d in xml.parse(path).iter("DataSet")]


def _dataset(series: "List[tuple[float, Path]]") -> xarray.Dataset:
    """Combine frames into one dataset."""
    grids = [_vtk.read(path) for _, path in series]
    last = grids[-1]
    coords: Dict[str, Any] = {"time": ("time", np.array([t for t, _ in series]), {"units": "s"})}
    if last.shape:
        dims = list("xyz"[:len(last.shape)])[::-1]
        for d, n, h, x in zip("xyz", last.shape, last.spacing, last.origin):
            coords[d] = (d, x + h * (np.arange(n) + 0.5), {"units": "m"})
        orders: List[Any] = [slice(None)] * len(grids)
    else:
        dims = ["cell"]
        # In the order of the mesh, which is the same for any number of ranks.
        orders = [np.argsort(g.cells["cell"], kind="stable") if "cell" in g.cells else slice(None) for g in grids]
        coords.update(_mesh(last, orders[-1], grids))
    data: Dict[str, Any] = {}
    for name in last.cells:
        if name == "cell":
            continue
        values = np.stack([g.cells[name][order] for g, order in zip(grids, orders)])
        names = ["time", *dims]
        if values.ndim > len(names):
            names.append(f"{name}_component")
        data[name] = (names, values, {"units": last.units.get(name, "1")})
    return xarray.Dataset(data, coords=coords)


def _mesh(grid: _vtk.Grid, order: Any, grids: List[_vtk.Grid]) -> Dict[str, Any]:
    """Return the positions of points and the corners of cells as coordinates."""
    corners = np.diff(grid.offsets, prepend=0)
    if len(corners) == 0 or corners.min() != corners.max():
        return {}
    cells = grid.connectivity.reshape(-1, corners[0])[order]
    coords: Dict[str, Any] = {"cell_points": (("cell", "corner"), cells)}
    axes = "xyz" if np.any(grid.positions[:, 2]) else "xy"
    if all(len(g.positions) == len(grid.positions) for g in grids):
        moving = any(not np.array_equal(g.positions, grid.positions) for g in grids)
        for k, axis in enumerate(axes):
            x = np.stack([g.positions[:, k] for g in grids]) if moving else grid.positions[:, k]
            coords[f"point_{axis}"] = (("time", "point") if moving else "point", x, {"units": "m"})
    centres = grid.positions[cells].mean(axis=1)
    for k, axis in enumerate(axes):
        coords[axis] = ("cell", centres[:, k], {"units": "m"})
    return coords
