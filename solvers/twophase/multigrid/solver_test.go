package multigrid_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/halotest"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/multigrid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// problem is a density, as that of two fluids, on a grid.
type problem struct {
	n        [3]int
	periodic [3]bool
	open     [3][2]bool
	ratio    float64 // of the densities
	splash   bool    // a pool with many drops and bubbles, otherwise one bubble
}

// random is the generator of the prototype whose numbers of iterations are compared.
type random uint32

func (s *random) next() float64 {
	*s = *s*1664525 + 1013904223
	return float64(*s>>8) / 16777216
}

// shape returns the liquid's fraction at a point, smoothed over a cell.
func (q *problem) shape() func(x, y, z float64) float64 {
	h, space := 1/float64(q.n[0]), q.n[2] > 1
	type ball struct{ x, y, z, r, sign float64 }
	var balls []ball
	s := random(12345)
	for range 40 {
		for _, sign := range []float64{1, -1} {
			a, b, c := s.next(), s.next(), s.next()
			if b = .25 * b; sign > 0 {
				b = .35 + .6*b/.25
			}
			balls = append(balls, ball{a, b, c, .01 + .03*s.next(), sign})
		}
	}
	distance := func(x, y, z, a, b, c float64) float64 {
		if !space {
			z = c
		}
		return math.Sqrt((x-a)*(x-a) + (y-b)*(y-b) + (z-c)*(z-c))
	}
	return func(x, y, z float64) float64 {
		phi := distance(x, y, z, .5, .5, .5) - .25
		if q.splash {
			wave := 1.0
			if space {
				wave = math.Cos(4 * math.Pi * z)
			}
			phi = .3 + .05*math.Sin(6*math.Pi*x)*wave - y
			for _, b := range balls {
				d := b.sign * (b.r - distance(x, y, z, b.x, b.y, b.z))
				if b.sign > 0 {
					phi = max(phi, d)
				} else {
					phi = min(phi, d)
				}
			}
		}
		return min(1, max(0, .5+phi/h))
	}
}

// fill sets the coefficients of the faces and the right-hand side on a block.
func (q *problem) fill(b *grid.Block, s *multigrid.Solver[float64]) error {
	h, f := 1/float64(q.n[0]), q.shape()
	density := func(i, j, k int) float64 {
		wrap := func(i, n int) float64 { return (float64((i+n)%n) + .5) * h }
		c := f(wrap(i, q.n[0]), wrap(j, q.n[1]), wrap(k, q.n[2]))
		return c + (1-c)/q.ratio
	}
	for d := range b.Grid.Dim {
		a, n := make([]float64, b.Len()), b.Faces(d)
		for k := range n[2] {
			for j := range n[1] {
				for i := range n[0] {
					at := [3]int{b.Lo[0] + i, b.Lo[1] + j, b.Lo[2] + k}
					below, face := at, at[d]
					below[d]--
					own, other := 0.0, 0.0
					if face < q.n[d] || q.periodic[d] {
						own = density(at[0], at[1], at[2])
					}
					if face > 0 || q.periodic[d] {
						other = density(below[0], below[1], below[2])
					}
					v := 2 / (own + other)
					if !q.periodic[d] && (face == 0 && !q.open[d][0] || face == q.n[d] && !q.open[d][1]) {
						v = 0
					}
					a[b.Index(i, j, k)] = v
				}
			}
		}
		if err := s.A[d].Set(a); err != nil {
			return err
		}
	}
	rhs := make([]float64, b.Len())
	noise := make([]float64, b.Grid.Cells())
	r := random(7)
	for i := range noise {
		noise[i] = .1 * (2*r.next() - 1)
	}
	for n := range b.Cells() {
		cell := int(b.Number(n))
		i, j, k := cell%q.n[0], cell/q.n[0]%q.n[1], cell/(q.n[0]*q.n[1])
		v := math.Sin(6.28*(float64(i)+.5)*h) * math.Cos(6.28*(float64(j)+.5)*h)
		if q.n[2] > 1 {
			v *= math.Cos(6.28 * (float64(k) + .5) * h)
		}
		rhs[b.Index(i-b.Lo[0], j-b.Lo[1], k-b.Lo[2])] = v + noise[cell]
	}
	return s.B.Set(rhs)
}

// outcome is a hash of the solution, and the number of iterations.
type outcome struct {
	hash  string
	count int64
}

// setting is a number of ranks along each axis, threads of each, and a device.
type setting struct {
	parts   [3]int
	threads int
	device  string
}

func (q *problem) solve(t *testing.T, c setting) (result outcome) {
	t.Helper()
	comms := local.New(c.parts[0] * c.parts[1] * c.parts[2])
	defer disttest.Close(t, comms)
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
		got, err := q.solveOn(ctx, comm, dev, c.parts)
		lock.Lock()
		defer lock.Unlock()
		if result != (outcome{}) && got != result && err == nil {
			return fmt.Errorf("ranks have %v and %v", got, result)
		}
		result = got
		return err
	})
	return result
}

