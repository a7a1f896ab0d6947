package piece

import (
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// Keys returns the array of the keys of a space's entities.
func Keys(space *solvers.Space) vtk.Array {
	const grain = 20_000 // fewest entities per thread
	id := make([]int64, space.Owned)
	parallel.Ranges(len(id), parallel.Parts(len(id), grain), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			id[i] = space.Key(i)
		}
	})
	return vtk.Array{Name: space.Name, Components: 1, Data: id}
}

// FieldArray returns the values of a field at some entities as a VTK array; nil entities means all. Vectors in the
// plane get a third component, 0, which VTK requires.
func FieldArray(f *solvers.Field, values []float64, entities []int) vtk.Array {
	n := len(f.Numbers())
	width := n
	if n == 2 {
		width = 3
	}
	a := vtk.Array{Name: f.Name, Components: width, Unit: f.Unit}
	if entities == nil && width == n {
		a.Data = values
		return a
	}
	if entities == nil {
		entities = make([]int, f.Space.Owned)
		for i := range entities {
			entities[i] = i
		}
	}
	data := make([]float64, width*len(entities))
	for k, i := range entities {
		copy(data[k*width:], values[i*n:(i+1)*n])
	}
	a.Data = data
	return a
}

// SetPoints sets points, of three coordinates each, to the first points of a mesh in the plane or in space.
func SetPoints(points, coordinates []float64, dim int) {
	const grain = 1 << 14 // fewest points per thread
	n := len(points) / 3
	parallel.Ranges(n, parallel.Parts(n, grain), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			at := [3]float64{}
			copy(at[:], coordinates[dim*i:dim*(i+1)])
			copy(points[3*i:], at[:])
		}
	})
}
