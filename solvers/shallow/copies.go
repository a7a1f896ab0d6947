package shallow

import (
	"errors"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/uplift"
)

// copies are the host's copies of the state and the bed, on a device with separate memory.
type copies[F num.Float] struct {
	*rank[F]
	host      []kernels.State[F]
	hostStep  int          // the step whose whole state the host has, -1 for none
	hostCells map[int]bool // cells of the current state that the host has
	gathering gathering[F]
}

// hostState returns the current state in memory that the host can read; ghosts are outdated while their exchange is
// pending.
func (s *copies[F]) hostState() ([]kernels.State[F], error) {
	if !s.separate {
		return s.current(), nil
	}
	if s.hostStep != s.Clock().Steps {
		if err := backend.Download(s.dev, s.host, s.current()); err != nil {
			return nil, err
		}
		if err := s.downloadBeds(0, len(s.beds)); err != nil {
			return nil, err
		}
		s.hostStep = s.Clock().Steps
	}
	return s.host, nil
}

// forget marks the copies as outdated.
func (s *copies[F]) forget() {
	s.hostStep, s.gathering.current = -1, false
	clear(s.hostCells)
}

// resetBed sets the bed to the current time, after the clock was changed.
func (s *copies[F]) resetBed() error {
	if len(s.uplift.Rises) == 0 {
		return nil
	}
	rises, stencils := s.uplift, make([]kernels.Stencil[F], len(s.mesh.Stencils))
	rises.Rises = make([]kernels.Rise[F], len(s.uplift.Rises))
	if err := backend.Download(s.dev, rises.Rises, s.uplift.Rises); err != nil {
		return err
	}
	if err := backend.Download(s.dev, stencils, s.mesh.Stencils); err != nil {
		return err
	}
	uplift.SetBed(&rises, s.Clock().Time, s.beds, stencils)
	if err := backend.Upload(s.dev, s.mesh.Beds, s.beds); err != nil {
		return err
	}
	return backend.Upload(s.dev, s.mesh.Stencils, stencils)
}

// downloadBeds updates the host's copy of some beds, if the device moves them.
func (s *copies[F]) downloadBeds(lo, hi int) error {
	if len(s.uplift.Rises) == 0 || !s.separate {
		return nil
	}
	return backend.Download(s.dev, s.beds[lo:hi], s.mesh.Beds[lo:hi])
}

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
func (s *copies[F]) uploadList(cells []int) error {
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
func (s *copies[F]) fetch(cells []int) error {
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
