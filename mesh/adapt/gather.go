package adapt

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/wire"
)

// gather returns an engine with the whole mesh, on rank 0, to which the others send what they own.
func (e *engine) gather() (*engine, error) {
	ranks := make([]int, e.ex.Size())
	for rank := range ranks {
		ranks[rank] = rank
	}
	all, err := e.ex.Swap(ranks[1:], make([][]byte, len(ranks)-1))
	if err != nil {
		return nil, err
	}
	rules := *e.Rules
	rules.Mesh = e.Empty(&e.Curves)
	whole := &engine{part: &part{Rules: &rules, at: map[int64]int32{}}, workers: e.workers, progress: e.progress}
	rest := []wire.Message{{Bytes: e.ownPart()}}
	for _, bytes := range all {
		rest = append(rest, wire.Message{Bytes: bytes})
	}
	for i := range rest { // all vertices before the first cell
		for range rest[i].Int() {
			whole.readVertex(&rest[i])
		}
	}
	for i := range rest {
		for len(rest[i].Bytes) > 0 {
			whole.AddCell(whole.readNewCell(&rest[i]))
		}
	}
	whole.owner, whole.at = nil, nil
	return whole, nil
}

// ownPart is the message with the vertices that this part owns and the cells of which it owns the first vertex.
func (p *part) ownPart() []byte {
	var vertices []int32
	for v := range p.X {
		if p.Degree(int32(v)) > 0 && p.mine(int32(v)) {
			vertices = append(vertices, int32(v))
		}
	}
	slices.SortFunc(vertices, p.ByID)
	b := wire.AddInt(nil, int64(len(vertices)))
	for _, v := range vertices {
		b = p.addVertex(b, v)
	}
	for k := range p.Cells {
		if c := &p.Cells[k]; !c.Dead && p.mine(c.V[0]) {
			b = p.addCell(b, c)
		}
	}
	return b
}
