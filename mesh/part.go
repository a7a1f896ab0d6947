package mesh

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/sphere"
)

// Part is the part of a mesh of one rank: its own cells, and ghosts, copies of cells of other ranks around them.
// Cells are numbered core | boundary | ghost. A core cell has no ghost among its neighbours.
type Part struct {
	X, Y       []float64  // the vertices of the cells, in m, or
	Geographic bool       // in degrees of longitude and latitude
	Cells      [][3]int32 // vertices of each cell, in the same order as in the whole mesh
	Global     []int32    // id of each cell in the whole mesh
	Core       int        // cells [0, Core) are core cells
	Owned      int        // cells [Core, Owned) are boundary cells, the others ghosts
	Neighbour  [][3]int32 // of each own cell, in entry k, the cell across its edge from vertex k to k+1, or Outside(group)
	Groups     []Group

	CellData, VertexData map[string][]float64

	Notes []string // about the whole mesh, for users; on rank 0 alone
}

// Outside is the value of Part.Neighbour at an edge where the mesh ends: -2-group, and -1 for group -1, no group.
func Outside(group int32) int32 { return -2 - group }

// OutsideGroup is the inverse of Outside: the group of the edge, -1 for none.
func OutsideGroup(neighbour int32) int32 { return -2 - neighbour }

// Part returns the part of a rank with the given core, boundary and ghost cells, ids of m. nb and boundaryGroup are the
// results of Neighbours and BoundaryGroups. local and vertexLocal are work arrays with an entry for each cell and for
// each vertex of m; all entries are -1 before and after the call.
func (m *Mesh) Part(nb, boundaryGroup [][3]int32, core, boundary, ghost, local, vertexLocal []int32) *Part {
	p := &Part{
		Core: len(core), Owned: len(core) + len(boundary), Groups: m.Groups, Geographic: m.Geographic,
		Global: slices.Concat(core, boundary, ghost), Neighbour: make([][3]int32, len(core)+len(boundary)),
	}
	parallel.Ranges(len(p.Global), parallel.Parts(len(p.Global), itemsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			local[p.Global[i]] = int32(i)
		}
	})
	parallel.Ranges(p.Owned, parallel.Parts(p.Owned, itemsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			c := p.Global[i]
			for k, o := range nb[c] {
				if o >= 0 {
					p.Neighbour[i][k] = local[o]
				} else {
					p.Neighbour[i][k] = Outside(boundaryGroup[c][k])
				}
			}
		}
	})
	var vertices []int32
	p.Cells, vertices = m.renumber(p.Global, vertexLocal)
	p.X, p.Y = pick(m.X, vertices), pick(m.Y, vertices)
	p.CellData, p.VertexData = pickAll(m.CellData, p.Global), pickAll(m.VertexData, vertices)
	clearIDs(local, p.Global)
	clearIDs(vertexLocal, vertices)
	return p
}

// renumber returns the vertices of some cells in the order of their first occurrence, and the vertices of each cell by
// their numbers in this order. scratch has -1 for each vertex of the mesh, and afterwards ^number for those returned.
func (m *Mesh) renumber(cells, scratch []int32) (corners [][3]int32, vertices []int32) {
	parts := parallel.Parts(len(cells), itemsPerWorker)
	parallel.Ranges(len(cells), parts, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for k, v := range m.Cells[cells[i]] {
				lowerTo(&scratch[v], int32(3*i+k))
			}
		}
	})
	// A vertex is counted and numbered at its first corner. Its number is stored negated, to differ from any corner.
	first := func(i, k int) bool { return atomic.LoadInt32(&scratch[m.Cells[cells[i]][k]]) == int32(3*i+k) }
	starts := parallel.Offsets(len(cells), parts, func(i int) (n int) {
		for k := range 3 {
			if first(i, k) {
				n++
			}
		}
		return n
	})
	vertices = make([]int32, starts[parts])
	parallel.Ranges(len(cells), parts, func(part, lo, hi int) {
		next := starts[part]
		for i := lo; i < hi; i++ {
			for k, v := range m.Cells[cells[i]] {
				if first(i, k) {
					vertices[next] = v
					atomic.StoreInt32(&scratch[v], ^int32(next))
					next++
				}
			}
		}
	})
	corners = make([][3]int32, len(cells))
	parallel.Ranges(len(cells), parts, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for k, v := range m.Cells[cells[i]] {
				corners[i][k] = ^scratch[v]
			}
		}
	})
	return corners, vertices
}

