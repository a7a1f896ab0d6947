"""Runs the tests of a module without pytest."""

import os
import sys
import tempfile
from pathlib import Path


def run_tests(names):
    """Call each function test_… of a module's names in a folder of its own, which it may take as its argument."""
    for name, test in list(names.items()):
        if name.startswith("test_"):
            with tempfile.TemporaryDirectory() as temporary:
                here = os.getcwd()
                os.chdir(temporary)
                test(*[Path(temporary)] * test.__code__.co_argcount)
                os.chdir(here)
            print("ok", name, file=sys.stderr)
