package mesh

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Vertices that have been moved within their side or edge have the same freedom as before. Those moved off their side
// or edge cannot move.
func TestFreedomsTangled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := Cube(4, 4, 4, .1, rapid.Uint64().Draw(t, "cube"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Freedoms()
		if err != nil {
			t.Fatal(err)
		}
		fraction, distance := rapid.Float64Range(0, 1).Draw(t, "fraction"), rapid.Float64Range(.01, 2).Draw(t, "distance")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		for v, f := range want {
			if r.Float64() >= fraction {
				continue
			}
			move := func(d [3]float64) {
				step := distance * (2*r.Float64() - 1)
				s.X[v], s.Y[v], s.Z[v] = s.X[v]+step*d[0], s.Y[v]+step*d[1], s.Z[v]+step*d[2]
			}
			switch f.Axes {
			case 3:
				move([3]float64{1, .3, -.7})
			case 2:
				move(f.T[0])
				move(f.T[1])
			case 1:
				move(f.T[0])
			}
		}
		if err := s.CheckTangled(); err != nil {
			t.Fatal(err)
		}
		got, err := s.FreedomsTangled()
		if err != nil {
			t.Fatal(err)
		}
		for v := range want {
			if got[v].Axes != want[v].Axes {
				t.Fatalf("vertex %d at %v has %d axes, want %d", v, s.At(int32(v)), got[v].Axes, want[v].Axes)
			}
			for k := range min(2, want[v].Axes) {
				if want[v].Axes < 3 && !aligned(got[v].T[k], want[v].T[k]) {
					t.Fatalf("vertex %d moves along %v, want %v", v, got[v].T, want[v].T)
				}
			}
		}
	})
	s := cube(t, 4, .1)
	side, edge := s.nearest(.5, .5, 0), s.nearest(.5, 0, 0)
	s.Z[side] -= .05
	s.Y[edge] -= .05
	f, err := s.FreedomsTangled()
	if err != nil || f[side].Axes != 0 || f[edge].Axes != 0 {
		t.Errorf("vertices off a side and off an edge have %+v and %+v, error %v; want 0 axes", f[side], f[edge], err)
	}
}

// The vertices of a boundary face of zero area, which has no plane, move at most along its line.
func TestFreedomsFlat(t *testing.T) {
	s := cube(t, 4, 0)
	free, err := s.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	f := s.Faces[slices.IndexFunc(s.Faces, func(f TaggedFace) bool {
		return min(free[f.V[0]].Axes, free[f.V[1]].Axes, free[f.V[2]].Axes) == 2
	})]
	mid := func(x []float64) float64 { return (x[f.V[1]] + x[f.V[2]]) / 2 }
	s.X[f.V[0]], s.Y[f.V[0]], s.Z[f.V[0]] = mid(s.X), mid(s.Y), mid(s.Z)
	if free, err = s.FreedomsTangled(); err != nil {
		t.Fatal(err)
	}
	line := unit(vector.Minus(s.At(f.V[1]), s.At(f.V[2])))
	for _, v := range f.V {
		if free[v].Axes > 1 || free[v].Axes == 1 && !aligned(free[v].T[0], line) {
			t.Errorf("vertex %d of a flat face along %v has the freedom %+v", v, line, free[v])
		}
	}
}

// CheckTangled accepts inverted cells, but not a cell given twice.
func TestCheckSolidTangled(t *testing.T) {
	s := cube(t, 3, .1)
	s.X[s.nearest(.3, .3, .3)] += .9
	if s.Check() == nil || s.CheckTangled() != nil {
		t.Errorf("with inverted cells, Check gives %v and CheckTangled %v, want an error and nil", s.Check(),
			s.CheckTangled())
	}
	if s.Cells = append(s.Cells, s.Cells[0]); s.CheckTangled() == nil {
		t.Error("CheckTangled accepts a cell given twice, want an error")
	}
}

// Check and CheckTangled refuse a tetrahedron with a repeated vertex.
func TestCheckSolidRepeated(t *testing.T) {
	s := cube(t, 2, 0)
	s.Cells[3][1] = s.Cells[3][0]
	for _, err := range []error{s.Check(), s.CheckTangled()} {
		if err == nil || !strings.Contains(err.Error(), "tetrahedron that repeats a vertex: tetrahedron 3 ") {
			t.Error(err)
		}
	}
}

// Check reports volumes that overflow as such, not as flat cells.
func TestCheckSolidHuge(t *testing.T) {
	s := cube(t, 2, 0)
	for v := range s.X {
		s.X[v], s.Y[v], s.Z[v] = 1e120*s.X[v], 1e120*s.Y[v], 1e120*s.Z[v]
	}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "volumes overflow") ||
		strings.Contains(err.Error(), "flat") {
		t.Error(err)
	}
}