// lowerTo atomically sets *number to the lesser of it and value, where -1 counts as the greatest number.
func lowerTo(number *int32, value int32) {
	for {
		old := atomic.LoadInt32(number)
		if old >= 0 && old <= value || atomic.CompareAndSwapInt32(number, old, value) {
			return
		}
	}
}

// clearIDs sets ids[i] to -1 for each i of indices.
func clearIDs(ids, indices []int32) {
	parallel.Ranges(len(indices), parallel.Parts(len(indices), itemsPerWorker), func(_, lo, hi int) {
		for _, i := range indices[lo:hi] {
			ids[i] = -1
		}
	})
}

// Vertices returns the corners of cell i.
func (p *Part) Vertices(i int) (x, y [3]float64) {
	for k, v := range p.Cells[i] {
		x[k], y[k] = p.X[v], p.Y[v]
	}
	return x, y
}

// Centroid returns the centre of mass of cell i, on the sphere in longitudes and latitudes.
func (p *Part) Centroid(i int) (x, y float64) {
	xs, ys := p.Vertices(i)
	return (xs[0] + xs[1] + xs[2]) / 3, (ys[0] + ys[1] + ys[2]) / 3
}

// Area returns the area of cell i, m².
func (p *Part) Area(i int) float64 {
	x, y := p.Vertices(i)
	if p.Geographic {
		return sphere.Area(x, y)
	}
	return ((x[1]-x[0])*(y[2]-y[0]) - (x[2]-x[0])*(y[1]-y[0])) / 2
}

// Perimeter returns the length of the edges of cell i, m.
func (p *Part) Perimeter(i int) (sum float64) {
	for k, a := range p.Cells[i] {
		sum += math.Hypot(p.Edge(a, p.Cells[i][(k+1)%3]))
	}
	return sum
}

// Edge returns the vector in m from a vertex to another one, to the east and north on the sphere (sphere.Edge).
func (p *Part) Edge(a, b int32) (dx, dy float64) {
	if p.Geographic {
		return sphere.Edge(p.X[a], p.Y[a], p.X[b], p.Y[b])
	}
	return p.X[b] - p.X[a], p.Y[b] - p.Y[a]
}

// Vector returns the vector in m from one position to another, on the sphere in the plane that touches it at the
// centroid of cell i.
func (p *Part) Vector(i int, x0, y0, x1, y1 float64) (dx, dy float64) {
	if p.Geographic {
		_, latitude := p.Centroid(i)
		return sphere.Vector(latitude, x0, y0, x1, y1)
	}
	return x1 - x0, y1 - y0
}

// Distance returns the distance between two positions, m.
func (p *Part) Distance(x0, y0, x1, y1 float64) float64 {
	return Distance(p.Geographic, x0, y0, x1, y1)
}

// Distance returns the distance in m between two positions, which may be geographic: longitudes and latitudes.
func Distance(geographic bool, x0, y0, x1, y1 float64) float64 {
	if geographic {
		return sphere.Distance(x0, y0, x1, y1)
	}
	return math.Hypot(x1-x0, y1-y0)
}

// Sample returns a scalar field of the mesh at every cell of the part: a cell field unchanged, a vertex field as the
// mean over the vertices of the cell.
func (p *Part) Sample(name string) ([]float64, error) {
	if f, ok := p.CellData[name]; ok {
		return f, nil
	}
	f, ok := p.VertexData[name]
	if !ok {
		return nil, fmt.Errorf("the mesh has no field %q", name)
	}
	out := make([]float64, len(p.Cells))
	for i, c := range p.Cells {
		out[i] = (f[c[0]] + f[c[1]] + f[c[2]]) / 3
	}
	return out, nil
}

// pick returns values[id] for each id.
func pick(values []float64, ids []int32) []float64 {
	out := make([]float64, len(ids))
	parallel.Ranges(len(ids), parallel.Parts(len(ids), itemsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			out[i] = values[ids[i]]
		}
	})
	return out
}

func pickAll(fields map[string][]float64, ids []int32) map[string][]float64 {
	if len(fields) == 0 {
		return nil
	}
	out := make(map[string][]float64, len(fields))
	for name, f := range fields {
		out[name] = pick(f, ids)
	}
	return out
}
