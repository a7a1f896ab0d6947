package vof

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// tileLister lists the tiles or bricks in which anything may change in a cycle, on the device.
type tileLister struct {
	loops []indexedLoop // list them
	// The counts of the last list. Each list of tiles has an upper bound of the length of the next one, so that the host
	// need not wait for the list of which it queues the steps.
	counts backend.Readback
	bounds bool // counts has a bound of the next list
	active int  // number of active tiles or bricks, or an upper bound
}

// prepareLister makes the loops that list the active tiles or bricks.
func (s *solver[F]) prepareLister() (err error) {
	if s.count == 0 {
		return nil
	}
	s.lister.loops = s.newListLoops(s.block, &s.schedule)
	const bytes = kernels.ListCounts * int(unsafe.Sizeof(int32(0)))
	if s.lister.counts, err = backend.NewReadback(s.dev, bytes); err == nil {
		s.allocated.Owns(s.lister.counts)
	}
	return err
}

// listTiles lists the active tiles or bricks of a cycle.
func (s *solver[F]) listTiles() error {
	l := &s.lister
	if s.count == 0 {
		return nil
	}
	known := l.bounds
	if known {
		if err := l.read(kernels.NextLength); err != nil {
			return err
		}
	}
	s.run(l.loops...)
	if err := l.counts.Start(solvers.BytesOf(s.arrays.activeTiles.count)); err != nil {
		return err
	}
	if !known {
		if err := l.read(kernels.ListLength); err != nil {
			return err
		}
	}
	// Deep ghosts are received after a list, with any values.
	l.bounds = s.traversal == byTiles && s.period != byCycle
	s.resizeLoops(len(s.sentBricks) + l.active)
	return nil
}

// read waits for the counts of the last list, and takes one of them as the number of active tiles or bricks.
func (l *tileLister) read(count int) error {
	bytes, err := l.counts.Read()
	if err != nil {
		return err
	}
	l.active = int(unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(bytes))), kernels.ListCounts)[count])
	return nil
}

// resizeLoops makes the loops over active tiles or bricks run over at least n. They run over more, so that recordings
// can be reused when the number grows.
func (s *solver[F]) resizeLoops(n int) {
	if n > s.recordedTiles || n < s.recordedTiles/2 {
		s.recordedTiles = min(n+n/8+spareTiles, s.count)
		s.forgetRecordings()
	}
	for k := range cycleLength {
		for n := range s.activePasses[k] {
			s.activePasses[k][n].resize(s.recordedTiles)
		}
	}
}

// spareTiles is the least number of tiles that loops run over in addition to active ones.
const spareTiles = 64
