#!/usr/bin/env python3
"""Writes the test inputs of the reader with VTK's own writers, in every encoding that the reader takes.

Run it in this folder (Debian: python3-vtk9). The grid has 5 x 4 points with a third coordinate, 24 triangles, 4 lines
with physical tags and a vertex. Blocks of 64 bytes make every array of more than a few values span several.
"""
import os

import vtk

NX, NY = 5, 4


def grid(part=0, parts=1):
    """The triangles of a part of the rows; part 0 also has the lines and the vertex."""
    g = vtk.vtkUnstructuredGrid()
    points = vtk.vtkPoints()
    points.SetDataTypeToDouble()
    for j in range(NY):
        for i in range(NX):
            points.InsertNextPoint(i, 0.5 * j, 0.25 * i * j)
    g.SetPoints(points)
    tags = []

    def insert(kind, ids, tag):
        g.InsertNextCell(kind, len(ids), ids)
        tags.append(tag)

    if part == 0:
        insert(vtk.VTK_VERTEX, [0], 0)
        for i in range(NX - 1):
            insert(vtk.VTK_LINE, [i, i + 1], 7)
    for j in range(NY - 1):
        if j * parts // (NY - 1) != part:
            continue
        for i in range(NX - 1):
            a = j * NX + i
            insert(vtk.VTK_TRIANGLE, [a, a + 1, a + NX + 1], 1 + j)
            insert(vtk.VTK_TRIANGLE, [a, a + NX + 1, a + NX], 1 + j)

    def array(cls, name, values, data, components=1):
        a = cls()
        a.SetName(name)
        a.SetNumberOfComponents(components)
        a.SetNumberOfTuples(len(values) // components)
        for k, v in enumerate(values):
            a.SetValue(k, v)
        data.AddArray(a)

    n = len(tags)
    array(vtk.vtkIntArray, "physical", tags, g.GetCellData())
    array(vtk.vtkDoubleArray, "depth", [i / 7 for i in range(n)], g.GetCellData())
    array(vtk.vtkUnsignedShortArray, "short", [1000 * i for i in range(n)], g.GetCellData())
    array(vtk.vtkSignedCharArray, "char", [i - 10 for i in range(n)], g.GetCellData())
    array(vtk.vtkFloatArray, "velocity", [0.5 * i for i in range(3 * NX * NY)], g.GetPointData(), 3)
    array(vtk.vtkIdTypeArray, "id", list(range(NX * NY)), g.GetPointData())
    array(vtk.vtkDoubleArray, "TimeValue", [1.5], g.GetFieldData())
    names = vtk.vtkStringArray()
    names.SetName("title")
    names.InsertNextValue("a string")
    g.GetFieldData().AddArray(names)
    return g


def write(name, g, mode, encode, compress, header, order):
    w = vtk.vtkXMLUnstructuredGridWriter()
    w.SetFileName(name)
    w.SetInputData(g)
    {"ascii": w.SetDataModeToAscii, "binary": w.SetDataModeToBinary, "appended": w.SetDataModeToAppended}[mode]()
    w.SetEncodeAppendedData(encode)
    w.SetCompressorTypeToZLib() if compress else w.SetCompressorTypeToNone()
    w.SetHeaderTypeToUInt64() if header == 64 else w.SetHeaderTypeToUInt32()
    w.SetByteOrderToBigEndian() if order == "big" else w.SetByteOrderToLittleEndian()
    w.SetBlockSize(64)
    assert w.Write() == 1


for order in ("little", "big"):
    for header in (32, 64):
        for compress in (False, True):
            tail = f"{'zlib' if compress else 'plain'}-{header}-{order}.vtu"
            write("binary-" + tail, grid(), "binary", False, compress, header, order)
            write("raw-" + tail, grid(), "appended", False, compress, header, order)
            write("base64-" + tail, grid(), "appended", True, compress, header, order)
write("ascii.vtu", grid(), "ascii", False, False, 32, "little")
write("empty.vtu", vtk.vtkUnstructuredGrid(), "appended", False, True, 64, "little")

quad = vtk.vtkUnstructuredGrid()
quad.SetPoints(grid().GetPoints())
quad.InsertNextCell(vtk.VTK_TRIANGLE, 3, [0, 1, 5])
quad.InsertNextCell(vtk.VTK_QUAD, 4, [0, 1, 6, 5])
write("quad.vtu", quad, "ascii", False, False, 32, "little")

# The parallel writer lists one piece for data that are whole: the index is completed by hand.
index = vtk.vtkXMLPUnstructuredGridWriter()
index.SetFileName("pieces.pvtu")
index.SetInputData(grid(0, 3))
index.SetCompressorTypeToZLib()
index.Write()
os.remove("pieces_0.vtu")
with open("pieces.pvtu") as f:
    text = f.read()
with open("pieces.pvtu", "w") as f:
    pieces = "\n    ".join(f'<Piece Source="pieces/{part}.vtu"/>' for part in range(3))
    f.write(text.replace('<Piece Source="pieces_0.vtu"/>', pieces))
os.makedirs("pieces", exist_ok=True)
for part in range(3):
    write(f"pieces/{part}.vtu", grid(part, 3), "appended", False, True, 32, "little")


def image(whole, extent):
    """A part of an image: number is that of the cell in the whole, corner the position of the corner as digits."""
    m = vtk.vtkImageData()
    m.SetExtent(extent)
    m.SetOrigin(1, 2, 3)
    m.SetSpacing(0.5, 0.25, 2)
    nx, ny, nz = [max(whole[2 * a + 1] - whole[2 * a], 1) for a in range(3)]
    x, y, z = [range(extent[2 * a], max(extent[2 * a + 1], extent[2 * a] + 1)) for a in range(3)]
    number = vtk.vtkDoubleArray()
    number.SetName("number")
    for k in z:
        for j in y:
            for i in x:
                number.InsertNextValue(i - whole[0] + nx * (j - whole[2] + ny * (k - whole[4])))
    m.GetCellData().AddArray(number)
    corner = vtk.vtkIntArray()
    corner.SetName("corner")
    for k in range(extent[4], extent[5] + 1):
        for j in range(extent[2], extent[3] + 1):
            for i in range(extent[0], extent[1] + 1):
                corner.InsertNextValue(i + 100 * j + 10000 * k)
    m.GetPointData().AddArray(corner)
    return m


def write_as(writer, name, data, mode="appended"):
    w = writer()
    w.SetFileName(name)
    w.SetInputData(data)
    {"ascii": w.SetDataModeToAscii, "appended": w.SetDataModeToAppended}[mode]()
    w.SetCompressorTypeToZLib() if mode == "appended" else w.SetCompressorTypeToNone()
    assert w.Write() == 1


# Extents that do not begin at 0; an index of four pieces in 3D.
write_as(vtk.vtkXMLImageDataWriter, "flat.vti", image((3, 7, -1, 2, 0, 0), (3, 7, -1, 2, 0, 0)), "ascii")
write_as(vtk.vtkXMLImageDataWriter, "deep.vti", image((3, 7, -1, 2, 4, 6), (3, 7, -1, 2, 4, 6)))
quarters = [(3, 5, -1, 1, 4, 6), (5, 7, -1, 1, 4, 6), (3, 5, 1, 2, 4, 6), (5, 7, 1, 2, 4, 6)]
for part, extent in enumerate(quarters):
    write_as(vtk.vtkXMLImageDataWriter, f"pieces/{part}.vti", image((3, 7, -1, 2, 4, 6), extent))
index = vtk.vtkXMLPImageDataWriter()
index.SetFileName("deep.pvti")
index.SetInputData(image((3, 7, -1, 2, 4, 6), (3, 7, -1, 2, 4, 6)))
index.Write()
os.remove("deep_0.vti")
with open("deep.pvti") as f:
    text = f.read()
with open("deep.pvti", "w") as f:
    pieces = "\n    ".join(
        f'<Piece Extent="{" ".join(map(str, extent))}" Source="pieces/{part}.vti"/>' for part, extent in enumerate(quarters)
    )
    start = text.index("<Piece ")
    f.write(text[:start] + pieces + text[text.index("/>", start) + 2 :])


def poly(strips=False):
    """A vertex, two lines, a triangle and a square, or a strip of triangles."""
    p = vtk.vtkPolyData()
    points = vtk.vtkPoints()
    for i in range(6):
        points.InsertNextPoint(i % 3, i // 3, 0)
    p.SetPoints(points)

    def cells(*all_ids):
        c = vtk.vtkCellArray()
        for ids in all_ids:
            c.InsertNextCell(len(ids), ids)
        return c

    if strips:
        p.SetStrips(cells([0, 1, 3, 4]))
        return p
    p.SetVerts(cells([5]))
    p.SetLines(cells([0, 1], [1, 2, 5]))
    p.SetPolys(cells([0, 1, 3], [1, 2, 5, 4]))
    kind = vtk.vtkIntArray()
    kind.SetName("kind")
    for v in (1, 20, 21, 30, 31):
        kind.InsertNextValue(v)
    p.GetCellData().AddArray(kind)
    return p


write_as(vtk.vtkXMLPolyDataWriter, "poly.vtp", poly())
write_as(vtk.vtkXMLPolyDataWriter, "strips.vtp", poly(True), "ascii")
