package levelset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// ParticleFields are what is saved of particles, on a space of their own; none where the method has none.
func (s *solver[F]) ParticleFields() []solvers.Field {
	w := s.swarm
	if w == nil {
		return nil
	}
	w.space.Owned = w.n
	return []solvers.Field{{Name: "particle", Doc: "place, counted in cells, and radius in m, negative inside",
		On: &w.space, Hashed: true, Saved: true, Components: []string{"x", "y", "z", "r"},
		View: func() solvers.View { return solvers.ViewOf[F](s.dev, w.p[w.side][:w.n], 0) }}}
}

// Rest leaves out the particles that are gone, and brings the keys of the others to the host.
func (s *solver[F]) Rest(context.Context) error {
	w := s.swarm
	if w == nil {
		return nil
	}
	if err := w.live(); err != nil {
		return err
	}
	w.keys = w.id[w.side][:w.n]
	if !s.apart {
		return nil
	}
	w.keys = w.hostI[:w.n]
	return backend.Download(s.dev, w.keys, w.id[w.side][:w.n])
}

// take makes room for particles with these keys, which are then filled.
func (w *swarm[F]) take(keys []int64) error {
	if err := w.reserve(len(keys)); err != nil {
		return err
	}
	w.n, w.space.Owned, w.keys = len(keys), len(keys), slices.Clone(keys)
	return backend.Upload(w.s.dev, w.id[w.side][:w.n], w.keys)
}

// belongs tells whether a particle is in a dual cell of the block.
func (w *swarm[F]) belongs(bytes []byte) bool {
	var p kernels.Particle[F]
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&p)), unsafe.Sizeof(p)), bytes)
	return w.rankOf(p) == w.s.comm.Rank()
}

// tally is what has been counted since the start, on this rank or on all.
type tally struct{ sown, left, deleted, flips int64 }

// Scalars are what has been counted since the start, and how often particles were sown.
func (s *solver[F]) Scalars(ctx context.Context) (map[string]float64, error) {
	all, err := s.tally(ctx)
	of := map[string]float64{"flips": float64(all.flips)}
	if s.swarm != nil {
		of["sowings"] = float64(s.swarm.event)
		of["sown"], of["left"], of["deleted"] = float64(all.sown), float64(all.left), float64(all.deleted)
	}
	return of, err
}

// tally is that of all ranks.
func (s *solver[F]) tally(ctx context.Context) (all tally, err error) {
	var limits [1]kernels.Limits
	var gone [1]kernels.Gone
	err = errors.Join(backend.Download(s.dev, limits[:], s.limits), backend.Download(s.dev, gone[:], s.gone))
	if err != nil {
		return all, err
	}
	n := []int64{0, gone[0].Left, gone[0].Deleted, limits[0].Flips}
	if s.swarm != nil {
		n[0] = s.swarm.sown
	}
	err = s.comm.AllreduceInt64(ctx, dist.Sum, n)
	return tally{n[0], n[1], n[2], n[3]}, err
}

// Restore puts the solver into a saved state. What was counted since the start is rank 0's from then on.
func (s *solver[F]) Restore(ctx context.Context, at solvers.Clock, of map[string]float64, fill func() error) error {
	if err := fill(); err != nil {
		return err
	}
	s.t, s.steps, s.took = at.Time, at.Steps, at.Dt
	var gone [1]kernels.Gone
	var limits [1]kernels.Limits
	sown := int64(0)
	if s.comm.Rank() == 0 {
		sown = int64(of["sown"])
		gone[0] = kernels.Gone{Left: int64(of["left"]), Deleted: int64(of["deleted"])}
		limits[0].Flips = int64(of["flips"])
	}
	err := errors.Join(backend.Upload(s.dev, s.gone, gone[:]), backend.Upload(s.dev, s.limits, limits[:]))
	if err != nil {
		return err
	}
	if w := s.swarm; w != nil {
		w.sown, w.event = sown, int64(of["sowings"])
		n := []int64{int64(w.n)}
		if err := s.comm.AllreduceInt64(ctx, dist.Sum, n); err != nil {
			return err
		}
		if saved := int64(of["sown"] - of["left"] - of["deleted"]); n[0] != saved {
			return fmt.Errorf("%d particles were saved, of which %d belong to a block: is it the state of another case?",
				saved, n[0])
		}
	}
	return s.refresh(ctx, &s.wide, now)
}
