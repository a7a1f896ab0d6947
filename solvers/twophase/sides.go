package twophase

import (
	"slices"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
)

// sideRule is what faces in outflows get when a velocity's ghosts are filled.
type sideRule int

const (
	keepOutflow   sideRule = iota // they keep their velocity, that of the last projection
	extendOutflow                 // before the projection: that of the next face inside
	zeroGiven                     // 0, as have all faces with a given velocity: for changes of velocity
)

// affine is a function a·v + b + part·given of the value of an entity at a position of the grid.
type affine struct {
	at    int
	a, b  float64
	part  float64
	given *Given
}

// constantOr is an affine function whose addend is a constant, or a function instead of it, times a part.
func constantOr(at int, a, part, constant float64, given *Given) affine {
	if given != nil {
		return affine{at: at, a: a, part: part, given: given}
	}
	return affine{at: at, a: a, b: part * constant}
}

// ghostOf returns, along an axis, of which entity's value the one of entity i is a function; ok is false if it is no
// ghost, and has a value of its own. n is the number of cells along the axis.
type ghostOf func(axis, i, n int) (f affine, ok bool)

// cellGhost is for volume fractions and curvatures: mirrored in sides, so that interfaces meet them at right angles,
// and given in inflows.
func (c *Config) cellGhost(inflow bool) ghostOf {
	return func(axis, i, n int) (affine, bool) {
		if i >= 0 && i < n {
			return affine{}, false
		}
		side := 0
		if i >= n {
			side = 1
		}
		if s := c.Sides[axis][side]; inflow && (s.Kind == Inflow || s.Backflow) {
			return constantOr(max(0, min(n-1, i)), 0, 1, s.Fraction, s.Mixture), true
		}
		return affine{at: mirrored(i, n), a: 1}, true
	}
}

// mirrored is the cell that cell i beyond a side mirrors.
func mirrored(i, n int) int {
	if i < 0 {
		i = -1 - i
	}
	if i >= n {
		i = 2*n - 1 - i
	}
	return max(0, min(n-1, i))
}

// velocityGhost is for the velocity component d.
func (c *Config) velocityGhost(d int, rule sideRule) ghostOf {
	return func(axis, i, n int) (affine, bool) {
		side, last := 0, n-1
		if axis == d {
			last = n
		}
		if 2*i > last {
			side = 1
		}
		s, given := c.Sides[axis][side], 1.0
		if rule == zeroGiven {
			given = 0
		}
		if axis != d {
			if i >= 0 && i < n {
				return affine{}, false
			}
			switch s.Kind {
			case NoSlip, Inflow:
				return constantOr(mirrored(i, n), -1, 2*given, s.Velocity[d], s.Profile[d]), true
			case Outflow:
				return affine{at: max(0, min(n-1, i)), a: 1}, true
			}
			return affine{at: mirrored(i, n), a: 1}, true
		}
		if i > 0 && i < n {
			return affine{}, false
		}
		wall := side * n
		switch s.Kind {
		case Inflow:
			return constantOr(max(0, min(n, i)), 0, given, s.Velocity[d], s.Profile[d]), true
		case Outflow:
			switch {
			case rule == zeroGiven:
				return affine{at: wall}, true
			case rule == extendOutflow:
				return affine{at: max(1, min(n-1, i)), a: 1}, true
			case i == wall:
				return affine{}, false
			}
			return affine{at: wall, a: 1}, true
		}
		if i == wall {
			return affine{at: wall}, true
		}
		return affine{at: 2*wall - i, a: -1}, true
	}
}

// ghostList are ghosts beyond sides, and entities in sides, and the entities inside of which they are functions.
type ghostList struct {
	from, to []int32
	a, b     []float64
	terms    []term
	steady   bool // no term depends on the time
}

// term is what a given function adds to an element of b: its value at a position times a part.
type term struct {
	element int
	part    float64
	given   *Given
	at      [3]float64
}

// addendsAt are b with all terms at a time.
func (l *ghostList) addendsAt(t float64) ([]float64, error) {
	b := slices.Clone(l.b)
	for _, q := range l.terms {
		if q.part == 0 {
			continue
		}
		v, err := q.given.At(q.at[0], q.at[1], q.at[2], t)
		if err != nil {
			return nil, err
		}
		b[q.element] += q.part * v
	}
	return b, nil
}

// pressureGhost is for the pressure: the first ghost beyond an outflow has the value that is given in the side.
func (c *Config) pressureGhost(axis, i, n int) (affine, bool) {
	side := 0
	if i >= n {
		side = 1
	}
	if q := c.Sides[axis][side].Pressure; q != nil && (i == -1 || i == n) {
		return affine{at: max(0, min(n-1, i)), part: 1, given: q}, true
	}
	return affine{}, false
}

