package kernels_test

import (
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// parityOfLooks compares the kernels that update peaks, with a known and a computed clock, and that read those of
// some cells.
func parityOfLooks[F num.Float](t *testing.T, l cudatest.Runner, p *Params[F], beds []Bed[F], w []State[F],
	moving bool) {
	clock := &Clock[F]{Time: 3, Limit: 1e-2, Dt: 1e-2, Until: 9, Steps: 5, Pending: true}
	waves := &atomics.Least[F]{}
	waves.Take(2e-3)
	cells := []int32{7, 0, int32(len(w) - 1), 7}
	n := len(cells)
	type looks struct {
		peaks   Peaks
		picked  []Peak
		samples Samples[F]
		states  []State[F]
		depths  []F
	}
	var x [2]looks
	for k := range x {
		x[k] = looks{peaksOf(len(w), moving), make([]Peak, n),
			Samples[F]{cells, make([]State[F], 4*n), make([]F, 4*n), make([]float64, 4)}, make([]State[F], n), make([]F, n)}
	}
	for name, try := range map[string]struct {
		n    int
		make func(x *looks) loop
	}{
		"kept": {len(w), func(x *looks) loop { return NewUpdatePeaksLoop(p, clock, &x.peaks, beds, w) }},
		"kept of a step": {len(w), func(x *looks) loop {
			return NewUpdatePeaksInStepLoop(p, clock, waves, &x.peaks, beds, w)
		}},
		"picked of peaks": {n, func(x *looks) loop { return NewGatherPeaksLoop(cells, clock, &x.peaks, beds, x.picked) }},
		"sampled":         {n, func(x *looks) loop { return NewSampleLoop(clock, waves, &x.samples, beds, w) }},
		"picked":          {n, func(x *looks) loop { return NewGatherStatesLoop(cells, beds, w, x.states, x.depths) }},
	} {
		try.make(&x[0]).Range(0, try.n)
		l.Run(t, try.make(&x[1]), 0, try.n)
		kerneltest.Same(t, name, x[0].peaks.Marks, x[1].peaks.Marks, nil)
		kerneltest.Same(t, name, x[0].peaks.Level, x[1].peaks.Level, nil)
		arrays := x[1].peaks.Arrays()
		for k, of := range x[0].peaks.Arrays() {
			kerneltest.Same(t, name, *of, *arrays[k], nil)
		}
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

// peaksOf returns peaks of n cells, some of which water has reached, with a bed that may move.
func peaksOf(n int, moving bool) Peaks {
	p := Peaks{Marks: make([]int32, n), Threshold: .1}
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
	var waves atomics.Least[float64]
	for _, moving := range []bool{false, true} {
		clock := &Clock[float64]{Time: 7, Dt: .25}
		w[0] = State[float64]{H2: 4, Q2x: 12, Q2y: -16}
		peaks := peaksOf(2, moving)
		peaks.Start, peaks.Marks, peaks.Threshold = []float64{1, 1}, []int32{0, 0}, .5
		keep := func() { NewUpdatePeaksLoop(p, clock, &peaks, beds, w).Range(0, 2) }
		same := func(what string, i int32, want Peak) {
			t.Helper()
			if got := peaks.At(i, clock.Time, beds[i].Depth); got != want {
				t.Errorf("bed that moves %v: %s keeps %+v, want %+v", moving, what, got, want)
			}
		}
		keep()
		keep()
		want := Peak{Depth: 4, Level: 2, Speed: 5, Flux: 100, Hazard: 22, Arrival: 7, When: 7}
		same("wet ground", 0, want)
		if moving {
			same("dry ground", 1, Peak{})
		}
		clock.Time, w[0] = 7.25, State[float64]{H2: .5}
		want.Wet = .25
		same("wet ground", 0, want)
		keep()
		clock.Time = 7.5
		keep()
		same("shallow water", 0, want)
		clock.Time, clock.Stop, w[0].H2 = 8, true, 5
		NewUpdatePeaksInStepLoop(p, clock, &waves, &peaks, beds, w).Range(0, 2)
		same("a clock that stands", 0, want)
		keep()
		clock.Time = 9
		keep()
		want.Depth, want.Level, want.When, want.Wet = 5, 3, 8, 1.25
		same("a second wave", 0, want)
	}
}
