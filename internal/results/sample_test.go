package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// run is the output of a build for a case. Tests change parts of it.
type run struct {
	grid, other *vtk.Grid
	image       *vtk.Image
	poly        *vtk.PolyData
	series      []vtk.Frame
	texts       map[string]string
}

const summaryJSON = `{"solver": "vof", "case_sha256": "ab", "steps": 3, "time": 0.1, "wall_s": 2.5, "threads": 1,
 "state_sha256": "c0ffee", "metrics": {"volume": 0.07068583470577033, "mixed_cells": 12},
 "phases": {"halo": 1.5}, "conservation": {"volume": 0}, "version": "v1", "fma": false, "host": {"cores": 2}}`

const runJSON = `{"format": 1, "solver": "vof", "case_sha256": "ab", "case_dir": "/a", "version": "v1",
 "state": "done", "epoch": 2}`

const epochJSON = `{"epoch": 2, "ranks": 3, "places": [{"place": "here", "first": 0, "ranks": 3}],
 "raised": "2026-01-02T03:04:05Z", "holder": "9f", "by": "process 7"}`

const report = `== lake: Lakes at rest

lake: 4050 cells
  scheme    precision  max |Δh1|  bound  verdict
  --------  ---------  ---------  -----  -------
  roe         float64    0.00125    = 0       ok
  pvm-ifcp    float64          0    = 0   FAILED

Summary
  check  bounds  missed     s  bound  verdict
  -----  ------  ------  ----  -----  -------
  lake        6       0  17.5              ok
`

func sample() *run {
	grid := func(h []float64) *vtk.Grid {
		g := vtk.Triangles([]float64{0, 1, 1, 0}, []float64{0, 0, 1, 1}, [][3]int32{{0, 1, 2}, {0, 2, 3}})
		g.CellData = vtk.Arrays{{Name: "h1", Data: h}, {Name: "rank", Data: []int32{0, 1}}}
		g.FieldData = vtk.Arrays{{Name: "TimeValue", Data: []float64{0.5}}}
		return g
	}
	return &run{
		grid: grid([]float64{0.25, 1. / 3}), other: grid([]float64{0, 7}),
		image: &vtk.Image{Dim: 2, Whole: [3]int{3, 1, 1}, Box: vtk.Box{N: [3]int{3, 1, 1}}, Spacing: [3]float64{1, 1, 1},
			CellData: vtk.Arrays{{Name: "f", Data: []float32{0, .5, 1}}, {Name: "normal", Components: 3,
				Data: []float32{0, 0, 0, 1, 0, 0, 0, 0, 0}}}},
		poly: &vtk.PolyData{Points: []float64{0, 0, 0, 1, 0, 0, 0, 1, 0},
			Lines: vtk.Cells{Connectivity: []int64{0, 1, 1, 2}, Offsets: []int64{2, 4}}},
		series: []vtk.Frame{{Time: 0, File: "frames/a_000000_r0000.vtu"}, {Time: .5, File: "frames/a_000001_r0000.vtu"}},
		texts: map[string]string{
			"summary.json":     summaryJSON,
			"run.json":         runJSON,
			"epoch.json":       epochJSON,
			"conservation.csv": "step,t,mass\n0,0,1.5\n10,0.25,1.5\n",
			"gauges/pier.csv":  "t,h1\n0,1\n",
			"better.msh":       "$MeshFormat\n4.1 1 8\n",
			"gauges.nc":        "CDF\x01 atoll devel-0123456789ab, level \x00\x01",
			VerifyFile:         report,
		},
	}
}

func (r *run) write(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	frames := filepath.Join(dir, "frames")
	for _, d := range []string{frames, filepath.Join(dir, "gauges")} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(vtk.Write(filepath.Join(frames, "a_000000_r0000.vtu"), r.grid))
	if r.other != nil {
		must(vtk.Write(filepath.Join(frames, "a_000001_r0000.vtu"), r.other))
	}
	must(vtk.WriteImage(filepath.Join(frames, "a.vti"), r.image))
	must(vtk.WritePolyData(filepath.Join(frames, "a.vtp"), r.poly))
	must(vtk.WritePVTU(filepath.Join(frames, "a_000000.pvtu"), []string{"a_000000_r0000.vtu"}, r.grid))
	must(vtk.WritePVD(filepath.Join(dir, "a.pvd"), r.series))
	for name, text := range r.texts {
		must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	return dir
}

// edit returns a change that replaces old by replacement in a text file.
func edit(file, old, replacement string) func(*run) {
	return func(r *run) {
		if !strings.Contains(r.texts[file], old) {
			panic(file + " does not have the text " + old)
		}
		r.texts[file] = strings.Replace(r.texts[file], old, replacement, 1)
	}
}