// velocityLayers is the number of layers of ghosts of velocities: van Leer's slopes reach two faces.
const velocityLayers = 2

// listGhosts lists the ghosts of a block in some layers. Where several axes have a side, the functions are applied one
// after the other.
//
// The entities are cells, for a negative axis, and otherwise faces across it.
func listGhosts(b *grid.Block, layers, axis int, of ghostOf) (l ghostList) {
	l.steady = true
	inside := func(d, i int) bool { // neither a ghost beyond a side nor next to one
		i += b.Lo[d]
		return d >= b.Grid.Dim || b.Grid.Periodic[d] || i > 0 && i < b.Grid.N[d]-1
	}
	nx, _, _ := b.Shape()
	for row := 0; row < b.Len(); row += nx {
		_, j, k := b.Cell(row)
		skips := inside(1, j) && inside(2, k)
		for c := row; c < row+nx; c++ {
			if i, _, _ := b.Cell(c); skips && inside(0, i) {
				if b.Grid.Periodic[0] {
					break
				}
				c = min(row+nx, row+b.Ghost+b.Grid.N[0]-1-b.Lo[0]) - 1 // on to the last cell
				continue
			}
			l.add(b, c, layers, axis, of)
		}
	}
	return l
}

// add adds a ghost, if element c of an array is one.
func (l *ghostList) add(b *grid.Block, c, layers, staggered int, of ghostOf) {
	i, j, k := b.Cell(c)
	at, a, add, ghost := [3]int{i, j, k}, 1.0, 0.0, false
	var terms []term
	for d := range b.Grid.Dim {
		if at[d] < -layers || at[d] > b.N[d]+layers {
			return
		}
		if b.Grid.Periodic[d] {
			continue
		}
		f, ok := of(d, b.Lo[d]+at[d], b.Grid.N[d])
		if ok {
			ghost, a, add = true, f.a*a, f.a*add+f.b
			at[d] = f.at - b.Lo[d]
			for n := range terms {
				terms[n].part *= f.a
			}
			if f.given != nil {
				terms = append(terms, term{len(l.to), f.part, f.given, sidePoint(b, c, d, staggered)})
			}
		}
	}
	if ghost {
		from := b.Index(at[0], at[1], at[2])
		if a == 0 { // nothing depends on the value there, which another thread may be writing
			from = c
		}
		l.to, l.from = append(l.to, int32(c)), append(l.from, int32(from))
		l.a, l.b, l.terms = append(l.a, a), append(l.b, add), append(l.terms, terms...)
		for _, q := range terms {
			l.steady = l.steady && q.given.Steady
		}
	}
}

// sidePoint returns the point of the side across an axis next to element c of an array: of cells, or of faces across
// the axis staggered.
func sidePoint(b *grid.Block, c, axis, staggered int) (x [3]float64) {
	i, j, k := b.Cell(c)
	at, g := [3]int{i, j, k}, b.Grid
	for d := range g.Dim {
		n := b.Lo[d] + at[d]
		if d == axis {
			if x[d] = g.Lo[d]; 2*n >= g.N[d] {
				x[d] = g.Hi[d]
			}
		} else if d == staggered {
			x[d] = g.Face(d, max(0, min(g.N[d], n)))
		} else {
			x[d] = g.Centre(d, mirrored(n, g.N[d]))
		}
	}
	return x
}

// sideArrays are the lists of ghosts on the device.
type sideArrays[F num.Float] struct {
	list     ghostList
	from, to *engine.Array[int32]
	a, b     *engine.Array[F]
}

func declareSides[F num.Float](t *engine.Table, l ghostList) sideArrays[F] {
	n := len(l.to)
	numbers := func(x []float64) func() []F { return func() []F { return inPrecision[F](x) } }
	return sideArrays[F]{l, engine.Input(t, "sides", n, func() []int32 { return l.from }),
		engine.Input(t, "sides", n, func() []int32 { return l.to }), engine.Input(t, "sides", n, numbers(l.a)),
		engine.Input(t, "sides", n, numbers(l.b))}
}

// set computes the addends for a time, unless they are the same at all times and not the first ones.
func (s *sideArrays[F]) set(t float64, first bool) error {
	if len(s.list.terms) == 0 || s.list.steady && !first {
		return nil
	}
	b, err := s.list.addendsAt(t)
	if err != nil {
		return err
	}
	return s.b.Set(inPrecision[F](b))
}

// of fills the ghosts of an array.
func (s *sideArrays[F]) of(a *engine.Array[F]) engine.Task {
	return engine.Whole(kernels.NewFillSidesLoop(s.from.Data, s.to.Data, s.a.Data, s.b.Data, a.Data), len(s.to.Data))
}
