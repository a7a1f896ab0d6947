package sms

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
)

// parseADCIRC reads a grid: a title; the numbers of elements and nodes; nodes; elements; open boundaries; other
// boundaries. In lines with numbers, what follows them is a comment.
func parseADCIRC(data []byte) (*mesh.Mesh, error) {
	r := newReader(data)
	r.Line()
	elements, err := r.Int()
	if err != nil {
		return nil, err
	}
	nodes, err := r.IntOnLine()
	if err != nil {
		return nil, err
	}
	r.Line()
	if err := r.CheckRemaining(nodes, 8, "nodes"); err != nil {
		return nil, err
	}
	if err := r.CheckRemaining(elements, 10, "elements"); err != nil {
		return nil, err
	}
	for range nodes {
		if err := r.node(); err != nil {
			return nil, err
		}
		r.Line()
	}
	for range elements {
		if _, err := r.IntOnLine(); err != nil {
			return nil, err
		}
		start := r.Here()
		count, err := r.IntOnLine()
		if err != nil {
			return nil, err
		}
		if count != 3 && count != 4 {
			return nil, r.At(start, "the element has %d nodes: only triangles and quadrangles can be read", count)
		}
		if err := r.element(int(count)); err != nil {
			return nil, err
		}
		r.Line()
	}
	for _, kind := range []string{"open", "land"} {
		if err := r.boundaries(kind); err != nil {
			return nil, err
		}
	}
	return r.finish("depth")
}

// boundaries reads the boundaries of a kind, if the file has them: their number, the number of all their nodes, and for
// each its number of nodes, its type, and the nodes, each first on its line.
func (r *reader) boundaries(kind string) error {
	r.SkipSpace()
	if r.Left() == 0 {
		return nil
	}
	count, err := r.IntOnLine()
	if err != nil {
		return err
	}
	r.Line()
	r.Line() // the number of all nodes
	for k := range count {
		start := r.Here()
		nodes, err := r.IntOnLine()
		if err != nil {
			return err
		}
		if err := r.CheckRemaining(nodes, 2, "nodes"); err != nil {
			return err
		}
		before := r.Pos
		boundaryType, err := r.IntOnLine()
		if err != nil {
			boundaryType, r.Pos = 0, before
		}
		r.Line()
		s := nodeString{name: fmt.Sprintf("%s%d", kind, k+1), tag: len(r.strings) + 1, start: start}
		for range nodes {
			node, err := r.IntOnLine()
			if err != nil {
				return err
			}
			s.nodes = append(s.nodes, node)
			r.Line() // of weirs: the opposite node and heights
		}
		if kind == "land" && slices.Contains([]int64{1, 11, 21}, boundaryType) && nodes > 2 { // an island, which is closed
			s.nodes = append(s.nodes, s.nodes[0])
		}
		r.strings = append(r.strings, s)
	}
	return nil
}
