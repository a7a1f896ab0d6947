package request

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// Finder finds the cells of positions in a mesh. The result depends on the position and the mesh alone: of several
// cells that contain a position the first, and for a position outside of the mesh the cell of which it is outside the
// least, among those nearby.
type Finder struct {
	locator
	n      [3]int // boxes along each axis
	low    [3]float64
	per    [3]float64 // boxes per length
	start  []int32    // cells[start[b]:start[b+1]] overlap box b
	inside []int32
}

// NewFinder returns the finder of a mesh.
func NewFinder(m *metric.Mesh) *Finder {
	f := &Finder{locator: locator{Mesh: m}, n: [3]int{1, 1, 1}}
	cells := len(m.Cells) / (m.Dim + 1)
	var side [3]float64
	volume := 1.0
	for k := range m.Dim {
		f.low[k] = slices.Min(m.X[k])
		side[k] = max(slices.Max(m.X[k])-f.low[k], math.SmallestNonzeroFloat64)
		volume *= side[k]
	}
	box := math.Sqrt(volume / float64(cells)) // of about a cell
	if m.Dim == 3 {
		box = math.Cbrt(volume / float64(cells))
	}
	for k := range m.Dim {
		f.n[k] = min(max(1, int(side[k]/box)), 1+cells)
		f.per[k] = float64(f.n[k]) / side[k]
	}
	f.start = make([]int32, f.n[0]*f.n[1]*f.n[2]+1)
	f.eachOverlap(func(b int, _ int32) { f.start[b+1]++ })
	for b := range f.start[1:] {
		f.start[b+1] += f.start[b]
	}
	f.inside = make([]int32, f.start[len(f.start)-1])
	next := slices.Clone(f.start)
	f.eachOverlap(func(b int, c int32) {
		f.inside[next[b]] = c
		next[b]++
	})
	return f
}

// boxAlong returns the number along an axis of the box of a coordinate.
func (f *Finder) boxAlong(k int, x float64) int {
	return min(f.n[k]-1, max(0, int((x-f.low[k])*f.per[k])))
}

// eachOverlap calls found with the boxes that the box around each cell overlaps.
func (f *Finder) eachOverlap(found func(box int, c int32)) {
	for c := range int32(len(f.Cells) / (f.Dim + 1)) {
		f.eachBox(f.Mesh, c, func(box int) { found(box, c) })
	}
}

// eachBox calls found with the boxes that the box around a cell of a mesh overlaps.
func (f *Finder) eachBox(m *metric.Mesh, cell int32, found func(box int)) {
	var from, to [3]int
	for k := range f.Dim {
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range (&locator{Mesh: m}).cell(cell) {
			low, high = min(low, m.X[k][v]), max(high, m.X[k][v])
		}
		from[k], to[k] = f.boxAlong(k, low), f.boxAlong(k, high)
	}
	for i := from[2]; i <= to[2]; i++ {
		for j := from[1]; j <= to[1]; j++ {
			for k := from[0]; k <= to[0]; k++ {
				found((i*f.n[1]+j)*f.n[0] + k)
			}
		}
	}
}

// Near appends to found, in ascending order, the cells that may overlap a cell of another mesh.
func (f *Finder) Near(m *metric.Mesh, cell int32, found []int32) []int32 {
	begin := len(found)
	f.eachBox(m, cell, func(box int) { found = append(found, f.inside[f.start[box]:f.start[box+1]]...) })
	slices.Sort(found[begin:])
	return slices.Compact(found)
}

// Find returns the cell of a position, and the barycentric coordinates there; outside of the mesh those of a position
// nearby.
func (f *Finder) Find(p [3]float64) (cell int32, share [4]float64) {
	var at [3]int
	for k := range f.Dim {
		at[k] = f.boxAlong(k, p[k])
	}
	best := math.Inf(-1)
	for ring := 0; ; ring++ { // boxes around, farther and farther, until some have cells
		f.eachInRing(at, ring, func(c int32) {
			s := f.shares(c, p)
			if least := slices.Min(s[:f.Dim+1]); least > best {
				best, cell, share = least, c, s
			}
		})
		if !math.IsInf(best, -1) {
			break
		}
	}
	f.clamp(&share)
	return cell, share
}

// eachInRing calls visit with the cells of the boxes at a distance from a box.
func (f *Finder) eachInRing(at [3]int, ring int, visit func(c int32)) {
	reach := [3]int{ring, ring, ring}
	if f.Dim == 2 {
		reach[2] = 0
	}
	for i := max(0, at[2]-reach[2]); i <= min(f.n[2]-1, at[2]+reach[2]); i++ {
		for j := max(0, at[1]-ring); j <= min(f.n[1]-1, at[1]+ring); j++ {
			for k := max(0, at[0]-ring); k <= min(f.n[0]-1, at[0]+ring); k++ {
				b := (i*f.n[1]+j)*f.n[0] + k
				for _, c := range f.inside[f.start[b]:f.start[b+1]] {
					visit(c)
				}
			}
		}
	}
}

// Interpolated returns fields given at the vertices of the finder's mesh at other positions: those of the vertices with
// a value, where these have at least half of the weight, otherwise NaN.
func (f *Finder) Interpolated(fields map[string][]float64, names []string, to *metric.Mesh) map[string][]float64 {
	out := map[string][]float64{}
	for _, name := range names {
		out[name] = make([]float64, to.Vertices())
	}
	n := to.Vertices()
	parallel.Ranges(n, parallel.Parts(n, 1000), func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			var p [3]float64
			for k := range to.Dim {
				p[k] = to.X[k][v]
			}
			c, share := f.Find(p)
			for _, name := range names {
				x, known := f.mean(fields[name], c, share)
				if known < .5 {
					x = math.NaN()
				}
				out[name][v] = x
			}
		}
	})
	return out
}
