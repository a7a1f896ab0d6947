package request

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vector"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// Vertex fields belong to positions, and not to vertices: after smoothing their values are those of the linear
// interpolant of the initial mesh at the new positions. Fields of different whole numbers are ids, and stay. NaN is no
// value: a vertex without one gets none, and beside such vertices those with a value are interpolated alone, so that
// each vertex with a value keeps one.

// Moved is what became of vertex fields.
type Moved struct {
	Interpolated, IDs []string
	Missing           map[string]int // number of vertices without a value, of interpolated fields that have values
}

// MovedFields returns vertex fields at new positions.
func MovedFields(fields map[string][]float64, from *metric.Mesh, to [][]float64, across func(c, k int) int32) (
	map[string][]float64, Moved) {
	moved := map[string][]float64{}
	of := Moved{Missing: map[string]int{}}
	for _, name := range mesh.FieldNames(fields) {
		values := fields[name]
		switch moved[name] = values; {
		case name == mesh.Heights:
		case AreIDs(values):
			of.IDs = append(of.IDs, name)
		default:
			moved[name] = slices.Clone(values)
			of.Interpolated = append(of.Interpolated, name)
			if n := missing(values); n > 0 && n < len(values) {
				of.Missing[name] = n
			}
		}
	}
	names := of.Interpolated
	if len(names) == 0 {
		return fields, of
	}
	l := &locator{Mesh: from, across: across, cellOf: mesh.NoIDs(from.Vertices())}
	for c := range len(from.Cells) / (from.Dim + 1) {
		for _, v := range l.cell(int32(c)) {
			l.cellOf[v] = int32(c)
		}
	}
	for v := range from.Vertices() {
		var p [3]float64
		still := true
		for k := range from.Dim {
			p[k] = to[k][v]
			still = still && p[k] == from.X[k][v]
		}
		if still || l.cellOf[v] < 0 {
			continue
		}
		c, share := l.find(p, l.cellOf[v])
		for _, name := range names {
			x, known := l.mean(fields[name], c, share)
			if known > 0 && !math.IsNaN(fields[name][v]) {
				moved[name][v] = x
			}
		}
	}
	return moved, of
}

// missing returns the number of NaN.
func missing(values []float64) (n int) {
	for _, x := range values {
		if math.IsNaN(x) {
			n++
		}
	}
	return n
}

// AreIDs reports whether values are whole numbers, each of which occurs once.
func AreIDs(values []float64) bool {
	sorted := slices.Sorted(slices.Values(values))
	for i, x := range sorted {
		if x != math.Trunc(x) || i > 0 && x == sorted[i-1] {
			return false
		}
	}
	return true
}

// locator finds the cells of positions by walking through a mesh.
type locator struct {
	*metric.Mesh
	across func(c, k int) int32 // the cell across the side opposite to vertex k of cell c, -1 for none
	cellOf []int32              // a cell of each vertex
}

func (l *locator) cell(c int32) []int32 {
	corners := int32(l.Dim + 1)
	return l.Cells[c*corners : (c+1)*corners]
}

// mean returns the mean of the values at a cell's vertices, with the weights share, of those that have a value, and
// their share.
func (l *locator) mean(values []float64, c int32, share [4]float64) (x, known float64) {
	all := true
	for k, u := range l.cell(c) {
		switch {
		case !(share[k] > 0): // not 0 times a value that may be infinite
		case math.IsNaN(values[u]):
			all = false
		default:
			x += share[k] * values[u]
			known += share[k]
		}
	}
	if all {
		return x, 1
	}
	return x / known, known
}

// find walks from a cell toward the one that contains p, and returns its barycentric coordinates there. At the boundary
// the walk ends in the last cell, with the coordinates of a position nearby.
func (l *locator) find(p [3]float64, c int32) (int32, [4]float64) {
	var share [4]float64
	for range len(l.Cells) { // a bound for walks in circles
		share = l.shares(c, p)
		least := 0
		for k := range l.Dim + 1 {
			if share[k] < share[least] {
				least = k
			}
		}
		if share[least] >= 0 {
			return c, share
		}
		next := int32(-1)
		for k := range l.Dim + 1 { // the lowest coordinate first, then others: a boundary may be in the way
			if other := l.across(int(c), (least+k)%(l.Dim+1)); share[(least+k)%(l.Dim+1)] < 0 && other >= 0 {
				next = other
				break
			}
		}
		if next < 0 {
			break
		}
		c = next
	}
	l.clamp(&share)
	return c, share
}

// clamp makes barycentric coordinates those of a position in the cell.
func (l *locator) clamp(share *[4]float64) {
	sum := 0.0
	for k := range share {
		share[k] = max(0, share[k])
		sum += share[k]
	}
	for k := range share {
		share[k] /= sum
	}
}

// shares returns the barycentric coordinates of a position in a cell.
func (l *locator) shares(c int32, p [3]float64) (share [4]float64) {
	v := l.cell(c)
	at := func(u int32) (q [3]float64) {
		for k := range l.Dim {
			q[k] = l.X[k][u]
		}
		return q
	}
	volume := func(corner int) float64 { // of the cell with one corner moved to p, corner -1 for none
		var q [4][3]float64
		for k, u := range v {
			if q[k] = at(u); k == corner {
				q[k] = p
			}
		}
		a, b := vector.Minus(q[1], q[0]), vector.Minus(q[2], q[0])
		if l.Dim == 2 {
			return a[0]*b[1] - b[0]*a[1]
		}
		d := vector.Minus(q[3], q[0])
		return a[0]*(b[1]*d[2]-b[2]*d[1]) + a[1]*(b[2]*d[0]-b[0]*d[2]) + a[2]*(b[0]*d[1]-b[1]*d[0])
	}
	whole := volume(-1)
	for k := range v {
		share[k] = volume(k) / whole
	}
	return share
}
