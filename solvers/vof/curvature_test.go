package vof

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

func still(*grid.Grid) (flow.Flow, error) { return flow.Uniform(0, 0, 0), nil }

// gatherField returns a field of the initial state, gathered from all ranks in global order.
func (p problem) gatherField(name string) ([]float64, error) {
	out := make([]float64, p.grid.Cells())
	err := p.run(func(_ int, s Solver) error {
		v, err := s.values(ctx, name)
		if err != nil {
			return err
		}
		own := s.inner()
		for n, x := range v {
			out[own.block.Number(n)] = x
		}
		return nil
	})
	return out, err
}

// worstCurvature returns the largest and the mean relative error of the curvature in mixed cells, and their number.
func worstCurvature(t *testing.T, p problem, want float64) (worst, mean float64, count int) {
	p.cfg.Curvature, p.flow = true, still
	k, err := p.gatherField("curvature")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range k {
		if v != 0 {
			worst, mean, count = math.Max(worst, math.Abs(v/want-1)), mean+math.Abs(v/want-1), count+1
		}
	}
	return worst, mean / float64(count), count
}

// TestCurvatureConverges proves that heights give the curvature of disks and balls to second order, also in cells
// that are not cubes.
func TestCurvatureConverges(t *testing.T) {
	flat := func(n int) *grid.Grid {
		g := plane(n)
		g.N[1] = n * 3 / 4
		return g
	}
	for name, c := range map[string]struct {
		grid  func(n int) *grid.Grid
		body  shape.Body
		want  float64
		sizes [2]int
		bound float64
	}{
		"disk":       {plane, shape.Ball(.51, .48, 0, .3), 1 / .3, [2]int{32, 64}, .04},
		"bubble":     {plane, shape.Complement(shape.Ball(.51, .48, 0, .3)), -1 / .3, [2]int{32, 64}, .04},
		"flat cells": {flat, shape.Ball(.51, .48, 0, .3), 1 / .3, [2]int{32, 64}, .04},
		"ball":       {space, shape.Ball(.51, .48, .5, .3), 2 / .3, [2]int{16, 32}, .06},
	} {
		var mean [2]float64
		for k, n := range c.sizes {
			var worst float64
			p := problem{grid: c.grid(n), body: c.body, cfg: config("myc", "weymouth-yue", .5), levels: 8 - 2*c.grid(n).Dim}
			worst, mean[k], _ = worstCurvature(t, p, c.want)
			if k == 1 && worst > c.bound {
				t.Errorf("%s, %d cells: curvatures are off by %.3f", name, n, worst)
			}
		}
		if rate := math.Log2(mean[0] / mean[1]); !(rate > 1.7) {
			t.Errorf("%s: errors %.4f and %.4f, order %.2f", name, mean[0], mean[1], rate)
		}
	}
}

// TestCurvatureOfSmallBodies bounds the error of parabolas for bodies that are too small for columns of seven cells.
func TestCurvatureOfSmallBodies(t *testing.T) {
	for _, c := range []struct {
		grid   *grid.Grid
		radius float64 // in cells
		bound  float64
	}{{plane(16), 1.6, .3}, {plane(16), 2.2, .2}, {space(12), 1.8, .3}} {
		h := c.grid.Spacing(0)
		dim := float64(c.grid.Dim - 1)
		worst, mean, count := worstCurvature(t, problem{grid: c.grid, body: shape.Ball(.52, .49, .5*(dim-1), c.radius*h),
			cfg: config("elvira", "weymouth-yue", .5), levels: 4}, dim/(c.radius*h))
		if !(mean < c.bound) || count < 4 {
			t.Errorf("radius of %g cells: %d curvatures are off by %.2f in the mean, %.2f at the most", c.radius, count, mean,
				worst)
		}
	}
	// The curvature in a droplet of one cell is undefined.
	k, err := problem{grid: plane(9), body: shape.Ball(.5, .5, 0, .05),
		cfg: Config{Normal: "youngs", Advect: "weymouth-yue", CFL: .5, Curvature: true}, flow: still}.gatherField("curvature")
	if err != nil || !math.IsNaN(k[40]) || k[39] != 0 {
		t.Errorf("curvature of a droplet %v, of air %v, error %v", k[40], k[39], err)
	}
}

// TestCurvatureOfPlanesAndRanks proves that planes have no curvature, also at walls and periodic boundaries, and that
// the curvature does not depend on the number of ranks.
func TestCurvatureOfPlanesAndRanks(t *testing.T) {
	flat, err := shape.HalfSpace(.5, .5, .5, 1, 3, .4)
	if err != nil {
		t.Fatal(err)
	}
	cfg := config("lvira", "weymouth-yue", .5)
	cfg.Curvature = true
	for _, g := range []*grid.Grid{plane(24), space(14)} {
		k, err := problem{grid: g, body: flat, cfg: cfg, flow: still}.gatherField("curvature")
		if err != nil {
			t.Fatal(err)
		}
		for c, v := range k {
			i, j, l := c%g.N[0], c/g.N[0]%g.N[1], c/g.N[0]/g.N[1]
			// planes are not reproduced at walls
			inner := min(i, j, g.N[0]-1-i, g.N[1]-1-j) > 0 && (g.Dim == 2 || l > 0 && l < g.N[2]-1)
			if inner && !(math.Abs(v) < 1e-7) {
				t.Errorf("%d dimensions, cell (%d, %d, %d): curvature %v", g.Dim, i, j, l, v)
			}
		}
	}
	periodic := space(14)
	periodic.Periodic = [3]bool{true, false, true}
	for _, p := range []problem{
		{grid: plane(24), body: shape.Union(shape.Ball(.2, .5, 0, .3), shape.Ball(.8, .7, 0, .06))},
		{grid: periodic, body: shape.Union(shape.Ball(.1, .5, .5, .25), shape.Ball(.8, .7, .1, .15))},
	} {
		p.cfg, p.flow = cfg, still
		want, err := p.gatherField("curvature")
		if err != nil {
			t.Fatal(err)
		}
		p.parts, p.threads = [3]int{2, 2, p.grid.Dim - 1}, 2
		got, err := p.gatherField("curvature")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Errorf("%d dimensions: curvatures of four ranks differ from those of one", p.grid.Dim)
		}
	}
	p := problem{grid: space(8), body: flat, cfg: config("myc", "weymouth-yue", .5), flow: still}
	if _, err := p.gatherField("curvature"); err == nil || !strings.Contains(err.Error(), "Config.Curvature") {
		t.Errorf("without ghosts: error %v", err)
	}
}
