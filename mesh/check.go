package mesh

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Check returns nil for a mesh that solvers can use. Otherwise its error gives, for each type of fault, the number of
// faults, the ids of the first few, and what to do. It looks for vertex ids and groups out of range, coordinates that
// are not finite, clockwise, flat and duplicate cells, duplicate and dangling vertices, edges of more than two cells,
// cells that overlap at an edge, tagged edges that no cell has, hanging nodes, and fields of the wrong length.
func (m *Mesh) Check() error {
	_, err := m.CheckedNeighbours()
	return err
}

// CheckedNeighbours checks the mesh as Check does, and returns the result of [Mesh.Neighbours], which the check needs.
func (m *Mesh) CheckedNeighbours() (neighbours [][3]int32, err error) {
	return m.check(false)
}

// CheckTangled is Check for a tangled mesh: it accepts clockwise and flat cells, and vertices inside the mesh at the
// position of another.
func (m *Mesh) CheckTangled() error {
	_, err := m.check(true)
	return err
}

func (m *Mesh) check(tangled bool) (nb [][3]int32, err error) {
	nb, tangle, err := m.examine(tangled, separately)
	if tangle && !tangled {
		nb, _, err = m.examine(tangled, m.advise())
	}
	return nb, err
}

// examine checks the mesh, and returns whether it has clockwise cells or vertices at the same position, about which it
// gives advice.
func (m *Mesh) examine(tangled bool, how advice) (nb [][3]int32, tangle bool, err error) {
	// Later checks rely on earlier ones: sizes, then ids, then geometry and topology.
	if err := m.checkSizes(); err != nil {
		return nil, false, err
	}
	if err := m.checkReferences(); err != nil {
		return nil, false, err
	}
	var clockwise, shape, vertices, duplicates, edges error
	var wait sync.WaitGroup
	var same [][2]int32
	wait.Go(func() {
		if !tangled {
			clockwise, shape = m.checkShapes(how)
		}
		m.duplicateVertices(func(first, again int32) { same = append(same, [2]int32{first, again}) })
	})
	wait.Go(func() {
		nb, edges = m.Neighbours()
		duplicates = m.checkDuplicateCells(nb)
		if edges == nil {
			edges = m.checkEdges(nb)
		}
	})
	wait.Wait()
	if tangled && edges == nil {
		same = m.bothOnBoundary(same, nb)
	}
	vertices = m.checkVertices(same, how)
	if duplicates != nil {
		clockwise = nil // without the duplicates Mend orients the cells
	}
	return nb, clockwise != nil || len(same) > 0, errors.Join(clockwise, shape, vertices, duplicates, edges)
}

func (m *Mesh) checkSizes() error {
	if len(m.Cells) == 0 {
		return errors.New("the mesh has no triangles")
	}
	if len(m.Cells) > maxCells {
		return fmt.Errorf("%d cells are more than the %d that a mesh may have", len(m.Cells), maxCells)
	}
	if len(m.X) > math.MaxInt32 {
		return fmt.Errorf("%d vertices are more than the %d that a mesh may have", len(m.X), math.MaxInt32)
	}
	if len(m.X) != len(m.Y) {
		return fmt.Errorf("the mesh has %d x and %d y coordinates", len(m.X), len(m.Y))
	}
	if m.CellGroup != nil && len(m.CellGroup) != len(m.Cells) {
		return fmt.Errorf("the mesh has %d cells, but the groups of %d cells", len(m.Cells), len(m.CellGroup))
	}
	for _, name := range FieldNames(m.CellData) {
		if n := len(m.CellData[name]); n != len(m.Cells) {
			return fmt.Errorf("cell field %q has %d values for %d cells", name, n, len(m.Cells))
		}
	}
	for _, name := range FieldNames(m.VertexData) {
		if n := len(m.VertexData[name]); n != len(m.X) {
			return fmt.Errorf("vertex field %q has %d values for %d vertices", name, n, len(m.X))
		}
	}
	return nil
}

func (m *Mesh) checkReferences() error {
	outside := fault{what: "cell with a vertex id out of range", many: "cells with vertex ids out of range",
		advice: fmt.Sprintf("the mesh has vertices 0 to %d; the file is damaged", len(m.X)-1)}
	repeated := fault{what: "cell that repeats a vertex", many: "cells that repeat a vertex",
		advice: "mesh the domain again"}
	infinite := fault{what: "vertex with a coordinate that is not finite",
		many: "vertices with coordinates that are not finite", advice: "correct the coordinates"}
	groups := fault{what: "cell of an unknown group", many: "cells of unknown groups",
		advice: fmt.Sprintf("CellGroup must be -1 or the index of a group of dimension 2; there are %d groups",
			len(m.Groups))}
	tagged := fault{what: "tagged edge of unknown vertices or group", many: "tagged edges of unknown vertices or groups",
		advice: "vertices and group must be in the mesh, and the group must have dimension 1"}
	eachBad(len(m.Cells), func(c int) bool { return m.hasVertices(c) && m.distinct(c) }, func(c int) {
		if !m.hasVertices(c) {
			outside.add(func() string { return m.describe(int32(c)) })
			return
		}
		repeated.add(func() string { return m.describe(int32(c)) })
	})
	eachBad(len(m.X), func(v int) bool { return finite(m.X[v]) && finite(m.Y[v]) }, func(v int) {
		infinite.add(func() string { return m.describeVertex(v) })
	})
	eachBad(len(m.CellGroup), func(c int) bool { return m.CellGroup[c] == -1 || m.hasGroup(m.CellGroup[c], 2) },
		func(c int) {
			groups.add(func() string { return fmt.Sprintf("%s in group %d", m.describe(int32(c)), m.CellGroup[c]) })
		})
	for i, e := range m.Tagged {
		if min(e.A, e.B) < 0 || int(max(e.A, e.B)) >= len(m.X) || !m.hasGroup(e.Group, 1) {
			tagged.add(func() string {
				return fmt.Sprintf("tagged edge %d (vertices %d, %d) in group %d", i, e.A, e.B, e.Group)
			})
		}
	}
	return joinFaults(&outside, &repeated, &infinite, &groups, &tagged)
}

