"""Writes heights.txt: the EPSG codes of vertical systems that are not heights in m, by their unit and direction;
units.txt: the EPSG codes of coordinate reference systems whose coordinates are not in m; and kinds.txt: those of systems
that are no projections, and of projections of the world by cylinders, from the database of PROJ
(/usr/share/proj/proj.db). Each line of the last two has a unit or a kind, and codes and ranges of codes; a range may
contain codes that are not in use."""
import sqlite3

db = sqlite3.connect("/usr/share/proj/proj.db")
unit_of = {int(code): "m" for table in ("vertical_crs", "compound_crs")
           for (code,) in db.execute(f"select code from {table} where auth_name = 'EPSG'")}
for code, kind in db.execute("select code, type from geodetic_crs where auth_name = 'EPSG'"):
    unit_of[int(code)] = "degree" if kind.startswith("geographic") else "m"
for code, unit in db.execute("""select p.code, u.name from projected_crs p
        join axis a on a.coordinate_system_auth_name = p.coordinate_system_auth_name
            and a.coordinate_system_code = p.coordinate_system_code and a.coordinate_system_order = 1
        join unit_of_measure u on u.auth_name = a.uom_auth_name and u.code = a.uom_code
        where p.auth_name = 'EPSG'"""):
    unit_of[int(code)] = "m" if unit in ("metre", "German legal metre") else unit

heights = {}  # of vertical systems that are not heights in m
for code, unit, direction in db.execute("""select v.code, u.name, a.orientation from vertical_crs v
        join axis a on a.coordinate_system_auth_name = v.coordinate_system_auth_name
            and a.coordinate_system_code = v.coordinate_system_code
        join unit_of_measure u on u.auth_name = a.uom_auth_name and u.code = a.uom_code
        where v.auth_name = 'EPSG'"""):
    if unit != "metre" or direction != "up":
        heights.setdefault(("m" if unit == "metre" else unit, direction), []).append(int(code))
with open("heights.txt", "w") as f:
    for (unit, direction), codes in sorted(heights.items()):
        f.write(unit.replace(" ", "_") + " " + direction + " " + " ".join(map(str, sorted(codes))) + "\n")


def write(file, of, known):
    """Writes a line with the codes of each value of `of`; known are all codes."""
    with open(file, "w") as f:
        for value in sorted(set(of.values())):
            ranges = []
            for code in sorted(known):
                if of.get(code) != value:
                    ranges.append(None)
                elif ranges and ranges[-1]:
                    ranges[-1][1] = code
                else:
                    ranges.append([code, code])
            codes = " ".join(str(a) if a == b else f"{a}-{b}" for a, b in filter(None, ranges))
            f.write(value.replace(" ", "_") + " " + codes + "\n")


write("units.txt", {code: unit for code, unit in unit_of.items() if unit != "m"}, unit_of)

kinds = {int(code): "vertical" for (code,) in db.execute("select code from vertical_crs where auth_name = 'EPSG'")}
for (code,) in db.execute("select code from geodetic_crs where auth_name = 'EPSG' and type = 'geocentric'"):
    kinds[int(code)] = "geocentric"
for code, method in db.execute("""select p.code, c.method_name from projected_crs p
        join conversion c on c.auth_name = p.conversion_auth_name and c.code = p.conversion_code
        join usage u on u.object_table_name = 'projected_crs' and u.object_auth_name = p.auth_name
            and u.object_code = p.code
        join extent e on e.auth_name = u.extent_auth_name and e.code = u.extent_code
        where p.auth_name = 'EPSG' and e.south_lat <= -60 and e.north_lat >= 60"""):
    if ("Mercator" in method or "Cylindrical" in method) and "Transverse" not in method and "Oblique" not in method:
        kinds[int(code)] = "stretched"
write("kinds.txt", kinds, set(unit_of) | set(kinds))
