package vtk

import (
	"fmt"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// assemble joins the pieces of an image.
func assemble(whole *Image, pieces []*Image) (*Image, error) {
	m := *whole
	boxes := make([]Box, len(pieces))
	for i, p := range pieces {
		boxes[i] = p.Box
		if len(m.FieldData) == 0 {
			m.FieldData = p.FieldData
		}
	}
	if err := checkTiles(m.Whole, boxes); err != nil {
		return nil, err
	}
	lists := make([]Arrays, len(pieces))
	for i, p := range pieces {
		lists[i] = p.CellData
	}
	var err error
	if m.CellData, err = assembleArrays("cell data", m.Whole, boxes, lists); err != nil {
		return nil, err
	}
	for i, p := range pieces {
		boxes[i].N = p.corners()
		lists[i] = p.PointData
	}
	m.PointData, err = assembleArrays("point data", m.corners(), boxes, lists)
	return &m, err
}

// corners is the number of corners of the cells of the box along each axis.
func (m *Image) corners() [3]int {
	n := [3]int{m.N[0] + 1, m.N[1] + 1, m.N[2] + 1}
	if m.Dim == 2 {
		n[2] = 1
	}
	return n
}

// assembleArrays copies the arrays of boxes into arrays of the whole image, which has the given shape. All boxes must
// have the same arrays, in any order.
func assembleArrays(where string, shape [3]int, boxes []Box, lists []Arrays) (Arrays, error) {
	var assembled Arrays
	for i, list := range lists {
		if len(list) != len(lists[0]) {
			return nil, fmt.Errorf("the %s of piece %d has %d arrays, that of piece 0 has %d",
				where, i, len(list), len(lists[0]))
		}
	}
	for _, like := range lists[0] {
		v, err := xmldata.Wrap(like.Data)
		if err != nil {
			return nil, err
		}
		width := like.width()
		dst := v.Blank(shape[0] * shape[1] * shape[2] * width)
		for i, list := range lists {
			a, ok := list.Find(like.Name)
			if !ok || a.width() != width {
				return nil, fmt.Errorf("the %s of piece %d has no array %q with %d components, but that of piece 0 has",
					where, i, like.Name, width)
			}
			src, err := xmldata.Wrap(a.Data)
			if err != nil {
				return nil, err
			}
			b := boxes[i]
			row := b.N[0] * width
			for r := range b.N[1] * b.N[2] {
				j, k := b.Lo[1]+r%b.N[1], b.Lo[2]+r/b.N[1]
				if !dst.Put((b.Lo[0]+shape[0]*(j+shape[1]*k))*width, src.Part(r*row, (r+1)*row)) {
					return nil, fmt.Errorf("the array %q of the %s of piece %d has type %T, that of piece 0 %T",
						like.Name, where, i, a.Data, like.Data)
				}
			}
		}
		assembled = append(assembled, Array{Name: like.Name, Components: like.Components, Data: dst.Data()})
	}
	return assembled, nil
}
