package sms

import (
	"bytes"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// refused are the cards of elements that are neither triangles nor quadrangles of first order.
var refused = map[string]string{"E2L": "lines", "E3L": "lines of second order",
	"E6T": "triangles of second order", "E8Q": "quadrilaterals of second order", "E9Q": "quadrilaterals of second order"}

func parse2DM(data []byte) (*mesh.Mesh, error) {
	r := newReader(data)
	if w := r.Token(); string(w) != "MESH2D" {
		return nil, r.At(0, "%s is not MESH2D: not a mesh of SMS", meshfile.Quote(w))
	}
	var current *nodeString // a node string that goes on in the next line
	for r.Left() > 0 {
		r.Line()
		card := r.Token()
		start := r.Pos - len(card)
		var err error
		switch name := string(card); name {
		case "ND":
			err = r.node()
		case "E3T":
			err = r.withMaterial(3)
		case "E4Q":
			err = r.withMaterial(4)
		case "NS":
			current, err = r.nodeString(current, start)
		default:
			if what, ok := refused[name]; ok {
				err = r.At(start, "%s are not supported: split them into triangles in SMS", what)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return r.finish("z")
}

// withMaterial reads an element after its card: its number, its nodes and its material, which may be left out.
func (r *reader) withMaterial(count int) error {
	if _, err := r.IntOnLine(); err != nil {
		return err
	}
	if err := r.element(count); err != nil {
		return err
	}
	group := int32(-1)
	before := r.Pos
	if material, err := r.IntOnLine(); err != nil {
		r.Pos = before // there is none, or a number that is not an integer
	} else if material < 0 || material > math.MaxInt32 {
		return r.At(before, "material %d is not a number from 0 to %d", material, math.MaxInt32)
	} else if group, err = r.groups.Of(2, int(material)); err != nil {
		return r.At(before, "%v", err)
	}
	r.groups.HasCells = r.groups.HasCells || group >= 0
	r.cells[len(r.cells)-1].group = group
	return nil
}

// nodeString reads a line of a node string, of which the last node is negative, and returns the string if it goes on.
func (r *reader) nodeString(current *nodeString, start int) (*nodeString, error) {
	if current == nil {
		n := len(r.strings) + 1
		r.strings = append(r.strings, nodeString{name: fmt.Sprintf("ns%d", n), tag: n, start: start})
		current = &r.strings[n-1]
	}
	for {
		before := r.Pos
		node, err := r.IntOnLine()
		if err != nil {
			if len(bytes.TrimSpace(r.Data[before:r.Pos])) > 0 {
				return nil, err
			}
			return current, nil // it goes on in the next line
		}
		if node < 0 {
			current.nodes = append(current.nodes, -node)
			return nil, nil // what follows is the number of the string, or its name
		}
		current.nodes = append(current.nodes, node)
	}
}
