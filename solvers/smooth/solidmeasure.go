package smooth

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// onHost is an array where the host can read it.
func onHost[T any](dev backend.Device, from []T) ([]T, error) {
	if _, apart := dev.(backend.Memory); !apart {
		return from, nil
	}
	to := make([]T, len(from))
	return to, backend.Download(dev, to, from)
}

func (s *solidSolver[F]) Coordinates() (x, y, z []float64, err error) {
	v, err := onHost(s.dev, s.v[:s.part.Owned])
	if err != nil {
		return nil, nil, nil, err
	}
	x, y, z = make([]float64, len(v)), make([]float64, len(v)), make([]float64, len(v))
	for i := range v {
		x[i], y[i], z[i] = float64(v[i].X), float64(v[i].Y), float64(v[i].Z)
	}
	return x, y, z, nil
}

func (s *solidSolver[F]) Qualities() ([]float64, error) {
	s.move(s.measures)
	shapes, err := onHost(s.dev, s.shapes)
	if err != nil {
		return nil, err
	}
	q := make([]float64, len(shapes))
	for i := range q {
		q[i] = float64(shapes[i].Quality)
	}
	return q, nil
}

func (s *solidSolver[F]) Diagnose(ctx context.Context) (Diagnostics, error) {
	var t tally
	if err := s.measure(&t); err != nil {
		return Diagnostics{}, err
	}
	return t.reduce(ctx, s.comm, s.sweeps, &s.start)
}

// measure runs over the cells, edges, faces and vertices of the part.
func (s *solidSolver[F]) measure(t *tally) error {
	s.move(s.measures)
	shapes, err := onHost(s.dev, s.shapes)
	if err != nil {
		return err
	}
	lengths, err := onHost(s.dev, s.lengths)
	if err != nil {
		return err
	}
	areas, err := onHost(s.dev, s.areas)
	if err != nil {
		return err
	}
	v, err := onHost(s.dev, s.v[:s.part.Owned])
	if err != nil {
		return err
	}
	n, err := onHost(s.dev, s.counters)
	if err != nil {
		return err
	}
	t.least, t.most, t.shortest, t.longest = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	t.cells, t.edges = int64(len(shapes)), int64(len(lengths))
	for i := range shapes {
		t.cell(s.part.CellGlobal[i], float64(shapes[i].Quality), float64(shapes[i].Volume))
	}
	for _, l := range lengths {
		t.side(float64(l))
	}
	for _, a := range areas {
		t.perimeter.Add(float64(a))
	}
	for i := range v {
		if v[i].X != F(s.part.X[i]) || v[i].Y != F(s.part.Y[i]) || v[i].Z != F(s.part.Z[i]) {
			t.moved++
		}
	}
	t.limited, t.refused = n[0].Limited, n[0].Refused
	return nil
}

func (s *solidSolver[F]) Hash(ctx context.Context) (string, error) {
	if s.order == nil {
		s.order = ascending(&s.part.Subdomain)
	}
	v, err := onHost(s.dev, s.v[:s.part.Owned])
	if err != nil {
		return "", err
	}
	return hashOf(ctx, s.comm, &s.part.Subdomain, s.order, 3*int(sizeOf[F]()), func(buf []byte, i int32) []byte {
		place := [3]F{v[i].X, v[i].Y, v[i].Z}
		return append(buf, unsafe.Slice((*byte)(unsafe.Pointer(&place)), unsafe.Sizeof(place))...)
	})
}

// broken tells which vertex is nowhere.
func (s *solidSolver[F]) broken(ctx context.Context) error {
	v, err := onHost(s.dev, s.v[:s.part.Owned])
	if err != nil {
		return err
	}
	var c complaint
	for i := range v {
		if nowhere(&v[i]) {
			c.add(s.part.Global[i], "rank %d: sweep %d took vertex %d from around (%g, %g, %g) to (%g, %g, %g): try a guard, or a "+
				"smaller relaxation", s.comm.Rank(), s.sweeps-1, s.part.Global[i], s.part.X[i], s.part.Y[i], s.part.Z[i], v[i].X,
				v[i].Y, v[i].Z)
		}
	}
	if err := agree(ctx, s.comm, c); err != nil {
		return err
	}
	return fmt.Errorf("sweep %d: a vertex moved by more than can be said", s.sweeps-1)
}

func nowhere[F kernels.Float](p *solid.Vertex[F]) bool {
	return p.X-p.X != 0 || p.Y-p.Y != 0 || p.Z-p.Z != 0 || p.M11-p.M11 != 0 || p.M22-p.M22 != 0 || p.M33-p.M33 != 0
}
