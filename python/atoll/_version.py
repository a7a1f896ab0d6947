# SPDX-License-Identifier: BSD-3-Clause
"""The version, which scripts/wheel replaces by that of the program."""

__version__ = "0+source"
