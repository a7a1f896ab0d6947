package levelset

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// observation holds the results of the diagnostics of one state, which the device copies to the host.
type observation struct {
	counts, slope, limits, removed backend.Readback
	steps                          int
	seeded                         int64
}

// prepareObserver allocates the memory of observations.
func (s *solver[F]) prepareObserver() error {
	for _, o := range s.observer.All() {
		for _, r := range []struct {
			to   *backend.Readback
			size uintptr
		}{
			{&o.counts, unsafe.Sizeof(kernels.Counts{})}, {&o.slope, unsafe.Sizeof(atomics.Most[F]{})},
			{&o.limits, unsafe.Sizeof(kernels.Limits{})}, {&o.removed, unsafe.Sizeof(kernels.Removed{})},
		} {
			var err error
			if *r.to, err = backend.NewReadback(s.dev, int(r.size)); err != nil {
				return err
			}
			s.allocated.Owns(*r.to)
		}
	}
	return nil
}

// observe queues the diagnostics of the current state.
func (s *solver[F]) observe(to *observation) error {
	if err := backend.Upload(s.dev, s.counts, make([]kernels.Counts, 1)); err != nil {
		return err
	}
	if err := backend.Upload(s.dev, s.slope, make([]atomics.Most[F], 1)); err != nil {
		return err
	}
	s.run(s.loops.countInside)
	s.run(s.loops.slopeError)
	to.steps, to.seeded = s.steps, 0
	if s.swarm != nil {
		s.dev.Run(s.swarm.loops().count, 0, s.swarm.n)
		to.seeded = s.swarm.seeded
	}
	return errors.Join(to.counts.Start(solvers.BytesOf(s.counts)), to.slope.Start(solvers.BytesOf(s.slope)),
		to.limits.Start(solvers.BytesOf(s.limits)), to.removed.Start(solvers.BytesOf(s.removed)))
}

// read waits for a copy from the device, and returns the value that it contains. It joins its error to *err.
func read[T any](r backend.Readback, err *error) (value T) {
	bytes, failed := r.Read()
	if *err = errors.Join(*err, failed); failed == nil {
		value = *(*T)(unsafe.Pointer(unsafe.SliceData(bytes)))
	}
	return value
}

func (s *solver[F]) Observe(context.Context) error {
	o, err := s.observer.Begin()
	if err != nil {
		return err
	}
	return s.observe(o)
}

func (s *solver[F]) Observed(to *dist.Joint) (dist.Result[Diagnostics], error) {
	o, err := s.observer.End()
	if err != nil {
		return nil, err
	}
	return s.diagnosticsOf(o, to)
}

// Diagnose measures the state, and waits for it.
func (s *solver[F]) Diagnose(ctx context.Context) (Diagnostics, error) {
	o := s.observer.Now()
	if err := s.observe(o); err != nil {
		return Diagnostics{}, err
	}
	return dist.ReduceFor(ctx, s.comm, func(to *dist.Joint) (dist.Result[Diagnostics], error) {
		return s.diagnosticsOf(o, to)
	})
}

// diagnosticsOf combines the results of all ranks.
func (s *solver[F]) diagnosticsOf(o *observation, to *dist.Joint) (dist.Result[Diagnostics], error) {
	var err error
	n, slope := read[kernels.Counts](o.counts, &err), read[atomics.Most[F]](o.slope, &err)
	limits, removed := read[kernels.Limits](o.limits, &err), read[kernels.Removed](o.removed, &err)
	if err != nil {
		return nil, err
	}
	broken := []int64{n.Broken}
	to.MaxInt64(broken)
	sums := []int64{n.Inside, n.Differ, n.Particles, n.Escaped, removed.Left, removed.Deleted, limits.Flips, n.Misplaced,
		o.seeded}
	to.SumInt64(sums)
	steepest := []float64{float64(slope.Value())}
	to.MaxFloat64(steepest)
	return func(ctx context.Context) (d Diagnostics, err error) {
		if err := s.checkFinite(ctx, o.steps, n.Broken, broken[0]); err != nil {
			return d, err
		}
		if accounted, misplaced, seeded := sums[2]+sums[4]+sums[5], sums[7], sums[8]; accounted != seeded || misplaced != 0 {
			return d, fmt.Errorf("step %d: of %d seeded particles %d are present, have left or were removed, and %d are in "+
				"blocks that do not own their position", o.steps, seeded, accounted, misplaced)
		}
		g := s.block.Grid
		sample := g.CellVolume()
		for range g.Dim {
			sample /= float64(samples(g.Dim))
		}
		d = Diagnostics{Volume: float64(sums[0]) * sample, Changed: float64(sums[1]) * sample, GradError: steepest[0],
			Particles: sums[2], Escaped: sums[3], Left: sums[4], Deleted: sums[5], Flips: sums[6]}
		if s.startVolume > 0 {
			d.VolumeLoss = (s.startVolume - d.Volume) / s.startVolume
		}
		return d, nil
	}, nil
}

// checkFinite returns an error if the level set was not finite after some steps, given this rank's Counts.Broken and
// the largest of all ranks. The error is the same on all ranks.
func (s *solver[F]) checkFinite(ctx context.Context, steps int, code, largest int64) error {
	if largest == 0 {
		return nil
	}
	text := ""
	if code == largest {
		cell, v := kernels.BrokenCell(code)
		text = fmt.Sprintf("rank %d: the level set of cell %d is %v in step %d", s.comm.Rank(), cell, v, steps)
	}
	_, text, err := dist.FirstText(ctx, s.comm, text)
	return errors.Join(err, errors.New(text))
}
