package shallow

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Keep selects what is recorded over all steps.
type Keep struct {
	Maxima    bool
	Threshold float64 // m, by which the level has changed when water arrives, and above which a cell is wet
}

// initialPeaks are the extremes of owned cells before the first step.
func initialPeaks[F num.Float](k Keep, owned int, beds []kernels.Bed[F], state []kernels.State[F]) kernels.Peaks {
	peaks := kernels.Peaks{Threshold: k.Threshold}
	if !k.Maxima {
		return peaks
	}
	peaks.Of = make([]kernels.Peak, owned)
	for i := range peaks.Of {
		peaks.Of[i] = kernels.Peak{Start: float64(state[i].H2) - float64(beds[i].Depth), Level: math.Inf(-1), Arrival: -1}
	}
	return peaks
}

// uploadPeaks puts the extremes on the device.
func (a *arrays[F]) uploadPeaks(from kernels.Peaks) {
	a.peaks = kernels.Peaks{Of: backend.Uploaded(&a.allocated, from.Of, "maxima"), Threshold: from.Threshold}
}

// updatePeaks takes the state at the start of step k into account.
func (s *solver[F]) updatePeaks(k cycleStep) {
	if n := len(s.peaks.Of); n > 0 {
		s.dev.Run(s.loops[k].peaks[0], 0, n)
	}
}

// peaksNow is the extremes up to the state of this step, where the host can read them.
func (s *solver[F]) peaksNow() ([]kernels.Peak, error) {
	if s.hostPeaksStep == s.Steps() {
		return s.hostPeaks, nil
	}
	if err := backend.Upload(s.dev, s.clock[s.now:s.now+1], s.hostClock[:]); err != nil {
		return nil, err
	}
	s.dev.Run(s.loops[s.now].peaks[1], 0, len(s.peaks.Of))
	if s.hostPeaks == nil {
		s.hostPeaks = make([]kernels.Peak, len(s.peaks.Of))
	}
	if err := backend.Download(s.dev, s.hostPeaks, s.peaks.Of); err != nil {
		return nil, err
	}
	s.hostPeaksStep = s.Steps()
	return s.hostPeaks, nil
}

// peaksAt reads the extremes of some owned cells up to the state of this step, for gauges, without touching other
// cells.
func (s *solver[F]) peaksAt(cells []int, do func(k int, of *kernels.Peak)) error {
	if s.hostPeaksStep != s.Steps() && len(cells) > 0 {
		if err := backend.Upload(s.dev, s.clock[s.now:s.now+1], s.hostClock[:]); err != nil {
			return err
		}
	}
	var one [1]kernels.Peak
	for k, cell := range cells {
		if s.hostPeaksStep == s.Steps() {
			do(k, &s.hostPeaks[cell])
			continue
		}
		s.dev.Run(s.loops[s.now].peaks[1], cell, cell+1)
		if err := backend.Download(s.dev, one[:], s.peaks.Of[cell:cell+1]); err != nil {
			return err
		}
		do(k, &one[0])
	}
	return nil
}

// Maxima are the fields of extremes, and how each is read of a cell.
var Maxima = []struct {
	solvers.Field
	of func(k *kernels.Peak) float64
}{
	{solvers.Field{Name: "max_h", Unit: "m", Doc: "largest thickness since the start"},
		func(k *kernels.Peak) float64 { return k.Depth }},
	{solvers.Field{Name: "max_z", Unit: "m", Doc: "highest level of the surface while there was water; none without"},
		func(k *kernels.Peak) float64 { return wet(k, k.Level) }},
	{solvers.Field{Name: "max_speed", Unit: "m/s", Doc: "largest speed since the start"},
		func(k *kernels.Peak) float64 { return k.Speed }},
	{solvers.Field{Name: "max_flux", Unit: "m³/s²", Doc: "largest flux of momentum since the start, h u²"},
		func(k *kernels.Peak) float64 { return k.Flux }},
	{solvers.Field{Name: "max_hazard", Unit: "m²/s", Doc: "largest h (u + 0.5 m/s) since the start"},
		func(k *kernels.Peak) float64 { return k.Hazard }},
	{solvers.Field{Name: "hazard", Doc: "class of max_hazard: 0 none or low, 1 from 0.75, 2 from 1.25, 3 from 2 m²/s"},
		func(k *kernels.Peak) float64 { return class(k.Hazard) }},
	{solvers.Field{Name: "arrival", Unit: "s", Doc: "when the level first stood off that at the start; none for never"},
		func(k *kernels.Peak) float64 {
			if k.Arrival < 0 {
				return math.NaN()
			}
			return k.Arrival
		}},
	{solvers.Field{Name: "max_time", Unit: "s", Doc: "when the thickness was largest; none without water"},
		func(k *kernels.Peak) float64 { return wet(k, k.When) }},
	{solvers.Field{Name: "wet_time", Unit: "s", Doc: "how long there was water"},
		func(k *kernels.Peak) float64 { return k.Wet }},
}

// wet is a value where there was water, and none elsewhere.
func wet(k *kernels.Peak, value float64) float64 {
	if k.Depth == 0 {
		return math.NaN()
	}
	return value
}

// class is that of people's danger: for some from 0.75, for most from 1.25, and for all from 2 m²/s on (R&D Technical
// Report FD2320/TR2 of the Environment Agency, without its factor for debris).
func class(hazard float64) float64 {
	switch {
	case hazard < .75:
		return 0
	case hazard < 1.25:
		return 1
	case hazard < 2:
		return 2
	}
	return 3
}

func (s *solver[F]) Wetted(do func(cell int, level float64, dry bool)) error {
	if !s.keepsMaxima {
		return nil
	}
	peaks, err := s.peaksNow()
	if err != nil {
		return err
	}
	for i := range peaks {
		if peaks[i].Depth > s.peaks.Threshold {
			do(i, peaks[i].Level, s.wasDry[i])
		}
	}
	return nil
}

// PeakFields are what is kept of all steps, on the cells of the part, and what a restart needs of it; none where
// nothing is kept.
func (s *solver[F]) PeakFields(on *solvers.Space) (list []solvers.Field) {
	if len(s.peaks.Of) == 0 && !s.keepsMaxima {
		return nil
	}
	for _, m := range Maxima {
		f := m.Field
		f.On = on
		f.Values = func(context.Context) ([]float64, error) {
			peaks, err := s.peaksNow()
			if err != nil {
				return nil, err
			}
			values := make([]float64, len(peaks))
			for i := range peaks {
				values[i] = m.of(&peaks[i])
			}
			return values, nil
		}
		f.At = func(_ context.Context, cells []int, values []float64) error {
			return s.peaksAt(cells, func(k int, of *kernels.Peak) { values[k] = m.of(of) })
		}
		list = append(list, f)
	}
	owned := &solvers.Space{Name: "cell", Owned: s.part.Owned, Key: func(i int) int64 { return int64(s.part.Global[i]) }}
	return append(list, solvers.Field{Name: "peaks", Doc: "what was largest since the start", On: owned, Saved: true,
		Components: []string{"depth", "level", "speed", "flux", "hazard", "start", "arrival", "when", "wet"},
		View:       func() solvers.View { return solvers.ViewOf[float64](s.dev, s.peaks.Of, 0) }})
}
