package run

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// meshPiece is a rank's part of a frame of a mesh, format vtu.
type meshPiece vtk.Grid

func (p *meshPiece) write(path string) error { return vtk.Write(path, (*vtk.Grid)(p)) }

func (p *meshPiece) join(path string, pieces []string) error {
	return vtk.WritePVTU(path, pieces, (*vtk.Grid)(p))
}

// ownedCells is the piece of a part without fields: its owned cells, with their rank and global id.
func ownedCells(part *mesh.Part, rank int) *meshPiece {
	// Vertices are numbered as the cells need them, so those of the owned cells come first.
	used := int32(0)
	ranks, id := make([]int32, part.Owned), make([]int64, part.Owned)
	for i, c := range part.Cells[:part.Owned] {
		used = max(used, c[0]+1, c[1]+1, c[2]+1)
		ranks[i], id[i] = int32(rank), int64(part.Global[i])
	}
	g := vtk.Triangles(part.X[:used], part.Y[:used], part.Cells[:part.Owned])
	g.CellData = vtk.Arrays{{Name: "rank", Components: 1, Data: ranks}, {Name: "cell", Components: 1, Data: id}}
	return (*meshPiece)(g)
}

// with returns the piece with fields of its cells, at a time.
func (p *meshPiece) with(time float64, names []string, field func(name string) ([]float64, error)) (*meshPiece, error) {
	g := *p
	for _, name := range names {
		v, err := field(name)
		if err != nil {
			return nil, err
		}
		g.CellData = append(g.CellData[:len(g.CellData):len(g.CellData)], vtk.Array{Name: name, Components: 1, Data: v})
	}
	g.FieldData = vtk.Arrays{{Name: "TimeValue", Components: 1, Data: []float64{time}}}
	return &g, nil
}
