package kernels_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// parityOfObservations compares the kernels that update peaks, with the clock given or computed from the pending
// limit, and those that read the peaks of some cells.
func parityOfObservations[F num.Float](t *testing.T, l cudatest.Runner, p *Params[F], beds []Bed[F], w []State[F],
	moving bool) {
	clock := &Clock[F]{Time: 3, Limit: 1e-2, Dt: 1e-2, Until: 9, Steps: 5, Pending: true}
	limit := &atomics.Least[F]{}
	limit.Take(2e-3)
	cells := []int32{7, 0, int32(len(w) - 1), 7}
	n := len(cells)
	type observations struct {
		peaks   Peaks
		picked  []Peak
		samples Samples[F]
		states  []State[F]
		depths  []F
	}
	var x [2]observations
	for k := range x {
		x[k] = observations{peaksOf(len(w), moving), make([]Peak, n),
			Samples[F]{cells, make([]State[F], 4*n), make([]F, 4*n), make([]float64, 4)}, make([]State[F], n), make([]F, n)}
	}
	for name, try := range map[string]struct {
		n    int
		make func(x *observations) loop
	}{
		"update of extremes": {len(w), func(x *observations) loop { return NewUpdatePeaksLoop(p, clock, &x.peaks, beds, w) }},
		"update of extremes in a step": {len(w), func(x *observations) loop {
			return NewUpdatePeaksInStepLoop(p, clock, limit, &x.peaks, beds, w)
		}},
		"gathered extremes": {n, func(x *observations) loop {
			return NewGatherPeaksLoop(cells, clock, &x.peaks, beds, x.picked)
		}},
		"samples":         {n, func(x *observations) loop { return NewSampleLoop(clock, limit, &x.samples, beds, w) }},
		"gathered states": {n, func(x *observations) loop { return NewGatherStatesLoop(cells, beds, w, x.states, x.depths) }},
	} {
		try.make(&x[0]).Range(0, try.n)
		l.Run(t, try.make(&x[1]), 0, try.n)
		samePeaks(t, name, [2]Peaks{x[0].peaks, x[1].peaks})
		kerneltest.Same(t, name, x[0].picked, x[1].picked, nil)
		kerneltest.Same(t, name, x[0].samples.States, x[1].samples.States, nil)
		kerneltest.Same(t, name, x[0].samples.Depths, x[1].samples.Depths, nil)
		kerneltest.Same(t, name, x[0].samples.Times, x[1].samples.Times, nil)
		kerneltest.Same(t, name, x[0].states, x[1].states, nil)
		kerneltest.Same(t, name, x[0].depths, x[1].depths, nil)
	}
	if got := x[0].samples; got.Times[2] != 3+float64(F(1e-2)) || got.States[2*n+1] != w[0] || got.Times[1] != 0 {
		t.Errorf("the sixth step leaves %v", got)
	}
}

// samePeaks compares the peaks of two runs.
func samePeaks(t *testing.T, name string, of [2]Peaks) {
	t.Helper()
	kerneltest.Same(t, name, of[0].Most, of[1].Most, nil)
	kerneltest.Same(t, name, of[0].Marks, of[1].Marks, nil)
	kerneltest.Same(t, name, of[0].Level, of[1].Level, nil)
	arrays := of[1].Arrays()
	for k, values := range of[0].Arrays() {
		kerneltest.Same(t, name, *values, *arrays[k], nil)
	}
}

// peaksOf returns peaks of n cells, some of which water has reached, with a bed that may move.
func peaksOf(n int, moving bool) Peaks {
	p := Peaks{Most: make([]Most, n), Marks: make([]int32, n), Threshold: .1}
	for _, a := range p.Arrays() {
		*a = make([]float64, n)
	}
	if moving {
		p.Level = make([]float64, n)
	}
	for i := range n {
		p.Start[i], p.Marks[i] = float64(i%7)/7, int32(i%4)
	}
	return p
}

