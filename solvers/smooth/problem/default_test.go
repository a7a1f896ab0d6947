package problem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
)

// smoothedByDefault smooths the mesh of a file without any setting but those given, and returns the report.
func smoothedByDefault(t *testing.T, path string, sets ...string) (r *Report) {
	t.Helper()
	c, err := solvers.Parse("case.toml", []byte("solver = 'smooth'\noutput = { format = [] }\n"),
		append([]string{fmt.Sprintf("mesh={file=%q}", path)}, sets...))
	if err != nil {
		t.Fatal(err)
	}
	dev, comm := cpu.New(1), runtest.Local(t, 1)[0]
	defer dev.Close()
	_, err = run.Run(context.Background(), run.Options{Case: c, Comm: comm, Device: dev,
		Report: func(ctx context.Context, s solvers.Solver, o solvers.Outcome) error {
			made, err := reporter("")(ctx, s, o)
			r, _ = made.(*Report)
			return err
		}})
	if err = errors.Join(err, comm.Close()); err != nil {
		t.Fatal(err)
	}
	return r
}

// Without any setting smoothing does no harm: on meshes that Gmsh has made, graded and not, on one with a sliver, and
// on one that is stretched everywhere, neither the mean nor the worst quality or shape decreases, areas and volumes
// stay, and the mesh is written.
func TestDefaultDoesNoHarm(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "verify", "geometries", "*.meshb"))
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	dir := t.TempDir()
	sliver, err := mesh.Rectangle(0, 0, 1, 1, 72, 4)
	if err != nil {
		t.Fatal(err)
	}
	v := sliver.Cells[30] // one vertex nearly on the opposite edge
	m := [2]float64{(sliver.X[v[1]] + sliver.X[v[2]]) / 2, (sliver.Y[v[1]] + sliver.Y[v[2]]) / 2}
	sliver.X[v[0]] = m[0] + 1e-11*(sliver.X[v[0]]-m[0])
	sliver.Y[v[0]] = m[1] + 1e-11*(sliver.Y[v[0]]-m[1])
	thin, err := mesh.Cube(5, 5, 5, .15, 4)
	if err != nil {
		t.Fatal(err)
	}
	for v := range thin.Z {
		thin.Z[v] *= .01
	}
	materials, err := mesh.Cube(4, 4, 4, .15, 4)
	if err != nil {
		t.Fatal(err)
	}
	materials.CellTag = make([]int32, len(materials.Cells))
	for c := range materials.CellTag {
		if materials.CellTag[c] = 1; materials.Centroid(c)[0] > .5 {
			materials.CellTag[c] = 2
		}
	}
	own := []string{filepath.Join(dir, "sliver.msh"), filepath.Join(dir, "thin.msh"), filepath.Join(dir, "materials.msh")}
	if err := errors.Join(meshio.Write(own[0], sliver), meshio.WriteSolid(own[1], thin),
		meshio.WriteSolid(own[2], materials)); err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, own...) {
		r := smoothedByDefault(t, path)
		if err := r.Refused(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		// The mean shape of cells that are a hundred times as long as high means nothing.
		if path != own[1] && r.ShapeAfter.Mean < r.ShapeBefore.Mean || r.ShapeAfter.Worst < r.ShapeBefore.Worst-1e-12 {
			t.Errorf("%s: mean shape %g to %g, worst %g to %g", path, r.ShapeBefore.Mean, r.ShapeAfter.Mean,
				r.ShapeBefore.Worst, r.ShapeAfter.Worst)
		}
		if drift := math.Abs(r.After.AreaDrift); !(drift <= 1e-12) || r.Curved.Vertices > 0 {
			t.Errorf("%s: the area changes by %g, and %d vertices slide on curves", path, drift, r.Curved.Vertices)
		}
		switch path {
		case own[0]:
			if r.Before.QualityMin > 1e-9 || r.After.QualityMin < .3 {
				t.Errorf("a sliver of quality %g becomes %g", r.Before.QualityMin, r.After.QualityMin)
			}
		case own[1]:
			if r.Before.QualityMean < .6 || r.After.EdgeInRange < .9 {
				t.Errorf("a stretched mesh has the quality %g in its metric, and %g of edges in range", r.Before.QualityMean,
					r.After.EdgeInRange)
			}
		}
	}
}

// The report has the notes about a mesh that was mended.
func TestReportHasNotes(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 60, 4)
	if err != nil {
		t.Fatal(err)
	}
	m.X, m.Y = append(m.X, 7), append(m.Y, 7)
	z := make([]float64, len(m.X))
	for v := range z {
		z[v] = 3 + float64(v%3)*1e-17
	}
	z[5] += 1e-15
	m.VertexData = map[string][]float64{"z": z}
	m.Cells[3][0], m.Cells[3][1] = m.Cells[3][1], m.Cells[3][0]
	path := filepath.Join(t.TempDir(), "a.msh")
	if err := meshio.Write(path, m); err != nil {
		t.Fatal(err)
	}
	text := smoothedByDefault(t, path).Text()
	for _, want := range []string{"note      left out: 1 vertex in no triangle\n",
		"note      turned: 1 triangle that ran clockwise\n", "note      made flat: third coordinates are from 3 to 3.0000"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
