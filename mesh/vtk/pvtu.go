package vtk

import (
	"fmt"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// WritePVTU writes the index of a grid whose pieces are .vtu files, given relative to the folder of path. like is any
// of the pieces: all must have point data and cell data with the same names, types and components, in the same order.
// The pieces need not exist yet, but a viewer opens the index, so it should be written after them.
func WritePVTU(path string, pieces []string, like *Grid) error {
	check := func() error {
		if err := checkSources(pieces); err != nil {
			return err
		}
		return like.check()
	}
	return writeChecked(path, check, func(f *atomicfile.File) error {
		return writeIndex(f, "PUnstructuredGrid", nil, []section{
			{"PPointData", like.PointData},
			{"PCellData", like.CellData},
			{"PPoints", Arrays{{Name: "Points", Components: 3, Data: like.Points}}},
		}, sourcesOnly(pieces))
	})
}

// readIndex reads the pieces of a .pvtu file.
func readIndex(path string, root *xmldata.Element) (*Grid, error) {
	names, err := sources(root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	pieces, err := readPieces(path, names, "UnstructuredGrid", parseGrid)
	if err != nil {
		return nil, err
	}
	g := &Grid{}
	for i, piece := range pieces {
		if len(g.FieldData) == 0 {
			g.FieldData = piece.FieldData
		}
		if err := g.join(piece); err != nil {
			return nil, fmt.Errorf("%s: piece %d: %s: %w", path, i, names[i], err)
		}
	}
	return g, nil
}
