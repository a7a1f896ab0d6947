package sms

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
)

// Numbers at the beginning of files since MIKE 2012: the kind of the third coordinate, and its unit, m.
const (
	itemBathymetry = 100079
	unitMetre      = 1000
)

// Types of elements of MIKE.
const triangles, mixed = 21, 25

// parseMIKE reads a mesh: the number of nodes, before it the kind and unit of heights in newer files, and the
// projection; nodes with positions and codes; the number of elements, of nodes of each, and their type; elements, whose
// fourth node is 0 for triangles among quadrangles (DHI, MIKE 21 & MIKE 3 Flow Model FM, file formats).
func parseMIKE(data []byte) (*mesh.Mesh, error) {
	r := newReader(data)
	nodes, err := r.mikeHead()
	if err != nil {
		return nil, err
	}
	if err := r.CheckRemaining(nodes, 10, "nodes"); err != nil {
		return nil, err
	}
	codes := make([]int64, nodes)
	for k := range codes {
		if err := r.node(); err != nil {
			return nil, err
		}
		start := r.Pos
		if codes[k], err = r.IntOnLine(); err != nil {
			return nil, err
		}
		if codes[k] < 0 || codes[k] > 1000 {
			return nil, r.At(start, "the node has the code %d; want 0 to 1000", codes[k])
		}
		r.Line()
	}
	if err := r.mikeElements(); err != nil {
		return nil, err
	}
	m, err := r.finish("z")
	if err != nil {
		return nil, err
	}
	return m, r.groupByCodes(codes)
}

// mikeHead reads the first line, and returns the number of nodes.
func (r *reader) mikeHead() (nodes int64, err error) {
	start := r.Here()
	if nodes, err = r.IntOnLine(); err != nil {
		return 0, err
	}
	if nodes == itemBathymetry {
		unitAt := r.Here()
		unit, err := r.IntOnLine()
		if err != nil {
			return 0, err
		}
		if unit != unitMetre {
			return 0, r.At(unitAt, "heights have the unit %d; want %d, m", unit, unitMetre)
		}
		if nodes, err = r.IntOnLine(); err != nil {
			return 0, err
		}
	}
	if nodes < 3 {
		return 0, r.At(start, "%d nodes; want at least 3", nodes)
	}
	r.Line() // the projection
	return nodes, nil
}

// mikeElements reads the elements.
func (r *reader) mikeElements() error {
	elements, err := r.IntOnLine()
	if err != nil {
		return err
	}
	start := r.Here()
	count, err := r.IntOnLine()
	if err != nil {
		return err
	}
	kind, err := r.IntOnLine()
	if err != nil {
		return err
	}
	if !(kind == triangles && count == 3 || kind == mixed && count == 4) {
		return r.At(start, "elements have %d nodes and the type %d; want 3 and %d, or 4 and %d", count, kind, triangles,
			mixed)
	}
	r.Line()
	if err := r.CheckRemaining(elements, int(2*count+2), "elements"); err != nil {
		return err
	}
	for range elements {
		if _, err := r.IntOnLine(); err != nil {
			return err
		}
		if err := r.element(int(count)); err != nil {
			return err
		}
		if e := &r.cells[len(r.cells)-1]; e.nodes[3] == 0 {
			e.count = 3
		}
		r.Line()
	}
	return nil
}

// groupByCodes puts the edges of the boundary into groups by the codes of their vertices.
func (r *reader) groupByCodes(codes []int64) error {
	m := r.mesh
	sides := map[[2]int32]int{} // cells of each edge
	for _, c := range m.Cells {
		for k := range 3 {
			a, b := c[k], c[(k+1)%3]
			sides[[2]int32{min(a, b), max(a, b)}]++
		}
	}
	var edges [][2]int32
	for e, cells := range sides {
		if cells == 1 && min(codes[e[0]], codes[e[1]]) > 0 {
			edges = append(edges, e)
		}
	}
	slices.SortFunc(edges, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	used := map[int64]bool{}
	for _, e := range edges {
		used[min(codes[e[0]], codes[e[1]])] = true
	}
	for code := int64(1); code <= 1000; code++ {
		name := fmt.Sprintf("code%d", code)
		if code == 1 {
			name = "land"
		}
		if used[code] {
			if err := r.groups.AddNamed(1, int(code), name); err != nil {
				return r.At(len(r.Data), "%v", err)
			}
		}
	}
	for _, e := range edges {
		group, err := r.groups.Of(1, int(min(codes[e[0]], codes[e[1]])))
		if err != nil {
			return r.At(len(r.Data), "%v", err)
		}
		m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: e[0], B: e[1], Group: group})
	}
	return nil
}
