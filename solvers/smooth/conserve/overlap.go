// Package conserve carries fields of cells from one mesh of triangles or tetrahedra to another of nearly the same
// domain, so that their integrals over each material are kept to rounding. A new cell gets, from each old cell of its
// material that it overlaps, the integral of a linear function over the exact intersection of both. Results depend on
// the meshes alone: sums are in the order of cells.
//
// Curved boundaries and interfaces change a little with the mesh. Where a new cell is not covered by old ones of its
// material its value is the mean over what is. What a material has lost or won by that is then shared out among its
// cells in proportion to the magnitude of what they have.
package conserve

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/vector"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// Cells are the cells of a mesh.
type Cells struct {
	*metric.Mesh
	Material []int32 // of each cell; nil if all have the same
}

// Len returns the number of cells.
func (c Cells) Len() int { return len(c.Cells) / (c.Dim + 1) }

func (c Cells) material(cell int32) int32 {
	if c.Material == nil {
		return 0
	}
	return c.Material[cell]
}

// centre returns the mean of the vertices of a cell.
func (c Cells) centre(cell int32) (p [3]float64) {
	return request.Nodes{Mesh: c.Mesh}.Centre(int(cell))
}

// Integral returns that of a field over the cells in which it is not NaN.
func (c Cells) Integral(values []float64) (sum float64) {
	for i, v := range values {
		if !math.IsNaN(v) {
			sum += v * c.Volume(i)
		}
	}
	return sum
}

// piece is the intersection of a new cell with an old one.
type piece struct {
	old    int32
	volume float64
	at     [3]float64 // its centroid, relative to the centre of the old cell
}

// Overlap has the pieces of all new cells.
type Overlap struct {
	from, to Cells
	pieces   [][]piece // of each new cell, by ascending old cell
	nearest  []int32   // an old cell near each new one that has no pieces
	start    []int32   // cells[start[v]:start[v+1]] are the old cells around vertex v
	around   []int32
}

// cellsPerWorker is the number of cells for which a goroutine is worth its cost.
const cellsPerWorker = 500

// each calls f for the indices below n on several goroutines.
func each(n int, f func(lo, hi int)) {
	parallel.Ranges(n, parallel.Parts(n, cellsPerWorker), func(_, lo, hi int) { f(lo, hi) })
}

// Intersect returns the overlap of two meshes.
func Intersect(from, to Cells) *Overlap {
	o := &Overlap{from: from, to: to, pieces: make([][]piece, to.Len()), nearest: make([]int32, to.Len())}
	find := request.NewFinder(from.Mesh)
	each(to.Len(), func(lo, hi int) {
		c := clipper{dim: from.Dim}
		var near []int32
		for i := int32(lo); i < int32(hi); i++ {
			origin := to.centre(i)
			a := corners(to.Mesh, i, &origin)
			near = find.Near(to.Mesh, i, near[:0])
			for _, old := range near {
				if from.material(old) != to.material(i) {
					continue
				}
				b := corners(from.Mesh, old, &origin)
				if v, at := c.intersect(&a, &b); v > 0 {
					middle := from.centre(old)
					o.pieces[i] = append(o.pieces[i], piece{old, v, vector.Minus(at, vector.Minus(middle, origin))})
				}
			}
			if len(o.pieces[i]) == 0 {
				o.nearest[i], _ = find.Find(origin)
			}
		}
	})
	o.start = make([]int32, from.Vertices()+1)
	for _, v := range from.Cells {
		o.start[v+1]++
	}
	for v := range from.Vertices() {
		o.start[v+1] += o.start[v]
	}
	o.around = make([]int32, len(from.Cells))
	next := slices.Clone(o.start)
	for i, v := range from.Cells {
		o.around[next[v]] = int32(i / (from.Dim + 1))
		next[v]++
	}
	return o
}

// Field returns a field in the new cells. NaN is no value: a new cell has none if old cells without one have more of
// it than others.
func (o *Overlap) Field(values []float64) []float64 {
	slopes := o.slopes(values)
	out := make([]float64, o.to.Len())
	each(len(out), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			sum, known, unknown := 0.0, 0.0, 0.0
			for _, p := range o.pieces[i] {
				if v := values[p.old]; math.IsNaN(v) {
					unknown += p.volume
				} else {
					sum += (v + vector.Dot(slopes[p.old], p.at)) * p.volume
					known += p.volume
				}
			}
			switch {
			case unknown > known:
				out[i] = math.NaN()
			case known == 0:
				out[i] = values[o.nearest[i]]
			default:
				out[i] = sum / known
			}
		}
	})
	o.balance(values, out)
	return out
}

// balance shares out what each material has lost by carrying a field.
func (o *Overlap) balance(before, after []float64) {
	type account struct{ lost, magnitude, volume float64 }
	of := map[int32]*account{}
	add := func(c Cells, values []float64, sign float64) {
		for i, v := range values {
			if math.IsNaN(v) {
				continue
			}
			a := of[c.material(int32(i))]
			if a == nil {
				a = &account{}
				of[c.material(int32(i))] = a
			}
			volume := c.Volume(i)
			if a.lost += sign * v * volume; sign < 0 {
				a.magnitude, a.volume = a.magnitude+math.Abs(v)*volume, a.volume+volume
			}
		}
	}
	add(o.from, before, 1)
	add(o.to, after, -1)
	for i, v := range after {
		if a := of[o.to.material(int32(i))]; a == nil || math.IsNaN(v) {
			continue
		} else if a.magnitude > 0 {
			after[i] += a.lost * math.Abs(v) / a.magnitude
		} else {
			after[i] += a.lost / a.volume
		}
	}
}

// Back returns the means of a field of the new cells in the old ones, NaN where these have no piece with a value.
func (o *Overlap) Back(values []float64) []float64 {
	sums, volumes := make([]float64, o.from.Len()), make([]float64, o.from.Len())
	for i, v := range values {
		for _, p := range o.pieces[i] {
			if !math.IsNaN(v) {
				sums[p.old] += v * p.volume
				volumes[p.old] += p.volume
			}
		}
	}
	for i := range sums {
		sums[i] /= volumes[i]
	}
	return sums
}
