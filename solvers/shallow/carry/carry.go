// Package carry carries the water of shallow layers from one mesh to another whose bed is sampled anew. Volumes and
// momentum are kept, and a lake at rest stays at rest.
//
// Both are at odds where the bed changes. So there are two kinds of cells. Where the level of the water varies less
// than what it stands on, the new cell gets the mean level of the water that it covers, and what all connected cells of
// that kind then have too much or too little raises or lowers all their levels by the same amount: a lake at rest stays
// level. Elsewhere, as in thin flow on a slope, a new cell gets the mean thickness of what it covers.
package carry

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/transfer"
	"github.com/atoll-hpc/atoll/solvers/shallow/levels"
)

// Water is one layer of water in all cells.
type Water struct{ H, Qx, Qy []float64 }

// Meshes are the two meshes, and what is the same for all layers.
type Meshes struct {
	From, To       *mesh.Mesh
	FromNb, ToNb   [][3]int32 // neighbours of the cells
	Overlap        *transfer.Overlap
	Dry            float64 // a thinner layer counts as absent, m
	Spacing        float64 // of levels, m
	MostShift      float64 // the largest change of levels that Layer has made to keep volumes, m
	LimitedMomenta int     // cells whose momentum was lowered, since they would be faster than all that they cover
}

// Layer carries a layer. Floors are the heights that it stands on, of the old cells and of the new ones. level tells
// which new cells got a mean level.
func (m *Meshes) Layer(old *Water, oldFloor, floor []float64) (carried Water, level []bool) {
	wet := func(i int32) bool { return old.H[i] > m.Dry }
	z := make([]float64, len(old.H))
	for i, h := range old.H {
		z[i] = oldFloor[i] + h
	}
	zSlopes := transfer.Slopes(m.From, m.FromNb, z, wet)
	h := m.means(old.H)
	carried = Water{H: make([]float64, len(h)), Qx: m.means(old.Qx), Qy: m.means(old.Qy)}
	level = make([]bool, len(h))
	for i := range h {
		h[i] = max(h[i], 0)
		carried.H[i] = h[i]
		if mean, ok := m.meanLevel(i, old, z, zSlopes, oldFloor, floor[i]); ok {
			level[i], carried.H[i] = true, max(0, levels.Round(mean, m.Spacing)-floor[i])
		}
	}
	m.balance(h, carried.H, level)
	for i := range h {
		m.limit(i, old, &carried)
	}
	return carried, level
}

// means returns the means of a field in the new cells.
func (m *Meshes) means(values []float64) []float64 {
	slopes := transfer.Slopes(m.From, m.FromNb, values, nil)
	return m.Overlap.Means(m.From, m.To, values, slopes)
}

// steep is the share of the range of floors below which the range of levels is that of water that stands or flows over
// them, and not down them.
const steep = 0.5

// meanLevel returns the mean level of the water that a new cell covers. ok is false for a cell that does not get it:
// where there is no water, where its level varies as much as the floor, and at a front on a floor below the level.
func (m *Meshes) meanLevel(cell int, old *Water, z []float64, slopes [][2]float64, oldFloor []float64,
	floor float64) (mean float64, ok bool) {
	low, high := math.Inf(1), math.Inf(-1)
	floorLow, floorHigh := floor, floor
	dryLow := math.Inf(1)
	sum, area := 0.0, 0.0
	for _, p := range m.Overlap.Of(cell) {
		floorLow, floorHigh = min(floorLow, oldFloor[p.Old]), max(floorHigh, oldFloor[p.Old])
		if !(old.H[p.Old] > m.Dry) {
			dryLow = min(dryLow, oldFloor[p.Old])
			continue
		}
		low, high = min(low, z[p.Old]), max(high, z[p.Old])
		sum, area = sum+m.Overlap.At(&p, z, slopes)*p.Area, area+p.Area
	}
	if area == 0 {
		return 0, false
	}
	if mean = sum / area; low == high {
		mean = low
	}
	// Levels and floors are those of the same places: the old cells, and the new one.
	low, high = min(low, mean), max(high, mean)
	return mean, high-low <= steep*(floorHigh-floorLow) && high <= dryLow
}

// balance changes the levels of connected cells that have a mean level, of each set by the same amount, such that they
// have the volume that they cover. Cells of a set without water get their mean thickness.
func (m *Meshes) balance(mean, h []float64, level []bool) {
	seen := make([]bool, len(h))
	var set []int32
	for first := range h {
		if !level[first] || seen[first] {
			continue
		}
		set = append(set[:0], int32(first))
		seen[first] = true
		for k := 0; k < len(set); k++ {
			for _, n := range m.ToNb[set[k]] {
				if n >= 0 && level[n] && !seen[n] {
					seen[n] = true
					set = append(set, n)
				}
			}
		}
		m.balanceSet(set, mean, h, level)
	}
}

// balanceSet is balance for one set. Water that falls short in shallow cells is taken from the others.
func (m *Meshes) balanceSet(set []int32, mean, h []float64, level []bool) {
	shift := 0.0
	for range mostShifts {
		missing, area := 0.0, 0.0
		for _, i := range set {
			a := m.To.Area(int(i))
			if missing += (mean[i] - h[i]) * a; h[i] > 0 {
				area += a
			}
		}
		if area == 0 {
			for _, i := range set {
				h[i], level[i] = mean[i], false
			}
			return
		}
		by := levels.Round(missing/area, m.Spacing)
		if by == 0 {
			break
		}
		shift += by
		for _, i := range set {
			if h[i] > 0 {
				h[i] = max(0, h[i]+by)
			}
		}
	}
	m.MostShift = max(m.MostShift, math.Abs(shift))
}

// mostShifts is how often the levels of a set are changed: again only if cells become dry.
const mostShifts = 20

// limit keeps a cell with a mean level, which may be thinner than what it covers, from being faster than all of it.
func (m *Meshes) limit(cell int, old, carried *Water) {
	h, x, y := carried.H[cell], carried.Qx[cell], carried.Qy[cell]
	square := x*x + y*y
	if square == 0 {
		return
	}
	fastest := 0.0
	for _, p := range m.Overlap.Of(cell) {
		if k := p.Old; old.H[k] > m.Dry {
			fastest = max(fastest, (old.Qx[k]*old.Qx[k]+old.Qy[k]*old.Qy[k])/(old.H[k]*old.H[k]))
		}
	}
	if square <= above*above*fastest*h*h {
		return
	}
	factor := above * h * math.Sqrt(fastest/square)
	carried.Qx[cell], carried.Qy[cell] = factor*x, factor*y
	m.LimitedMomenta++
}

// above is how much faster than all that it covers a cell may be: mass flows and thicknesses vary in old cells.
const above = 1.5
