package levelset

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// correctSorted computes the bounds on a level set from escaped particles by sorting: their corrections, one for each
// corner of their dual cells, are sorted and reduced by cell. This replaces atomic minima and maxima by the operations
// remove_if, copy, sort_by_key and reduce_by_key, as in implementations of the particle level set with the library
// Thrust.
func (w *swarm[F]) correctSorted(field int) error {
	for _, inside := range []bool{false, true} {
		if err := w.correctSide(field, inside); err != nil {
			return err
		}
	}
	return nil
}

func (w *swarm[F]) correctSide(field int, inside bool) error {
	correction := w.s.correction(field)
	p, _ := w.now()
	w.dev.Run(kernels.NewMarkEscapedLoop(correction, inside, p, w.marks.Data), 0, len(p))
	escaped := w.p[1-w.current].Data
	n, err := primitives.Compact(w.work, escaped, p, w.marks.Data[:len(p)])
	if err != nil || n == 0 {
		return err
	}
	count := n << w.s.block.Grid.Dim
	if err := w.replicas.Reserve(count); err != nil {
		return err
	}
	keys, order, sorted := w.keys32.Data[:count], w.replicaOrder.Data[:count], w.sorted.Data[:count]
	w.dev.Run(kernels.NewReplicateLoop(correction, escaped, keys, order, w.values.Data), 0, n)
	if err := primitives.SortByKey(w.work, keys, order); err != nil {
		return err
	}
	if err := primitives.Gather(w.work, sorted, w.values.Data, order); err != nil {
		return err
	}
	op := backend.Max
	if inside {
		op = backend.Min
	}
	cells, err := primitives.ReduceByKey(w.work, op, w.outKeys.Data, w.outValues.Data, keys, sorted)
	if err != nil {
		return err
	}
	if inside {
		w.dev.Run(kernels.NewLowerMinusLoop(w.outKeys.Data, w.outValues.Data, w.s.bounds.Data), 0, cells)
	} else {
		w.dev.Run(kernels.NewRaisePlusLoop(w.outKeys.Data, w.outValues.Data, w.s.bounds.Data), 0, cells)
	}
	return nil
}
