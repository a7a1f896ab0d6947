package shallow

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Keep selects the extremes that are recorded over all steps.
type Keep struct {
	Maxima    bool
	Threshold float64 // m: the change of level at which water arrives, and the thickness above which a cell is wet
}

// initialPeaks returns the extremes of the owned cells before the first step, with their thicknesses at the start.
func initialPeaks[F num.Float](k Keep, owned int, bedMoves bool, beds []kernels.Bed[F],
	start func(i int) float64) kernels.Peaks {
	peaks := kernels.Peaks{Threshold: k.Threshold}
	if !k.Maxima {
		return peaks
	}
	for _, a := range peaks.Arrays() {
		*a = make([]float64, owned)
	}
	peaks.Most, peaks.Marks = make([]kernels.Most, owned), make([]int32, owned)
	if bedMoves {
		peaks.Level = make([]float64, owned)
	}
	for i := range owned {
		peaks.Start[i], peaks.Arrival[i] = start(i), -1
		if bedMoves {
			peaks.Start[i] -= float64(beds[i].Depth)
			peaks.Level[i] = math.Inf(-1)
		}
	}
	return peaks
}

// extremes are those of the owned cells over all steps, on the device and on the host.
type extremes[F num.Float] struct {
	*rank[F]
	copies    *copies[F]
	hostPeaks kernels.Peaks
	hostStep  int // the step up to which hostPeaks is current, -1 for none
	loops     [cycleLength]backend.Loop
	wasDry    []bool // owned cells that were dry at the start, if extremes are recorded
}

// updatePeaks updates the extremes with the state at the start of a step, unless tiles do so (updatesPeaksInStep).
func (s *extremes[F]) updatePeaks(p *engine.Program, k cycleStep) {
	n := len(s.peaks.Most)
	if n == 0 || s.updatesPeaksInStep() {
		return
	}
	p.Phase("update")
	switch {
	case s.activity != nil:
		loop := s.peaksLoop(k)
		p.Run(s.activity.Wet(loop, k.from(), k.to()), engine.Task{Loop: loop, Lo: s.part.Core, Hi: n})
		return
	case !s.queued:
		p.Run(engine.Whole(s.peaksLoop(k), n))
		return
	}
	limit, _, _ := s.limitsOf(k)
	p.Run(engine.Whole(kernels.NewUpdatePeaksInStepLoop(&s.params, &s.clocks.Data[k], limit, &s.peaks, s.mesh.Beds,
		s.state[k.from()].Data), n))
}

// peaksLoop updates the extremes with the state before step k of the cycle, at the time of its clock.
func (s *extremes[F]) peaksLoop(k cycleStep) backend.Loop {
	return kernels.NewUpdatePeaksLoop(&s.params, &s.clocks.Data[k], &s.peaks, s.mesh.Beds, s.state[k.from()].Data)
}

// updatePeaksNow updates the extremes of some owned cells with the current state. It may be repeated.
func (s *extremes[F]) updatePeaksNow(lo, hi int) error {
	k := s.now()
	if err := backend.Upload(s.dev, s.clocks.Data[k:k+1], s.clock.Host); err != nil {
		return err
	}
	s.dev.Run(s.loops[k], lo, hi)
	return nil
}

// peaksNow returns the extremes including the current state, in memory that the host can read.
func (s *extremes[F]) peaksNow() (*kernels.Peaks, error) {
	if s.hostStep == s.Clock().Steps {
		return &s.hostPeaks, nil
	}
	if err := s.updatePeaksNow(0, len(s.peaks.Most)); err != nil {
		return nil, err
	}
	if !s.separate {
		s.hostPeaks = s.peaks
	} else {
		to := append(s.hostPeaks.Arrays(), &s.hostPeaks.Level)
		for k, from := range append(s.peaks.Arrays(), &s.peaks.Level) {
			if err := download(s.dev, to[k], *from); err != nil {
				return nil, err
			}
		}
		err := errors.Join(download(s.dev, &s.hostPeaks.Most, s.peaks.Most),
			download(s.dev, &s.hostPeaks.Marks, s.peaks.Marks), s.copies.downloadBeds(0, len(s.beds)))
		if err != nil {
			return nil, err
		}
	}
	s.hostStep = s.Clock().Steps
	return &s.hostPeaks, nil
}

