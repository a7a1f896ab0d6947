package netforce

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
)

// scene is a grid with discs or balls, whose curvatures have errors.
type scene struct {
	g       *grid.Grid
	f       []float64 // volume fractions, about
	kappa   []float64
	touches func(at [3]int) bool
}

// ball is a centre and a radius in cells.
type ball [4]float64

func newScene(dim int, n int, periodic bool, balls ...ball) *scene {
	g := &grid.Grid{Dim: dim, N: [3]int{n, n, 1}, Hi: [3]float64{1, 1, 1}}
	for d := range dim {
		g.N[d], g.Periodic[d] = n, periodic
	}
	s := &scene{g: g, f: make([]float64, g.Cells()), kappa: make([]float64, g.Cells()),
		touches: func(at [3]int) bool {
			for d := range dim {
				if !periodic && (at[d] == 0 || at[d] == n-1) {
					return true
				}
			}
			return false
		}}
	rng := rand.New(rand.NewPCG(5, 6))
	for c := range s.f {
		at := [3]float64{float64(c % n), float64(c / n % n), float64(c / (n * n))}
		for _, b := range balls {
			r2 := 0.0
			for d := range dim {
				x := math.Abs(at[d] - b[d])
				if periodic {
					x = min(x, float64(n)-x)
				}
				r2 += x * x
			}
			s.f[c] = max(s.f[c], min(1, max(0, b[3]-math.Sqrt(r2)+.5)))
		}
		s.kappa[c] = 1 + .2*rng.Float64()
	}
	return s
}

func (s *scene) number(at [3]int) (int, bool) {
	for d := range 3 {
		inside := true
		if at[d], inside = s.g.Wrap(d, at[d]); !inside {
			return 0, false
		}
	}
	return at[0] + s.g.N[0]*(at[1]+s.g.N[1]*at[2]), true
}

// area is half the difference of the fractions of a cell's neighbours along each axis.
func (s *scene) area(at [3]int) (a [3]float64) {
	for d := range s.g.Dim {
		for side := -1; side <= 1; side += 2 {
			next := at
			next[d] += side
			n, ok := s.number(next)
			if !ok {
				n, _ = s.number(at)
			}
			a[d] += float64(side) * s.f[n] / 2
		}
	}
	return a
}

// list lists the cells of a block that are beside the interface.
func (s *scene) list(b *grid.Block) *List {
	l := &List{Block: b, Axes: []int{0, 1, 2}[:s.g.Dim], First: []int32{0}, Touches: func(i, j, k int) bool {
		return s.touches([3]int{b.Lo[0] + i, b.Lo[1] + j, b.Lo[2] + k})
	}}
	for row := range b.N[1] * b.N[2] {
		for i := range b.N[0] {
			at := [3]int{b.Lo[0] + i, b.Lo[1] + row%b.N[1], b.Lo[2] + row/b.N[1]}
			n, _ := s.number(at)
			a := s.area(at)
			if a == [3]float64{} {
				continue
			}
			l.Column, l.Kappa = append(l.Column, int32(i)), append(l.Kappa, s.kappa[n])
			for d := range s.g.Dim {
				l.Area[d] = append(l.Area[d], a[d])
			}
		}
		l.First = append(l.First, int32(len(l.Column)))
	}
	return l
}

// changes are those of all cells of the grid, which is divided into blocks.
func (s *scene) changes(t *testing.T, parts [3]int) []float64 {
	t.Helper()
	all := make([]float64, s.g.Cells())
	var group errgroup.Group
	for rank, comm := range local.New(parts[0] * parts[1] * parts[2]) {
		group.Go(func() error { return errors.Join(s.onRank(comm, rank, parts, all), comm.Close()) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return all
}

func (s *scene) onRank(comm dist.Comm, rank int, parts [3]int, all []float64) error {
	at := [3]int{rank % parts[0], rank / parts[0] % parts[1], rank / (parts[0] * parts[1])}
	var lo, n [3]int
	for d := range 3 {
		lo[d] = s.g.N[d] * at[d] / parts[d]
		n[d] = s.g.N[d]*(at[d]+1)/parts[d] - lo[d]
	}
	b, err := s.g.Block(lo, n, 1)
	if err != nil {
		return err
	}
	l := s.list(b)
	changes, err := l.Changes(context.Background(), comm)
	for n, v := range changes {
		at := l.position(int32(n))
		all[l.numberAt(b.Global(at[0], at[1], at[2]))] = v
	}
	return err
}

// force is the net force in some columns of the grid.
func (s *scene) force(changes []float64, from, to int) (sum [3]float64) {
	for c := range s.f {
		at := [3]int{c % s.g.N[0], c / s.g.N[0] % s.g.N[1], c / (s.g.N[0] * s.g.N[1])}
		if at[0] >= from && at[0] < to {
			for d, a := range s.area(at) {
				sum[d] += (s.kappa[c] + changes[c]) * a
			}
		}
	}
	return sum
}

func largest(v [3]float64) float64 { return max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2])) }

// TestForceVanishes: the net force on each of two bodies becomes 0, by changes that are not larger than the errors, and
// with the same bits on any number of blocks, also if bodies cross periodic sides.
func TestForceVanishes(t *testing.T) {
	for dim := 2; dim <= 3; dim++ {
		for _, q := range []struct {
			periodic bool
			bodies   []ball
			second   [2]int // columns of the second one
		}{
			{false, []ball{{6.3, 10.2, 8.1, 3.2}, {17.4, 11.4, 12.7, 3.4}}, [2]int{12, 24}},
			{true, []ball{{23.4, .2, 11.6, 3.2}, {11.2, 11, 0, 1.7}}, [2]int{6, 18}},
		} {
			s := newScene(dim, 24, q.periodic, q.bodies...)
			changes := s.changes(t, [3]int{1, 1, 1})
			for _, part := range [][2]int{{0, 24}, q.second} {
				before, after := s.force(make([]float64, len(s.f)), part[0], part[1]), s.force(changes, part[0], part[1])
				if largest(before) < 1e-3 || largest(after) > 1e-7 {
					t.Errorf("in %d dimensions columns %v: the force is %g, was %g", dim, part, after, before)
				}
			}
			moved, off := 0.0, 0.0
			for c, v := range changes {
				a := s.area([3]int{c % 24, c / 24 % 24, c / 576})
				size := math.Sqrt(a[0]*a[0] + a[1]*a[1] + a[2]*a[2])
				moved, off = moved+size*v*v, off+size*(s.kappa[c]-1.1)*(s.kappa[c]-1.1)
			}
			if moved == 0 || moved > off {
				t.Errorf("in %d dimensions: the changes are %g, the errors %g", dim, moved, off)
			}
			for _, parts := range [][3]int{{2, 1, 1}, {3, 2, 1}, {1, 4, dim - 1}} {
				if !slices.Equal(s.changes(t, parts), changes) {
					t.Errorf("in %d dimensions: other bits on %v blocks", dim, parts)
				}
			}
		}
	}
}

// TestOpenInterfacesAreLeft: nothing is changed of an interface that touches a side, or that has an end.
func TestOpenInterfacesAreLeft(t *testing.T) {
	for name, change := range map[string]func(s *scene){
		"at a side": func(*scene) {},
		"that ends": func(s *scene) { s.touches = func([3]int) bool { return false } },
	} {
		s := newScene(2, 24, false, ball{1.3, 11, 0, 4.2})
		change(s)
		for c, v := range s.changes(t, [3]int{2, 2, 1}) {
			if v != 0 {
				t.Fatalf("an interface %s: cell %d is changed by %g", name, c, v)
			}
		}
	}
}
