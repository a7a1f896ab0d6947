package engine_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/halotest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// loop is a loop in plain Go, as kernelgen would generate it.
type loop func(lo, hi int)

func (l loop) Range(lo, hi int) { l(lo, hi) }

// level is a level of a multigrid method: a space of cells with its own plan of ghosts. Its cells are those of the
// block that the cells of the level below make two by two.
type level struct {
	b       *grid.Block
	ghosts  *engine.Ghosts
	h2      float64 // square of the spacing
	x, r, t *engine.Array[float64]
	walls   map[*engine.Array[float64]][]engine.Task
}

// sides are the conditions at the sides of the grid, by axis and side: a ghost is sign times the nearest cell. -1 is a
// value of 0 at the wall, 1 no flux.
var sides = [2][2]float64{{-1, 1}, {1, -1}}

// poisson solves -Δx = f by conjugate gradients, preconditioned with a V-cycle.
type poisson struct {
	*engine.Engine
	levels           []*level
	x, f, r, z, p, q *engine.Array[float64]
	dots             [2]dist.Accumulator
	lock             sync.Mutex
	rz, alpha, beta  float64 // scalars, which on a device would be an array
	first            float64
	done             *engine.Array[int32]
	iterations       int
}

func (l *level) box() abi.Box {
	return abi.Box{Hi: l.b.N}
}

// over runs f for the rows of the block's own cells: the index of the first cell, and how many.
func (l *level) over(f func(c, n int)) engine.Task {
	box := l.box()
	return engine.Over(loop(func(lo, hi int) {
		for lo < hi {
			i, j, _, n := box.Row(lo, hi)
			f(l.b.Index(i, j, 0), n)
			lo += n
		}
	}), box)
}

// refresh fills the ghosts of arrays: one message for all, and the ghosts beyond walls by the sides' conditions.
func (l *level) refresh(p *engine.Program, arrays ...*engine.Array[float64]) {
	var tasks []engine.Task
	var all []engine.Exchanged
	for _, a := range arrays {
		if l.walls[a] == nil {
			from, to := l.b.BoundaryGhosts()
			l.walls[a] = []engine.Task{engine.Whole(loop(func(lo, hi int) {
				for k := lo; k < hi; k++ {
					sign, at := 1.0, [2]int{}
					at[0], at[1], _ = l.b.Cell(int(to[k]))
					for d := range at {
						switch g := at[d] + l.b.Lo[d]; {
						case g < 0:
							sign *= sides[d][0]
						case g >= l.b.Grid.N[d]:
							sign *= sides[d][1]
						}
					}
					a.Data[to[k]] = sign * a.Data[from[k]]
				}
			}), len(to))}
		}
		tasks, all = append(tasks, l.walls[a]...), append(all, a)
	}
	p.ExchangeThen(l.ghosts, tasks, all...)
}

// apply computes to = -Δ from, whose ghosts are up to date.
func (l *level) apply(from, to *engine.Array[float64]) engine.Task {
	_, s, _ := l.b.Strides()
	return l.over(func(c, n int) {
		x, y := from.Data, to.Data
		for ; n > 0; c, n = c+1, n-1 {
			y[c] = (4*x[c] - x[c-1] - x[c+1] - x[c-s] - x[c+s]) / l.h2
		}
	})
}

// cycle is a V-cycle for -Δ x = r of level k, from x = 0: symmetric, so that it preconditions conjugate gradients. All
// of it is independent of the ranks: Jacobi iterations, and coarse cells of the same four fine ones everywhere.
func (s *poisson) cycle(p *engine.Program, k int) {
	l := s.levels[k]
	const weight = 0.8
	relax := l.over(func(c, n int) {
		for ; n > 0; c, n = c+1, n-1 {
			l.x.Data[c] += weight * l.h2 / 4 * (l.r.Data[c] - l.t.Data[c])
		}
	})
	times := 2
	if k == len(s.levels)-1 {
		times = 30
	}
	p.Run(l.over(func(c, n int) {
		for i := c; i < c+n; i++ {
			l.x.Data[i] = weight * l.h2 / 4 * l.r.Data[i]
		}
	}))
	smooth := func(n int) {
		for range n {
			l.refresh(p, l.x)
			p.Run(l.apply(l.x, l.t), relax)
		}
	}
	smooth(times - 1)
	if k == len(s.levels)-1 {
		return
	}
	coarse := s.levels[k+1]
	l.refresh(p, l.x)
	p.Run(l.apply(l.x, l.t))
	_, stride, _ := l.b.Strides()
	fine := func(c int) int { // the first of the four cells of a coarse one
		i, j, _ := coarse.b.Cell(c)
		return l.b.Index(2*i, 2*j, 0)
	}
	p.Run(coarse.over(func(c, n int) {
		for ; n > 0; c, n = c+1, n-1 {
			f := fine(c)
			sum := 0.0
			for _, i := range []int{f, f + 1, f + stride, f + stride + 1} {
				sum += l.r.Data[i] - l.t.Data[i]
			}
			coarse.r.Data[c] = sum / 4
		}
	}))
	s.cycle(p, k+1)
	p.Run(coarse.over(func(c, n int) {
		for ; n > 0; c, n = c+1, n-1 {
			f := fine(c)
			for _, i := range []int{f, f + 1, f + stride, f + stride + 1} {
				l.x.Data[i] += coarse.x.Data[c]
			}
		}
	}))
	smooth(times)
}

