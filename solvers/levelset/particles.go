package levelset

import (
	"context"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// Particles are the particles of a block, in no particular order.
type Particles struct {
	Points  []float64 // x, y, z of each
	ID      []int64   // unique over time and ranks
	Sign    []int32   // -1 for particles seeded inside, 1 for outside
	Radius  []float64 // in m
	Escaped []uint8   // 1 for particles on the wrong side
}

// Particles returns the particles of the block; none without particles in the method.
func (s *solver[F]) Particles(ctx context.Context) (*Particles, error) {
	particles, w := &Particles{}, s.swarm
	if w == nil {
		return particles, nil
	}
	if err := w.quiesce(ctx); err != nil {
		return nil, err
	}
	id := w.keys
	p, err := w.p[w.current].HostPart(w.set.Count)
	if err != nil {
		return nil, err
	}
	field, err := s.f[now].Host()
	if err != nil {
		return nil, err
	}
	correction := &kernels.Correction[F]{Lattice: s.lattice, Escape: F(s.cfg.Escape), Phi: field}
	escaped := make([]uint8, len(p))
	for _, inside := range []bool{false, true} {
		marks := make([]uint8, len(p))
		kernels.NewMarkEscapedLoop(correction, inside, p, marks).Range(0, len(p))
		for i, m := range marks {
			escaped[i] |= m
		}
	}
	particles.Escaped, particles.ID = escaped, append(particles.ID, id...)
	for _, q := range p {
		for d, x := range [3]F{q.X, q.Y, q.Z} {
			particles.Points = append(particles.Points, s.coordinate(d, x))
		}
		sign, r := int32(1), float64(q.R)
		if r < 0 {
			sign, r = -1, -r
		}
		particles.Sign, particles.Radius = append(particles.Sign, sign), append(particles.Radius, r)
	}
	return particles, nil
}

// coordinate converts a position from cells to m.
func (s *solver[F]) coordinate(axis int, x F) float64 {
	g := s.block.Grid
	if axis >= g.Dim {
		return g.Lo[axis]
	}
	return g.Lo[axis] + (float64(x)+0.5)*g.Spacing(axis)
}

// particleFile makes the part of a frame with the particles of a block.
func (s *solver[F]) particleFile(b *domain.Block) func(ctx context.Context) (*solvers.Faces, error) {
	return func(ctx context.Context) (*solvers.Faces, error) {
		particles, err := s.Particles(ctx)
		if err != nil {
			return nil, err
		}
		p := &solvers.Faces{PolyData: vtk.PolyData{Points: particles.Points, FieldData: b.Bounds()}}
		p.PointData = vtk.Arrays{{Name: "particle", Components: 1, Data: particles.ID},
			{Name: "sign", Components: 1, Data: particles.Sign},
			{Name: "radius", Components: 1, Data: particles.Radius}, {Name: "escaped", Components: 1, Data: particles.Escaped}}
		for i := range particles.ID {
			p.Verts.Add(int64(i))
		}
		return p, nil
	}
}
