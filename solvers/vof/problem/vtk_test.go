package problem

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// closedByVTK joins the pieces of each file at points of equal coordinates, and counts edges that are not of two
// polygons, cells of no size, and points that another number has too. STL has no numbers.
const closedByVTK = `
import sys
import vtk
log = vtk.vtkStringOutputWindow()
vtk.vtkOutputWindow.SetInstance(log)
surface, grid = vtk.vtkXMLPPolyDataReader(), vtk.vtkXMLPImageDataReader()
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
f = grid.GetOutput().GetCellData().GetArray("f")
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

// VTK finds no gap in the surface of four ranks, a sphere, and has nothing to complain of.
func TestVOFSurfaceByVTK(t *testing.T) {
	python := needs.VTK(t)
	dir := t.TempDir()
	_, err := runtest.On(t, flatten, 4, 1, runtest.Local, dir, `output.format=["vti", "vtp", "stl"]`, "grid.periodic=[]",
		"initial.shape='sphere(0.5, 0.5, 0.5, 0.3)'", "velocity={field='enright', period=1}")
	if err != nil {
		t.Fatal(err)
	}
	for _, frame := range []string{"case_000000", "case_000001"} {
		path := filepath.Join(dir, "frames", frame)
		for _, kind := range []string{".pvtp", ".stl"} {
			out, err := exec.Command(python, "-c", closedByVTK, path+kind, path+".pvti").CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			const want = "flat 0 twice 0 ghosts None\nopen 0 euler 2 cells 5760 log ''"
			if got := strings.TrimSpace(string(out)); got != want {
				t.Errorf("%s%s: %s, not %s", frame, kind, got, want)
			}
		}
	}
}