// dot adds the products of two arrays to sum k, and combines it over all ranks.
func (s *poisson) dot(p *engine.Program, k int, a, b *engine.Array[float64]) {
	p.Run(engine.Whole(loop(func(int, int) { s.dots[k] = dist.Accumulator{} }), 1))
	p.Run(s.levels[0].over(func(c, n int) {
		var part dist.Accumulator
		for ; n > 0; c, n = c+1, n-1 {
			part.Add(a.Data[c] * b.Data[c])
		}
		s.lock.Lock()
		defer s.lock.Unlock()
		s.dots[k].Merge(&part)
	}))
	p.Reduce(engine.ExactSum{Sum: &s.dots[k]})
}

// scalar computes with scalars, on the device.
func scalar(f func()) engine.Task { return engine.Whole(loop(func(int, int) { f() }), 1) }

// solve is the program: what a step of incompressible flow would contain.
func (s *poisson) solve(p *engine.Program, _ int) {
	fine := s.levels[0]
	update := func(f func(i int)) engine.Task {
		return fine.over(func(c, n int) {
			for i := c; i < c+n; i++ {
				f(i)
			}
		})
	}
	x, r, z, d, q := s.x, s.r, s.z, s.p, s.q
	p.Phase("start")
	p.Run(scalar(func() { s.done.Data[0], s.iterations = 0, 0 }))
	fine.refresh(p, x)
	p.Run(fine.apply(x, q), update(func(i int) { r.Data[i] = s.f.Data[i] - q.Data[i]; d.Data[i] = 0 }))
	p.Run(scalar(func() { s.rz, s.first = 1, 0 }))
	p.Phase("iterations")
	p.Repeat(&engine.Repeated{Most: 60, Every: 3, Done: s.done, Body: func(p *engine.Program) {
		s.cycle(p, 0) // z from r
		s.dot(p, 0, r, z)
		p.Run(scalar(func() {
			rz := s.dots[0].Float64()
			if s.beta = rz / s.rz; s.first == 0 {
				s.first, s.beta = rz, 0
			}
			if s.done.Data[0] == 0 {
				s.rz = rz
				s.iterations++
			}
		}))
		p.Run(update(func(i int) { d.Data[i] = z.Data[i] + s.beta*d.Data[i] }))
		fine.refresh(p, d)
		p.Run(fine.apply(d, q))
		s.dot(p, 1, d, q)
		p.Run(scalar(func() {
			s.alpha = s.rz / s.dots[1].Float64()
			if s.done.Data[0] != 0 {
				s.alpha = 0 // iterations beyond the last one change nothing
			}
		}))
		p.Run(update(func(i int) { x.Data[i] += s.alpha * d.Data[i]; r.Data[i] -= s.alpha * q.Data[i] }))
		p.Run(scalar(func() {
			if s.rz < 1e-24*s.first {
				s.done.Data[0] = 1
			}
		}))
	}})
}

