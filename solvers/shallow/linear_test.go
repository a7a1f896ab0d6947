package shallow

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/stencil"
)

// semiDiscrete is the scheme of second order around rest, without limiters and with a step of length 0: the rates of
// change of a state, linear in small deviations from rest.
type semiDiscrete struct {
	params       kernels.Params[float64]
	mesh         kernels.Mesh[float64]
	scheme       kernels.Scheme
	coriolis     float64
	rest         kernels.State[float64]
	slopes       []kernels.Slopes[float64]
	lower, upper []kernels.Flux[float64]
}

func newSemiDiscrete(t *testing.T, cells int, seed uint64, scheme kernels.Scheme, rest kernels.State[float64],
	coriolis float64) *semiDiscrete {
	m, err := mesh.Rectangle(0, 0, 1, 1, cells, seed)
	if err != nil {
		t.Fatal(err)
	}
	d, err := decompose.New(m, decompose.Options{Ranks: 1, Order: "rcm", Method: "hilbert"})
	if err != nil {
		t.Fatal(err)
	}
	s := &semiDiscrete{scheme: scheme, coriolis: coriolis, rest: rest}
	s.params = kernels.Params[float64]{Gravity: 1, DensityRatio: .9, CFL: .9, DryDepth: 1e-6, Tolerance: 1e-12,
		Rotation: coriolis}
	if scheme == kernels.OneLayer {
		s.params.DensityRatio = 1
	}
	err = d.Each(func(_ int, p *mesh.Part, _ *halo.Plan) error {
		out, err := newOutlets[float64](Config{}, nil, 0)
		if err != nil {
			return err
		}
		depth := make([]float64, len(p.Cells))
		for i := range depth {
			depth[i] = rest.H1 + rest.H2
		}
		s.mesh, _, err = assemble(p, depth, out)
		stencil.Compute(p, depth, &s.mesh)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.mesh.FluxAt, s.mesh.SlopesAt = bands.Extend(nil, len(s.mesh.EdgeCells)), bands.Extend(nil, len(s.mesh.Beds))
	s.slopes = make([]kernels.Slopes[float64], len(s.mesh.Beds))
	edges := len(s.mesh.EdgeCells)
	s.lower, s.upper = make([]kernels.Flux[float64], edges), make([]kernels.Flux[float64], edges)
	return s
}

// unknowns returns a cell's levels and velocities: z1, u1, v1, z2, u2, v2.
func (s *semiDiscrete) unknowns(w kernels.State[float64]) [6]float64 {
	v := [6]float64{w.H1 + w.H2, 0, 0, w.H2, w.Q2x / w.H2, w.Q2y / w.H2}
	if w.H1 > 0 {
		v[1], v[2] = w.Q1x/w.H1, w.Q1y/w.H1
	}
	return v
}

// setSlopes computes least-squares gradients, with mirrored cells at walls.
func (s *semiDiscrete) setSlopes(w []kernels.State[float64]) {
	for i, at := range s.mesh.Stencils {
		own := s.unknowns(w[i])
		var g [6]kernels.Vec2[float64]
		arms := [3]kernels.Vec2[float64]{at.Arm[0], at.Arm[1],
			{X: -at.Arm[0].X - at.Arm[1].X, Y: -at.Arm[0].Y - at.Arm[1].Y}}
		for k, o := range at.Neighbours {
			other := own
			if o >= 0 {
				other = s.unknowns(w[o])
			} else {
				ax, ay := arms[(k+1)%3].X-arms[(k+2)%3].X, arms[(k+1)%3].Y-arms[(k+2)%3].Y
				for _, n := range []int{1, 4} {
					away := 2 * (own[n]*ay - own[n+1]*ax) / (ax*ax + ay*ay)
					other[n], other[n+1] = own[n]-away*ay, own[n+1]+away*ax
				}
			}
			for n := range g {
				g[n].X += at.Weight[k].X * (other[n] - own[n])
				g[n].Y += at.Weight[k].Y * (other[n] - own[n])
			}
		}
		s.slopes[i] = kernels.Slopes[float64]{H1: w[i].H1, H2: w[i].H2, Z1: g[0], U1x: g[1], U1y: g[2], Z2: g[3], U2x: g[4],
			U2y: g[5], U1: kernels.Vec2[float64]{X: own[1], Y: own[2]}, U2: kernels.Vec2[float64]{X: own[4], Y: own[5]}}
	}
}

// rates returns the rates of change of all cells' H1, Q1x, Q1y, H2, Q2x and Q2y.
func (s *semiDiscrete) rates(w []kernels.State[float64]) [][6]float64 {
	s.setSlopes(w)
	kernels.NewSlopedFluxLoop(s.scheme, &s.params, &s.mesh, &kernels.Clock[float64]{}, s.slopes, s.lower, s.upper,
		&kernels.Counters{}).Range(0, len(s.lower))
	all := make([][6]float64, len(w))
	g, r := s.params.Gravity, s.params.DensityRatio
	for i := range all {
		z1, z2, f := s.slopes[i].Z1, s.slopes[i].Z2, s.coriolis
		out := &all[i]
		for _, link := range s.mesh.CellEdges[i].Edge {
			e, right := bands.Side(link)
			sign, area := 1-2*float64(right), s.mesh.Beds[i].Area
			for layer, f := range []kernels.Flux[float64]{s.upper[e], s.lower[e]} {
				out[3*layer] -= sign * f.M / area
				out[3*layer+1] -= f.Side[right].X / area
				out[3*layer+2] -= f.Side[right].Y / area
			}
		}
		out[1] += f*w[i].Q1y - g*w[i].H1*z1.X
		out[2] -= f*w[i].Q1x + g*w[i].H1*z1.Y
		out[4] += f*w[i].Q2y - g*w[i].H2*(r*z1.X+(1-r)*z2.X)
		out[5] -= f*w[i].Q2x + g*w[i].H2*(r*z1.Y+(1-r)*z2.Y)
	}
	return all
}

// matrix returns the derivatives of the rates at rest, by central differences, of the layers that are present.
func (s *semiDiscrete) matrix() *mat.Dense {
	first := 0
	if s.rest.H1 == 0 {
		first = 3
	}
	n, per := len(s.mesh.Beds), 6-first
	a := mat.NewDense(n*per, n*per, nil)
	const small = 1e-5
	w := make([]kernels.State[float64], n)
	for i := range w {
		w[i] = s.rest
	}
	for i := range w {
		for v := first; v < 6; v++ {
			var both [2][][6]float64
			for k, sign := range []float64{-small, small} {
				c := s.rest
				*[]*float64{&c.H1, &c.Q1x, &c.Q1y, &c.H2, &c.Q2x, &c.Q2y}[v] += sign
				w[i] = c
				both[k] = s.rates(w)
			}
			w[i] = s.rest
			for o := range w {
				for k := first; k < 6; k++ {
					a.Set(o*per+k-first, i*per+v-first, (both[1][o][k]-both[0][o][k])/(2*small))
				}
			}
		}
	}
	return a
}

// TestRotationIsLinearlyStable proves that no mode of the semi-discrete scheme of second order grows on random meshes
// with rotation, of one layer and of two. Without the dissipation of tangential momentum some grow at 0.07 to 0.17 of
// the Coriolis parameter.
func TestRotationIsLinearlyStable(t *testing.T) {
	one := kernels.State[float64]{H2: 1}
	two := kernels.State[float64]{H1: .4, H2: .6}
	for _, c := range []struct {
		scheme kernels.Scheme
		rest   kernels.State[float64]
		cells  int
		seed   uint64
		f      float64 // the Coriolis parameter, in units of wave speed over the size of the basin
	}{
		{kernels.OneLayer, one, 100, 1, 1}, {kernels.OneLayer, one, 100, 7, .1}, {kernels.OneLayer, one, 100, 3, 0},
		{kernels.PVM, two, 50, 1, 1}, {kernels.PVM, two, 50, 7, .1}, {kernels.Roe, two, 50, 5, 1},
		{kernels.IRRoe, two, 50, 1, .3},
	} {
		t.Run(fmt.Sprint(c.scheme, c.seed, c.f), func(t *testing.T) {
			s := newSemiDiscrete(t, c.cells, c.seed, c.scheme, c.rest, c.f)
			var e mat.Eigen
			if !e.Factorize(s.matrix(), mat.EigenNone) {
				t.Fatal("no eigenvalues")
			}
			fastest, oscillates := math.Inf(-1), 0.0
			for _, v := range e.Values(nil) {
				if real(v) > fastest {
					fastest, oscillates = real(v), imag(v)
				}
			}
			if fastest > 1e-6 {
				t.Errorf("a mode of frequency %.3g grows at a rate of %.3g", oscillates, fastest)
			}
		})
	}
}
