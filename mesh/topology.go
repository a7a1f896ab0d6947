package mesh

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// maxCells keeps the ids of half-edges, three a cell, within int32.
const maxCells = math.MaxInt32 / 3

// Neighbours returns, for each cell, in entry k the cell across its edge from vertex k to vertex (k+1)%3, -1 where the
// mesh ends, in linear time. It refuses edges of three or more cells, vertex ids out of range and cells with a repeated
// vertex.
func (m *Mesh) Neighbours() ([][3]int32, error) {
	edges, err := m.bucketEdges()
	if err != nil {
		return nil, err
	}
	nb := noneAcross(len(m.Cells))
	parts := parallel.Parts(len(m.X), itemsPerWorker)
	errs := make([]error, parts)
	parallel.Ranges(len(m.X), parts, func(part, lo, hi int) {
		var edgesUp []uint64 // each edge to a higher vertex: that vertex in the high half, the half-edge in the low half
		for v := lo; v < hi && errs[part] == nil; v++ {
			edgesUp = edgesUp[:0]
			for _, h := range edges.bucket(v) {
				edgesUp = append(edgesUp, uint64(m.upper(h))<<32|uint64(h))
			}
			errs[part] = m.join(nb, v, edgesUp)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return nb, nil
}

// noneAcross returns -1 for each edge of the given number of cells.
func noneAcross(cells int) [][3]int32 {
	none := make([][3]int32, cells)
	parallel.Ranges(cells, parallel.Parts(cells, itemsPerWorker), func(_, lo, hi int) {
		for c := lo; c < hi; c++ {
			none[c] = [3]int32{-1, -1, -1}
		}
	})
	return none
}

// join records as neighbours the cells that share an edge between v and a higher vertex.
func (m *Mesh) join(nb [][3]int32, v int, edgesUp []uint64) error {
	slices.Sort(edgesUp)
	for i := 1; i < len(edgesUp); i++ {
		hi, g, h := edgesUp[i]>>32, int32(uint32(edgesUp[i-1])), int32(uint32(edgesUp[i]))
		if edgesUp[i-1]>>32 != hi {
			continue
		}
		if i+1 < len(edgesUp) && edgesUp[i+1]>>32 == hi {
			return fmt.Errorf("edge %d-%d belongs to three cells or more: %s, %s, %s; "+
				"remove duplicate cells (atoll mesh convert --merge-duplicates) or mesh the domain again",
				v, hi, m.describe(g/3), m.describe(h/3), m.describe(int32(uint32(edgesUp[i+1]))/3))
		}
		nb[g/3][g%3], nb[h/3][h%3] = h/3, g/3
	}
	return nil
}

// BoundaryGroups returns, for each cell, the group (an index into Groups) of its boundary edges, in the same order
// as nb, the result of Neighbours: -1 if the edge has no group or is inside the mesh. It refuses a boundary edge in two
// groups.
func (m *Mesh) BoundaryGroups(nb [][3]int32) ([][3]int32, error) {
	half, err := m.taggedHalfEdges()
	if err != nil {
		return nil, err
	}
	groups := noneAcross(len(m.Cells))
	for i, h := range half {
		e := m.Tagged[i]
		if h < 0 {
			return nil, fmt.Errorf("tagged edge %d (vertices %d, %d) is no edge of a cell", i, e.A, e.B)
		}
		c, k := h/3, h%3
		if nb[c][k] >= 0 {
			continue
		}
		if was := groups[c][k]; was >= 0 && was != e.Group {
			return nil, fmt.Errorf("boundary edge %d-%d is in two physical groups, %q and %q; remove it from one",
				e.A, e.B, m.Groups[was].Name, m.Groups[e.Group].Name)
		}
		groups[c][k] = e.Group
	}
	return groups, nil
}

// Area returns the area of cell c, negative if its vertices run clockwise.
func (m *Mesh) Area(c int) float64 {
	v := m.Cells[c]
	ax, ay := m.X[v[0]], m.Y[v[0]]
	return ((m.X[v[1]]-ax)*(m.Y[v[2]]-ay) - (m.X[v[2]]-ax)*(m.Y[v[1]]-ay)) / 2
}

// Centroid returns the centre of mass of cell c.
func (m *Mesh) Centroid(c int) (x, y float64) {
	v := m.Cells[c]
	return (m.X[v[0]] + m.X[v[1]] + m.X[v[2]]) / 3, (m.Y[v[0]] + m.Y[v[1]] + m.Y[v[2]]) / 3
}

// EdgeLength returns the length of the edge of cell c from vertex k to vertex (k+1)%3.
func (m *Mesh) EdgeLength(c, k int) float64 {
	a, b := m.Cells[c][k], m.Cells[c][(k+1)%3]
	return math.Hypot(m.X[b]-m.X[a], m.Y[b]-m.Y[a])
}

// edgeBuckets lists the half-edges by the lower of their two vertices, in any order within a vertex. Half-edge 3c+k is
// the edge of cell c from vertex k to vertex (k+1)%3.
type edgeBuckets struct {
	start []int32
	half  []int32
}

func (b edgeBuckets) bucket(v int) []int32 { return b.half[b.start[v]:b.start[v+1]] }

func (m *Mesh) bucketEdges() (edgeBuckets, error) {
	if len(m.Cells) > maxCells {
		return edgeBuckets{}, fmt.Errorf("%d cells are more than the %d that a mesh may have", len(m.Cells), maxCells)
	}
	if len(m.X) != len(m.Y) {
		return edgeBuckets{}, fmt.Errorf("the mesh has %d x and %d y coordinates", len(m.X), len(m.Y))
	}
	if err := m.checkCells(); err != nil {
		return edgeBuckets{}, err
	}
	start := make([]int32, len(m.X)+1)
	parts := parallel.Parts(len(m.Cells), itemsPerWorker)
	parallel.Ranges(len(m.Cells), parts, func(_, first, end int) {
		for _, v := range m.Cells[first:end] {
			atomic.AddInt32(&start[min(v[0], v[1])], 1)
			atomic.AddInt32(&start[min(v[1], v[2])], 1)
			atomic.AddInt32(&start[min(v[2], v[0])], 1)
		}
	})
	sum := int32(0)
	for i, n := range start {
		start[i] = sum
		sum += n
	}
	half := make([]int32, 3*len(m.Cells))
	parallel.Ranges(len(m.Cells), parts, func(_, first, end int) {
		for c := first; c < end; c++ {
			v := &m.Cells[c]
			for k := range v {
				half[atomic.AddInt32(&start[min(v[k], v[(k+1)%3])], 1)-1] = int32(3*c + k)
			}
		}
	})
	// Each start has advanced to the end of its bucket, which is the start of the next one.
	copy(start[1:], start)
	start[0] = 0
	return edgeBuckets{start, half}, nil
}

// checkCells refuses vertex ids out of range and cells with a repeated vertex.
func (m *Mesh) checkCells() (err error) {
	eachBad(len(m.Cells), func(c int) bool { return m.hasVertices(c) && m.distinct(c) }, func(c int) {
		if err != nil {
			return
		}
		err = fmt.Errorf("%s repeats a vertex", m.describe(int32(c)))
		for _, id := range m.Cells[c] {
			if id < 0 || int(id) >= len(m.X) {
				err = fmt.Errorf("%s refers to vertex %d; the mesh has vertices 0 to %d", m.describe(int32(c)), id, len(m.X)-1)
				return
			}
		}
	})
	return err
}

// hasVertices reports whether the vertex ids of a cell are in range.
func (m *Mesh) hasVertices(c int) bool {
	v := &m.Cells[c]
	return min(v[0], v[1], v[2]) >= 0 && int(max(v[0], v[1], v[2])) < len(m.X)
}

// distinct reports whether the vertices of a cell are different.
func (m *Mesh) distinct(c int) bool {
	v := &m.Cells[c]
	return v[0] != v[1] && v[1] != v[2] && v[2] != v[0]
}

// upper returns the higher vertex of half-edge h.
func (m *Mesh) upper(h int32) int32 {
	v := &m.Cells[h/3]
	k := h % 3
	if k == 2 {
		return max(v[2], v[0])
	}
	return max(v[k], v[k+1])
}

// taggedHalfEdges returns the first half-edge of each tagged edge, -1 for an edge that no cell has.
func (m *Mesh) taggedHalfEdges() ([]int32, error) {
	found := make([]int32, len(m.Tagged))
	if len(m.Tagged) == 0 {
		return found, nil
	}
	lower := make([]bool, len(m.X)) // whether a vertex is the lower vertex of a tagged edge
	for i, e := range m.Tagged {
		if e.A < 0 || e.B < 0 || int(max(e.A, e.B)) >= len(m.X) {
			return nil, fmt.Errorf("tagged edge %d (vertices %d, %d): the mesh has vertices 0 to %d",
				i, e.A, e.B, len(m.X)-1)
		}
		if e.Group < 0 || int(e.Group) >= len(m.Groups) {
			return nil, fmt.Errorf("tagged edge %d (vertices %d, %d) is in group %d; the mesh has %d groups",
				i, e.A, e.B, e.Group, len(m.Groups))
		}
		lower[min(e.A, e.B)] = true
	}
	if err := m.checkCells(); err != nil {
		return nil, err
	}
	type half struct {
		lo, hi int32
		h      int32
	}
	compareEnds := func(e, f half) int { return cmp.Or(cmp.Compare(e.lo, f.lo), cmp.Compare(e.hi, f.hi)) }
	byPart := make([][]half, parallel.Parts(len(m.Cells), itemsPerWorker))
	parallel.Ranges(len(m.Cells), len(byPart), func(part, first, end int) {
		var found []half
		for c := first; c < end; c++ {
			v := &m.Cells[c]
			for k, a := range v {
				b := v[(k+1)%3]
				if lo := min(a, b); lower[lo] {
					found = append(found, half{lo, max(a, b), int32(3*c + k)})
				}
			}
		}
		byPart[part] = found
	})
	candidates := slices.Concat(byPart...)
	slices.SortFunc(candidates, func(e, f half) int { return cmp.Or(compareEnds(e, f), cmp.Compare(e.h, f.h)) })
	for i, e := range m.Tagged {
		index, ok := slices.BinarySearchFunc(candidates, half{lo: min(e.A, e.B), hi: max(e.A, e.B)}, compareEnds)
		found[i] = -1
		if ok {
			found[i] = candidates[index].h
		}
	}
	return found, nil
}

func (m *Mesh) describe(c int32) string {
	v := m.Cells[c]
	return fmt.Sprintf("cell %d (vertices %d, %d, %d)", c, v[0], v[1], v[2])
}

// NoIDs returns n ids of -1, which means none.
func NoIDs(n int) []int32 {
	ids := make([]int32, n)
	parallel.Ranges(n, parallel.Parts(n, itemsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			ids[i] = -1
		}
	})
	return ids
}
