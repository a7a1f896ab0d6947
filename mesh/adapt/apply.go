package adapt

import "github.com/atoll-hpc/atoll/mesh/adapt/mutable"

// change is a change of a line at a vertex: its edge to the vertex from leads to the vertex to.
type change struct{ at, from, to int32 }

// applyAll applies taken candidates, whose cavities are disjoint.
func (e *engine) applyAll(taken []*candidate) {
	born := make([]int32, len(taken))
	var changes []change
	for i, c := range taken {
		if c.op == split {
			born[i] = e.bear(c)
		}
		changes = e.addLineChanges(changes, c, born[i])
	}
	e.changeLines(changes)
	for i, c := range taken {
		e.rebuild(c, born[i])
		e.announce(c, e.workers[0].cells)
		e.replace(c.cavity, e.workers[0].cells)
		if c.op != split && c.op != swap {
			e.Line[c.a] = nil
		}
	}
	e.receive()
}

// bear adds the new vertex of a split.
func (e *engine) bear(c *candidate) int32 {
	v := e.newVertex(c.born.x, c.born.want, c.born.id, c.born.freedom)
	if c.born.freedom != 1 {
		return v
	}
	for _, end := range [2]int32{c.a, c.b} {
		e.Line[v] = append(e.Line[v], mutable.LineEnd{To: end, Curve: c.born.curve, Tag: c.born.tag, S: c.born.s})
	}
	return v
}

// rebuild sets the cells of the first worker to those that replace the cavity of a candidate.
func (e *engine) rebuild(c *candidate, born int32) {
	w := e.workers[0]
	w.cells = w.cells[:0]
	ok := false
	switch c.op {
	case split:
		ok = e.buildSplit(w, c, -1)
	case swap:
		ok = e.buildSwap(w, c, -1)
	default:
		ok = e.buildCollapse(w, c, -1)
	}
	if !ok {
		panic("mesh: a chosen operation cannot be applied")
	}
	for i := range w.cells {
		for j, v := range w.cells[i].V[:e.Dim+1] {
			if v == mutable.Unborn {
				w.cells[i].V[j] = born
			}
		}
	}
}

// replace replaces cells by others, of which a part keeps those that it needs, and marks all their vertices.
func (e *engine) replace(old []int32, cells []mutable.Cell) {
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
func (e *engine) addLineChanges(changes []change, c *candidate, born int32) []change {
	switch {
	case c.op == split && c.born.freedom == 1:
		return append(changes, change{c.a, c.b, born}, change{c.b, c.a, born})
	case c.op == split || c.op == swap || e.Freedom[c.a] != 1:
		return changes
	}
	other := e.Line[c.a][0].To
	if other == c.b {
		other = e.Line[c.a][1].To
	}
	return append(changes, change{c.b, c.a, other}, change{other, c.a, c.b})
}
