"""Write the ground of a small bay as a raster that atoll reads: dem.asc, elevations in m, 20 m apart.

The sea is in the west, the land rises to the east, and a creek runs from the hills to the shore. Needs Python alone.
"""
import math

COLUMNS, ROWS, SIZE = 200, 150, 20.0  # 4 x 3 km


def ground(x, y):
    """Elevation in m at the position (x, y) in m."""
    slope = -8 + 14 * x / 4000
    creek = -2.5 * math.exp(-(((y - 1500 - 200 * math.sin(x / 500)) / 120) ** 2)) * (x > 1500)
    hill = 6 * math.exp(-(((x - 2900) / 400) ** 2) - ((y - 2300) / 350) ** 2)
    return slope + creek + hill


with open("dem.asc", "w") as f:
    f.write(f"ncols {COLUMNS}\nnrows {ROWS}\nxllcorner 0\nyllcorner 0\ncellsize {SIZE:g}\nNODATA_value -9999\n")
    for row in reversed(range(ROWS)):
        f.write(" ".join(f"{ground((c + .5) * SIZE, (row + .5) * SIZE):.3f}" for c in range(COLUMNS)) + "\n")
