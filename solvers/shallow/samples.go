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

// gathering reads some cells of a device with separate memory with one copy.
type gathering[F num.Float] struct {
	cells   *engine.Array[int32]
	list    []int32 // what cells has
	states  *engine.Array[kernels.State[F]]
	depths  *engine.Array[F]
	peaks   *engine.Array[kernels.Peak]
	read    []kernels.Peak // on the host
	current bool           // they are those of these cells in the current state
}

// uploadList uploads a list of cells, and allocates buffers for their data.
func (s *solver[F]) uploadList(cells []int) error {
	g, n := &s.gathering, len(cells)
	if capacity := cap(g.list); n > capacity || g.cells == nil {
		length, t := max(n, 2*capacity), s.Table()
		const what = "gauges"
		*g = gathering[F]{cells: engine.Add[int32](t, what, length), list: make([]int32, 0, length),
			states: engine.Add[kernels.State[F]](t, what, length), depths: engine.Add[F](t, what, length),
			peaks: engine.Add[kernels.Peak](t, what, length)}
		if err := t.Err(); err != nil {
			return err
		}
	}
	g.current, g.list = false, g.list[:0]
	for _, cell := range cells {
		g.list = append(g.list, int32(cell))
	}
	return backend.Upload(s.dev, g.cells.Data[:n], g.list)
}

// fetch copies the state of some cells to the host, once for all of their fields.
func (s *solver[F]) fetch(cells []int) error {
	if !s.separate || s.hostStep == s.Clock().Steps {
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
	g, n := &s.gathering, len(missing)
	s.dev.Run(kernels.NewGatherStatesLoop(g.cells.Data, s.mesh.Beds, s.current(), g.states.Data, g.depths.Data), 0, n)
	states, err := g.states.HostPart(n)
	depths, err2 := g.depths.HostPart(n)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	for k, cell := range missing {
		s.host[cell] = states[k]
		if len(s.uplift.Rises) > 0 { // else a frame may be reading it
			s.beds[cell].Depth = depths[k]
		}
	}
	return nil
}

// gatherPeaks copies the extremes of some cells, including the current state, to the host, once for all of their
// fields. The next call overwrites them.
func (s *solver[F]) gatherPeaks(cells []int) ([]kernels.Peak, error) {
	g, n := &s.gathering, len(cells)
	same := func(k int32, cell int) int { return int(k) - cell }
	if g.current && slices.CompareFunc(g.list, cells, same) == 0 {
		return g.read[:n], nil
	}
	if err := s.updatePeaksNow(0, len(s.peaks.Most)); err != nil {
		return nil, err
	}
	if err := s.uploadList(cells); err != nil {
		return nil, err
	}
	s.dev.Run(kernels.NewGatherPeaksLoop(g.cells.Data, &s.clocks.Data[s.now()], &s.peaks, s.mesh.Beds, g.peaks.Data), 0, n)
	var err error
	g.read, err = g.peaks.HostPart(n)
	g.current = err == nil
	return g.read, err
}

// samples are the states that queued steps record in some cells, on a device that takes many steps at a time.
type samples[F num.Float] struct {
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
func (s *solver[F]) sample(fields []string, cells []int) (bool, error) {
	for _, name := range fields {
		if !slices.ContainsFunc(s.at.Fields, func(f solvers.Field) bool { return f.Name == name }) {
			return false, nil
		}
	}
	if !s.queued {
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
	samples.ring, samples.width = declareRing[F](s.Table(), list), max(1, len(list))
	s.Forget()
	return true, s.Table().Err()
}

// recordSample records the sampled cells after a step, if there are any.
func (s *solver[F]) recordSample(p *engine.Program, k cycleStep) {
	if !s.queued {
		return
	}
	next := k.plus(1)
	limit, _, _ := s.limitsOf(next)
	p.Run(engine.Listed(kernels.NewSampleLoop(&s.clocks.Data[next], limit, &s.samples.ring, s.mesh.Beds,
		s.state[k.to()].Data), &s.samples.width))
}

// fetchSamples copies the samples of the steps after the first clock to the host.
func (s *solver[F]) fetchSamples(_ context.Context, from, to solvers.Clock) error {
	samples := &s.samples
	if samples.columns == nil {
		return nil
	}
	n, width, ringLength := to.Steps-from.Steps, len(samples.ring.Cells), len(samples.ring.Times)
	samples.states = slices.Grow(samples.states[:0], n*width)[:n*width]
	samples.depths = slices.Grow(samples.depths[:0], n*width)[:n*width]
	samples.times = slices.Grow(samples.times[:0], n)[:n]
	for copied := 0; copied < n; { // in two parts if the ring wraps around
		start := (from.Steps + 1 + copied) % ringLength
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

// sampler records gauges while steps are queued.
func (s *solver[F]) sampler() engine.Sampler {
	return engine.Sampler{Sample: s.sample, Sampled: func() []float64 { return s.samples.times },
		Select: func(k int) { s.samples.selected, s.samples.index = true, k }}
}

// pickSampled is pick for the selected sample.
func (s *solver[F]) pickSampled(name string, cells []int, values []float64) {
	samples := &s.samples
	for k, cell := range cells {
		index := samples.index*len(samples.ring.Cells) + samples.columns[cell]
		values[k] = s.quantity(name, float64(samples.depths[index]), &samples.states[index])
	}
}
