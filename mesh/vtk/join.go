package vtk

import (
	"fmt"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// join appends the points, cells and data of a piece. Points at the same position are not merged.
func (g *Grid) join(piece *Grid) error {
	if g.points() > 0 && piece.points() > 0 {
		g.pieces = max(g.pieces, 1) + 1
	}
	points, entries := int64(g.points()), int64(len(g.Connectivity))
	pointData, err := g.PointData.join("point data", piece.PointData, g.points(), piece.points())
	if err != nil {
		return err
	}
	cellData, err := g.CellData.join("cell data", piece.CellData, len(g.Types), len(piece.Types))
	if err != nil {
		return err
	}
	for _, p := range piece.Connectivity {
		g.Connectivity = append(g.Connectivity, p+points)
	}
	for _, o := range piece.Offsets {
		g.Offsets = append(g.Offsets, o+entries)
	}
	g.PointData, g.CellData = pointData, cellData
	g.Points = append(g.Points, piece.Points...)
	g.Types = append(g.Types, piece.Types...)
	return nil
}

// join appends the arrays of a piece, which must have the same names, in any order, and the same types as list.
// tuples and pieceTuples are the numbers of tuples of list and of the piece; if one is 0, the other's arrays are
// taken.
func (list Arrays) join(where string, piece Arrays, tuples, pieceTuples int) (Arrays, error) {
	if pieceTuples == 0 && (tuples > 0 || len(list) > 0) {
		return list, nil
	}
	if tuples == 0 {
		return piece, nil
	}
	if len(list) != len(piece) {
		return nil, fmt.Errorf("the %s has %d arrays, that of earlier pieces %d", where, len(piece), len(list))
	}
	joined := make(Arrays, len(list))
	for i, a := range list {
		b, ok := piece.Find(a.Name)
		if !ok {
			return nil, fmt.Errorf("the %s has no array %q, but that of earlier pieces has", where, a.Name)
		}
		v, err := xmldata.Wrap(a.Data)
		if err != nil {
			return nil, err
		}
		w, err := xmldata.Wrap(b.Data)
		if err != nil {
			return nil, err
		}
		if v, ok = v.Join(w); !ok || a.width() != b.width() {
			return nil, fmt.Errorf("the array %q of the %s has %d components of type %T, in earlier pieces %d of type %T",
				a.Name, where, b.width(), b.Data, a.width(), a.Data)
		}
		joined[i] = Array{Name: a.Name, Components: a.Components, Data: v.Data()}
	}
	return joined, nil
}