func (q *problem) solveOn(ctx context.Context, comm dist.Comm, dev backend.Device, parts [3]int) (o outcome,
	err error) {
	dim := 3
	if q.n[2] == 1 {
		dim = 2
	}
	g := &grid.Grid{Dim: dim, N: q.n, Hi: [3]float64{1, 1, 1}, Periodic: q.periodic}
	align := multigrid.Align(q.n, dim)
	boxes := halo.Boxes{Dim: dim, Cuts: partition.AlignedCuts(q.n, parts, align), Periodic: q.periodic}
	lo, n := boxes.Box(comm.Rank())
	b, err := g.Block(lo, n, 3)
	if err != nil {
		return o, err
	}
	table := engine.NewTable(dev)
	e := engine.New(solvers.Env{Comm: comm, Device: dev}, table)
	s, err := multigrid.Declare[float64](table, b, boxes, comm.Rank(), q.open)
	if err != nil {
		return o, err
	}
	if err := s.Connect(e, 10); err != nil {
		return o, err
	}
	if err := q.fill(b, s); err != nil {
		return o, err
	}
	rhs, err := s.B.Host()
	if err != nil {
		return o, err
	}
	most := []float64{0}
	for _, v := range rhs {
		most[0] = max(most[0], math.Abs(v))
	}
	if err := comm.AllreduceFloat64(ctx, dist.Max, most); err != nil {
		return o, err
	}
	if err := s.SetTolerance(1e-10 * most[0]); err != nil {
		return o, err
	}
	cells := &solvers.Space{Name: "cell", Owned: b.Cells(), Key: b.Number}
	x := engine.ShownOnBlock(e, solvers.Field{Name: "x", Hashed: true, Space: cells}, b, s.X)
	err = e.Define(ctx, engine.Definition{Cycle: 1, Fields: []solvers.Field{x},
		Step:  func(p *engine.Program, _ int) { s.SetUp(p); s.Solve(p) },
		Clock: engine.NewGiven(table, 1, engine.EqualSteps(1), func(engine.Step) float64 { return 0 })})
	if err != nil {
		return o, err
	}
	defer e.Close()
	if _, err := e.Advance(ctx, 1, 0, 1); err != nil {
		return o, err
	}
	it, err := s.Iteration.Host()
	if err != nil {
		return o, err
	}
	if o.count = it[0].Count; !(it[0].Residual <= it[0].Tolerance) {
		return o, fmt.Errorf("the residual is %g after %d iterations", it[0].Residual, o.count)
	}
	o.hash, err = solvers.Hash(ctx, comm, e)
	return o, err
}

// TestIterations: the numbers of iterations of a reference for a reduction by 1e-10 from a rough right-hand side hold
// on any size, with jumps of the density.
func TestIterations(t *testing.T) {
	for _, c := range []struct {
		n    [3]int
		most [3]int64 // one density, a bubble of ratio 1000, a splash of ratio 1000
	}{
		{[3]int{64, 64, 1}, [3]int64{4, 7, 15}}, {[3]int{128, 128, 1}, [3]int64{4, 8, 16}},
		{[3]int{100, 100, 1}, [3]int64{4, 8, 16}}, {[3]int{243, 243, 1}, [3]int64{5, 9, 18}},
		{[3]int{32, 32, 32}, [3]int64{8, 10, 14}},
	} {
		for k, most := range c.most {
			q := problem{n: c.n, ratio: [3]float64{1, 1e3, 1e3}[k], splash: k == 2}
			got := q.solve(t, setting{[3]int{1, 1, 1}, 2, "cpu"})
			t.Logf("%v ratio %g, splash %t: %d iterations", c.n, q.ratio, q.splash, got.count)
			if got.count > most {
				t.Errorf("%v ratio %g, splash %t: %d iterations, at most %d expected", c.n, q.ratio, q.splash, got.count, most)
			}
		}
	}
}

// TestSameBits: solution and iterations are the same on any number of ranks, threads and devices, with sides of all
// kinds, axes of any size, and levels of which each rank has its own part, or all have the whole.
func TestSameBits(t *testing.T) {
	settings := []setting{{[3]int{2, 1, 1}, 1, "cpu"}, {[3]int{2, 2, 1}, 3, "cpu"}, {[3]int{1, 3, 1}, 1, "gpu"},
		{[3]int{1, 1, 1}, 2, "recorder"}, {[3]int{2, 1, 1}, 1, "linked"}}
	for _, q := range []problem{
		{n: [3]int{24, 17, 1}, ratio: 1e3},
		{n: [3]int{90, 75, 1}, ratio: 1e3, periodic: [3]bool{true, false, false}},
		{n: [3]int{75, 90, 1}, ratio: 1e3, splash: true, periodic: [3]bool{true, true, false}},
		{n: [3]int{131, 130, 1}, ratio: 1e3, open: [3][2]bool{{true, false}, {false, true}}},
		{n: [3]int{21, 20, 19}, ratio: 1e3, periodic: [3]bool{false, true, true}},
		{n: [3]int{500, 17, 1}, ratio: 1e2, open: [3][2]bool{{false, true}}},
	} {
		want := q.solve(t, setting{[3]int{1, 1, 1}, 1, "cpu"})
		t.Logf("%v: %d iterations", q.n, want.count)
		for _, c := range settings {
			if got := q.solve(t, c); got != want {
				t.Errorf("%v on %+v: %v, want %v", q.n, c, got, want)
			}
		}
	}
}
