"""Tests of runs that are driven from Python: python tests/test_bmi.py, or pytest."""

from pathlib import Path

import numpy as np

import atoll
from running import run_tests

FLOOD = """
solver = "shallow-water"
[mesh]
generate = "rectangle"
bounds = [0, 0, 100, 40]
cells = 400
[physics]
layers = 1
[initial]
depth = "1 + 0.01*x"
h = "depth + 0.1*exp(-((x - 50)^2 + (y - 20)^2)/50)"
[time]
end = 12
[output]
every = 4
[[gauge]]
name = "middle"
at = [50, 20]
"""

BALL = """
solver = "level-set"
[grid]
bounds = [0, 0, 1, 1]
cells = [32, 32]
[initial]
shape = "circle(0.5, 0.75, 0.15)"
[velocity]
field = "rider-kothe"
period = 1
[time]
end = 0.2
[output]
every = 0.1
"""

VOF = BALL.replace("level-set", "vof")


def write(folder, text):
    path = folder / "case.toml"
    path.write_text(text)
    return path


def write_cases():
    """Write the cases of bmi-tester to this folder."""
    Path("flood.toml").write_text(FLOOD)
    Path("ball.toml").write_text(BALL)


def test_update_has_the_bits_of_a_run(folder):
    for text, name in ((FLOOD, "h"), (BALL, "phi"), (VOF, "f")):
        case = write(folder, text)
        run = atoll.run(case, out=folder / "run", force=True)
        for ranks in (1, 3):
            with atoll.Bmi(out=folder / "driven", ranks=ranks) as bmi:
                bmi.initialize(str(case))
                assert bmi.get_input_var_names() == (name,) and bmi.get_current_time() == 0
                values = np.empty(bmi.get_var_nbytes(name) // 8)
                held = bmi.get_value_ptr(name)
                steps = 0
                while bmi.get_current_time() < bmi.get_end_time():
                    bmi.update()
                    steps += 1
                    if steps == 2:  # to set what is there changes nothing
                        bmi.set_value(name, bmi.get_value(name, values))
                bmi.get_value(name, values)
                assert np.array_equal(held, values)
            driven = atoll.open(folder / "driven")
            assert driven.summary["steps"] == steps == run.summary["steps"]
            assert driven.hash == run.hash, (text, ranks)
            if name in run.frames:
                assert np.array_equal(run.frames[name].values[-1].reshape(-1), values)
            assert driven.conservation.equals(run.conservation)


def coupled(bmi, case, until):
    """Couple a model of rain: showers of 5 s that pass from west to east."""
    bmi.initialize(str(case))
    face_x = centres(bmi)[:, 0]
    h = np.empty(len(face_x))
    while bmi.get_current_time() < until:
        t = bmi.get_current_time()
        bmi.update_until(min(t + 1, bmi.get_end_time()))
        rain = np.where(abs(face_x - 10 * t) < 20, 1e-3, 0)  # m/s
        if bmi.get_current_time() < bmi.get_end_time():
            bmi.set_value("h", bmi.get_value("h", h) + rain * (bmi.get_current_time() - t))
    bmi.finalize()


def centres(bmi):
    x, y = (get(0, np.empty(bmi.get_grid_node_count(0))) for get in (bmi.get_grid_x, bmi.get_grid_y))
    corners = np.empty(3 * bmi.get_grid_face_count(0), int)
    bmi.get_grid_face_nodes(0, corners)
    return np.column_stack([x, y])[corners.reshape(-1, 3)].mean(axis=1)


def test_coupled_run_restarts_with_the_same_bits(folder):
    case = write(folder, FLOOD)
    coupled(atoll.Bmi(out=folder / "whole"), case, 12)
    whole = atoll.open(folder / "whole")
    assert whole.metrics["mass"] > whole.conservation.mass.values[0] + 10  # it has rained
    assert whole.hash != atoll.run(case, out=folder / "dry").hash
    coupled(atoll.Bmi(out=folder / "parts", ranks=2), case, 5)
    assert not (folder / "parts" / "summary.json").exists()
    resumed = atoll.Bmi(out=folder / "parts", ranks=3, restart=True)
    coupled(resumed, case, 12)
    parts = atoll.open(folder / "parts")
    assert parts.hash == whole.hash and parts.summary["time"] == 12
    assert parts.gauges["middle"].equals(whole.gauges["middle"])


SOURCES = FLOOD + """
[[source]]
name = "creek"
at = [20, 20]
discharge = { driven = 0.5, most = 20 }
[forcing]
rain = { driven = 0, most = "2000 mm/h" }
wind_x = { driven = 0, most = 30 }
wind_y = 0
"""


def weather(bmi, case, until, interval=1.0):
    """Couple a model of the weather and a creek. Return the rain that has fallen, m."""
    bmi.initialize(str(case))
    fallen = 0.0
    while bmi.get_current_time() < until:
        t = bmi.get_current_time()
        rain = 4e-4 if 2 <= t < 7 else 0  # m/s
        for name, value in (("rain", rain), ("creek_discharge", 2 + t), ("wind_x", -2 * t)):
            bmi.set_value(name, np.array([value]))
        bmi.update_until(min(t + interval, bmi.get_end_time()))
        fallen += rain * (bmi.get_current_time() - t)
    bmi.finalize()
    return fallen


def test_sources_are_set_between_steps(folder):
    case = write(folder, SOURCES)
    fallen = weather(atoll.Bmi(out=folder / "whole"), case, 12)
    whole = atoll.open(folder / "whole")
    last = whole.conservation.isel(t=-1)
    assert np.isclose(last.mass_from_rain, fallen * 100 * 40, rtol=1e-12)
    assert np.isclose(last.mass_from_creek, sum(2 + t for t in range(12)), rtol=1e-12)
    assert abs(whole.metrics["mass_drift"]) < 1e-12  # it is known where all water comes from
    weather(atoll.Bmi(out=folder / "parts", ranks=2), case, 5)
    weather(atoll.Bmi(out=folder / "parts", ranks=3, restart=True), case, 12)
    assert atoll.open(folder / "parts").hash == whole.hash
    # Without a driver, or if it sets nothing, the values of the case hold.
    undriven = atoll.run(case, out=folder / "undriven")
    with atoll.Bmi(out=folder / "unset") as bmi:
        bmi.initialize(str(case))
        bmi.update_until(bmi.get_end_time())
    assert atoll.open(folder / "unset").hash == undriven.hash != whole.hash
    plain = SOURCES.replace("{ driven = 0.5, most = 20 }", "0.5")
    assert np.isclose(undriven.metrics["mass"], atoll.run(write(folder, plain), out=folder / "plain").metrics["mass"])


def test_scalars(folder):
    with atoll.Bmi(out=folder / "out", ranks=2) as bmi:
        bmi.initialize(str(write(folder, SOURCES)))
        assert bmi.get_input_var_names() == ("h", "wind_x", "rain", "creek_discharge")
        grid = bmi.get_var_grid("rain")
        assert (bmi.get_grid_type(grid), bmi.get_grid_rank(grid), bmi.get_grid_size(grid)) == ("scalar", 0, 1)
        assert bmi.get_var_location("rain") == "none" and bmi.get_var_units("creek_discharge") == "m³/s"
        assert bmi.get_value("creek_discharge", np.empty(1))[0] == 0.5
        for value, text in ((1, "the case allows 0 to 0.000555"), (-1, "allows 0"), (np.nan, "is NaN")):
            try:
                bmi.set_value("rain", np.array([value]))
            except ValueError as e:
                assert text in str(e), str(e)
            else:
                raise AssertionError(f"rain of {value} m/s is accepted")


def test_grids(folder):
    bmi = atoll.Bmi(out=folder / "out", ranks=2)
    bmi.initialize(str(write(folder, FLOOD)))
    faces = bmi.get_grid_face_count(0)
    nodes, edges = bmi.get_grid_node_count(0), bmi.get_grid_edge_count(0)
    assert bmi.get_grid_type(0) == "unstructured" and nodes - edges + faces == 1  # Euler's formula
    depth = bmi.get_value("depth", np.empty(faces))
    assert np.allclose(depth, 1 + 0.01 * centres(bmi)[:, 0], rtol=1e-12)
    bmi.finalize()
    bmi = atoll.Bmi(out=folder / "grid", set={"grid.cells": [40, 20], "grid.bounds": [0, 0, 2, 1]})
    bmi.initialize(str(write(folder, VOF)))
    assert list(bmi.get_grid_shape(0, np.empty(2, int))) == [20, 40]
    assert list(bmi.get_grid_origin(0, np.empty(2))) == [0.025, 0.025]
    f = bmi.get_value("f", np.empty(800)).reshape(20, 40)
    assert f[15, 10] == 1 and f[5, 30] == 0
    bmi.finalize()


def test_refusals(folder):
    bmi = atoll.Bmi(out=folder / "out")
    bmi.initialize(str(write(folder, FLOOD)))
    n = bmi.get_var_nbytes("h") // 8
    wet = np.ones(n)
    for attempt, text in (
        (lambda: bmi.set_value("h", wet[:-1]), f"{n} numbers, not {n - 1}"),
        (lambda: bmi.set_value("h", np.r_[-1.0, wet[1:]]), "is -1"),
        (lambda: bmi.set_value("h", np.r_[wet[1:], np.nan]), "NaN"),
        (lambda: bmi.set_value("z", wet), "follows from the state"),
        (lambda: bmi.set_value("hh", wet), "there is no variable 'hh'"),
        (lambda: bmi.update_until(99), "the run ends at 12"),
        (lambda: bmi.update_until(-1), "cannot advance"),
    ):
        try:
            attempt()
        except (ValueError, KeyError) as e:
            assert text in str(e), str(e)
        else:
            raise AssertionError(f"no error with {text}")
    bmi.update()  # the run goes on
    bmi.finalize()
    bmi = atoll.Bmi(set={"time.ent": 1})
    try:
        bmi.initialize(str(folder / "case.toml"))
    except atoll.AtollError as e:
        assert e.code == 2 and "did you mean end?" in str(e)
    else:
        raise AssertionError("a wrong key has no error")


def test_meshes_that_change_are_refused(folder):
    bmi = atoll.Bmi(out=folder / "out", set={"adapt.every": 2, "adapt.error": 0.01, "adapt.hmin": 1})
    try:
        bmi.initialize(str(write(folder, FLOOD)))
    except atoll.AtollError as e:
        assert e.code == 2 and "on the same cells" in str(e), str(e)
    else:
        raise AssertionError("the mesh of a driven run changes")


def test_lost_driver(folder):
    """A run whose driver has ended saves its state."""
    bmi = atoll.Bmi(out=folder / "out")
    bmi.initialize(str(write(folder, FLOOD)))
    bmi.update_until(3)
    bmi._socket.shutdown(2)
    assert bmi._process.wait() == 75
    bmi.finalize()
    resumed = atoll.Bmi(out=folder / "out", restart=True)
    resumed.initialize(str(folder / "case.toml"))
    assert resumed.get_current_time() == 3
    resumed.finalize()


if __name__ == "__main__":
    run_tests(globals())
