package kernels_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// TestParity compares the kernels with their translation to CUDA C, compiled for the CPU, bit by bit, in the plane and
// in space: smooth level sets, noise, plateaus, zeros of both signs; particles anywhere, at corners and on walls.
func TestParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, l cudatest.Runner) {
		for _, dim := range []int{2, 3} {
			parity[float32](t, l, dim)
			parity[float64](t, l, dim)
		}
	})
}

type loop interface {
	Range(lo, hi int)
	Launch() abi.Launch
}

// block is a grid with ghosts, a flow and the number of its particles.
type block[F num.Float] struct {
	rng           *rand.Rand
	l             Lattice[F]
	n             [3]int
	len           int
	box           abi.Box
	flow          *Flow[F]
	domain        *Domain
	clock         *Clock[F]
	runner        cudatest.Runner
	t             *testing.T
	ghost         int
	particleCount int
}

func newBlock[F num.Float](t *testing.T, runner cudatest.Runner, dim int) *block[F] {
	b := &block[F]{rng: rand.New(rand.NewPCG(5, uint64(dim))), runner: runner, t: t, ghost: 7, particleCount: 700}
	b.n = [3]int{11, 9, 8}
	b.l = Lattice[F]{SY: b.n[0] + 2*b.ghost, Dim: int32(dim), H: [3]F{.1, .13, 1}, MinSide: .1}
	b.l.Base = b.ghost * (1 + b.l.SY)
	b.len = b.l.SY * (b.n[1] + 2*b.ghost)
	if dim == 2 {
		b.n[2] = 1
	} else {
		b.l.H[2], b.l.SZ = .12, b.len
		b.l.Base += b.ghost * b.l.SZ
		b.len *= b.n[2] + 2*b.ghost
	}
	b.box = abi.Box{Hi: b.n}
	for d, h := range b.l.H {
		b.l.Squares[d] = 1 / (h * h)
	}
	b.flow = &Flow[F]{Lattice: b.l, U: b.noise(1), V: b.noise(1)}
	if dim == 3 {
		b.flow.W = b.noise(1)
	}
	b.domain = &Domain{Cells: [3]int32{int32(b.n[0]), int32(b.n[1]), int32(b.n[2])}, Periodic: [3]bool{true},
		Lo: [3]int32{2, -1, 0}, Hi: [3]int32{9, 9, 5}, Dim: int32(dim)}
	b.clock = &Clock[F]{Half: [3]F{1, .8, .5}, Back: [3]F{-1, .8, .5}, Whole: [3]F{2, 1.6, 1},
		Stage: [3][3]F{{.3, .2, .1}, {.2, -.3, .1}, {-.1, .4, 0}}}
	return b
}

// noise returns a field of smooth waves, plateaus, zeros of both signs and noise, limited to an amplitude.
func (b *block[F]) noise(amplitude float64) []F {
	f := make([]F, b.len)
	p, q := b.rng.Float64(), b.rng.Float64()
	for c := range f {
		x, y, z := float64(c%b.l.SY), float64(c/b.l.SY), 0.
		if b.l.SZ > 0 {
			y, z = float64(c%b.l.SZ/b.l.SY), float64(c/b.l.SZ)
		}
		v := math.Sin(x/3+p) + math.Cos(y/4-q) + math.Sin(z/5)
		switch b.rng.IntN(40) {
		case 0:
			v = 0
		case 1:
			v = math.Copysign(0, -1)
		case 2:
			v = 2 * b.rng.Float64()
		}
		f[c] = F(max(-amplitude, min(amplitude, amplitude*v)))
	}
	return f
}

func (b *block[F]) particles() []Particle[F] {
	p := make([]Particle[F], b.particleCount)
	for i := range p {
		p[i] = Particle[F]{X: F(b.rng.Float64() * float64(b.n[0])), Y: F(b.rng.Float64()*float64(b.n[1]) - .5),
			R: F(.05 * (b.rng.Float64() - .5))}
		if b.l.Dim == 3 {
			p[i].Z = F(b.rng.Float64()*float64(b.n[2]) - .5)
		}
		switch b.rng.IntN(10) {
		case 0:
			p[i].X, p[i].Y = F(b.rng.IntN(b.n[0])), F(b.rng.IntN(b.n[1]))
		case 1:
			p[i].Y = -.5
		case 2:
			p[i].R = 0
		}
	}
	return p
}

// runBoth runs the loop newLoop(0) in Go and newLoop(1) as translated, over n indices.
func (b *block[F]) runBoth(n int, newLoop func(k int) loop) {
	b.t.Helper()
	newLoop(0).Range(0, n)
	b.runner.Run(b.t, newLoop(1), 0, n)
}

// twice returns two copies.
func twice[T any](a []T) [2][]T { return [2][]T{a, slices.Clone(a)} }

func parity[F num.Float](t *testing.T, l cudatest.Runner, dim int) {
	b := newBlock[F](t, l, dim)
	b.advection()
	b.migration()
	b.distances()
	b.measures()
	b.corrections()
	b.seeds()
}

