package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// viscousOn makes the stress of component axis on n × n cells, whose volume fractions are f(i, j).
func viscousOn(n, axis int, fluids Fluids[float64], f func(i, j int) float64) *Viscous[float64] {
	q := &Viscous[float64]{Lattice: Lattice{SY: int32(n), Dim: 2}, Fluids: fluids, Across: 1, First: int32(n)}
	if axis == 1 {
		q.Across, q.First = q.First, q.Across
	}
	for c := range n * n {
		q.F = append(q.F, f(c%n, c/n))
	}
	return q
}

func fluidsOf(first, second float64) Fluids[float64] {
	return Fluids[float64]{Viscosity: second, ViscosityStep: first - second}
}

// TestLayersResistInSeries: between the centres of cells below and above an interface along the grid, at any height and
// with either fluid above, the shear that a stress makes is exactly that of the layers.
func TestLayersResistInSeries(t *testing.T) {
	const n = 6
	for axis := range 2 {
		for _, below := range []bool{true, false} {
			for height := 2.0; height <= 4; height += .0625 {
				q := viscousOn(n, axis, fluidsOf(7, .5), func(i, j int) float64 {
					if axis == 1 {
						j = i
					}
					f := min(max(height-float64(j), 0), 1)
					if !below {
						f = 1 - f
					}
					return f
				})
				lower, upper := q.Fluids.ViscosityOf(1), q.Fluids.ViscosityOf(0)
				if !below {
					lower, upper = upper, lower
				}
				position := 1.5
				for layer := 2; layer < 5; layer++ {
					c := layer*n + 3
					if axis == 1 {
						c = 3*n + layer
					}
					part := min(max(height-position, 0), 1)
					want := part/lower + (1-part)/upper
					if got := 1 / q.OfEdge(c, int(q.First)); math.Abs(got-want) > 1e-14*want {
						t.Fatalf("axis %d, height %g: resistance %g between the layers %d and %d, want %g", axis, height, got,
							layer-1, layer, want)
					}
					if got, want := q.OfCell(c), q.Fluids.ViscosityOf(q.F[c]); got != want {
						t.Fatalf("axis %d, height %g: %g for stretch along layers, want the mean, %g", axis, height, got, want)
					}
					position++
				}
			}
		}
	}
}

// TestDiagonalLayersAreSheared: a diagonal interface is sheared by the slopes of components along their own axes.
func TestDiagonalLayersAreSheared(t *testing.T) {
	q := viscousOn(5, 0, fluidsOf(7, .5), func(i, j int) float64 { return min(max(.5+.5*float64(j-i), 0), 1) })
	c := 2*5 + 2
	if got, want := q.OfCell(c), 1/(.5/7+1); math.Abs(got-want) > 1e-14 {
		t.Errorf("viscosity %g in the cell, want that of layers in series, %g", got, want)
	}
	if got, want := q.OfEdge(c, 5), q.Fluids.ViscosityOf(.5); math.Abs(got-want) > 1e-14 {
		t.Errorf("viscosity %g at the edge, want the mean, %g", got, want)
	}
}

// TestViscositiesOfAnyMixture: edges have the same bits for both components, as the matrix must be symmetric, and all
// viscosities are between those of the fluids, of which one may have none.
func TestViscositiesOfAnyMixture(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 20000 {
		fluids := fluidsOf(float64(r.IntN(3))*r.Float64(), r.Float64())
		if r.IntN(2) == 0 {
			fluids = fluidsOf(fluids.ViscosityOf(0), fluids.ViscosityOf(1))
		}
		f := make([]float64, 9)
		for c := range f {
			f[c] = min(max(2*r.Float64()-.5, 0), 1)
		}
		first := viscousOn(3, 0, fluids, func(i, j int) float64 { return f[3*j+i] })
		second := viscousOn(3, 1, fluids, func(i, j int) float64 { return f[3*j+i] })
		one, other := first.OfEdge(4, 3), second.OfEdge(4, 1)
		if one != other {
			t.Fatalf("%v: the edge has %g for one component and %g for the other", f, one, other)
		}
		least := min(fluids.ViscosityOf(0), fluids.ViscosityOf(1))
		most := max(fluids.ViscosityOf(0), fluids.ViscosityOf(1))
		for _, v := range []float64{one, first.OfCell(4), second.OfCell(4)} {
			if !(v >= least*(1-1e-14) && v <= most*(1+1e-14)) {
				t.Fatalf("%v: viscosity %g outside of %g to %g", f, v, least, most)
			}
		}
	}
}
