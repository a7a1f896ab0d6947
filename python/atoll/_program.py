# SPDX-License-Identifier: BSD-3-Clause
"""The program atoll: where it is, and how it is called."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Callable, Iterable, List, Mapping, Optional, Sequence, Union

PathLike = Union[str, "os.PathLike[str]"]

#: Exit code of a run that was stopped with its state saved: the same call continues it.
SAVED = 75


class AtollError(RuntimeError):
    """The program refused its input, or failed. ``code`` is its exit code: 2 for invalid input, 1 for other errors."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class Stopped(AtollError):
    """A run was stopped with its state saved: the same call continues it."""


def program() -> str:
    """Return the path of the program: that of the variable ATOLL, of this installation, or of the search path."""
    name = "atoll.exe" if os.name == "nt" else "atoll"
    given = os.environ.get("ATOLL")
    if given:
        return given
    folders = [sysconfig.get_path("scripts"), os.path.join(sys.prefix, "bin"), os.path.dirname(sys.executable)]
    scheme = "nt_user" if os.name == "nt" else "posix_user"
    if scheme in sysconfig.get_scheme_names():
        folders.append(sysconfig.get_path("scripts", scheme))
    # pip install --target DIR puts the program into DIR/bin.
    folders.append(os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin"))
    for folder in folders:
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if not found:
        raise AtollError("the program atoll is not installed: pip install atoll-hpc, or set ATOLL to its path", 2)
    return found


def call(arguments: Sequence[str], output: Optional[Callable[[str], None]] = None) -> str:
    """Run the program and return its standard output. Lines of standard output and standard error go to output too.

    An error has the last lines of standard error. At an interrupt the program is asked to stop, and saves its state.
    """
    lines: List[str] = []
    with subprocess.Popen([program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          encoding="utf-8", errors="replace") as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                line = line.rstrip("\n")
                lines.append(line)
                if output:
                    output(line)
        except BaseException:
            process.terminate()
            process.wait()
            raise
        code = process.wait()
    if code == 0:
        return "\n".join(lines)
    messages = [line for line in lines if line.startswith("atoll:")]
    first = lines.index(messages[-1]) if messages else max(0, len(lines) - 10)
    message = "\n".join(lines[first:]).replace("atoll: ", "", 1) or f"atoll ended with exit code {code}"
    raise (Stopped if code == SAVED else AtollError)(message, code)


def assignments(values: Optional[Mapping[str, Any]]) -> List[str]:
    """Return the flags that set keys of a case."""
    return [word for key, value in (values or {}).items() for word in ("--set", f"{key}={toml(value)}")]


def toml(value: Any) -> str:
    """Write a value as in a case file."""
    if hasattr(value, "tolist"):  # numbers and arrays of numpy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, os.PathLike):
        return json.dumps(os.path.abspath(value), ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml(v)}" for key, v in value.items()) + "}"
    if isinstance(value, Iterable):
        return "[" + ", ".join(toml(v) for v in value) + "]"
    raise TypeError(f"a case has no values such as {value!r}")


def examples() -> List[str]:
    """Return the names of the examples in the program."""
    return [line.split()[0] for line in call(["example"]).splitlines() if line and not line[0].isspace()]


def example(name: str, folder: PathLike = ".") -> Path:
    """Write an example to a folder, and return the path of its case file."""
    return Path(call(["example", name, os.fspath(folder)]).splitlines()[0])
