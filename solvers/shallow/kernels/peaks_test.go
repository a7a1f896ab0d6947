package kernels_test

import (
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// parityOfPeaks compares what is kept of a state, in a step and without one.
func parityOfPeaks[F num.Float](t *testing.T, l cudatest.Runner, p *Params[F], clock *Clock[F],
	waves *atomics.Least[F], beds []Bed[F], w []State[F]) {
	for _, step := range []bool{true, false} {
		var peaks [2]Peaks
		for k := range peaks {
			peaks[k] = Peaks{Of: make([]Peak, len(w)), Threshold: .1}
			for i := range peaks[k].Of {
				peaks[k].Of[i] = Peak{Start: float64(i%7) / 7, Level: -9, Arrival: float64(i%2) - 1}
			}
		}
		keep := func(k int) loop { return NewUpdatePeaksLoop(step, p, clock, waves, &peaks[k], beds, w) }
		keep(0).Range(0, len(w))
		l.Run(t, keep(1), 0, len(w))
		kerneltest.Same(t, "maxima", peaks[0].Of, peaks[1].Of, nil)
	}
}

// TestPeaks: what is kept of a cell, that a look without a step adds nothing, and that dry ground keeps nothing.
func TestPeaks(t *testing.T) {
	p := &Params[float64]{DryDepth: 1e-3}
	beds := []Bed[float64]{{Depth: 2}, {Depth: -1}}
	w := []State[float64]{{H2: 4, Q2x: 12, Q2y: -16}, {H2: 1e-4}}
	peaks := &Peaks{Of: []Peak{{Start: 1, Level: -9, Arrival: -1}, {Start: 1, Level: -9, Arrival: -1}}, Threshold: .5}
	var waves atomics.Least[float64]
	clock := &Clock[float64]{Time: 7, Dt: .25}
	for _, step := range []bool{false, true, false} {
		NewUpdatePeaksLoop(step, p, clock, &waves, peaks, beds, w).Range(0, 2)
	}
	want := Peak{Depth: 4, Level: 2, Speed: 5, Flux: 100, Hazard: 22, Start: 1, Arrival: 7, When: 7, Wet: .25}
	if peaks.Of[0] != want {
		t.Errorf("kept is %+v, want %+v", peaks.Of[0], want)
	}
	if peaks.Of[1] != (Peak{Start: 1, Level: -9, Arrival: -1}) {
		t.Errorf("of dry ground is kept %+v", peaks.Of[1])
	}
	clock.Time, clock.Stop = 8, true
	w[0].H2 = 5
	if NewUpdatePeaksLoop(true, p, clock, &waves, peaks, beds, w).Range(0, 2); peaks.Of[0] != want {
		t.Errorf("a clock that stands keeps %+v", peaks.Of[0])
	}
	if NewUpdatePeaksLoop(false, p, clock, &waves, peaks, beds, w).Range(0, 2); peaks.Of[0].When != 8 {
		t.Errorf("a look keeps %+v", peaks.Of[0])
	}
}
