package runtest

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// closedByVTK merges points of equal coordinates. It counts edges that do not belong to exactly two polygons (open),
// cells without area (flat), and points whose coordinates have several ids (twice); STL has no ids.
const closedByVTK = `
import sys
import vtk
log = vtk.vtkStringOutputWindow()
vtk.vtkOutputWindow.SetInstance(log)
surface, grid = vtk.vtkXMLPolyDataReader(), vtk.vtkXMLImageDataReader()
if sys.argv[1].endswith(".stl"):
    surface = vtk.vtkSTLReader()
surface.SetFileName(sys.argv[1])
joined, edges = vtk.vtkCleanPolyData(), vtk.vtkFeatureEdges()
joined.SetInputConnection(surface.GetOutputPort())
joined.ToleranceIsAbsoluteOn()
joined.SetAbsoluteTolerance(0)
edges.SetInputConnection(joined.GetOutputPort())
edges.FeatureEdgesOff()
edges.ManifoldEdgesOff()
edges.Update()
grid.SetFileName(sys.argv[2])
grid.Update()
g = joined.GetOutput()
f = grid.GetOutput().GetCellData().GetArray(sys.argv[3])
surface.Update()
ids = surface.GetOutput().GetPointData().GetArray("point")
numbers = g.GetNumberOfPoints() if ids is None else len({ids.GetTuple1(i) for i in range(ids.GetNumberOfTuples())})
ghosts = surface.GetOutput().GetCellGhostArray() or grid.GetOutput().GetCellGhostArray()
sizes = vtk.vtkCellSizeFilter()
sizes.SetInputConnection(joined.GetOutputPort())
sizes.Update()
areas = sizes.GetOutput().GetCellData().GetArray("Area")
flat = sum(areas.GetTuple1(i) == 0 for i in range(areas.GetNumberOfTuples()))
print("flat", flat, "twice", numbers - g.GetNumberOfPoints(), "ghosts", ghosts)
print("open", edges.GetOutput().GetNumberOfCells(), "euler", g.GetNumberOfPoints() - g.GetNumberOfPolys() // 2,
      "cells", f.GetNumberOfTuples(), "log", repr(log.GetOutput()))
`

// ClosedByVTK reads the files path+surface and path.vti of a frame by VTK. It fails unless the surface is closed with
// Euler characteristic 2, that of a sphere, the grid has the given number of cells, and VTK logs nothing.
func ClosedByVTK(t testing.TB, path, surface, field, cells string) {
	t.Helper()
	out, err := exec.Command(needs.VTK(t), "-c", closedByVTK, path+surface, path+".vti", field).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := "flat 0 twice 0 ghosts None\nopen 0 euler 2 cells " + cells + " log ''"
	if got := strings.TrimSpace(string(out)); got != want {
		t.Errorf("%s%s: got %s, want %s", path, surface, got, want)
	}
}
