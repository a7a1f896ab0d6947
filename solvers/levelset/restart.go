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

// ParticleFields are the saved fields of particles, on a space of their own; none without particles.
func (s *solver[F]) ParticleFields() []solvers.Field {
	w := s.swarm
	if w == nil {
		return nil
	}
	w.space.Owned = w.n
	return []solvers.Field{{Name: "particle", Doc: "position in cells, and radius in m, negative inside",
		Space: &w.space, Hashed: true, Saved: true, Components: []string{"x", "y", "z", "r"},
		View: func() solvers.View { return solvers.ViewOf[F](s.dev, w.p[w.current][:w.n], 0) }}}
}

func (s *solver[F]) Quiesce(context.Context) error {
	if s.swarm == nil {
		return nil
	}
	return s.swarm.quiesce()
}

// quiesce drops removed particles, and copies the keys of the others to the host.
func (w *swarm[F]) quiesce() error {
	if err := w.dropRemoved(); err != nil {
		return err
	}
	w.keys = w.id[w.current][:w.n]
	if !w.s.separateMemory {
		return nil
	}
	w.hostIDs = atLeast(w.hostIDs, w.n)
	w.keys = w.hostIDs[:w.n]
	return backend.Download(w.s.dev, w.keys, w.id[w.current][:w.n])
}

// atLeast returns an array of at least n elements, whose values are not kept.
func atLeast[T any](a []T, n int) []T {
	if n <= len(a) {
		return a
	}
	return make([]T, n+n/4)
}

// allocate makes this rank the owner of the particles with these keys, whose fields are filled afterwards.
func (w *swarm[F]) allocate(keys []int64) error {
	if err := w.reserve(len(keys)); err != nil {
		return err
	}
	w.n, w.space.Owned, w.keys = len(keys), len(keys), slices.Clone(keys)
	return backend.Upload(w.s.dev, w.id[w.current][:w.n], w.keys)
}

// belongs reports whether a particle, given by the bytes of its field, is in a dual cell of the block.
func (w *swarm[F]) belongs(bytes []byte) bool {
	var p kernels.Particle[F]
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&p)), unsafe.Sizeof(p)), bytes)
	return kernels.Owned(&w.domain, p)
}

// counters are a rank's counters since the start.
type counters struct {
	seeded int64
	kernels.Removed
	kernels.Limits
}

// Scalars returns the counters since the start, and the number of seedings.
func (s *solver[F]) Scalars(ctx context.Context) (map[string]float64, error) {
	own, err := s.ownCounters()
	if err != nil {
		return nil, err
	}
	n := []int64{own.seeded, own.Left, own.Deleted, own.Flips}
	if err := s.comm.AllreduceInt64(ctx, dist.Sum, n); err != nil {
		return nil, err
	}
	scalars := map[string]float64{"flips": float64(n[3])}
	if s.swarm != nil {
		scalars["sowings"] = float64(s.swarm.seedings)
		scalars["sown"], scalars["left"], scalars["deleted"] = float64(n[0]), float64(n[1]), float64(n[2])
	}
	return scalars, nil
}

// ownCounters returns the counters of this rank.
func (s *solver[F]) ownCounters() (own counters, err error) {
	var limits [1]kernels.Limits
	var removed [1]kernels.Removed
	err = errors.Join(backend.Download(s.dev, limits[:], s.limits), backend.Download(s.dev, removed[:], s.removed))
	own.Removed, own.Limits = removed[0], limits[0]
	if s.swarm != nil {
		own.seeded = s.swarm.seeded
	}
	return own, err
}

// Restore restores a saved state. Rank 0 continues the counters of all ranks.
func (s *solver[F]) Restore(ctx context.Context, clock solvers.Clock, scalars map[string]float64,
	fill func() error) error {
	if err := fill(); err != nil {
		return err
	}
	s.t, s.steps, s.lastDt = clock.Time, clock.Steps, clock.Dt
	var removed [1]kernels.Removed
	var limits [1]kernels.Limits
	seeded := int64(0)
	if s.comm.Rank() == 0 {
		seeded = int64(scalars["sown"])
		removed[0] = kernels.Removed{Left: int64(scalars["left"]), Deleted: int64(scalars["deleted"])}
		limits[0].Flips = int64(scalars["flips"])
	}
	err := errors.Join(backend.Upload(s.dev, s.removed, removed[:]), backend.Upload(s.dev, s.limits, limits[:]))
	if err != nil {
		return err
	}
	if w := s.swarm; w != nil {
		w.seeded, w.seedings = seeded, int64(scalars["sowings"])
		n := []int64{int64(w.n)}
		if err := s.comm.AllreduceInt64(ctx, dist.Sum, n); err != nil {
			return err
		}
		if saved := int64(scalars["sown"] - scalars["left"] - scalars["deleted"]); n[0] != saved {
			return fmt.Errorf("%d particles were saved, but %d belong to blocks of this run: is it the state of another case?",
				saved, n[0])
		}
	}
	return s.refreshGhosts(ctx, &s.allLayers, now)
}
