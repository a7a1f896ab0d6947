package adapt

import (
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
	"github.com/atoll-hpc/atoll/mesh/adapt/operation"
)

// change is a change of a line at a vertex: its edge to the vertex from leads to the vertex to.
type change struct{ at, from, to int32 }

// applyAll applies taken candidates, whose cavities are disjoint.
func (e *engine) applyAll(taken []*operation.Candidate) {
	born := make([]int32, len(taken))
	var changes []change
	for i, c := range taken {
		if c.Kind == operation.Split {
			born[i] = e.bear(c)
		}
		changes = e.addLineChanges(changes, c, born[i])
	}
	e.changeLines(changes)
	e.each(len(taken), func(w *operation.Worker, i int) { e.Build(w, taken[i], born[i]) })
	for _, c := range taken {
		e.announce(c, c.Cells)
		e.replace(c.Cavity, c.Cells)
		if c.Kind != operation.Split && c.Kind != operation.Swap {
			e.SetLine(c.A)
		}
	}
	e.receive()
}

// bear adds the new vertex of a split.
func (e *engine) bear(c *operation.Candidate) int32 {
	v := e.newVertex(c.Born.X, c.Born.Want, c.Born.ID, c.Born.Freedom)
	if c.Born.Freedom != 1 {
		return v
	}
	end := mutable.LineEnd{To: c.A, Curve: c.Born.Curve, Tag: c.Born.Tag, S: c.Born.S}
	other := end
	other.To = c.B
	e.SetLine(v, end, other)
	return v
}

// replace replaces cells by others, of which a part keeps those that it needs, and marks all their vertices.
func (e *engine) replace(old []int32, cells []mutable.Cell) {
	e.growMarks()
	for _, k := range old {
		e.mark(&e.Cells[k])
	}
	for i := range cells {
		if c := &cells[i]; e.needs(c) {
			e.mark(c)
			old = mutable.PutCell(e.Mesh, old, c)
		}
	}
	for _, k := range old {
		e.RemoveCell(k)
	}
}

// mark marks the vertices of a cell for all operations.
func (e *engine) mark(c *mutable.Cell) {
	for _, v := range c.V[:e.Dim+1] {
		e.marks[v] = markAll
	}
}

// addLineChanges adds the changes of lines by an operation: a split leads the line of its edge through the new vertex,
// a collapse past the removed one.
func (e *engine) addLineChanges(changes []change, c *operation.Candidate, born int32) []change {
	switch {
	case c.Kind == operation.Split && c.Born.Freedom == 1:
		return append(changes, change{c.A, c.B, born}, change{c.B, c.A, born})
	case c.Kind == operation.Split || c.Kind == operation.Swap || e.Freedom[c.A] != 1:
		return changes
	}
	ends := e.Line(c.A)
	other := ends[0].To
	if other == c.B {
		other = ends[1].To
	}
	return append(changes, change{c.B, c.A, other}, change{other, c.A, c.B})
}
