package plic

import (
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// cube is the unit square or cube.
func cube(dim, cells int) *grid.Grid {
	g := &grid.Grid{Dim: dim, N: [3]int{cells, cells, 1}, Hi: [3]float64{1, 1, 1}}
	if dim == 3 {
		g.N[2] = cells
	}
	return g
}

// TestOutlinesThroughCorners covers planes through corners, along edges and on faces of a cell.
func TestOutlinesThroughCorners(t *testing.T) {
	for _, c := range []struct {
		dim    int
		m      [3]float64
		alpha  float64
		points int
	}{
		{2, [3]float64{1, 1, 0}, 1, 2},     // from corner to corner
		{2, [3]float64{1, 0, 0}, 0.25, 2},  // across an axis
		{2, [3]float64{1, 1, 0}, 0, 0},     // touches a corner
		{2, [3]float64{-1, 1, 0}, 0, 2},    // the other diagonal
		{3, [3]float64{1, 1, 1}, 1, 3},     // through three corners
		{3, [3]float64{1, 1, 1}, 1.5, 6},   // the hexagon
		{3, [3]float64{1, -1, 0}, 0, 4},    // through two edges
		{3, [3]float64{0, 0, -1}, -0.5, 4}, // across an axis
		{3, [3]float64{1, 1, 1}, 3, 0},     // touches a corner
		{3, [3]float64{2, 1, 1}, 1.5, 5},
		{3, [3]float64{1, 1, 1}, 1e-300, 3},
		{3, [3]float64{}, 0.5, 0}, // no direction
	} {
		b, err := cube(c.dim, 1).Whole(0)
		if err != nil {
			t.Fatal(err)
		}
		p := &Planes{}
		(&Interface[float64]{Block: b}).outline(p, 0, c.m, c.alpha)
		if p.points() != c.points {
			t.Errorf("%v = %g: got %d points, want %d: %v", c.m, c.alpha, p.points(), c.points, p.Points)
		}
	}
}

// TestLayersOfCorners proves that distances do not depend on how layers of corners are divided.
func TestLayersOfCorners(t *testing.T) {
	for _, dim := range []int{2, 3} {
		b, err := cube(dim, 12).Whole(0)
		if err != nil {
			t.Fatal(err)
		}
		field, err := shape.Fill(t.Context(), b, shape.Ball(.4, .5, .6, .3), 4, true)
		if err != nil {
			t.Fatal(err)
		}
		c := newCorners(&Interface[float64]{Block: b}, field)
		distances := func(first, end int) (all []float64) {
			for layer := range c.layers(first, end) {
				all = append(all, layer...)
			}
			return all
		}
		whole := distances(0, 13)
		if parts := slices.Concat(distances(0, 1), distances(1, 5), distances(5, 7), distances(7, 13)); len(whole) == 0 ||
			!slices.Equal(whole, parts) {
			t.Errorf("%d dimensions: distances differ", dim)
		}
	}
}