// TestPeaks proves the values kept for a cell that is wet, dry and wet again, that a repeated update has no effect,
// and that dry ground has no peaks.
func TestPeaks(t *testing.T) {
	p := &Params[float64]{DryDepth: 1e-3}
	beds := []Bed[float64]{{Depth: 2}, {Depth: -1}}
	w := []State[float64]{{H2: 4, Q2x: 12, Q2y: -16}, {H2: 1e-4}}
	var limit atomics.Least[float64]
	for _, moving := range []bool{false, true} {
		clock := &Clock[float64]{Time: 7, Dt: .25}
		w[0] = State[float64]{H2: 4, Q2x: 12, Q2y: -16}
		peaks := peaksOf(2, moving)
		peaks.Start, peaks.Marks, peaks.Threshold = []float64{1, 1}, []int32{0, 0}, .5
		update := func() { NewUpdatePeaksLoop(p, clock, &peaks, beds, w).Range(0, 2) }
		same := func(what string, i int32, want Peak) {
			t.Helper()
			if got := peaks.At(i, clock.Time, beds[i].Depth); got != want {
				t.Errorf("bed that moves %v: %s: the extremes are %+v, want %+v", moving, what, got, want)
			}
		}
		update()
		update()
		want := Peak{Depth: 4, Level: 2, Speed: 5, Flux: 100, Hazard: 22, Arrival: 7, When: 7}
		same("wet ground", 0, want)
		if moving {
			same("dry ground", 1, Peak{})
		}
		clock.Time, w[0] = 7.25, State[float64]{H2: .5}
		want.Wet = .25
		same("wet ground", 0, want)
		update()
		clock.Time = 7.5
		update()
		same("shallow water", 0, want)
		clock.Time, clock.Stop, w[0].H2 = 8, true, 5
		NewUpdatePeaksInStepLoop(p, clock, &limit, &peaks, beds, w).Range(0, 2)
		same("a clock that has stopped", 0, want)
		update()
		clock.Time = 9
		update()
		want.Depth, want.Level, want.When, want.Wet = 5, 3, 8, 1.25
		same("a second wave", 0, want)
	}
}

// TestPeaksOfManyStates proves that the extremes of many states are those of a direct evaluation of each state,
// although many states are within rounding of an extreme.
func TestPeaksOfManyStates(t *testing.T) {
	const n, steps, threshold = 64, 400, .1
	rng := rand.New(rand.NewPCG(3, 4))
	p := &Params[float64]{DryDepth: 1e-3}
	beds, w := make([]Bed[float64], n), make([]State[float64], n)
	peaks, want, start := peaksOf(n, false), make([]Peak, n), make([]float64, n)
	clear(peaks.Marks)
	for i := range n {
		w[i].H2, want[i].Arrival, peaks.Arrival[i] = []float64{0, 1e-4, .05, 2, 4000}[i%5], -1, -1
		start[i], peaks.Start[i] = w[i].H2, w[i].H2
	}
	since, clock := make([]float64, n), &Clock[float64]{}
	loop := NewUpdatePeaksLoop(p, clock, &peaks, beds, w)
	for range steps {
		loop.Range(0, n)
		for i := range w {
			h := w[i].H2
			was := since[i] > 0
			if wet := h >= p.DryDepth && h > threshold; wet && !was {
				since[i] = clock.Time + 1
			} else if !wet && was {
				want[i].Wet += clock.Time - (since[i] - 1)
				since[i] = 0
			}
			if h >= p.DryDepth {
				x, y := w[i].Q2x/h, w[i].Q2y/h
				square := x*x + y*y
				speed := math.Sqrt(square)
				if h > want[i].Depth {
					want[i].Depth, want[i].When = h, clock.Time
				}
				want[i].Speed, want[i].Flux = max(want[i].Speed, speed), max(want[i].Flux, h*square)
				want[i].Hazard = max(want[i].Hazard, h*(speed+.5))
				if want[i].Arrival < 0 && math.Abs(h-start[i]) > threshold {
					want[i].Arrival = clock.Time
				}
			}
			w[i] = after(rng, w[i], &want[i], start[i]+threshold)
		}
		clock.Time++
	}
	clock.Time-- // of the last update
	for i := range want {
		if since[i] > 0 {
			want[i].Wet += clock.Time - (since[i] - 1)
		}
		want[i].Level = want[i].Depth
		if got := peaks.At(int32(i), clock.Time, 0); got != want[i] {
			t.Errorf("cell %d: the extremes are\n%+v, want\n%+v", i, got, want[i])
		}
	}
}

// after returns a random state to follow c: the same, one at rest, at or next to an extreme, a tiny one, or any.
func after(rng *rand.Rand, c State[float64], most *Peak, arrival float64) State[float64] {
	near := func(x float64) float64 {
		return []float64{x, math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1)), x * (1 - 1e-12), x * .9}[rng.IntN(5)]
	}
	switch rng.IntN(8) {
	case 0:
		return c
	case 1:
		c.Q2x, c.Q2y = 0, math.Copysign(0, -1)
	case 2:
		c.H2 = near([]float64{most.Depth, arrival, .1, 1e-3}[rng.IntN(4)])
	case 3:
		c.Q2x, c.Q2y = 0, -near(c.H2*most.Speed)
	case 4:
		c.Q2x, c.Q2y = near(math.Sqrt(most.Flux*c.H2)), 0
	case 5:
		c.Q2x, c.Q2y = near(max(most.Hazard-c.H2*.5, 0))*.6, near(max(most.Hazard-c.H2*.5, 0))*.8
	case 6:
		c.Q2x, c.Q2y = math.Exp(-800*rng.Float64()), math.Exp(-800*rng.Float64())
	default:
		c.H2 *= .9 + .2*rng.Float64()
		c.Q2x, c.Q2y = c.H2*.5*rng.NormFloat64(), c.H2*.5*rng.NormFloat64()
	}
	return c
}
