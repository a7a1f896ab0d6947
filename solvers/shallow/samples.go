package shallow

import (
	"errors"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// gathering reads some cells of a device with memory of its own at once.
type gathering[F num.Float] struct {
	cells   twin[int32]
	states  twin[kernels.State[F]]
	depths  twin[F]
	peaks   twin[kernels.Peak]
	current bool // peaks are of these cells in the state of now
}

// twin is an array of the device, and one of the host for some of it.
type twin[T any] struct{ device, host []T }

func newTwin[T any](a *backend.Arrays, n int) twin[T] {
	return twin[T]{backend.Fresh[T](a, n, "gauges"), make([]T, n)}
}

// fetch brings the first n elements to the host.
func (t *twin[T]) fetch(d backend.Device, n int) error {
	return backend.Download(d, t.host[:n], t.device[:n])
}

// list takes a list of cells to the device, where there is room for what they hold.
func (s *solver[F]) list(cells []int) error {
	p, n := &s.gathering, len(cells)
	if have := len(p.cells.device); n > have {
		room, of := max(n, 2*have), &s.allocated
		*p = gathering[F]{cells: newTwin[int32](of, room), states: newTwin[kernels.State[F]](of, room),
			depths: newTwin[F](of, room), peaks: newTwin[kernels.Peak](of, room)}
		if err := of.Err(); err != nil {
			return err
		}
	}
	p.current = false
	for k, cell := range cells {
		p.cells.host[k] = int32(cell)
	}
	return backend.Upload(s.dev, p.cells.device[:n], p.cells.host[:n])
}

// fetch brings the state of some cells to the host, once for all of their fields, where it is not there.
func (s *solver[F]) fetch(cells []int) error {
	if !s.separate || s.hostStep == s.Steps() {
		return nil
	}
	var missing []int
	for _, cell := range cells {
		if !s.hostCells[cell] {
			s.hostCells[cell] = true
			missing = append(missing, cell)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := s.list(missing); err != nil {
		return err
	}
	p, n := &s.gathering, len(missing)
	gather := kernels.NewGatherStatesLoop(p.cells.device, s.arrays.mesh.Beds, s.current(), p.states.device,
		p.depths.device)
	s.dev.Run(gather, 0, n)
	if err := errors.Join(p.states.fetch(s.dev, n), p.depths.fetch(s.dev, n)); err != nil {
		return err
	}
	for k, cell := range missing {
		s.host[cell] = p.states.host[k]
		if len(s.uplift.Rises) > 0 { // else a frame may be reading it
			s.beds[cell].Depth = p.depths.host[k]
		}
	}
	return nil
}

// gatherPeaks brings the extremes of some cells up to the state of this step to the host, once for all of their
// fields.
// The next call overwrites it.
func (s *solver[F]) gatherPeaks(cells []int) ([]kernels.Peak, error) {
	p, n := &s.gathering, len(cells)
	same := func(k int32, cell int) int { return int(k) - cell }
	if p.current && slices.CompareFunc(p.cells.host[:min(n, len(p.cells.host))], cells, same) == 0 {
		return p.peaks.host[:n], nil
	}
	if err := s.updatePeaksNow(0, len(s.peaks.Depth)); err != nil {
		return nil, err
	}
	if err := s.list(cells); err != nil {
		return nil, err
	}
	gather := kernels.NewGatherPeaksLoop(p.cells.device, &s.clock[s.now], &s.peaks, s.arrays.mesh.Beds, p.peaks.device)
	s.dev.Run(gather, 0, n)
	p.current = true
	return p.peaks.host[:n], p.peaks.fetch(s.dev, n)
}

// samples is what queued steps leave in cells that somebody looks at, on a device that takes many steps at a time.
type samples[F num.Float] struct {
	ring    kernels.Samples[F]
	columns map[int]int // of cells
	states  []kernels.State[F]
	depths  []F
	times   []float64
	turned  bool // Pick tells of moment turn
	turn    int
}

// sampledBytes is about what the samples of a rank may take.
const sampledBytes = 64 << 20

// most is how many steps may be queued at a time.
func (s *samples[F]) most() int {
	if s.columns == nil {
		return maxQueued
	}
	return len(s.ring.Times)
}

// Sample has steps leave what some owned cells hold, in the order of the queue. Where steps do not go by themselves it
// does not, and recycleLength false.
func (s *solver[F]) Sample(cells []int) (bool, error) {
	if s.schedule.queue == nil {
		return false, nil
	}
	of := &s.samples
	of.columns = map[int]int{}
	var list []int32
	for _, cell := range cells {
		if _, listed := of.columns[cell]; !listed {
			of.columns[cell] = len(list)
			list = append(list, int32(cell))
		}
	}
	each := int(unsafe.Sizeof(kernels.State[F]{})) * (len(list) + 1)
	steps := min(maxQueued, max(stepsPerRecording, sampledBytes/each))
	t := &s.allocated
	of.ring = kernels.Samples[F]{Cells: backend.Uploaded(t, list, "cells of gauges"),
		States: backend.Fresh[kernels.State[F]](t, steps*len(list), "gauges"),
		Depths: backend.Fresh[F](t, steps*len(list), "gauges"), Times: backend.Fresh[float64](t, steps, "gauges")}
	for k := range s.loops {
		step := cycleStep(k)
		next := step.plus(1)
		waves, _, _ := s.limits(next)
		s.loops[k].sample = kernels.NewSampleLoop(&s.clock[next], waves, &of.ring, s.arrays.mesh.Beds, s.state[step.to()])
		if s.recordings[k] != nil {
			s.recordings[k].Close()
			s.recordings[k] = nil
		}
	}
	return true, t.Err()
}

// sample queues what step k of the cycle leaves.
func (s *solver[F]) sample(k cycleStep) {
	if s.samples.columns != nil {
		s.dev.Run(s.loops[k].sample, 0, max(1, len(s.samples.ring.Cells)))
	}
}

// fetchSamples brings what the steps after the given one have left to the host.
func (s *solver[F]) fetchSamples(before int64) error {
	of := &s.samples
	if of.columns == nil {
		return nil
	}
	n, width, room := int(s.hostClock[0].Steps-before), len(of.ring.Cells), len(of.ring.Times)
	of.states = slices.Grow(of.states[:0], n*width)[:n*width]
	of.depths = slices.Grow(of.depths[:0], n*width)[:n*width]
	of.times = slices.Grow(of.times[:0], n)[:n]
	for done := 0; done < n; { // in two pieces where the ring ends between them
		from := int((before + 1 + int64(done)) % int64(room))
		piece := min(n-done, room-from)
		err := errors.Join(
			backend.Download(s.dev, of.times[done:done+piece], of.ring.Times[from:from+piece]),
			backend.Download(s.dev, of.states[done*width:(done+piece)*width], of.ring.States[from*width:(from+piece)*width]),
			backend.Download(s.dev, of.depths[done*width:(done+piece)*width], of.ring.Depths[from*width:(from+piece)*width]))
		if err != nil {
			return err
		}
		done += piece
	}
	return nil
}

// Sampled are the times at the ends of the steps that the last Advance took.
func (s *solver[F]) Sampled() []float64 { return s.samples.times }

// Turn has Pick tell of one of these moments until the next Advance.
func (s *solver[F]) Turn(k int) { s.samples.turned, s.samples.turn = true, k }

// pickSampled is Pick of sampled cells at the moment of Turn.
func (s *solver[F]) pickSampled(name string, cells []int, values []float64) {
	of := &s.samples
	for k, cell := range cells {
		at := of.turn*len(of.ring.Cells) + of.columns[cell]
		values[k] = s.quantity(name, float64(of.depths[at]), &of.states[at])
	}
}
