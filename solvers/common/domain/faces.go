package domain

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
)

// Surfaced is a solver whose state has an interface.
type Surfaced interface {
	// SurfaceField returns a field, in a space of its own, from whose numbers SurfaceOf can compute the interface. All
	// ranks call it.
	SurfaceField(ctx context.Context) (solvers.Field, error)
	// SurfaceOf computes the interface from the numbers of SurfaceField; if closed is set, with the parts of the sides of
	// the grid that the body touches, so that it encloses the body. Any goroutine may call it.
	SurfaceOf(numbers []float64, closed bool) *contour.Surface
}

// Shapes returns the output formats of an interface that is a continuous surface across blocks.
func (b *Block) Shapes(of Surfaced) []solvers.Shape {
	all := []solvers.Shape{b.interfaceOf(of, false), b.interfaceOf(of, b.Grid.Dim == 3),
		b.interfaceOf(of, b.Grid.Dim == 3)}
	all[0].Format, all[0].File, all[0].Doc = "vtp", "vtp", "the interface without gaps"
	all[1].Format, all[1].File, all[1].Doc = "stl", "stl", "the same, closed along the sides of the grid, of triangles, "+
		"in one file"
	all[2].Format, all[2].File, all[2].Doc = "obj", "obj", "the same, with each point once, in one file"
	return all
}

// interfaceOf returns the interface as a shape, in space closed along the sides of the grid or not.
func (b *Block) interfaceOf(of Surfaced, closed bool) solvers.Shape {
	shape := solvers.Shape{Field: of.SurfaceField}
	shape.FacesOf = func(numbers []float64) *solvers.Faces { return b.faces(of.SurfaceOf(numbers, closed)) }
	shape.Faces = func(ctx context.Context) (*solvers.Faces, error) {
		field, err := of.SurfaceField(ctx)
		if err != nil {
			return nil, err
		}
		numbers, err := field.Read(ctx)
		if err != nil {
			return nil, err
		}
		return shape.FacesOf(numbers), nil
	}
	return shape
}

// SidesOf says at which sides of the grid, if they are not periodic, a block lies: the lower and the upper one of each
// axis.
func SidesOf(b *grid.Block) (sides [3][2]bool) {
	for d := range b.Grid.Dim {
		if !b.Grid.Periodic[d] {
			sides[d] = [2]bool{b.Lo[d] == 0, b.Lo[d]+b.N[d] == b.Grid.N[d]}
		}
	}
	return sides
}

// faces returns the line segments (in the plane) or triangles (in space) of a surface in the block.
func (b *Block) faces(s *contour.Surface) *solvers.Faces {
	p := &solvers.Faces{PolyData: vtk.PolyData{Points: s.Points, FieldData: b.Bounds()}}
	p.PointData = vtk.Arrays{{Name: "point", Components: 1, Data: s.ID}}
	corners, n := b.Grid.Dim, len(s.Simplices)/b.Grid.Dim
	cells := vtk.Cells{Connectivity: make([]int64, corners*n), Offsets: make([]int64, n)}
	const fewCells = 1 << 15 // fewest of a thread
	parallel.Ranges(n, parallel.Parts(n, fewCells), func(_, lo, hi int) {
		for i := corners * lo; i < corners*hi; i++ {
			cells.Connectivity[i] = int64(s.Simplices[i])
		}
		for i := lo; i < hi; i++ {
			cells.Offsets[i] = int64(corners * (i + 1))
		}
	})
	if corners == 2 {
		p.Lines = cells
	} else {
		p.Polys = cells
	}
	return p
}

// Bounds returns the corners of the grid as field data "Bounds" of a surface in space; none in the plane.
func (b *Block) Bounds() vtk.Arrays {
	g := b.Grid
	if g.Dim == 2 {
		return nil
	}
	return vtk.Arrays{{Name: "Bounds", Components: 1, Data: slices.Concat(g.Lo[:], g.Hi[:])}}
}
