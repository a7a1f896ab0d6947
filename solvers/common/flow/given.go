package flow

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/grid"
)

// Stream returns the flow u = -∂ψ/∂y, v = ∂ψ/∂x of a stream function in the plane, from its values at vertices: the
// discrete divergence is 0 for any ψ. psi must be safe for concurrent use.
func Stream(g *grid.Grid, psi func(x, y float64) float64) (Flow, error) {
	if g.Dim != 2 {
		return Flow{}, fmt.Errorf("a stream function needs a grid in the plane, and this one has %d dimensions: give a "+
			"vector potential or components", g.Dim)
	}
	return Flow{Face: stream(g, func(i, j int) float64 { return psi(g.Face(0, i), g.Face(1, j)) })}, nil
}

// Potential returns the flow ∇×A of a vector potential in space, from the tangential component at the midpoint of
// each edge: the discrete divergence is 0 for any A. a must be safe for concurrent use.
func Potential(g *grid.Grid, a func(axis int, x, y, z float64) float64) (Flow, error) {
	if g.Dim != 3 {
		return Flow{}, fmt.Errorf("a vector potential needs a grid in space, and this one has %d dimensions: give a stream "+
			"function or components", g.Dim)
	}
	// edge returns A along the axis on the edge that begins at a vertex.
	edge := func(axis int, vertex [3]int) float64 {
		var x [3]float64
		for d := range x {
			x[d] = g.Face(d, vertex[d])
		}
		x[axis] = g.Centre(axis, vertex[axis])
		return a(axis, x[0], x[1], x[2])
	}
	return Flow{Face: func(axis, i, j, k int) float64 {
		s, t := (axis+1)%3, (axis+2)%3
		at := [3]int{i, j, k}
		next, nextT := at, at
		next[s]++
		nextT[t]++
		return (edge(t, next)-edge(t, at))/g.Spacing(s) - (edge(s, nextT)-edge(s, at))/g.Spacing(t)
	}}, nil
}

// Components returns the flow with the given velocity at the centre of each face. Its discrete divergence may differ
// from 0: see [Divergence]. velocity must be safe for concurrent use.
func Components(g *grid.Grid, velocity func(axis int, x, y, z float64) float64) Flow {
	return Flow{Face: func(axis, i, j, k int) float64 {
		at := [3]int{i, j, k}
		x := [3]float64{g.Lo[0], g.Lo[1], g.Lo[2]}
		for d := range g.Dim {
			x[d] = g.Centre(d, at[d])
		}
		x[axis] = g.Face(axis, at[axis])
		return velocity(axis, x[0], x[1], x[2])
	}}
}

// Divergence returns the largest |∇·u| in a cell of the grid in 1/s, for a time factor of 1, that cell, and the
// largest speed through a face. Divergence × h / speed is the relative error of volumes: below 1e-12 volumes are
// conserved to round-off.
func Divergence(g *grid.Grid, f Flow) (largest float64, cell [3]int, speed float64) {
	for k := range g.N[2] {
		for j := range g.N[1] {
			for i := range g.N[0] {
				sum := 0.0
				for axis := range g.Dim {
					next := [3]int{i, j, k}
					next[axis]++
					lo, hi := f.Face(axis, i, j, k), f.Face(axis, next[0], next[1], next[2])
					sum += (hi - lo) / g.Spacing(axis)
					speed = max(speed, math.Abs(lo), math.Abs(hi))
				}
				if sum = math.Abs(sum); !(sum <= largest) {
					largest, cell = sum, [3]int{i, j, k}
				}
			}
		}
	}
	return largest, cell, speed
}
