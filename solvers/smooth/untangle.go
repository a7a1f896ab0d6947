package smooth

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// An untangling has rounds. In each, vertices of triangles that are turned over move to where the least area around
// them is greatest, for some sweeps. Where they get stuck, all vertices then move to the mean of their neighbours, for
// twice as many sweeps each round: by W. T. Tutte (Proc. London Math. Soc. 13 (1963) 743) that ends with no triangle
// turned over where the boundary is convex and, as in any triangulation that is 3-connected, no inner edge cuts the
// mesh in two.
const (
	untangleRounds = 9
	untangleSweeps = 20
	meanSweeps     = 8 // of the first round
)

// Untangling is what was done to a mesh with triangles turned over or flat.
type Untangling struct {
	Before int64 // triangles that were
	Sweeps int   // toward greater areas, and to means
}

// Untangle moves vertices inside the mesh until no triangle is turned over or flat, and rescales the metric if that was
// asked for; other vertices stay where they are. It is called once, before the sweeps, where Config.Untangle is set.
// Where triangles remain, it returns a Refusal with the first of their ids. The sets and exchanges are those of sweeps,
// and so the bits are the same on any ranks.
func (s *solver[F]) Untangle(ctx context.Context) (Untangling, error) {
	u, err := s.untangle(ctx)
	if err != nil || !s.cfg.Rescale || !s.cfg.Untangle {
		return u, err
	}
	x, err := s.Places()
	if err != nil {
		return u, err
	}
	scale, err := rescale(ctx, s.comm, s.part, s.metric, x[0], x[1])
	if err != nil {
		return u, err
	}
	s.field.Scale = F(scale)
	field := fieldIn[F](&s.metric.field)
	field.Scale = s.field.Scale
	v, err := s.everything()
	if err != nil {
		return u, err
	}
	if err := agree(ctx, s.comm, measured(s.part, &field, v)); err != nil {
		return u, err
	}
	return u, backend.Upload(s.dev, s.v, v)
}

func (s *solver[F]) untangle(ctx context.Context) (Untangling, error) {
	var u Untangling
	bad, err := s.turned(ctx)
	u.Before = bad.count
	if err != nil || bad.count == 0 {
		return u, err
	}
	first, rest := s.first, s.rest
	defer func() { s.first, s.rest = first, rest }()
	params := s.params
	params.Cull, params.Guard, params.Relax = false, kernels.NoGuard, 1
	greaterFirst, greaterRest := s.eachSet(false, func(set *kernels.Set) backend.Loop {
		return kernels.NewUntangleLoop(set, &params, &s.mesh, &s.field, &s.control[0], s.v, s.moved, s.seen, &s.most[0])
	})
	meansFirst, meansRest := s.eachSet(false, func(set *kernels.Set) backend.Loop {
		return kernels.NewLaplaceLoop(set, &params, &s.mesh, &s.field, &s.control[0], s.v, s.moved, s.seen, &s.counters[0],
			&s.most[0])
	})
	for round := range untangleRounds {
		for range untangleSweeps {
			s.first, s.rest = greaterFirst, greaterRest
			if err := s.sweep(ctx); err != nil {
				return u, err
			}
			u.Sweeps++
			if bad, err = s.turned(ctx); err != nil || bad.count == 0 {
				return u, err
			}
		}
		s.first, s.rest = meansFirst, meansRest
		for range meanSweeps << round {
			if err := s.sweep(ctx); err != nil {
				return u, err
			}
			u.Sweeps++
		}
		if bad, err = s.turned(ctx); err != nil || bad.count == 0 {
			return u, err
		}
	}
	return u, &Refusal{fmt.Errorf("%d triangles remain turned over or flat after %d sweeps to untangle the mesh, "+
		"which keep "+
		"its boundary: %s; mesh the domain again", bad.count, u.Sweeps, bad.text)}
}

// turned is the triangles of the whole mesh that are turned over or flat: how many, and a text about the first few.
func (s *solver[F]) turned(ctx context.Context) (complaint, error) {
	v, err := s.everything()
	if err != nil {
		return complaint{}, err
	}
	type triangle struct {
		ID      int32
		X, Y, A float64
	}
	const told = 5
	var mine []triangle
	count := int64(0)
	for k, cell := range s.part.Cells {
		if area, ok := uprightCell(v, cell); !ok {
			count++
			a := &v[cell.At[0]]
			mine = append(mine, triangle{s.part.CellGlobal[k], float64(a.X), float64(a.Y), area})
		}
	}
	byID := func(a, b triangle) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(mine, byID)
	body := binary.LittleEndian.AppendUint64(nil, uint64(count))
	body, err = binary.Append(body, binary.LittleEndian, mine[:min(told, len(mine))])
	if err != nil {
		return complaint{}, err
	}
	all, err := s.comm.Allgatherv(ctx, body)
	if err != nil {
		return complaint{}, err
	}
	const size = 4 + 3*8
	c := complaint{}
	mine = mine[:0]
	for r, b := range all {
		if len(b) < 8 || (len(b)-8)%size != 0 {
			return c, fmt.Errorf("rank %d tells of triangles in %d bytes", r, len(b))
		}
		c.count += int64(binary.LittleEndian.Uint64(b))
		some := make([]triangle, (len(b)-8)/size)
		if _, err := binary.Decode(b[8:], binary.LittleEndian, some); err != nil {
			return c, err
		}
		mine = append(mine, some...)
	}
	slices.SortFunc(mine, byID)
	for k, t := range mine[:min(told, len(mine))] {
		if k > 0 {
			c.text += ", "
		}
		c.text += fmt.Sprintf("cell %d at (%g, %g) of area %g", t.ID, t.X, t.Y, t.A)
	}
	return c, nil
}
