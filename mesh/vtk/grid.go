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

	pieces int // number of nonempty pieces of the file from which the grid was read; 0 if it has one
}

// Triangles returns a grid of triangles in the plane z = 0.
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

// checkCells refuses offsets outside Connectivity, and ids of points out of range.
func (g *Grid) checkCells() error {
	if len(g.Points)%3 != 0 {
		return fmt.Errorf("the points have %d coordinates, not a multiple of 3", len(g.Points))
	}
	if len(g.Types) != len(g.Offsets) {
		return fmt.Errorf("there are %d cell types for %d cells", len(g.Types), len(g.Offsets))
	}
	return checkConnectivity(g.Connectivity, g.Offsets, g.points())
}

// checkConnectivity refuses offsets outside the connectivity, and ids of points out of range.
func checkConnectivity(connectivity, offsets []int64, points int) error {
	end := int64(0)
	for i, o := range offsets {
		if o < end || o > int64(len(connectivity)) {
			return fmt.Errorf("cell %d ends at entry %d of the connectivity; want %d to %d", i, o, end, len(connectivity))
		}
		end = o
	}
	if end != int64(len(connectivity)) {
		return fmt.Errorf("the cells use %d of the %d entries of the connectivity", end, len(connectivity))
	}
	for i, p := range connectivity {
		if p < 0 || p >= int64(points) {
			cell := sort.Search(len(offsets), func(c int) bool { return offsets[c] > int64(i) })
			return fmt.Errorf("cell %d refers to point %d; the file has points 0 to %d", cell, p, points-1)
		}
	}
	return nil
}

// check refuses a grid that cannot be written.
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
