"""Tests of the installed package: python tests/test_package.py, or pytest."""

import json
import subprocess
from pathlib import Path

import numpy as np

import atoll
from running import run_tests

SMALL = {"mesh.cells": 500, "time.end": 0.1, "output.every": 0.05}


def test_run_and_open(folder):
    case = atoll.example("dam-break", folder)
    assert case == Path(folder, "dam-break.toml") and "vortex" in atoll.examples()
    lines = []
    result = atoll.run(case, set=SMALL, out=folder / "out", progress=lines.append)
    assert any("simulated" in line for line in lines)
    summary = json.loads((folder / "out" / "summary.json").read_text())
    assert result.hash == summary["state_sha256"] and result.metrics["mass1_drift"] == 0
    frames = result.frames
    assert frames.sizes["time"] == 3 and frames.h1.attrs["units"] == "m"
    assert frames.h1.shape == (3, summary["cells"])
    # The field and the mesh belong together: 0.5 m of the upper layer stand over the column, 4 m around it.
    r = np.hypot(frames.x, frames.y).values
    assert np.array_equal(frames.h1.values[0], np.where(r > 1.5, 4, 0.5))
    two = atoll.run(case, set={**SMALL, "output.format": ["nc"]}, out=folder / "two", ranks=2)
    assert two.hash == result.hash
    assert np.array_equal(two.frames.h1.values, frames.h1.values)
    centre = result.gauges["centre"]
    assert centre.t.values[0] == 0 and centre.h1.values[0] == 0.5
    assert result.conservation.mass1.values[0] == result.metrics["mass1"]
    picture = result.plot("h1", width=300)
    assert picture.data.startswith(b"\x89PNG") and picture._repr_png_()
    assert atoll.open(folder / "out").hash == result.hash
    assert atoll.run(case, set=SMALL, out=folder / "out").hash == result.hash  # which is not computed again


def test_grid(folder):
    case = atoll.example("vortex", folder)
    settings = {"grid.cells": np.array([32, 16]), "time.end": 0.1, "output.every": 0.1}
    frames = atoll.run(case, set=settings, out=folder / "vof", ranks=2).frames
    assert frames.f.dims == ("time", "y", "x") and frames.f.shape == (2, 16, 32)
    assert frames.normal.shape == (2, 16, 32, 3)
    inside = (frames.x - 0.5) ** 2 + (frames.y - 0.75) ** 2 < 0.1**2
    assert bool((frames.f.isel(time=0).where(inside, 1) == 1).all())


def test_errors(folder):
    case = atoll.example("vortex", folder)
    for settings, text in (({"time.ent": 1}, "did you mean end?"), ({"grid.cells": [0, 1]}, "cells")):
        try:
            atoll.run(case, set=settings, out=folder / "error")
        except atoll.AtollError as e:
            assert e.code == 2 and text in str(e), str(e)
        else:
            raise AssertionError("there was no error")
    try:
        atoll.open(folder / "nothing")
    except FileNotFoundError as e:
        assert "run.json" in str(e)


def test_mesh(folder):
    n = 9
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    points = np.column_stack([x.ravel(), y.ravel()])
    corner = (np.arange(n - 1) + n * np.arange(n - 1)[:, None]).ravel()
    cells = np.concatenate([np.column_stack([corner, corner + 1, corner + n + 1]),
                            np.column_stack([corner, corner + n + 1, corner + n])])
    right = 12 * np.sqrt(3) / 2 / (2 + np.sqrt(2)) ** 2
    assert np.allclose(atoll.mesh.quality(points, cells), right, rtol=1e-14)
    inner = (points > 0).all(axis=1) & (points < 1).all(axis=1)
    points[inner] += np.random.default_rng(1).uniform(-0.04, 0.04, (inner.sum(), 2))
    before = atoll.mesh.quality(points, cells)
    points, report = atoll.mesh.smooth(points, cells, width=1 / 8, height=1 / 8, rescale=False)
    after = atoll.mesh.quality(points, cells)
    assert after.min() > before.min() and points.shape == (n * n, 2) and report["cells"] == len(cells)
    finer, triangles, report = atoll.mesh.adapt(points, cells, size=1 / 16)
    assert len(triangles) > 2 * len(cells) and atoll.mesh.quality(finer, triangles).min() > 0.4
    a, b, c = (finer[triangles[:, k]] for k in range(3))
    areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    assert abs(areas.sum() - 1) < 1e-12
    tetrahedron = np.array([[0, 0, 0], [1, 0, 0], [0.5, np.sqrt(3) / 2, 0], [0.5, np.sqrt(3) / 6, np.sqrt(2 / 3)]])
    for order, sign in (([0, 1, 2, 3], 1), ([1, 0, 2, 3], -1)):
        assert np.allclose(atoll.mesh.quality(tetrahedron, [order]), sign)
    try:
        atoll.mesh.smooth(points[:, ::-1], cells)
    except atoll.AtollError as e:
        assert "inverted" in str(e) or "clockwise" in str(e), str(e)
    for bad, text in ((points[:, :1], "shape"), (points[:4], "refer to points")):
        try:
            atoll.mesh.quality(bad, cells)
        except ValueError as e:
            assert text in str(e)


def test_command():
    out = subprocess.run([atoll.program(), "--version"], capture_output=True, text=True, check=True).stdout
    assert out.startswith("atoll version v" + atoll.__version__)


if __name__ == "__main__":
    run_tests(globals())
