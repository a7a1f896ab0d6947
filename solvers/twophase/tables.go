package twophase

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/drops"
)

// tagging lists drops and bubbles, and removes small ones.
type tagging[F num.Float] struct{ *solver[F] }

// PieceNames are the names of the tables of the pieces of the first and of the second fluid.
var PieceNames = [2]string{"drops", "bubbles"}

// lists are the tables of the case.
func (s tagging[F]) lists() (lists []solvers.List) {
	for fluid, o := range s.cfg.Pieces {
		if o == nil {
			continue
		}
		lists = append(lists, solvers.List{Name: PieceNames[fluid], Every: o.Every, Columns: drops.Columns(s.block.Grid.Dim),
			Rows: func(ctx context.Context) ([][]float64, error) {
				q, err := s.state(fluid)
				if err == nil {
					q.U, err = s.hostVelocity()
				}
				if err != nil {
					return nil, err
				}
				return q.Rows(ctx, o)
			}})
	}
	return lists
}

func (s tagging[F]) state(fluid int) (q drops.State[F], err error) {
	q = drops.State[F]{Comm: s.Env().Comm, Block: s.block, Second: fluid == 1,
		Unit: s.cfg.unit(s.block.Grid), Plic: &s.plic}
	if s.cfg.Rings {
		q.Weight = func(i int) float64 { return s.cfg.weight(s.block, i) }
	}
	q.Solid = s.plic.Solid
	q.F, err = s.f[0].Host()
	return q, err
}

// remove removes small pieces after some steps.
func (s tagging[F]) remove(p *engine.Program) {
	for fluid, o := range s.cfg.Pieces {
		if o == nil || o.RemoveBelow == 0 {
			continue
		}
		p.Host(func(ctx context.Context) error {
			if (s.time.Steps+1)%o.RemoveEvery != 0 {
				return nil
			}
			q, err := s.state(fluid)
			if err != nil {
				return err
			}
			removed, err := q.Remove(ctx, o)
			if err != nil || removed == 0 {
				return err
			}
			s.removed[fluid].add(int64(removed * 0x1p40))
			return s.f[0].Set(q.F)
		})
		s.refreshFractions(p, s.f[0])
	}
}