func newPoisson(ctx context.Context, comm dist.Comm, dev backend.Device, n, parts [2]int,
	adapt func(s *poisson, def *engine.Definition)) (*poisson, error) {
	table := engine.NewTable(dev)
	s := &poisson{Engine: engine.New(solvers.Env{Comm: comm, Device: dev}, table)}
	for k := 0; n[0]>>k >= 8; k++ {
		g := &grid.Grid{Dim: 2, N: [3]int{n[0] >> k, n[1] >> k, 1}, Hi: [3]float64{1, 1, 0}}
		boxes := halo.Boxes{Dim: 2, Cuts: [3][]int{{0}, {0}, {0, 1}}}
		for d := range parts { // coarse boxes are made of whole coarse cells: cuts are multiples of the coarsest ones
			for i := range parts[d] {
				boxes.Cuts[d] = append(boxes.Cuts[d], g.N[d]*(i+1)/parts[d])
			}
		}
		lo, size := boxes.Box(comm.Rank())
		b, err := g.Block(lo, size, 1)
		if err != nil {
			return nil, err
		}
		plan, err := halo.NewBoxPlan(boxes, comm.Rank(), 1, [3]int{1, 1, 1}, halo.AxisByAxis)
		if err != nil {
			return nil, err
		}
		l := &level{b: b, ghosts: s.BoxGhosts(plan, 10+k), h2: g.Spacing(0) * g.Spacing(0),
			walls: map[*engine.Array[float64]][]engine.Task{}}
		l.x, l.r = engine.Add[float64](table, "x", b.Len()), engine.Add[float64](table, "r", b.Len())
		l.t = engine.Add[float64](table, "t", b.Len())
		s.levels = append(s.levels, l)
	}
	fine := s.levels[0]
	s.z, s.r = fine.x, fine.r
	for _, a := range []**engine.Array[float64]{&s.x, &s.f, &s.p, &s.q} {
		*a = engine.Add[float64](table, "vectors", fine.b.Len())
	}
	s.done = engine.Add[int32](table, "done", 1)
	if table.Err() != nil {
		return nil, table.Err()
	}
	for c := range fine.b.OwnedIndices() {
		i, j, _ := fine.b.Cell(c)
		x, y, _ := fine.b.Centre(i, j, 0)
		s.f.Data[c] = math.Sin(7*x*y) + 1/(1+x)
	}
	cells := &solvers.Space{Name: "cell", Owned: fine.b.Cells(), Key: fine.b.Number}
	x := solvers.Field{Name: "x", Hashed: true, Space: cells}
	x = engine.ShownOnBlock(s.Engine, x, fine.b, s.x)
	def := engine.Definition{Step: s.solve, Cycle: 1, Fields: []solvers.Field{x},
		Clock: engine.NewGiven(table, 1, engine.EqualSteps(1), func(engine.Step) float64 { return 0 })}
	if adapt != nil {
		adapt(s, &def)
	}
	return s, s.Define(ctx, def)
}

// sameBits steps a solver on different ranks, threads and devices, and requires the same hash.
func sameBits(t *testing.T, adapt func(s *poisson, def *engine.Definition), check func(s *poisson) error) {
	t.Helper()
	want, iterations := "", 0
	for _, c := range []struct {
		parts   [2]int
		threads int
		device  string
	}{{[2]int{1, 1}, 1, "cpu"}, {[2]int{2, 1}, 1, "cpu"}, {[2]int{2, 2}, 3, "cpu"}, {[2]int{1, 1}, 2, "recorder"},
		{[2]int{1, 2}, 1, "gpu"}, {[2]int{2, 1}, 1, "linked"}} {
		comms := local.New(c.parts[0] * c.parts[1])
		var lock sync.Mutex
		disttest.Each(t, comms, func(ctx context.Context, comm dist.Comm) error {
			host := cpu.New(c.threads)
			defer host.Close()
			dev := backend.Device(host)
			switch c.device {
			case "recorder":
				dev = backendtest.NewFakeRecorder(host, 1<<30)
			case "gpu":
				dev = backendtest.NewFakeGPU(host, 1<<30)
			case "linked":
				dev = halotest.NewLinkedRecorder(host, 1<<30, comm)
			}
			s, err := newPoisson(ctx, comm, dev, [2]int{64, 64}, c.parts, adapt)
			if err != nil {
				return err
			}
			defer s.Close()
			if _, err := s.Advance(ctx, 1, 0, 1); err != nil {
				return err
			}
			hash, err := solvers.Hash(ctx, comm, s)
			if err != nil {
				return err
			}
			lock.Lock()
			defer lock.Unlock()
			if want == "" {
				want, iterations = hash, s.iterations
				t.Logf("%d iterations", iterations)
			}
			if hash != want || s.iterations != iterations || iterations > 25 || iterations < 3 {
				return fmt.Errorf("%+v: hash %s after %d iterations, want %s after %d", c, hash, s.iterations, want, iterations)
			}
			return check(s)
		})
		disttest.Close(t, comms)
	}
}

// TestPoissonHasTheSameBitsEverywhere: conjugate gradients with a multigrid preconditioner, exact dot products, several
// levels with their own ghosts, conditions by side, and repetition until convergence give the same bits on any number
// of ranks and threads, and if the host looks behind.
func TestPoissonHasTheSameBitsEverywhere(t *testing.T) {
	sameBits(t, nil, func(*poisson) error { return nil })
}

// staggered are velocities at the lower faces of cells. A face has the index of the cell above it, and belongs to that
// cell's rank; the last block along an axis also owns the face beyond its last cell, which is in the first layer of its
// ghosts. So the plan of cells fills the faces that a block needs from the next one.
type staggered struct {
	*poisson
	u          [2]*engine.Array[float64]
	divergence dist.Accumulator
}

