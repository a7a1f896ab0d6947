// Package flow provides velocities on the faces of a grid that do not depend on the solution: the standard test flows,
// and flows from the expressions and files of a case. Test flows have no discrete divergence beyond round-off: in the
// plane they are differences of a stream function, in space averages over faces of fields with a known potential.
// Sines are tabulated along the axes, so that every rank has the same bits. OnBlock evaluates a Flow on a block,
// BlockSeries a time series of velocities.
package flow

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/grid"
)

// Flow is a velocity field, optionally with a time factor or as a time series.
type Flow struct {
	// Face returns the velocity component along an axis at the lower face of cell (i, j, k), which may lie outside of
	// the grid.
	Face func(axis, i, j, k int) float64
	// Factor returns the factor of the velocity at time t, with a magnitude of at most 1; nil for 1.
	Factor func(t float64) float64
	// Series is set for a time series; Face is then the velocity at its first time.
	Series *Series
}

// FactorAt returns the factor at time t.
func (f Flow) FactorAt(t float64) float64 {
	if f.Factor == nil {
		return 1
	}
	return f.Factor(t)
}

// Names are the flows that Named accepts.
var Names = []string{"rotation", "rider-kothe", "reversed-vortex", "deformation", "enright", "shear"}

// Named returns a flow by its name. A period reverses it: its velocity is multiplied by cos(πt/period). For rotation,
// about the centre of the grid, the period is the time of one revolution.
//
//	rotation         solid-body rotation in the plane
//	rider-kothe      ψ = sin²(πx) sin²(πy) / π, one vortex in the unit square (Rider and Kothe, J. Comput. Phys.
//	                 141, 1998)
//	reversed-vortex  the same; the period is required
//	deformation      ψ = sin(4π(x+½)) cos(4π(y+½)) / 4π, vortices in a periodic unit square (Smolarkiewicz, 1982)
//	enright          2 sin²(πx) sin(2πy) sin(2πz) and so on in the unit cube (LeVeque, SIAM J. Numer. Anal. 33, 1996)
//	shear            rider-kothe in x and y, and (1 - 2r)² along z, r the distance from the axis (Liovic et al.,
//	                 Comput. Fluids 35, 2006)
func Named(name string, g *grid.Grid, period float64) (Flow, error) {
	if !(period >= 0) || math.IsInf(period, 0) {
		return Flow{}, fmt.Errorf("flow %s: the period is %g; it must be positive, or 0 for none", name, period)
	}
	var f Flow
	if period > 0 {
		f.Factor = func(t float64) float64 { return math.Cos(math.Pi * t / period) }
	}
	planar := name != "enright" && name != "shear"
	if slices.Contains(Names, name) && planar != (g.Dim == 2) {
		const bothDims = 2 + 3
		return f, fmt.Errorf("flow %s has %d dimensions, the grid has %d", name, bothDims-g.Dim, g.Dim)
	}
	if name == "reversed-vortex" && period == 0 {
		return f, fmt.Errorf("flow %s needs a period", name)
	}
	sine := func(x float64) float64 { return square(math.Sin(math.Pi * x)) }
	switch name {
	case "rotation":
		if period == 0 {
			return f, fmt.Errorf("flow rotation needs a period: the time of one revolution")
		}
		f.Factor = nil
		omega := 2 * math.Pi / period
		x := nodes(g, 0, func(x float64) float64 { return omega / 2 * square(x-(g.Lo[0]+g.Hi[0])/2) })
		y := nodes(g, 1, func(y float64) float64 { return omega / 2 * square(y-(g.Lo[1]+g.Hi[1])/2) })
		f.Face = stream(g, func(i, j int) float64 { return x.at(i) + y.at(j) })
	case "rider-kothe", "reversed-vortex":
		x, y := nodes(g, 0, sine), nodes(g, 1, sine)
		f.Face = stream(g, func(i, j int) float64 { return x.at(i) * y.at(j) / math.Pi })
	case "deformation":
		x := nodes(g, 0, func(x float64) float64 { return math.Sin(4 * math.Pi * (x + .5)) })
		y := nodes(g, 1, func(y float64) float64 { return math.Cos(4 * math.Pi * (y + .5)) })
		f.Face = stream(g, func(i, j int) float64 { return x.at(i) * y.at(j) / (4 * math.Pi) })
	case "enright":
		var node, mean [3]table
		for d := range node {
			node[d] = nodes(g, d, sine)
			mean[d] = means(g, d, node[d])
		}
		f.Face = func(axis, i, j, k int) float64 {
			at := [3]int{i, j, k}
			v := node[axis].at(at[axis])
			for d := range 3 {
				if d != axis {
					v *= mean[d].at(at[d])
				}
			}
			if axis == 0 {
				return 2 * v
			}
			return -v
		}
	case "shear":
		f.Face = shear(g, sine)
	default:
		return f, fmt.Errorf("flow %q is not known; choose from %s", name, strings.Join(Names, ", "))
	}
	return f, nil
}

// Uniform is a constant velocity.
func Uniform(u, v, w float64) Flow {
	return Flow{Face: func(axis, _, _, _ int) float64 { return [3]float64{u, v, w}[axis] }}
}

// shear returns the velocities of the flow shear; sine is sin²(πx).
func shear(g *grid.Grid, sine func(float64) float64) func(axis, i, j, k int) float64 {
	x, y := nodes(g, 0, sine), nodes(g, 1, sine)
	xm, ym := means(g, 0, x), means(g, 1, y)
	return func(axis, i, j, _ int) float64 {
		switch axis {
		case 0:
			return x.at(i) * ym.at(j)
		case 1:
			return -xm.at(i) * y.at(j)
		}
		dx := g.Centre(0, i) - .5
		dy := g.Centre(1, j) - .5
		return square(1 - 2*math.Sqrt(dx*dx+dy*dy))
	}
}

// stream returns the velocities of a stream function given at nodes: u = -∂ψ/∂y, v = ∂ψ/∂x.
func stream(g *grid.Grid, psi func(i, j int) float64) func(axis, i, j, k int) float64 {
	hx, hy := g.Spacing(0), g.Spacing(1)
	return func(axis, i, j, _ int) float64 {
		switch axis {
		case 0:
			return (psi(i, j) - psi(i, j+1)) / hy
		case 1:
			return (psi(i+1, j) - psi(i, j)) / hx
		}
		return 0
	}
}

// margin is the number of cells by which tables extend beyond the grid: more than wallMargin.
const margin = 16

// table holds a function of one coordinate at nodes or cells, from index -margin.
type table []float64

func (t table) at(i int) float64 { return t[i+margin] }

// nodes tabulates f at the nodes of an axis.
func nodes(g *grid.Grid, axis int, f func(x float64) float64) table {
	t := make(table, g.N[axis]+2*margin+1)
	for i := range t {
		t[i] = f(g.Face(axis, i-margin))
	}
	return t
}

// means returns averages of sin(2πx) over cells, as differences of sin²(πx) = ∫π sin(2πx).
func means(g *grid.Grid, axis int, nodes table) table {
	t := make(table, len(nodes)-1)
	for i := range t {
		t[i] = (nodes[i+1] - nodes[i]) / (math.Pi * g.Spacing(axis))
	}
	return t
}

func square(x float64) float64 { return x * x }
