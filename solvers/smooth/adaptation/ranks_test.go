package adaptation

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// cube writes the unit cube in tetrahedra with fields, and returns the name of the file.
func cube(t *testing.T, cells int) string {
	t.Helper()
	s, err := mesh.Box([3]float64{}, [3]float64{1, 1, 1}, cells, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.VertexData = map[string][]float64{"u": nil}
	for v := range s.X {
		s.VertexData["u"] = append(s.VertexData["u"], s.X[v]*s.Y[v])
	}
	s.CellData = map[string][]float64{"density": nil}
	for c := range s.Cells {
		x := s.Centroid(c)
		s.CellData["density"] = append(s.CellData["density"], 1+x[0]*x[0]*x[1])
	}
	path := filepath.Join(t.TempDir(), "cube.vtu")
	if err := meshio.WriteSolid(path, s); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSameFileOnRanks proves that the command writes the same bytes for any number of ranks, in one process or (in the
// longer cases) over gRPC, for each kind of metric: one that every rank evaluates, those that rank 0 makes at vertices,
// also several times on the mesh of the round before, and scaled ones.
func TestSameFileOnRanks(t *testing.T) {
	plane, space := square(t, "in.vtu", 100), cube(t, 60)
	for _, c := range []struct {
		in    string
		ranks []int
		flags []string
	}{
		{plane, []int{1, 2, 3, 7}, []string{"hessian", "tanh(10*(x - y))", "target", "150", "rounds", "2"}},
		{plane, []int{1, 2, 5}, []string{"width", ".05 + .1*x", "height", ".1", "gradation", "1.3", "hmax", ".12"}},
		{plane, []int{1, 2}, []string{"metric", "uniform", "target", "200"}},
		{plane, []int{1, 4}, []string{"hessian", "{mesh='w'}"}},
		{plane, []int{1, 3}, []string{"metric", "sinusoidal", "low", ".1", "high", ".2", "boundary", "fixed"}},
		{space, []int{1, 3, 7}, []string{"width", ".5", "height", ".5", "depth", ".2 + .3*abs(z - .5)"}},
		{space, []int{1, 2}, nil},
	} {
		var first []byte
		check := func(ranks string, out string, err error) {
			written, readErr := os.ReadFile(out)
			if err != nil || readErr != nil {
				t.Fatal(c.flags, ranks, err, readErr)
			}
			if first == nil {
				first = written
			}
			if !bytes.Equal(written, first) {
				t.Errorf("%s, %v: %s write another file than one", filepath.Base(c.in), c.flags, ranks)
			}
		}
		out := filepath.Join(t.TempDir(), "out.vtu")
		for _, ranks := range c.ranks {
			_, err := adaptedOn(t, ranks, c.in, out, c.flags...)
			check(fmt.Sprint(ranks, " ranks"), out, err)
		}
		if len(c.ranks) == 2 {
			continue
		}
		if err := os.Remove(out); err != nil {
			t.Fatal(err)
		}
		comms := grpctest.Open(t, 3)
		disttest.Each(t, comms, func(ctx context.Context, comm dist.Comm) error {
			_, err := adaptOn(ctx, comm, c.in, out, c.flags...)
			return err
		})
		disttest.Close(t, comms)
		check("3 ranks over gRPC", out, nil)
	}
}

// TestErrorsOnRanks proves that all ranks end with the error of the first position at which the metric is wrong,
// whoever finds it, and with those of rank 0.
func TestErrorsOnRanks(t *testing.T) {
	in := square(t, "in.vtu", 100)
	hole := "hypot(x - 0.91, y - 0.87) < .01 ? -1 : .03" // between the vertices that are read
	for _, flags := range [][]string{{"width", hole, "height", ".03"}, {"size", "-1"}, {"hessian", "{mesh='q'}"}} {
		want := ""
		for _, ranks := range []int{1, 3} {
			out := filepath.Join(t.TempDir(), "out.vtu")
			errs := make([]error, ranks)
			_, err := local.Each(ranks, func(comm dist.Comm) (struct{}, error) {
				_, errs[comm.Rank()] = adaptOn(t.Context(), comm, in, out, flags...)
				return struct{}{}, nil
			})
			for rank := range errs {
				if errs[rank] == nil || err != nil {
					t.Fatalf("%v: rank %d of %d: no error, %v", flags, rank, ranks, err)
				}
				if want == "" {
					want = errs[0].Error()
				}
				if got := errs[rank].Error(); got != want {
					t.Errorf("%v: rank %d of %d: %s; one rank: %s", flags, rank, ranks, got, want)
				}
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("%v: a mesh was written", flags)
			}
		}
		if flags[0] == "width" && !strings.Contains(want, "[metric] at (0.9") {
			t.Errorf("%s", want)
		}
	}
}
