# SPDX-License-Identifier: BSD-3-Clause
"""Run Atoll from Python, read its results, and drive a run step by step.

    import atoll

    result = atoll.run("case.toml", set={"time.end": 2.0})
    result.frames                  # an xarray.Dataset over time and cells
    result.plot("h1")              # a picture, shown by Jupyter

The program itself is in the same wheel, as the command ``atoll``.
"""

from . import mesh
from ._bmi import Bmi
from ._program import AtollError, Stopped, example, examples, program
from ._results import Picture, Result, open, run
from ._version import __version__

__all__ = ["AtollError", "Bmi", "Picture", "Result", "Stopped", "__version__", "example", "examples", "mesh", "open",
           "program", "run"]
