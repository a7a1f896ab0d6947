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
	for i, c := range taken {
		e.rebuild(c, born[i])
		e.announce(c, e.workers[0].Cells)
		e.replace(c.Cavity, e.workers[0].Cells)
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

// rebuild sets the cells of the first worker to those that replace the cavity of a candidate.
func (e *engine) rebuild(c *operation.Candidate, born int32) {
	w := e.workers[0]
	e.Build(w, c)
	for i := range w.Cells {
		for j, v := range w.Cells[i].V[:e.Dim+1] {
			if v == mutable.Unborn {
				w.Cells[i].V[j] = born
			}
		}
	}
}

// replace replaces cells by others, of which a part keeps those that it needs, and marks all their vertices.
func (e *engine) replace(old []int32, cells []mutable.Cell) {
	e.growMarks()
	for _, k := range old {
		for _, v := range e.Cells[k].V[:e.Dim+1] {
			e.marks[v] = markAll
		}
		e.RemoveCell(k)
	}
	for i := range cells {
		if !e.needs(&cells[i]) {
			continue
		}
		for _, v := range cells[i].V[:e.Dim+1] {
			e.marks[v] = markAll
		}
		e.AddCell(cells[i])
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
