package levelset

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// fields is how many level sets there are: that of now, the one a step makes of it, and two between.
const fields = 4

// arrays is what the kernels of a rank work on. All slices live on the device; on one with memory of its own the host
// must not look into them.
type arrays[F num.Float] struct {
	f      [fields][]F
	begun  []F    // the level set at the start
	u      [3][]F // velocities through lower faces
	near   []kernels.Pair[F]
	clock  []kernels.Clock[F] // one
	limits []kernels.Limits   // one
	gone   []kernels.Gone     // one
	counts []kernels.Counts   // one
	slope  []atomics.Most[F]  // one

	taken []func() error // what gives each array back
}

// placer makes arrays on the device, until the first error.
type placer struct {
	dev   backend.Device
	taken *[]func() error
	err   error
}

func (s *solver[F]) placer() *placer { return &placer{dev: s.dev, taken: &s.taken} }

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

// place puts the arrays on the device.
func (s *solver[F]) place(u [3][]F) error {
	p, n := s.placer(), s.block.Len()
	for k := range s.f {
		s.f[k] = fresh[F](p, n, "level sets")
	}
	s.begun = fresh[F](p, n, "level sets")
	for axis := range s.block.Grid.Dim {
		s.u[axis] = placed(p, u[axis], "velocity")
	}
	if s.cfg.Particles > 0 {
		s.near = fresh[kernels.Pair[F]](p, n, "corrections")
	}
	s.clock = fresh[kernels.Clock[F]](p, 1, "clock")
	s.limits = fresh[kernels.Limits](p, 1, "counters")
	s.gone = fresh[kernels.Gone](p, 1, "counters")
	s.counts = fresh[kernels.Counts](p, 1, "counters")
	s.slope = fresh[atomics.Most[F]](p, 1, "counters")
	return p.err
}

// free gives the arrays back. What cannot be freed goes with the device.
func (a *arrays[F]) free() {
	for _, give := range a.taken {
		_ = give()
	}
	a.taken = nil
}

// latticeOf is where the cells of a block lie in its arrays, by their numbers in the grid.
func latticeOf[F num.Float](b *grid.Block) kernels.Lattice[F] {
	_, sy, sz := b.Strides()
	l := kernels.Lattice[F]{SY: sy, SZ: sz, Dim: int32(b.Grid.Dim), H: [3]F{1, 1, 1}}
	if b.Grid.Dim == 2 {
		l.SZ = 0
	}
	for d := range b.Grid.Dim {
		l.H[d] = F(b.Grid.Spacing(d))
	}
	l.Least = min(l.H[0], l.H[1])
	if b.Grid.Dim == 3 {
		l.Least = min(l.Least, l.H[2])
	}
	l.Base = b.Index(0, 0, 0) - b.Lo[0] - l.SY*b.Lo[1] - l.SZ*b.Lo[2]
	return l
}
