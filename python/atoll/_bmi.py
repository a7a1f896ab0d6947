# SPDX-License-Identifier: BSD-3-Clause
"""A live run with the Basic Model Interface (BMI 2.0)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from ._program import SAVED, AtollError, PathLike, Stopped, assignments, program

try:
    from bmipy import Bmi as _Base
except ImportError:  # bmipy only declares the methods
    _Base = object  # type: ignore[assignment,misc,unused-ignore]

Array = NDArray[Any]


class Bmi(_Base):  # type: ignore[misc,valid-type,unused-ignore]
    """A run that is driven from Python.

    The configuration file of ``initialize`` is a case. ``update`` takes a step, as long as that of ``atoll run``:
    a run driven by ``update`` has the same bits. ``update_until`` ends exactly at a time, for which it shortens a
    step. Variables are the fields of the case on cells (BMI calls them faces) or vertices, and the numbers that the
    case leaves to Python, such as ``rain = { driven = 0, most = "100 mm/h" }``; those of ``get_input_var_names`` can be
    set between steps. A run that ``finalize`` ends before its end is saved: with
    restart=True ``initialize`` continues it, with the same bits as if it had not been interrupted.

    set overrides keys of the case, as in atoll.run; out is the output folder.
    """

    def __init__(self, *, set: Optional[Mapping[str, Any]] = None, out: Optional[PathLike] = None,  # noqa: A002
                 ranks: int = 1, threads: Optional[int] = None, backend: Optional[str] = None,
                 restart: bool = False) -> None:
        self._options = assignments(set) + [f"--ranks={ranks}", "--restart" if restart else "--force"]
        for name, value in (("out", out and os.fspath(out)), ("threads", threads), ("backend", backend)):
            if value is not None:
                self._options.append(f"--{name}={value}")
        self._process: Optional[subprocess.Popen[str]] = None
        self._socket: Optional[socket.socket] = None
        self._about: Dict[str, Any] = {}
        self._now: Dict[str, Any] = {}
        self._held: Dict[str, Array] = {}
        self._meshes: Dict[int, "_Mesh"] = {}
        self._start = 0.0

    # Control

    def initialize(self, config_file: str) -> None:
        """Start the run of a case. It waits before its first step."""
        if self._process is not None:
            raise RuntimeError("this run is initialized already")
        with tempfile.TemporaryDirectory(prefix="atoll-") as folder, socket.socket(socket.AF_UNIX) as listener:
            path = os.path.join(folder, "drive")
            listener.bind(path)
            listener.listen(1)
            listener.settimeout(0.05)
            self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
            # A session of its own: the interrupt of a notebook is for Python alone.
            command = [program(), "run", config_file, "--quiet", f"--drive={path}", *self._options]
            self._process = subprocess.Popen(command, stdout=self._log, stderr=self._log, text=True,
                                             start_new_session=True)
            while self._socket is None:
                try:
                    self._socket = listener.accept()[0]
                except socket.timeout:
                    if self._process.poll() is not None:
                        raise self._failure() from None
            self._socket.settimeout(None)
            self._file = self._socket.makefile("rb", buffering=1 << 16)
        self._about, _ = self._ask({"do": "describe"})
        self._start = 0.0
        self._names = [v["name"] for v in self._about["variables"]]
        self._variables = {v["name"]: v for v in self._about["variables"]}
        self._grids = [g["name"] for g in self._about["grids"]]

    def update(self) -> None:
        """Take a step."""
        self._ask({"do": "advance", "steps": 1})

    def update_until(self, time: float) -> None:
        """Take steps up to a time, the last of which ends there."""
        if time != self._now["time"]:
            self._ask({"do": "advance", "until": float(time)})

    def finalize(self) -> None:
        """End the run: complete its output, or save its state if it has not reached its end."""
        process = self._process
        if process is None:
            return
        assert self._socket is not None
        try:
            self._socket.sendall(b'{"do":"stop"}\n')
        except OSError:
            pass  # the exit code says why
        if process.wait() not in (0, SAVED):
            raise self._failure()
        self._close()

    def _close(self) -> None:
        if self._socket is not None:
            self._file.close()
            self._socket.close()
        self._log.close()
        self._process = self._socket = None
        self._meshes.clear()
        self._held.clear()

    def __enter__(self) -> "Bmi":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.finalize()

    def _failure(self) -> AtollError:
        assert self._process is not None
        code = self._process.wait()
        self._log.seek(0)
        text = self._log.read().strip().replace("atoll: ", "", 1)
        self._close()
        if code == 0:
            text = "the run has ended already: its folder holds the results"
        return (Stopped if code == SAVED else AtollError)(text or f"atoll ended with exit code {code}", code)

    def _ask(self, request: Dict[str, Any], values: Optional[Array] = None) -> Tuple[Dict[str, Any], Array]:
        if self._socket is None:
            raise RuntimeError("this run is not initialized")
        data = b"" if values is None else np.ascontiguousarray(values, "<f8").tobytes()
        try:
            self._socket.sendall(json.dumps({**request, "bytes": len(data)}).encode() + b"\n" + data)
            line = self._file.readline()
            answer = json.loads(line) if line else None
            numbers = self._file.read(answer["bytes"]) if answer else b""
        except OSError:
            answer = None
        if answer is None:
            raise self._failure()
        if "error" in answer:
            raise ValueError(answer["error"])
        self._now = answer
        self._refresh(request["do"])
        return answer, np.frombuffer(numbers, "<f8")

    # Information

    def get_component_name(self) -> str:
        return f"Atoll: {self._about['solver']}" if self._about else "Atoll"

    def get_input_item_count(self) -> int:
        return len(self.get_input_var_names())

    def get_output_item_count(self) -> int:
        return len(self._names)

    def get_input_var_names(self) -> Tuple[str, ...]:  # type: ignore[override,unused-ignore]
        """Return the names of the variables that can be set."""
        return tuple(name for name in self._names if self._variables[name]["settable"])

    def get_output_var_names(self) -> Tuple[str, ...]:  # type: ignore[override,unused-ignore]
        return tuple(self._names)

    def get_var_grid(self, name: str) -> int:
        return self._grids.index(self._variable(name)["grid"])

    def get_var_type(self, name: str) -> str:
        self._variable(name)
        return "float64"

    def get_var_units(self, name: str) -> str:
        return self._variable(name)["unit"] or "1"

    def get_var_itemsize(self, name: str) -> int:
        self._variable(name)
        return 8

    def get_var_nbytes(self, name: str) -> int:
        return 8 * int(self._grid(self.get_var_grid(name))["count"])

    def get_var_location(self, name: str) -> str:
        """Return where the numbers are: on the faces of a mesh, on the nodes of a grid of cell centres, or none."""
        return {"vti": "node", "vtu": "face"}.get(self._grid(self.get_var_grid(name))["format"], "none")

    def _variable(self, name: str) -> Dict[str, Any]:
        if name not in self._variables:
            raise KeyError(f"there is no variable {name!r}: choose one of {', '.join(self._names)}")
        return dict(self._variables[name])

    # Time

    def get_current_time(self) -> float:
        return float(self._now["time"])

    def get_start_time(self) -> float:
        return self._start

    def get_end_time(self) -> float:
        return float(self._about["end"])

    def get_time_units(self) -> str:
        return str(self._about["unit"])

    def get_time_step(self) -> float:
        """Return the length of the last step: a run adapts it."""
        return float(self._now["dt"])

    # Values

    def get_value(self, name: str, dest: Array) -> Array:
        """Copy the numbers of a variable, in the order of the cells, which is the same for any number of ranks."""
        self._variable(name)
        dest.reshape(-1)[:] = self._ask({"do": "get", "name": name})[1]
        return dest

    def get_value_ptr(self, name: str) -> Array:
        """Return an array that follows the variable: it is read again after each step. Write by set_value instead."""
        if name not in self._held:
            self._held[name] = self.get_value(name, np.empty(self.get_var_nbytes(name) // 8))
        view = self._held[name].view()
        view.flags.writeable = False
        return view

    def _refresh(self, done: str) -> None:
        if done in ("advance", "set"):
            for name, array in self._held.items():
                self.get_value(name, array)

    def get_value_at_indices(self, name: str, dest: Array, inds: Array) -> Array:
        values = self.get_value(name, np.empty(self.get_var_nbytes(name) // 8))
        dest.reshape(-1)[:] = values[np.asarray(inds).reshape(-1)]
        return dest

    def set_value(self, name: str, src: Array) -> None:
        """Set the numbers of a variable before the next step."""
        self._variable(name)
        self._ask({"do": "set", "name": name}, np.asarray(src, float).reshape(-1))

    def set_value_at_indices(self, name: str, inds: Array, src: Array) -> None:
        values = self.get_value(name, np.empty(self.get_var_nbytes(name) // 8))
        values[np.asarray(inds).reshape(-1)] = np.asarray(src).reshape(-1)
        self.set_value(name, values)

    # Grids

    def _grid(self, grid: int) -> Dict[str, Any]:
        return dict(self._about["grids"][grid])

    def _mesh(self, grid: int) -> "_Mesh":
        if self._is_scalar(grid):
            raise NotImplementedError("a scalar has no nodes")
        if grid not in self._meshes:
            answer, numbers = self._ask({"do": "grid", "name": self._grids[grid]})
            self._meshes[grid] = _Mesh(answer, numbers)
        return self._meshes[grid]

    def get_grid_type(self, grid: int) -> str:
        if self._is_scalar(grid):
            return "scalar"
        return "uniform_rectilinear" if self._grid(grid)["format"] == "vti" else "unstructured"

    def _is_scalar(self, grid: int) -> bool:
        """Tell the grid of numbers, such as the rain, from those of fields."""
        return not self._grid(grid)["format"]

    def get_grid_rank(self, grid: int) -> int:
        return 0 if self._is_scalar(grid) else self._mesh(grid).dim

    def get_grid_size(self, grid: int) -> int:
        """Return the number of nodes. Those of a uniform grid are the centres of its cells."""
        if self._is_scalar(grid):
            return 1
        mesh = self._mesh(grid)
        return int(np.prod(mesh.cells)) if mesh.cells else len(mesh.points)

    def get_grid_shape(self, grid: int, shape: Array) -> Array:
        """Return the cells along (z,) y and x."""
        shape[:] = self._uniform(grid).cells[::-1]
        return shape

    def get_grid_spacing(self, grid: int, spacing: Array) -> Array:
        spacing[:] = self._uniform(grid).spacing[::-1]
        return spacing

    def get_grid_origin(self, grid: int, origin: Array) -> Array:
        """Return the centre of the first cell, (z,) y and x."""
        mesh = self._uniform(grid)
        origin[:] = [x + h / 2 for x, h in zip(mesh.origin, mesh.spacing)][::-1]
        return origin

    def _uniform(self, grid: int) -> "_Mesh":
        mesh = self._mesh(grid)
        if not mesh.cells:
            raise NotImplementedError("an unstructured grid has no shape, spacing and origin")
        return mesh

    def _axis(self, grid: int, axis: int, values: Array) -> Array:
        mesh = self._mesh(grid)
        if mesh.cells:
            values[:] = mesh.origin[axis] + mesh.spacing[axis] * (np.arange(mesh.cells[axis]) + 0.5)
        else:
            values[:] = mesh.points[:, axis]
        return values

    def get_grid_x(self, grid: int, x: Array) -> Array:
        return self._axis(grid, 0, x)

    def get_grid_y(self, grid: int, y: Array) -> Array:
        return self._axis(grid, 1, y)

    def get_grid_z(self, grid: int, z: Array) -> Array:
        if self._mesh(grid).dim < 3:
            raise NotImplementedError("the grid has two dimensions")
        return self._axis(grid, 2, z)

    def get_grid_node_count(self, grid: int) -> int:
        return self.get_grid_size(grid)

    def get_grid_edge_count(self, grid: int) -> int:
        return len(self._mesh(grid).edges)

    def get_grid_face_count(self, grid: int) -> int:
        return len(self._mesh(grid).faces)

    def get_grid_edge_nodes(self, grid: int, edge_nodes: Array) -> Array:
        edge_nodes[:] = self._mesh(grid).edges.reshape(-1)
        return edge_nodes

    def get_grid_face_edges(self, grid: int, face_edges: Array) -> Array:
        face_edges[:] = self._mesh(grid).face_edges.reshape(-1)
        return face_edges

    def get_grid_face_nodes(self, grid: int, face_nodes: Array) -> Array:
        face_nodes[:] = self._mesh(grid).faces.reshape(-1)
        return face_nodes

    def get_grid_nodes_per_face(self, grid: int, nodes_per_face: Array) -> Array:
        nodes_per_face[:] = self._mesh(grid).faces.shape[1]
        return nodes_per_face


class _Mesh:
    """The nodes, faces and edges of a mesh, or the cells of a uniform grid along x, y, z."""

    def __init__(self, answer: Dict[str, Any], numbers: Array) -> None:
        self.cells: List[int] = answer.get("cells", [])
        self.spacing: List[float] = answer.get("spacing", [])
        self.origin: List[float] = answer.get("origin", [])
        self.points, self.faces = np.zeros((0, 3)), np.zeros((0, 3), int)
        self.edges, self.face_edges = np.zeros((0, 2), int), np.zeros((0, 3), int)
        if self.cells:
            self.dim = len(self.cells)
            return
        corners = answer["corners"]
        # Nodes are numbered in the order in which cells refer to them; corners at the same position are one node.
        unique, first, inverse = np.unique(numbers.reshape(-1, 3), axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty(len(order), int)
        number[order] = np.arange(len(order))
        self.points = unique[order]
        self.faces = number[inverse.reshape(-1)].reshape(-1, corners)
        self.dim = 3 if np.any(self.points[:, 2]) else 2
        if corners == 3:
            pairs = np.stack([self.faces, np.roll(self.faces, -1, axis=1)], axis=2).reshape(-1, 2)
            self.edges, index = np.unique(np.sort(pairs, axis=1), axis=0, return_inverse=True)
            self.face_edges = index.reshape(-1, 3)