// checkShapes refuses cells that are clockwise, and those that are flat up to round-off or overflow.
func (m *Mesh) checkShapes(how advice) (clockwise, others error) {
	turned := fault{what: "clockwise cell", many: "clockwise cells",
		advice: how.orient}
	flat := fault{what: "cell of zero area", many: "cells of zero area",
		advice: "merge duplicate vertices (atoll mesh convert --merge-duplicates) or mesh the domain again"}
	huge := fault{what: "cell whose area overflows", many: "cells whose areas overflow", advice: "scale the coordinates"}
	eachBad(len(m.Cells), func(c int) bool { return m.shape(c) == cellGood }, func(c int) {
		kind := map[cellShape]*fault{cellClockwise: &turned, cellFlat: &flat, cellHuge: &huge}[m.shape(c)]
		kind.add(func() string { return m.describe(int32(c)) })
	})
	return joinFaults(&turned), joinFaults(&flat, &huge)
}

// bothOnBoundary returns the pairs of which both vertices are on the boundary.
func (m *Mesh) bothOnBoundary(pairs [][2]int32, nb [][3]int32) (both [][2]int32) {
	if len(pairs) == 0 {
		return nil
	}
	edges, _ := m.boundary(nb)
	border := make([]bool, len(m.X))
	for _, e := range edges {
		border[e[0]], border[e[1]] = true, true
	}
	for _, p := range pairs {
		if border[p[0]] && border[p[1]] {
			both = append(both, p)
		}
	}
	return both
}

// checkVertices refuses vertices in no cell, and the given pairs of vertices, at the same position, except at cracks.
func (m *Mesh) checkVertices(pairs [][2]int32, how advice) error {
	dangling := fault{what: "vertex in no cell", many: "vertices in no cell",
		advice: "remove them with atoll mesh convert --drop-dangling"}
	same := fault{what: "pair of vertices at the same position", many: "pairs of vertices at the same position",
		advice: how.merge}
	used := m.usedVertices()
	eachBad(len(used), func(v int) bool { return used[v] }, func(v int) {
		dangling.add(func() string { return m.describeVertex(v) })
	})
	cracked := m.Marks.cracked()
	for _, p := range pairs {
		if cracked[p[0]] && cracked[p[1]] {
			continue
		}
		same.add(func() string {
			return fmt.Sprintf("vertices %d and %d at (%g, %g)", p[0], p[1], m.X[p[0]], m.Y[p[0]])
		})
	}
	return joinFaults(&dangling, &same)
}

// checkDuplicateCells refuses cells with the same vertices. nb is the result of Neighbours, nil if that failed. With
// it, duplicates are found more quickly: they are each other's neighbour across all three edges.
func (m *Mesh) checkDuplicateCells(nb [][3]int32) error {
	copies := fault{what: "cell given twice", many: "cells given twice",
		advice: "remove the duplicates with atoll mesh convert --merge-duplicates"}
	add := func(first, again int32) {
		copies.add(func() string { return fmt.Sprintf("cell %d and %s", first, m.describe(again)) })
	}
	if nb == nil {
		m.duplicateCells(add)
	}
	eachBad(len(nb), func(again int) bool {
		first := nb[again]
		return first[0] < 0 || int(first[0]) >= again || first[0] != first[1] || first[0] != first[2]
	}, func(again int) { add(nb[again][0], int32(again)) })
	return joinFaults(&copies)
}

// overlaps finds neighbours that overlap.
func (m *Mesh) overlaps(nb [][3]int32) *fault {
	overlap := &fault{what: "edge with both cells on one side", many: "edges with both cells on one side",
		advice: "the cells overlap; orient clockwise cells, or mesh the domain again"}
	overlaps := func(c, k int) bool { // cell c with the cell of higher id across edge k
		v, other := m.Cells[c], nb[c][k]
		return int(other) > c && m.Cells[other][m.edgeIndex(other, v[k], v[(k+1)%3])] == v[k]
	}
	eachBad(len(m.Cells), func(c int) bool { return !overlaps(c, 0) && !overlaps(c, 1) && !overlaps(c, 2) }, func(c int) {
		for k, v := range m.Cells[c] {
			if overlaps(c, k) {
				overlap.add(func() string {
					return fmt.Sprintf("edge %d-%d of %s and %s", v, m.Cells[c][(k+1)%3], m.describe(int32(c)),
						m.describe(nb[c][k]))
				})
			}
		}
	})
	upright := func(c int) bool { return m.shape(c) != cellClockwise }
	if overlap.count > 0 && parallel.All(len(m.Cells), itemsPerWorker, upright) {
		overlap.advice = "the cells overlap; mesh the domain again"
	}
	return overlap
}

