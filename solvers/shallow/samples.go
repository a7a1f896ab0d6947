package shallow

import (
	"errors"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// gathering reads some cells of a device with separate memory with one copy.
type gathering[F num.Float] struct {
	cells   mirrored[int32]
	states  mirrored[kernels.State[F]]
	depths  mirrored[F]
	peaks   mirrored[kernels.Peak]
	current bool // peaks are those of these cells in the current state
}

// mirrored is an array of the device with a host copy of some of its elements.
type mirrored[T any] struct{ device, host []T }

func newMirrored[T any](a *backend.Arrays, n int) mirrored[T] {
	return mirrored[T]{backend.Fresh[T](a, n, "gauges"), make([]T, n)}
}

// fetch copies the first n elements to the host.
func (t *mirrored[T]) fetch(d backend.Device, n int) error {
	return backend.Download(d, t.host[:n], t.device[:n])
}

// uploadList uploads a list of cells, and allocates buffers for their data.
func (s *solver[F]) uploadList(cells []int) error {
	p, n := &s.gathering, len(cells)
	if capacity := len(p.cells.device); n > capacity {
		length, arrays := max(n, 2*capacity), &s.allocated
		*p = gathering[F]{cells: newMirrored[int32](arrays, length), states: newMirrored[kernels.State[F]](arrays, length),
			depths: newMirrored[F](arrays, length), peaks: newMirrored[kernels.Peak](arrays, length)}
		if err := arrays.Err(); err != nil {
			return err
		}
	}
	p.current = false
	for k, cell := range cells {
		p.cells.host[k] = int32(cell)
	}
	return backend.Upload(s.dev, p.cells.device[:n], p.cells.host[:n])
}

// fetch copies the state of some cells to the host, once for all of their fields.
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
	if err := s.uploadList(missing); err != nil {
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

// gatherPeaks copies the extremes of some cells, including the current state, to the host, once for all of their
// fields. The next call overwrites them.
func (s *solver[F]) gatherPeaks(cells []int) ([]kernels.Peak, error) {
	p, n := &s.gathering, len(cells)
	same := func(k int32, cell int) int { return int(k) - cell }
	if p.current && slices.CompareFunc(p.cells.host[:min(n, len(p.cells.host))], cells, same) == 0 {
		return p.peaks.host[:n], nil
	}
	if err := s.updatePeaksNow(0, len(s.peaks.Most)); err != nil {
		return nil, err
	}
	if err := s.uploadList(cells); err != nil {
		return nil, err
	}
	gather := kernels.NewGatherPeaksLoop(p.cells.device, &s.clock[s.now], &s.peaks, s.arrays.mesh.Beds, p.peaks.device)
	s.dev.Run(gather, 0, n)
	p.current = true
	return p.peaks.host[:n], p.peaks.fetch(s.dev, n)
}

// samples are the states that queued steps record in some cells, on a device that takes many steps at a time.
type samples[F num.Float] struct {
	ring     kernels.Samples[F] // ring buffer on the device, with a row for each step
	columns  map[int]int        // columns of the sampled cells in it
	states   []kernels.State[F]
	depths   []F
	times    []float64
	selected bool // Pick reads the sample selected by index
	index    int
}

// sampledBytes is the approximate limit of the memory for samples on a rank.
const sampledBytes = 64 << 20

// maxSteps returns how many steps may be queued at a time.
func (s *samples[F]) maxSteps() int {
	if s.columns == nil {
		return maxQueued
	}
	return len(s.ring.Times)
}

// ringSteps returns the number of steps in the ring buffer of samples, given the number of sampled cells.
func ringSteps[F num.Float](cells int) int {
	each := int(unsafe.Sizeof(kernels.State[F]{})) * (cells + 1)
	return min(maxQueued, max(stepsPerRecording, sampledBytes/each))
}

// Sample makes each step record the state of some owned cells. It returns false if steps are not queued.
func (s *solver[F]) Sample(cells []int) (bool, error) {
	if s.schedule.queue == nil {
		return false, nil
	}
	samples := &s.samples
	samples.columns = map[int]int{}
	var list []int32
	for _, cell := range cells {
		if _, listed := samples.columns[cell]; !listed {
			samples.columns[cell] = len(list)
			list = append(list, int32(cell))
		}
	}
	steps := ringSteps[F](len(list))
	t := &s.allocated
	samples.ring = kernels.Samples[F]{Cells: backend.Uploaded(t, list, "cells of gauges"),
		States: backend.Fresh[kernels.State[F]](t, steps*len(list), "gauges"),
		Depths: backend.Fresh[F](t, steps*len(list), "gauges"), Times: backend.Fresh[float64](t, steps, "gauges")}
	for k := range s.loops {
		step := cycleStep(k)
		next := step.plus(1)
		limit, _, _ := s.limits(next)
		s.loops[k].sample = kernels.NewSampleLoop(&s.clock[next], limit, &samples.ring, s.arrays.mesh.Beds,
			s.state[step.to()])
		s.recordings[k].Close()
		s.recordings[k] = backend.Replay{}
	}
	return true, t.Err()
}

// sample queues the recording of step k of the cycle.
func (s *solver[F]) sample(k cycleStep) {
	if s.samples.columns != nil {
		s.dev.Run(s.loops[k].sample, 0, max(1, len(s.samples.ring.Cells)))
	}
}

// fetchSamples copies the samples of the steps after the given one to the host.
func (s *solver[F]) fetchSamples(before int64) error {
	samples := &s.samples
	if samples.columns == nil {
		return nil
	}
	n, width, ringLength := int(s.hostClock[0].Steps-before), len(samples.ring.Cells), len(samples.ring.Times)
	samples.states = slices.Grow(samples.states[:0], n*width)[:n*width]
	samples.depths = slices.Grow(samples.depths[:0], n*width)[:n*width]
	samples.times = slices.Grow(samples.times[:0], n)[:n]
	for copied := 0; copied < n; { // in two parts if the ring wraps around
		start := int((before + 1 + int64(copied)) % int64(ringLength))
		count := min(n-copied, ringLength-start)
		err := errors.Join(
			backend.Download(s.dev, samples.times[copied:copied+count], samples.ring.Times[start:start+count]),
			backend.Download(s.dev, samples.states[copied*width:(copied+count)*width],
				samples.ring.States[start*width:(start+count)*width]),
			backend.Download(s.dev, samples.depths[copied*width:(copied+count)*width],
				samples.ring.Depths[start*width:(start+count)*width]))
		if err != nil {
			return err
		}
		copied += count
	}
	return nil
}

// Sampled returns the times at the ends of the steps of the last Advance.
func (s *solver[F]) Sampled() []float64 { return s.samples.times }

// SelectSample makes Pick read the k-th of these samples until the next Advance.
func (s *solver[F]) SelectSample(k int) { s.samples.selected, s.samples.index = true, k }

// pickSampled is Pick for the selected sample.
func (s *solver[F]) pickSampled(name string, cells []int, values []float64) {
	samples := &s.samples
	for k, cell := range cells {
		index := samples.index*len(samples.ring.Cells) + samples.columns[cell]
		values[k] = s.quantity(name, float64(samples.depths[index]), &samples.states[index])
	}
}