// download copies an array of the device to the host, and resizes the destination.
func download[T any](dev backend.Device, to *[]T, from []T) error {
	*to = slices.Grow((*to)[:0], len(from))[:len(from)]
	return backend.Download(dev, *to, from)
}

// peaksAt reads the extremes of some owned cells including the current state, for gauges. On a device with separate
// memory it updates all cells and copies those of the given cells, unless it has copied all cells in this state.
func (s *extremes[F]) peaksAt(cells []int, do func(k int, of *kernels.Peak)) error {
	if s.separate && s.hostStep != s.Clock().Steps && len(cells) > 0 {
		gathered, err := s.gatherPeaks(cells)
		for k := range gathered {
			do(k, &gathered[k])
		}
		return err
	}
	for k, cell := range cells {
		from := &s.hostPeaks
		if s.hostStep != s.Clock().Steps {
			from = &s.peaks
			if err := s.updatePeaksNow(cell, cell+1); err != nil {
				return err
			}
		}
		of := s.peakOf(from, cell)
		do(k, &of)
	}
	return nil
}

// gatherPeaks copies the extremes of some cells, including the current state, to the host, once for all of their
// fields. The next call overwrites them.
func (s *extremes[F]) gatherPeaks(cells []int) ([]kernels.Peak, error) {
	g, n := &s.copies.gathering, len(cells)
	same := func(k int32, cell int) int { return int(k) - cell }
	if g.current && slices.CompareFunc(g.list, cells, same) == 0 {
		return g.read[:n], nil
	}
	if err := s.updatePeaksNow(0, len(s.peaks.Most)); err != nil {
		return nil, err
	}
	if err := s.copies.uploadList(cells); err != nil {
		return nil, err
	}
	s.dev.Run(kernels.NewGatherPeaksLoop(g.cells.Data, &s.clocks.Data[s.now()], &s.peaks, s.mesh.Beds, g.peaks.Data), 0, n)
	var err error
	g.read, err = g.peaks.HostPart(n)
	g.current = err == nil
	return g.read, err
}

// Maxima are the fields of extremes, each with the function that computes it for a cell.
var Maxima = []struct {
	solvers.Field
	of func(k *kernels.Peak) float64
}{
	{solvers.Field{Name: "max_h", Unit: "m", Doc: "largest thickness since the start"},
		func(k *kernels.Peak) float64 { return k.Depth }},
	{solvers.Field{Name: "max_z", Unit: "m", Doc: "highest level of the surface while there was water; none without",
		Never: "never wet"},
		func(k *kernels.Peak) float64 { return ofWet(k, k.Level) }},
	{solvers.Field{Name: "max_speed", Unit: "m/s", Doc: "largest speed since the start"},
		func(k *kernels.Peak) float64 { return k.Speed }},
	{solvers.Field{Name: "max_flux", Unit: "m³/s²", Doc: "largest flux of momentum since the start, h u²"},
		func(k *kernels.Peak) float64 { return k.Flux }},
	{solvers.Field{Name: "max_hazard", Unit: "m²/s", Doc: "largest h (u + 0.5 m/s) since the start"},
		func(k *kernels.Peak) float64 { return k.Hazard }},
	{solvers.Field{Name: "hazard", Doc: "class of max_hazard: 0 none or low, 1 from 0.75, 2 from 1.25, 3 from 2 m²/s",
		Classes: []string{"0 low", "1 some", "2 most", "3 all"}},
		func(k *kernels.Peak) float64 { return class(k.Hazard) }},
	{solvers.Field{Name: "arrival", Unit: "s", Doc: "when the level first differed from that at the start by more than " +
		"the threshold; none for never", Never: "never"},
		func(k *kernels.Peak) float64 {
			if k.Arrival < 0 {
				return math.NaN()
			}
			return k.Arrival
		}},
	{solvers.Field{Name: "max_time", Unit: "s", Doc: "when the thickness was largest; none without water",
		Never: "never wet"},
		func(k *kernels.Peak) float64 { return ofWet(k, k.When) }},
	{solvers.Field{Name: "wet_time", Unit: "s", Doc: "how long there was water"},
		func(k *kernels.Peak) float64 { return k.Wet }},
}

