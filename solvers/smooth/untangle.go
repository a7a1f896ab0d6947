package smooth

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/internal/words"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// Untangling goes in rounds. In each, vertices of inverted cells move, for some sweeps, to the position that
// maximizes the smallest area or volume around them. If inverted cells remain, all vertices move to the mean of
// their neighbours, for twice as many sweeps in each further round. In the plane the means converge to a mesh
// without inverted triangles if the boundary is convex and no inner edge separates the mesh (W. T. Tutte, Proc.
// London Math. Soc. 13 (1963) 743, for 3-connected triangulations). In space there is no such theorem; it succeeded
// on all cubes and blocks in tests, for any fraction of displaced vertices.
const (
	untangleRounds = 9
	untangleSweeps = 20
	meanSweeps     = 8 // of the first round
)

// Untangling reports what was done to a mesh with inverted or flat cells.
type Untangling struct {
	Before int64 // inverted or flat cells before
	Sweeps int   // sweeps that maximized areas or volumes, and sweeps to means
}

// untangler holds what differs between untangling triangles and tetrahedra.
type untangler[F num.Float, V any] struct {
	cell, size        string // names of a cell, and of its area or volume, in messages
	sliding           bool   // boundary vertices move too
	maximize, average func(set *kernels.Set) backend.Loop
	cellIDs           []int32 // ids of the rank's cells
	cellSize          func(v []V, cell int) (first int32, size float64, upright bool)
	rescale           func(at [][]float64) (float64, error)
	setMetric         func(v []V, scale float64) faults.List // gives every vertex the metric at its position
}

// untangle moves vertices until no cell is inverted or flat, and rescales the metric if requested. If cells remain,
// it returns a Refusal with the first of their ids. It uses the sets and exchanges of sweeps, so that the bits are
// the same on any number of ranks.
func (s *mover[F, V]) untangle(ctx context.Context, untangler untangler[F, V]) (Untangling, error) {
	s.diagnosed = false
	u, err := untangler.inRounds(ctx, s)
	if err != nil || !s.cfg.Rescale || !s.cfg.Untangle {
		return u, err
	}
	at, err := s.Positions()
	if err != nil {
		return u, err
	}
	scale, err := untangler.rescale(at)
	if err != nil {
		return u, err
	}
	v, err := s.allVertices()
	if err != nil {
		return u, err
	}
	if err := faults.Agree(ctx, s.Env().Comm, untangler.setMetric(v, scale)); err != nil {
		return u, err
	}
	return u, backend.Upload(s.Env().Device, s.v, v)
}

// inRounds untangles; see untangleRounds.
func (how *untangler[F, V]) inRounds(ctx context.Context, s *mover[F, V]) (Untangling, error) {
	var u Untangling
	bad, err := how.invertedCells(ctx, &s.points)
	u.Before = bad.Count
	if err != nil || bad.Count == 0 {
		return u, err
	}
	greater, means := how.sweep(s, how.maximize), how.sweep(s, how.average)
	for round := range untangleRounds {
		for range untangleSweeps {
			if err := greater(ctx); err != nil {
				return u, err
			}
			u.Sweeps++
			if bad, err = how.invertedCells(ctx, &s.points); err != nil || bad.Count == 0 {
				return u, err
			}
		}
		for range meanSweeps << round {
			if err := means(ctx); err != nil {
				return u, err
			}
			u.Sweeps++
		}
		if bad, err = how.invertedCells(ctx, &s.points); err != nil || bad.Count == 0 {
			return u, err
		}
	}
	return u, &faults.Refusal{Err: fmt.Errorf("untangling failed: inverted or flat after %s, which keep the boundary: "+
		"%s: %s; mesh the domain again", words.Count(u.Sweeps, "sweep"), words.Count(bad.Count, how.cell), bad.Text)}
}

// sweep makes the program of a sweep by other loops than those of the smoother.
func (how *untangler[F, V]) sweep(s *mover[F, V],
	move func(set *kernels.Set) backend.Loop) func(ctx context.Context) error {
	loops := s.loopsOfSets(how.sliding, move)
	return s.Prepared(func(p *engine.Program) { s.sweep(p, &loops) })
}

// invertedCells lists the inverted or flat cells of the whole mesh: their number, and a text about the first few.
func (how *untangler[F, V]) invertedCells(ctx context.Context, s *points[F, V]) (faults.List, error) {
	v, err := s.allVertices()
	if err != nil {
		return faults.List{}, err
	}
	type cell struct {
		ID   int32
		At   [3]float64 // of its first vertex
		Size float64
	}
	const maxListed = 5
	var listed []cell
	count := int64(0)
	for k, id := range how.cellIDs {
		if at, size, ok := how.cellSize(v, k); !ok {
			count++
			c := cell{ID: id, Size: size}
			for axis, x := range s.numbers(&v[at])[:s.dim] {
				c.At[axis] = float64(x)
			}
			listed = append(listed, c)
		}
	}
	byID := func(a, b cell) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(listed, byID)
	body := binary.LittleEndian.AppendUint64(nil, uint64(count))
	body, err = binary.Append(body, binary.LittleEndian, listed[:min(maxListed, len(listed))])
	if err != nil {
		return faults.List{}, err
	}
	all, err := s.Env().Comm.Allgatherv(ctx, body)
	if err != nil {
		return faults.List{}, err
	}
	const size = 4 + 4*8
	c := faults.List{}
	listed = listed[:0]
	for r, b := range all {
		if len(b) < 8 || (len(b)-8)%size != 0 {
			return c, fmt.Errorf("rank %d sent a list of inverted %s of %d bytes, which is not a whole number of entries", r,
				words.Plural(how.cell), len(b))
		}
		c.Count += int64(binary.LittleEndian.Uint64(b))
		some := make([]cell, (len(b)-8)/size)
		if _, err := binary.Decode(b[8:], binary.LittleEndian, some); err != nil {
			return c, err
		}
		listed = append(listed, some...)
	}
	slices.SortFunc(listed, byID)
	for k, t := range listed[:min(maxListed, len(listed))] {
		if k > 0 {
			c.Text += ", "
		}
		c.Text += fmt.Sprintf("cell %d at %s of %s %g", t.ID, faults.FormatPoint(t.At[:s.dim]), how.size, t.Size)
	}
	return c, nil
}
