package domain

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// TestLocate compares points inside cells, on edges, at vertices and outside of the mesh with a search of all cells for
// each point.
func TestLocate(t *testing.T) {
	m, err := mesh.Rectangle(-1, 0, 2, 1, 50_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := decompose.New(m, decompose.Options{Ranks: 2, Order: "rcm", Method: "hilbert"})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	points := [][]float64{{math.NaN(), 0.5}, {0, math.NaN()}, {-1, 0}, {2, 1}, {2.5, 0.5}, {0.5, -1e-12}}
	for range 100 {
		v := random.IntN(len(m.X))
		c := m.Cells[random.IntN(len(m.Cells))]
		points = append(points, []float64{m.X[v], m.Y[v]}, []float64{random.Float64()*4 - 1.5, random.Float64()},
			[]float64{(m.X[c[0]] + m.X[c[1]]) / 2, (m.Y[c[0]] + m.Y[c[1]]) / 2})
	}
	owners := make([]int, len(points))
	err = d.Each(func(rank int, part *mesh.Part, _ *halo.Plan) error {
		want := make([]int, len(points))
		for k, p := range points {
			want[k] = -1
			for i := range part.Owned {
				x, y := part.Vertices(i)
				if contains(x, y, p) && (want[k] < 0 || part.Global[i] < part.Global[want[k]]) {
					want[k] = i
				}
			}
			if want[k] >= 0 {
				owners[k]++
			}
		}
		if got := locate(part, points); !slices.Equal(got, want) {
			t.Errorf("rank %d: got the cells %v, want %v", rank, got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range points {
		inside := p[0] >= -1 && p[0] <= 2 && p[1] >= 0 && p[1] <= 1
		if inside != (owners[k] > 0) {
			t.Errorf("%d ranks have a cell that contains the point %v", owners[k], p)
		}
	}
	if got := locate(&mesh.Part{}, points); slices.Max(got) != -1 {
		t.Errorf("a part without cells has the cells %v", got)
	}
}
