package adapt

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/wire"
)

// gather returns an engine with the whole mesh, on every rank: this one if it has it.
func (e *engine) gather() (*engine, error) {
	if e.part == nil {
		return e, nil
	}
	all, err := e.part.ex.All(e.ownPart())
	if err != nil {
		return nil, err
	}
	whole := &engine{Mesh: e.Mesh.Empty(), field: e.field, o: e.o, workers: e.workers, skin: e.skin,
		part: &part{at: map[int64]int32{}}}
	rest := make([]wire.Message, len(all))
	for i, bytes := range all { // all vertices before the first cell
		rest[i].Bytes = bytes
		for range rest[i].Int() {
			whole.readVertex(&rest[i])
		}
	}
	for i := range rest {
		for len(rest[i].Bytes) > 0 {
			whole.AddCell(whole.readNewCell(&rest[i]))
		}
	}
	whole.part = nil
	return whole, nil
}

// ownPart is the message with the vertices that this part owns and the cells of which it owns the first vertex.
func (e *engine) ownPart() []byte {
	var vertices []int32
	for v := range e.X {
		if e.Ball.Count(int32(v)) > 0 && e.mine(int32(v)) {
			vertices = append(vertices, int32(v))
		}
	}
	slices.SortFunc(vertices, e.ByID)
	b := wire.AddInt(nil, int64(len(vertices)))
	for _, v := range vertices {
		b = e.addVertex(b, v)
	}
	for k := range e.Cells {
		if c := &e.Cells[k]; !c.Dead && e.mine(c.V[0]) {
			b = e.addCell(b, c)
		}
	}
	return b
}