// faces runs f for the block's own faces across an axis, but not for those in walls.
func (s *staggered) faces(axis int, f func(c int)) engine.Task {
	b := s.levels[0].b
	box := abi.Box{Hi: b.N}
	if b.Lo[axis] == 0 && sides[axis][0] > 0 {
		box.Lo[axis]++
	}
	if b.Lo[axis]+b.N[axis] == b.Grid.N[axis] && sides[axis][1] < 0 {
		box.Hi[axis]++
	}
	return engine.Over(loop(func(lo, hi int) {
		for lo < hi {
			i, j, _, n := box.Row(lo, hi)
			for c := b.Index(i, j, 0); n > 0; c, n, lo = c+1, n-1, lo+1 {
				f(c)
			}
		}
	}), box)
}

// space returns the space of the faces across an axis, and the view of an array over them.
func (s *staggered) field(axis int) solvers.Field {
	b := s.levels[0].b
	whole, n := b.Grid.N, b.N
	whole[axis]++
	if b.Lo[axis]+n[axis] == b.Grid.N[axis] {
		n[axis]++
	}
	space := &solvers.Space{Name: "face", Owned: n[0] * n[1], Key: func(i int) int64 {
		return int64(b.Lo[0]+i%n[0]) + int64(whole[0])*int64(b.Lo[1]+i/n[0])
	}}
	f := solvers.Field{Name: fmt.Sprintf("u%d", axis), Space: space, Hashed: true, Saved: true}
	f = engine.ShownOnBlock(s.Engine, f, b, s.u[axis])
	ofCells := f.View
	f.View = func() solvers.View {
		v := ofCells()
		v.N = n
		return v
	}
	return f
}

// project is a step of incompressible flow without its advection: it makes the velocities free of divergence.
func (s *staggered) project(p *engine.Program, k int) {
	fine := s.levels[0]
	_, stride, _ := fine.b.Strides()
	h, strides := math.Sqrt(fine.h2), [2]int{1, stride}
	divergence := func(c int) float64 {
		return (s.u[0].Data[c+1] - s.u[0].Data[c] + s.u[1].Data[c+stride] - s.u[1].Data[c]) / h
	}
	cells := func(f func(c int)) engine.Task {
		return fine.over(func(c, n int) {
			for ; n > 0; c, n = c+1, n-1 {
				f(c)
			}
		})
	}
	p.Exchange(fine.ghosts, s.u[0], s.u[1]) // one message
	p.Run(cells(func(c int) { s.f.Data[c] = -divergence(c) }))
	s.solve(p, k)
	fine.refresh(p, s.x)
	for axis := range 2 {
		p.Run(s.faces(axis, func(c int) { s.u[axis].Data[c] -= (s.x.Data[c] - s.x.Data[c-strides[axis]]) / h }))
	}
	p.Exchange(fine.ghosts, s.u[0], s.u[1])
	p.Run(scalar(func() { s.divergence = dist.Accumulator{} }), fine.over(func(c, n int) {
		var part dist.Accumulator
		for ; n > 0; c, n = c+1, n-1 {
			part.Add(divergence(c) * divergence(c) * fine.h2)
		}
		s.lock.Lock()
		defer s.lock.Unlock()
		s.divergence.Merge(&part)
	}))
	p.Reduce(engine.ExactSum{Sum: &s.divergence})
}

// TestProjectionOnFaces: velocities on two spaces of faces, exchanged in one message, become free of divergence, with
// the same bits everywhere.
func TestProjectionOnFaces(t *testing.T) {
	var lock sync.Mutex
	all := map[*poisson]*staggered{}
	sameBits(t, func(of *poisson, def *engine.Definition) {
		s := &staggered{poisson: of}
		b := of.levels[0].b
		for axis := range s.u {
			s.u[axis] = engine.Add[float64](of.Table(), "velocity", b.Len())
			s.faces(axis, func(c int) {
				i, j, _ := b.Cell(c)
				s.u[axis].Data[c] = math.Sin(float64(3*(b.Lo[0]+i)+axis)) + math.Cos(float64(5*(b.Lo[1]+j)))
			}).Loop.Range(0, s.faces(axis, nil).Hi)
		}
		def.Step, def.Fields = s.project, []solvers.Field{s.field(0), s.field(1)}
		lock.Lock()
		defer lock.Unlock()
		all[of] = s
	}, func(of *poisson) error {
		if d := math.Sqrt(all[of].divergence.Float64()); !(d < 1e-8) {
			return fmt.Errorf("the divergence is %g", d)
		}
		return nil
	})
}