func (b *block[F]) advection() {
	size := b.box.Size()
	from, start := b.noise(1), b.noise(1)
	to := twice(make([]F, b.len))
	b.runBoth(size, func(k int) loop { return NewSemiLagrangianLoop(b.box, b.flow, b.clock, from, to[k]) })
	kerneltest.Same(b.t, "SemiLagrangian", to[0], to[1], nil)
	for stage := range int32(3) {
		b.runBoth(size, func(k int) loop {
			return NewWENOStageLoop(b.box, b.flow, b.clock, stage, F(.25), start, from, to[k])
		})
		kerneltest.Same(b.t, "WENOStage", to[0], to[1], nil)
	}
	p, removed := twice(b.particles()), twice(make([]Removed, 1))
	marks := twice(make([]uint8, b.particleCount))
	same := func(what string) {
		kerneltest.Same(b.t, what, p[0], p[1], nil)
		kerneltest.Same(b.t, what+", marks", marks[0], marks[1], nil)
		kerneltest.Same(b.t, what+", removed", removed[0], removed[1], nil)
	}
	b.runBoth(b.particleCount, func(k int) loop {
		return NewAdvectParticleLoop(b.flow, b.domain, routes, b.clock, &removed[k][0], p[k], marks[k])
	})
	same("AdvectParticle")
	b.runBoth(b.particleCount, func(k int) loop {
		return NewClassifyParticleLoop(b.domain, routes, &removed[k][0], p[k], marks[k])
	})
	same("ClassifyParticle")
	b.runBoth(b.particleCount, func(k int) loop { return NewMarkLiveLoop(p[k], marks[k]) })
	same("MarkLive")
}

func (b *block[F]) distances() {
	size := b.box.Size()
	from := b.noise(.3)
	count := CountBricks(b.n)
	brickCount := count[0] * count[1] * count[2]
	for _, keep := range []bool{false, true} {
		s := &Sweeping[F]{Lattice: b.l, Band: .3, KeepDistances: keep}
		for d := range 3 {
			s.Bricks.N[d], s.Bricks.Count[d] = int32(b.n[d]), int32(count[d])
		}
		s.Bricks.Adjoins[1][boolIndex(keep)], s.Bricks.Reach = true, 1
		crossed, active := twice(make([]int32, brickCount)), twice(make([]int32, brickCount))
		sweeping := func(k int) *Sweeping[F] {
			bricksCopy := *s
			bricksCopy.Bricks.HasInterface, bricksCopy.Bricks.Active = crossed[k], active[k]
			return &bricksCopy
		}
		first, second := twice(make([]F, b.len)), twice(make([]F, b.len))
		b.runBoth(brickCount, func(k int) loop { return NewInitDistancesLoop(sweeping(k), from, first[k], second[k]) })
		kerneltest.Same(b.t, "InitDistances", first[0], first[1], nil)
		kerneltest.Same(b.t, "InitDistances, second array", second[0], second[1], nil)
		kerneltest.Same(b.t, "InitDistances, crossed", crossed[0], crossed[1], nil)
		b.runBoth(brickCount, func(k int) loop { return NewMarkBrickLoop(&sweeping(k).Bricks) })
		kerneltest.Same(b.t, "MarkBrick", active[0], active[1], nil)
		b.runBoth(brickCount, func(k int) loop { return NewSweepLoop(sweeping(k), from, first[k]) })
		kerneltest.Same(b.t, "Sweep", first[0], first[1], nil)
	}
	base, first, limits := b.noise(.3), twice(b.noise(.3)), twice(make([]Limits, 1))
	s := &Relaxation[F]{Lattice: b.l, Step: .05, Band: .25, Start: from}
	b.runBoth(size, func(k int) loop { return NewRelaxLoop(b.box, s, &limits[k][0], F(2./3), base, from, first[k]) })
	kerneltest.Same(b.t, "Relax", first[0], first[1], nil)
	kerneltest.Same(b.t, "Relax, flips", limits[0], limits[1], nil)
	f := twice(b.noise(1))
	b.runBoth(3, func(k int) loop { return NewFillWallLoop([]int32{5, 6, 5}, []int32{1, 2, 3}, f[k]) })
	kerneltest.Same(b.t, "FillWall", f[0], f[1], nil)
}

func boolIndex(keep bool) int {
	if keep {
		return 1
	}
	return 0
}

func (b *block[F]) measures() {
	size := b.box.Size()
	now, start, counts := b.noise(1), b.noise(1), twice(make([]Counts, 1))
	s := &Sampling[F]{Lattice: b.l, Points: 3}
	b.runBoth(ReduceChunks(size), func(k int) loop {
		return NewCountInsideLoop(exact.Box(b.box), s, now, start, &counts[k][0])
	})
	kerneltest.Same(b.t, "CountInside", counts[0], counts[1], nil)
	var slopeError [2]atomics.Most[F]
	b.runBoth(size, func(k int) loop { return NewSlopeErrorLoop(b.box, &b.l, F(.5), now, &slopeError[k]) })
	if slopeError[0] != slopeError[1] {
		b.t.Errorf("SlopeError: %v in Go, %v translated", slopeError[0].Value(), slopeError[1].Value())
	}
	p := b.particles()
	correction := &Correction[F]{Lattice: b.l, Escape: 1, Phi: now}
	chunks := ReduceChunks(b.particleCount)
	b.runBoth(chunks, func(k int) loop {
		return NewCountParticlesLoop(b.particleCount, correction, b.domain, p, &counts[k][0])
	})
	kerneltest.Same(b.t, "CountParticles", counts[0], counts[1], nil)
}
