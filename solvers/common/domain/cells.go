package domain

import (
	"context"
	"sync"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// Cells returns the space of the owned cells of a part.
func Cells(part *mesh.Part) *solvers.Space {
	grid := sync.OnceValue(func() *vtk.Grid { return ownedGrid(part) })
	return &solvers.Space{
		Name: "cell", Owned: part.Owned, Held: len(part.Cells), Key: func(i int) int64 { return int64(part.Global[i]) },
		Position: func(i int) []float64 {
			x, y := part.Centroid(i)
			return []float64{x, y}
		},
		Size:   part.Area,
		Locate: func(at []float64) int { return containing(part, at[0], at[1]) },
		Format: "vtu",
		Geometry: func(context.Context) (solvers.Geometry, error) {
			return solvers.Geometry{Mesh: grid()}, nil
		},
	}
}

// ownedGrid makes a VTK grid of the owned cells of a part.
func ownedGrid(part *mesh.Part) *vtk.Grid {
	// Vertices are numbered in the order in which cells use them, so those of owned cells come first.
	used := int32(0)
	for _, c := range part.Cells[:part.Owned] {
		used = max(used, c[0]+1, c[1]+1, c[2]+1)
	}
	return vtk.Triangles(part.X[:used], part.Y[:used], part.Cells[:part.Owned])
}

// containing returns the owned cell with the lowest global id that contains a point, edges included; -1 for none.
func containing(part *mesh.Part, px, py float64) int {
	best := -1
	for i := range part.Owned {
		x, y := part.Vertices(i)
		inside := true
		for k := range 3 {
			n := (k + 1) % 3
			inside = inside && (x[n]-x[k])*(py-y[k])-(y[n]-y[k])*(px-x[k]) >= 0
		}
		if inside && (best < 0 || part.Global[i] < part.Global[best]) {
			best = i
		}
	}
	return best
}
