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
		Locate: func(points [][]float64) []int { return locateAround(part, points) },
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
