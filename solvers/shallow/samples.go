package shallow

import (
	"context"
	"errors"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// samples are the states that queued steps record in some cells, on a device that takes many steps at a time.
type samples[F num.Float] struct {
	*rank[F]
	ring     kernels.Samples[F] // ring buffer on the device, with a row for each step
	columns  map[int]int        // columns of the sampled cells in it
	width    int                // number of indices of the loop that records; 0 if nothing is recorded
	states   []kernels.State[F]
	depths   []F
	times    []float64
	selected bool // pick reads the sample selected by index
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

// declareRing declares the ring buffer of the samples of a list of cells.
func declareRing[F num.Float](t *engine.Table, list []int32) kernels.Samples[F] {
	const what = "gauges"
	steps := ringSteps[F](len(list))
	return kernels.Samples[F]{Cells: put(t, what, len(list), list),
		States: engine.Add[kernels.State[F]](t, what, steps*len(list)).Data,
		Depths: engine.Add[F](t, what, steps*len(list)).Data, Times: engine.Add[float64](t, what, steps).Data}
}

// sample makes each step record the state of some owned cells, if steps are queued.
func (s *samples[F]) sample(fields []string, cells []int) (bool, error) {
	for _, name := range fields {
		if !slices.ContainsFunc(s.at.Fields, func(f solvers.Field) bool { return f.Name == name }) {
			return false, nil
		}
	}
	if !s.queued {
		return false, nil
	}
	s.columns = map[int]int{}
	var list []int32
	for _, cell := range cells {
		if _, listed := s.columns[cell]; !listed {
			s.columns[cell] = len(list)
			list = append(list, int32(cell))
		}
	}
	s.ring, s.width = declareRing[F](s.Table(), list), max(1, len(list))
	s.Forget()
	return true, s.Table().Err()
}

// recordSample records the sampled cells after a step, if there are any.
func (s *samples[F]) recordSample(p *engine.Program, k cycleStep) {
	if !s.queued {
		return
	}
	next := k.plus(1)
	limit, _, _ := s.limitsOf(next)
	p.Run(engine.Listed(kernels.NewSampleLoop(&s.clocks.Data[next], limit, &s.ring, s.mesh.Beds,
		s.state[k.to()].Data), &s.width))
}

// fetchSamples copies the samples of the steps after the first clock to the host.
func (s *samples[F]) fetchSamples(_ context.Context, from, to solvers.Clock) error {
	if s.columns == nil {
		return nil
	}
	n, width, ringLength := to.Steps-from.Steps, len(s.ring.Cells), len(s.ring.Times)
	s.states = slices.Grow(s.states[:0], n*width)[:n*width]
	s.depths = slices.Grow(s.depths[:0], n*width)[:n*width]
	s.times = slices.Grow(s.times[:0], n)[:n]
	for copied := 0; copied < n; { // in two parts if the ring wraps around
		start := (from.Steps + 1 + copied) % ringLength
		count := min(n-copied, ringLength-start)
		err := errors.Join(
			backend.Download(s.dev, s.times[copied:copied+count], s.ring.Times[start:start+count]),
			backend.Download(s.dev, s.states[copied*width:(copied+count)*width],
				s.ring.States[start*width:(start+count)*width]),
			backend.Download(s.dev, s.depths[copied*width:(copied+count)*width],
				s.ring.Depths[start*width:(start+count)*width]))
		if err != nil {
			return err
		}
		copied += count
	}
	return nil
}

// sampler records gauges while steps are queued.
func (s *samples[F]) sampler() engine.Sampler {
	return engine.Sampler{Sample: s.sample, Sampled: func() []float64 { return s.times },
		Select: func(k int) { s.selected, s.index = true, k }}
}

// pickSampled is pick for the selected sample.
func (s *samples[F]) pickSampled(name string, cells []int, values []float64) {
	for k, cell := range cells {
		index := s.index*len(s.ring.Cells) + s.columns[cell]
		values[k] = s.quantity(name, float64(s.depths[index]), &s.states[index])
	}
}
