package vtk

import (
	"fmt"
	"sort"
)

// Types of cells, as VTK numbers them.
const (
	typeVertex   = 1
	typeLine     = 3
	typeTriangle = 5

	typePolyhedron = 42
)

// Grid is an unstructured grid: points, cells of any type over them, and arrays of data.
type Grid struct {
	Points       []float64 // x, y, z of each point
	Connectivity []int64   // point ids of all cells, cell after cell
	Offsets      []int64   // end of each cell in Connectivity
	Types        []uint8   // VTK cell type of each cell

	PointData Arrays // one tuple a point
	CellData  Arrays // one tuple a cell

	// FieldData holds arrays of any length. The array "TimeValue" of one value is the time of the data, by a
	// convention of ParaView.
	FieldData Arrays

	pieces int // that it was read from, if there were several
}

// Triangles makes a grid of triangles in the plane z = 0.
func Triangles(x, y []float64, cells [][3]int32) *Grid {
	g := &Grid{
		Points:       make([]float64, 3*len(x)),
		Connectivity: make([]int64, 3*len(cells)),
		Offsets:      make([]int64, len(cells)),
		Types:        make([]uint8, len(cells)),
	}
	for i := range x {
		g.Points[3*i], g.Points[3*i+1] = x[i], y[i]
	}
	for i, c := range cells {
		for k, v := range c {
			g.Connectivity[3*i+k] = int64(v)
		}
		g.Offsets[i] = int64(3*i + 3)
		g.Types[i] = typeTriangle
	}
	return g
}

// Cell returns the point ids of cell i, a part of Connectivity.
func (g *Grid) Cell(i int) []int64 {
	first := int64(0)
	if i > 0 {
		first = g.Offsets[i-1]
	}
	return g.Connectivity[first:g.Offsets[i]]
}

func (g *Grid) points() int { return len(g.Points) / 3 }

// checkCells reports a cell that does not lie in Connectivity, or refers to a point that is not there.
func (g *Grid) checkCells() error {
	if len(g.Points)%3 != 0 {
		return fmt.Errorf("the points have %d coordinates, not a multiple of 3", len(g.Points))
	}
	if len(g.Types) != len(g.Offsets) {
		return fmt.Errorf("there are %d cell types for %d cells", len(g.Types), len(g.Offsets))
	}
	return checkConnectivity(g.Connectivity, g.Offsets, g.points())
}

// checkConnectivity reports a cell that does not lie in the connectivity, or refers to a point that is not there.
func checkConnectivity(connectivity, offsets []int64, points int) error {
	end := int64(0)
	for i, o := range offsets {
		if o < end || o > int64(len(connectivity)) {
			return fmt.Errorf("cell %d ends at %d in the connectivity, which has %d entries, and begins at %d",
				i, o, len(connectivity), end)
		}
		end = o
	}
	if end != int64(len(connectivity)) {
		return fmt.Errorf("the cells use %d entries of the connectivity, which has %d", end, len(connectivity))
	}
	for i, p := range connectivity {
		if p < 0 || p >= int64(points) {
			cell := sort.Search(len(offsets), func(c int) bool { return offsets[c] > int64(i) })
			return fmt.Errorf("cell %d refers to point %d, but the points are 0 to %d", cell, p, points-1)
		}
	}
	return nil
}

// check reports what keeps the grid from being written.
func (g *Grid) check() error {
	if err := g.checkCells(); err != nil {
		return err
	}
	if err := g.PointData.check("point data", g.points()); err != nil {
		return err
	}
	if err := g.CellData.check("cell data", len(g.Types)); err != nil {
		return err
	}
	return g.FieldData.check("field data", -1)
}
