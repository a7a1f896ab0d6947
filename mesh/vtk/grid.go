package vtk

import (
	"context"
	"fmt"
	"sort"

	"github.com/atoll-hpc/atoll/internal/parallel"
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

	ConstantPoints, ConstantCells bool // as Array.Constant, for the points, and for all that describes the cells

	// FieldData holds arrays of any length. The array "TimeValue" of one value is the time of the data, by a
	// convention of ParaView.
	FieldData Arrays

	pieces int // number of nonempty pieces of the file from which the grid was read; 0 if it has one

	checkedPoints int // number of points for which CheckCells found the cells good; 0 before
}

// Triangles returns a grid of triangles in the plane z = 0.
func Triangles(x, y []float64, cells [][3]int32) *Grid {
	return Simplices(len(cells), func(i int) []int32 { return cells[i][:] }, x, y)
}

// Tetrahedra returns a grid of tetrahedra.
func Tetrahedra(x, y, z []float64, cells [][4]int32) *Grid {
	return Simplices(len(cells), func(i int) []int32 { return cells[i][:] }, x, y, z)
}

// minItems is the least number of points or cells that are worth a goroutine.
const minItems = 1 << 14

// Simplices returns a grid of n cells: triangles for two coordinates, tetrahedra for three. pointsOf returns the points
// of a cell.
func Simplices(n int, pointsOf func(cell int) []int32, coordinates ...[]float64) *Grid {
	points, corners := len(coordinates[0]), len(coordinates)+1
	cellType := uint8(typeTriangle)
	if corners == 4 {
		cellType = typeTetrahedron
	}
	g := &Grid{
		Points:       make([]float64, 3*points),
		Connectivity: make([]int64, corners*n),
		Offsets:      make([]int64, n),
		Types:        make([]uint8, n),
	}
	parallel.Ranges(points, parallel.Parts(points, minItems), func(_, lo, hi int) {
		for axis, x := range coordinates {
			for i := lo; i < hi; i++ {
				g.Points[3*i+axis] = x[i]
			}
		}
	})
	parallel.Ranges(n, parallel.Parts(n, minItems), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for k, v := range pointsOf(i) {
				g.Connectivity[corners*i+k] = int64(v)
			}
			g.Offsets[i] = int64(corners * (i + 1))
			g.Types[i] = cellType
		}
	})
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

// CheckCells refuses offsets outside Connectivity, and ids that are not below a number of points. Files of the grid, or
// of a copy with the same cells, are then written without another check if it has so many points.
func (g *Grid) CheckCells(points int) error {
	g.checkedPoints = 0
	err := g.checkCellsOf(points)
	if err == nil {
		g.checkedPoints = points
	}
	return err
}

func (g *Grid) checkCellsOf(points int) error {
	if len(g.Types) != len(g.Offsets) {
		return fmt.Errorf("there are %d cell types for %d cells", len(g.Types), len(g.Offsets))
	}
	return checkConnectivity(g.Connectivity, g.Offsets, points)
}

// checkCells checks the points, and the cells unless CheckCells has done so.
func (g *Grid) checkCells() error {
	if len(g.Points)%3 != 0 {
		return fmt.Errorf("the points have %d coordinates, not a multiple of 3", len(g.Points))
	}
	if n := g.points(); n == 0 || n != g.checkedPoints {
		return g.checkCellsOf(n)
	}
	return nil
}

// checkConnectivity refuses offsets outside the connectivity, and ids of points out of range.
func checkConnectivity(connectivity, offsets []int64, points int) error {
	entries := int64(len(connectivity))
	if err := firstError(len(offsets), func(lo, hi int) error {
		begin := int64(0)
		if lo > 0 {
			begin = offsets[lo-1]
		}
		for i, end := range offsets[lo:hi] {
			if end < begin || end > entries {
				return fmt.Errorf("cell %d ends at entry %d of the connectivity; want %d to %d", lo+i, end, begin, entries)
			}
			begin = end
		}
		return nil
	}); err != nil {
		return err
	}
	used := int64(0)
	if n := len(offsets); n > 0 {
		used = offsets[n-1]
	}
	if used != entries {
		return fmt.Errorf("the cells use %d of the %d entries of the connectivity", used, entries)
	}
	return firstError(len(connectivity), func(lo, hi int) error {
		for i, p := range connectivity[lo:hi] {
			if p >= 0 && p < int64(points) {
				continue
			}
			cell := sort.Search(len(offsets), func(c int) bool { return offsets[c] > int64(lo+i) })
			return fmt.Errorf("cell %d refers to point %d; the file has points 0 to %d", cell, p, points-1)
		}
		return nil
	})
}

// firstError checks ranges of n items on all processors, and returns the error of the first range, by number, that has
// one.
func firstError(n int, check func(lo, hi int) error) error {
	return parallel.Each(context.Background(), "checking cells", n, minItems, check)
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
