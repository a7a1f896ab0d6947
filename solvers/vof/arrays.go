package vof

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// arrays is what the kernels of a rank work on. All slices live on the device; on one with memory of its own the host
// must not look into them.
type arrays[F num.Float] struct {
	fields  [3][]F // one after each sweep of a step, or in turn after each step in tiles
	u       [3][]F // through lower faces
	planes2 []geom.Line[F]
	planes3 []geom.Plane[F]
	kinds   [2][]int32 // of tiles, in turn; of bricks, the first
	every   tileList   // of all tiles or bricks
	busy    tileList   // of those with work
	marks   []int32    // which these are
	rim     []int32    // tiles that hold deep ghosts

	// The clock of step k is at k modulo turns, so that several can be handed over, and their steps recorded, at once.
	clocks []kernels.Clock[F]

	from, to []int32 // cells at walls, and those beyond that become the same

	taken []func() error // what gives each array back
}

// turns is how many steps pass until all comes round: orders of axes, fields in turn, clocks.
const turns = kernels.TileTurns

// tileList is a list of tiles on the device, and its length.
type tileList struct{ order, count []int32 }

// placer makes arrays on the device, until the first error.
type placer struct {
	dev   backend.Device
	taken *[]func() error
	err   error
}

func fresh[T any](p *placer, n int, what string) []T {
	if p.err != nil {
		return nil
	}
	a, err := backend.Make[T](p.dev, n)
	if err != nil {
		p.err = fmt.Errorf("%s: %w", what, err)
		return nil
	}
	*p.taken = append(*p.taken, func() error { return backend.Free(p.dev, a) })
	return a
}

// placed copies an array of the host to the device. In the host's own memory it stays where it is.
func placed[T any](p *placer, from []T, what string) []T {
	if _, apart := p.dev.(backend.Memory); !apart {
		return from
	}
	to := fresh[T](p, len(from), what)
	if p.err == nil {
		p.err = backend.Upload(p.dev, to, from)
	}
	return to
}

// place puts the arrays on the device, with the field at the start and the velocities, both with ghosts.
func (a *arrays[F]) place(dev backend.Device, b *grid.Block, w *ways, start []F, u [3][]F) error {
	p := &placer{dev: dev, taken: &a.taken}
	a.fields[0] = placed(p, start, "volume fractions")
	for axis := range b.Grid.Dim {
		a.u[axis] = placed(p, u[axis], "velocity")
		if axis == 1 || axis > 1 && !w.tiled {
			a.fields[axis] = fresh[F](p, b.Len(), "volume fractions")
		}
	}
	if n := w.parts; n > 0 {
		mixed, all := make([]int32, n), make([]int32, n)
		for t := range mixed {
			mixed[t], all[t] = kernels.Mixed2, int32(t)
		}
		a.kinds = [2][]int32{placed(p, mixed, "tiles"), fresh[int32](p, n, "tiles")}
		a.every = tileList{placed(p, all, "tiles"), placed(p, []int32{int32(n)}, "tiles")}
		a.busy = tileList{fresh[int32](p, n, "tiles"), fresh[int32](p, 1, "tiles")}
		a.marks = fresh[int32](p, n, "tiles")
		a.rim = placed(p, w.rim(b), "tiles")
	}
	switch {
	case w.tiled:
	case w.stored && b.Grid.Dim == 2:
		a.planes2 = fresh[geom.Line[F]](p, b.Len(), "planes")
	case w.stored:
		a.planes3 = fresh[geom.Plane[F]](p, b.Len(), "planes")
	}
	a.clocks = fresh[kernels.Clock[F]](p, turns, "clocks")
	from, to := b.Walls()
	a.from, a.to = placed(p, from, "walls"), placed(p, to, "walls")
	return p.err
}

// free gives the arrays back. What cannot be freed goes with the device.
func (a *arrays[F]) free() {
	for _, give := range a.taken {
		_ = give()
	}
	a.taken = nil
}