// ofWet returns the value if the cell was ever wet, otherwise NaN.
func ofWet(k *kernels.Peak, value float64) float64 {
	if k.Depth == 0 {
		return math.NaN()
	}
	return value
}

// class is the class of danger to people: for some from 0.75, for most from 1.25, and for all from 2 m²/s (R&D
// Technical Report FD2320/TR2 of the Environment Agency, without its debris factor).
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

// wetted calls do for each owned cell whose thickness was ever above Keep.Threshold, with its highest level in m, and
// whether it was dry at the start.
func (s *extremes[F]) wetted(do func(cell int, level float64, dry bool)) error {
	peaks, err := s.peaksNow()
	if err != nil {
		return err
	}
	for i := range peaks.Most {
		if peaks.Most[i].Depth > s.peaks.Threshold {
			do(i, s.peakOf(peaks, i).Level, s.wasDry[i])
		}
	}
	return nil
}

// peakFields are the recorded extremes on the cells of the part, and what a restart needs of them; none if nothing is
// recorded.
func (s *extremes[F]) peakFields() (list []solvers.Field) {
	if !s.cfg.Keep.Maxima {
		return nil
	}
	for _, m := range Maxima {
		f := m.Field
		f.Space = s.cells
		f.Values = func(context.Context) ([]float64, error) {
			peaks, err := s.peaksNow()
			if err != nil {
				return nil, err
			}
			values := make([]float64, len(peaks.Most))
			parallel.Ranges(len(values), parallel.Parts(len(values), cellsPerWorker), func(_, lo, hi int) {
				for i := lo; i < hi; i++ {
					of := s.peakOf(peaks, i)
					values[i] = m.of(&of)
				}
			})
			return values, nil
		}
		f.ValuesAt = func(_ context.Context, cells []int, values []float64) error {
			return s.peaksAt(cells, func(k int, of *kernels.Peak) { values[k] = m.of(of) })
		}
		list = append(list, f)
	}
	owned := s.ownedCells()
	names := []string{"start", "arrival", "when", "wet", "since"}
	saved := func(name string, carried solvers.Carry, view func() solvers.View, components ...string) {
		list = append(list, solvers.Field{Name: "peak_" + name, Doc: "a part of the extremes since the start, for a restart",
			Space: owned, Saved: true, Carried: carried, Components: components, View: view})
	}
	saved("most", solvers.ByModel, func() solvers.View { return solvers.ViewOf[float64](s.dev, s.peaks.Most, 0) },
		"depth", "speed", "flux", "hazard")
	for k, array := range s.peaks.Arrays() {
		carried := solvers.Nearest
		if k == 0 {
			carried = solvers.NotCarried // evaluated again
		}
		saved(names[k], carried, func() solvers.View { return solvers.ViewOf[float64](s.dev, *array, 0) })
	}
	if len(s.uplift.Rises) > 0 {
		saved("level", solvers.Nearest, func() solvers.View { return solvers.ViewOf[float64](s.dev, s.peaks.Level, 0) })
	}
	saved("marks", solvers.Nearest, func() solvers.View { return solvers.ViewOf[int32](s.dev, s.peaks.Marks, 0) })
	return list
}

// peakOf returns the extremes of a cell up to now, in memory that the host can read.
func (s *extremes[F]) peakOf(peaks *kernels.Peaks, cell int) kernels.Peak {
	return peaks.At(int32(cell), s.Clock().Time, float64(s.beds[cell].Depth))
}
