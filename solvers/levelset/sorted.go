package levelset

import (
	"errors"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// replicas are the corrections of escaped particles, one for each corner of their dual cells, sorted and reduced by
// cell. This replaces atomic minima and maxima by the operations remove_if, copy, sort_by_key and reduce_by_key, as
// in implementations of the particle level set with the library Thrust.
type replicas[F num.Float] struct {
	keys, outKeys             []uint32 // indices of cells
	order                     []int32
	values, sorted, outValues []F
	count                     int // capacity
}

// correctSorted computes the bounds on a level set from escaped particles by sorting.
func (w *swarm[F]) correctSorted(field int) error {
	for _, inside := range []bool{false, true} {
		if err := w.correctSide(field, inside); err != nil {
			return err
		}
	}
	return nil
}

func (w *swarm[F]) correctSide(field int, inside bool) error {
	s, correction, r := w.s, w.s.correction(field), &w.replicas
	s.dev.Run(kernels.NewMarkEscapedLoop(correction, inside, w.p[w.current], w.marks), 0, w.n)
	escaped := w.p[1-w.current]
	n, err := primitives.Compact(s.work, escaped, w.p[w.current][:w.n], w.marks[:w.n])
	if err != nil || n == 0 {
		return err
	}
	count := n << s.block.Grid.Dim
	if err := r.reserve(s.dev, count); err != nil {
		return err
	}
	keys, order := r.keys[:count], r.order[:count]
	s.dev.Run(kernels.NewReplicateLoop(correction, escaped, keys, order, r.values), 0, n)
	if err := primitives.SortByKey(s.work, keys, order); err != nil {
		return err
	}
	if err := primitives.Gather(s.work, r.sorted[:count], r.values, order); err != nil {
		return err
	}
	op := backend.Max
	if inside {
		op = backend.Min
	}
	cells, err := primitives.ReduceByKey(s.work, op, r.outKeys, r.outValues, keys, r.sorted[:count])
	if err != nil {
		return err
	}
	if inside {
		s.dev.Run(kernels.NewLowerMinusLoop(r.outKeys, r.outValues, s.bounds), 0, cells)
	} else {
		s.dev.Run(kernels.NewRaisePlusLoop(r.outKeys, r.outValues, s.bounds), 0, cells)
	}
	return nil
}

// reserve allocates memory for n replicas.
func (r *replicas[F]) reserve(dev backend.Device, n int) (err error) {
	if n <= r.count {
		return nil
	}
	r.free(dev)
	n += n / 2
	var errs [6]error
	r.keys, errs[0] = backend.Make[uint32](dev, n)
	r.outKeys, errs[1] = backend.Make[uint32](dev, n)
	r.order, errs[2] = backend.Make[int32](dev, n)
	r.values, errs[3] = backend.Make[F](dev, n)
	r.sorted, errs[4] = backend.Make[F](dev, n)
	r.outValues, errs[5] = backend.Make[F](dev, n)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	r.count = n
	return nil
}

// free frees the arrays. What cannot be freed is freed with the device.
func (r *replicas[F]) free(dev backend.Device) {
	_, _ = backend.Free(dev, r.keys), backend.Free(dev, r.outKeys)
	_, _ = backend.Free(dev, r.order), backend.Free(dev, r.values)
	_, _ = backend.Free(dev, r.sorted), backend.Free(dev, r.outValues)
	*r = replicas[F]{}
}