// checkEdges refuses neighbours that overlap, tagged edges that no cell has, and hanging nodes.
func (m *Mesh) checkEdges(nb [][3]int32) error {
	stray := fault{what: "tagged edge that no cell has", many: "tagged edges that no cell has",
		advice: "remove them with atoll mesh convert --drop-dangling, or mesh the domain so that it keeps the line"}
	half, err := m.taggedHalfEdges()
	if err != nil {
		return err
	}
	for i, h := range half {
		if h < 0 {
			e := m.Tagged[i]
			stray.add(func() string {
				return fmt.Sprintf("tagged edge %d (vertices %d, %d, group %q)", i, e.A, e.B, m.Groups[e.Group].Name)
			})
		}
	}
	return joinFaults(m.overlaps(nb), &stray, m.hangingNodes(nb))
}

// itemsPerWorker is the least number of cells or vertices for which a goroutine is started.
const itemsPerWorker = 20_000

// eachBad calls add for each of the items 0..n-1 that is not good, in ascending order. Whether there are any is found
// in parallel.
func eachBad(n int, good func(i int) bool, add func(i int)) {
	if parallel.All(n, itemsPerWorker, good) {
		return
	}
	for i := range n {
		if !good(i) {
			add(i)
		}
	}
}

// fault counts one kind of fault and describes its first few examples.
type fault struct {
	what, many, advice string // singular, plural, and what to do
	count              int
	examples           []string
}

const maxExamples = 3

// add counts a fault. It calls describe only for the first few.
func (f *fault) add(describe func() string) {
	f.count++
	if f.count <= maxExamples {
		f.examples = append(f.examples, describe())
	}
}

// joinFaults returns an error with a line for each type of fault that occurred, nil if none did.
func joinFaults(faults ...*fault) error {
	var errs []error
	for _, f := range faults {
		if f.count == 0 {
			continue
		}
		what := f.what
		if f.count > 1 {
			what = f.many
		}
		list := strings.Join(f.examples, "; ")
		if f.count > maxExamples {
			list += fmt.Sprintf("; and %d more", f.count-maxExamples)
		}
		errs = append(errs, fmt.Errorf("%d %s: %s: %s", f.count, what, list, f.advice))
	}
	return errors.Join(errs...)
}

type cellShape uint8

const (
	cellGood cellShape = iota
	cellClockwise
	cellFlat
	cellHuge
)

// shape classifies cell c by the sign of its area, with a bound of the round-off error.
func (m *Mesh) shape(c int) cellShape {
	v := &m.Cells[c]
	ax, ay := m.X[v[0]], m.Y[v[0]]
	p, q := (m.X[v[1]]-ax)*(m.Y[v[2]]-ay), (m.X[v[2]]-ax)*(m.Y[v[1]]-ay)
	area := p - q
	switch bound := math.Abs(p) + math.Abs(q); {
	case !finite(bound):
		return cellHuge
	case math.Abs(area) <= 4*0x1p-53*bound: // three roundings in p and in q, one in their difference
		return cellFlat
	case area < 0:
		return cellClockwise
	}
	return cellGood
}

// Turn returns 1 for a counter-clockwise cell, -1 for a clockwise one, and 0 for one that Check refuses because its
// area is 0 up to round-off, or overflows.
func (m *Mesh) Turn(c int) int {
	switch m.shape(c) {
	case cellGood:
		return 1
	case cellClockwise:
		return -1
	}
	return 0
}

// usedVertices tells which vertices cells have.
func (m *Mesh) usedVertices() []bool {
	marks := make([]atomic.Bool, len(m.X))
	parallel.Ranges(len(m.Cells), parallel.Parts(len(m.Cells), itemsPerWorker), func(_, lo, hi int) {
		for _, cell := range m.Cells[lo:hi] {
			for _, v := range cell {
				if mark := &marks[v]; !mark.Load() { // a load is much cheaper than a store
					mark.Store(true)
				}
			}
		}
	})
	used := make([]bool, len(m.X))
	parallel.Ranges(len(used), parallel.Parts(len(used), itemsPerWorker), func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			used[v] = marks[v].Load()
		}
	})
	return used
}

func (m *Mesh) hasGroup(group int32, dim int) bool {
	return group >= 0 && int(group) < len(m.Groups) && m.Groups[group].Dim == dim
}

func (m *Mesh) describeVertex(v int) string {
	return fmt.Sprintf("vertex %d (%g, %g)", v, m.X[v], m.Y[v])
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
