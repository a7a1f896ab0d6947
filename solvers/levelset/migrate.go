package levelset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// carry takes the particles through a step, and to the blocks that they come to.
func (s *solver[F]) carry(ctx context.Context) error {
	w := s.swarm
	if w == nil {
		return nil
	}
	s.dev.Run(w.loops().carry, 0, w.n)
	if len(w.plan.Peers) == 0 {
		return nil
	}
	return w.migrate(ctx)
}

// migrate sends the particles that do not stay where they belong, and takes those that come.
func (w *swarm[F]) migrate(ctx context.Context) error {
	leavers, err := w.leave()
	if err != nil {
		return err
	}
	for {
		rest, err := w.address(leavers)
		if err != nil {
			return err
		}
		in, err := w.items.Exchange(ctx, w.out)
		if err != nil {
			return err
		}
		for _, came := range in {
			if err := w.welcome(came); err != nil {
				return err
			}
		}
		waiting := []int64{int64(rest)}
		if err := w.s.comm.AllreduceInt64(ctx, dist.Max, waiting); err != nil {
			return err
		}
		if waiting[0] == 0 {
			return nil
		}
		leavers = rest
	}
}

// leave takes the particles that do not stay out of the array, to the front of those of the host, and returns how many
// there are.
func (w *swarm[F]) leave() (int, error) {
	work, from, to := w.s.work, w.side, 1-w.side
	goes, stays := w.goes[:w.n], w.stays[:w.n]
	n, err := primitives.Compact(work, w.p[to], w.p[from][:w.n], goes)
	if err != nil {
		return 0, err
	}
	_, err = primitives.Compact(work, w.id[to], w.id[from][:w.n], goes)
	err = errors.Join(err, backend.Download(w.s.dev, w.hostP[:n], w.p[to][:n]),
		backend.Download(w.s.dev, w.hostI[:n], w.id[to][:n]))
	if err != nil {
		return 0, err
	}
	if err := w.keep(stays); err != nil {
		return 0, err
	}
	return n, nil
}

// keep moves the particles that are marked to the other array.
func (w *swarm[F]) keep(marks []uint8) error {
	work, from, to := w.s.work, w.side, 1-w.side
	kept, err := primitives.Compact(work, w.p[to], w.p[from][:w.n], marks)
	if err != nil {
		return err
	}
	if _, err := primitives.Compact(work, w.id[to], w.id[from][:w.n], marks); err != nil {
		return err
	}
	w.n, w.side = kept, to
	return nil
}

// address gives each peer as many of the first n leavers as a message holds, and moves the rest of them to the front.
func (w *swarm[F]) address(n int) (rest int, err error) {
	for k := range w.out {
		w.out[k] = w.out[k][:0]
	}
	for i := range n {
		p := w.hostP[i]
		rank := w.rankOf(p)
		k, known := w.plan.Index(rank)
		if !known {
			return 0, fmt.Errorf("particle %d of rank %d went to (%v, %v, %v), counted in cells, which no neighbour has",
				w.hostI[i], w.s.comm.Rank(), p.X, p.Y, p.Z)
		}
		if len(w.out[k]) == w.plan.Peers[k].Send {
			w.hostP[rest], w.hostI[rest] = p, w.hostI[i]
			rest++
			continue
		}
		w.out[k] = append(w.out[k], traveller[F]{p, w.hostI[i]})
	}
	return rest, nil
}

// rankOf is the rank that owns the dual cell of a particle.
func (w *swarm[F]) rankOf(p kernels.Particle[F]) (rank int) {
	at := [3]F{p.X, p.Y, p.Z}
	for a := 2; a >= 0; a-- {
		cuts := w.boxes.Cuts[a]
		cell := max(0, int(math.Floor(float64(at[a]))))
		k, first := slices.BinarySearch(cuts, cell)
		if !first {
			k--
		}
		rank = rank*(len(cuts)-1) + k
	}
	return rank
}

// welcome adds the particles that have come from a peer.
func (w *swarm[F]) welcome(came []traveller[F]) error {
	if err := w.reserve(w.n + len(came)); err != nil {
		return err
	}
	w.newP, w.newI = w.newP[:0], w.newI[:0]
	for _, c := range came {
		if w.rankOf(c.P) != w.s.comm.Rank() {
			return fmt.Errorf("particle %d came to rank %d, which does not own (%v, %v, %v), counted in cells", c.ID,
				w.s.comm.Rank(), c.P.X, c.P.Y, c.P.Z)
		}
		w.newP, w.newI = append(w.newP, c.P), append(w.newI, c.ID)
	}
	end := w.n + len(came)
	err := errors.Join(backend.Upload(w.s.dev, w.p[w.side][w.n:end], w.newP),
		backend.Upload(w.s.dev, w.id[w.side][w.n:end], w.newI))
	w.n = end
	return err
}
