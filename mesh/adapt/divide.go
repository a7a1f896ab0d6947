package adapt

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
	"github.com/atoll-hpc/atoll/mesh/adapt/operation"
	"github.com/atoll-hpc/atoll/mesh/adapt/surface"
	"github.com/atoll-hpc/atoll/mesh/adapt/wire"
)

// setting is what all parts of a mesh have in common: the mesh's lines and surfaces, and parameters.
type setting struct {
	Mesh             mutable.Common
	Curves           kernels.Curves
	Skin             []surface.Face // none if flat
	Hausdorff, Probe float64
	KeepBoundary     bool
	Round            uint64
	Follow           bool
	Failed           bool // rank 0 has no parts to send
}

// Help takes part in a Run, or Follow, that rank 0's adapter makes of the same exchange, with the part of the mesh that
// rank 0 sends. field must be that of rank 0. Of the options only Threads and Exchange count.
func Help(ctx context.Context, field Field, o Options) error {
	received, err := o.Exchange.Swap([]int{0}, [][]byte{nil})
	if err != nil {
		return err
	}
	e, follow, err := readPart(received[0], o.Exchange)
	if err != nil {
		return err
	}
	e.workers, e.Field = workers(o.Threads), field
	if err := e.adapt(ctx, follow); err != nil {
		return err
	}
	_, err = o.Exchange.Swap([]int{0}, [][]byte{e.ownPart()})
	return err
}

// divide sends each rank its part of the mesh, and returns that of this one, rank 0.
func (e *engine) divide(o *Options, follow bool) (*engine, error) {
	ex := o.Exchange
	owner, err := o.Owners(e.positions(), e.loads(), ex.Size())
	s := setting{Mesh: e.Common, Curves: e.Curves, Hausdorff: e.Hausdorff, Probe: e.Probe,
		KeepBoundary: e.KeepBoundary, Round: e.Round, Follow: follow, Failed: err != nil}
	if e.Skin != nil {
		s.Skin = e.Skin.Faces()
	}
	var head bytes.Buffer
	if err := gob.NewEncoder(&head).Encode(&s); err != nil {
		return nil, fmt.Errorf("mesh: the setting of parts: %w", err)
	}
	start := wire.AddInt(nil, int64(head.Len()))
	start = append(start, head.Bytes()...)
	ranks, parts := make([]int, ex.Size()), make([][]byte, ex.Size())
	for rank := range parts {
		ranks[rank], parts[rank] = rank, slices.Clone(start)
	}
	if err == nil {
		e.addParts(parts, owner)
	}
	if _, err := ex.Swap(ranks[1:], parts[1:]); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	own, _, err := readPart(parts[0], ex)
	if err == nil {
		own.workers, own.progress = e.workers, e.progress
	}
	return own, err
}

// positions returns the coordinates along each axis of the vertices, in the order of their ids.
func (p *part) positions() [][]float64 {
	vertices, _ := p.Ordered()
	x := make([][]float64, p.Dim)
	for _, v := range vertices {
		for k := range x {
			x[k] = append(x[k], p.X[v][k])
		}
	}
	return x
}

// loads returns how many vertices are about to be around each vertex, up to a factor, in the order of their ids: its
// share of the sizes of cells in the metric.
func (p *part) loads() []float64 {
	for v := range p.X {
		p.M[v] = p.Want[v]
	}
	vertices, _ := p.Ordered()
	loads := make([]float64, len(vertices))
	for i, v := range vertices {
		for _, k := range p.Ball(v) {
			x, m := p.Corners(&p.Cells[k], nil, nil)
			loads[i] += measure.SizeOf(p.Dim, &x, &m)
		}
	}
	return loads
}

// addParts appends to the message for each rank the vertices and cells that it needs. owner is the rank of each vertex
// in the order of ids.
func (p *part) addParts(parts [][]byte, owner []int32) {
	vertices, cells := p.Ordered()
	p.owner = make([]int32, len(p.X))
	for i, v := range vertices {
		p.owner[v] = owner[i]
	}
	needed := make([][]int32, len(parts)) // vertices by rank
	cellsOf := make([][]byte, len(parts))
	for _, k := range cells {
		c := &p.Cells[k]
		for i, v := range c.V[:p.Dim+1] {
			rank := p.owner[v]
			if slices.ContainsFunc(c.V[:i], func(u int32) bool { return p.owner[u] == rank }) {
				continue
			}
			needed[rank] = append(needed[rank], c.V[:p.Dim+1]...)
			cellsOf[rank] = p.addCell(cellsOf[rank], c)
		}
	}
	for rank, list := range needed {
		slices.SortFunc(list, p.ByID)
		list = slices.Compact(list)
		parts[rank] = wire.AddInt(parts[rank], int64(len(list)))
		for _, v := range list {
			parts[rank] = p.addVertex(parts[rank], v)
		}
		parts[rank] = append(parts[rank], cellsOf[rank]...)
	}
	p.owner = nil
}

// readPart returns the part of this rank that a message describes, and whether it is to follow.
func readPart(message []byte, ex Exchange) (e *engine, follow bool, err error) {
	m := wire.Message{Bytes: message}
	n := m.Int()
	var s setting
	if err := gob.NewDecoder(bytes.NewReader(m.Bytes[:n])).Decode(&s); err != nil {
		return nil, false, fmt.Errorf("mesh: the setting of parts: %w", err)
	}
	if s.Failed {
		return nil, false, errors.New("mesh: rank 0 could not divide the mesh")
	}
	m.Bytes = m.Bytes[n:]
	rules := &operation.Rules{Mesh: s.Mesh.Empty(&s.Curves), Rules: kernels.Rules{Hausdorff: s.Hausdorff, Probe: s.Probe,
		KeepBoundary: s.KeepBoundary, Round: s.Round}}
	if s.Skin != nil {
		rules.Skin = surface.New(s.Skin)
	}
	e = &engine{part: &part{Rules: rules, ex: ex, rank: int32(ex.Rank()), at: map[int64]int32{}}}
	for range m.Int() {
		e.readVertex(&m)
	}
	for len(m.Bytes) > 0 {
		e.AddCell(e.readNewCell(&m))
	}
	return e, s.Follow, nil
}
