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
	surface := make([]float64, len(h))
	for i := range h {
		h[i] = max(h[i], 0)
		carried.H[i] = h[i]
		if mean, ok := m.meanLevel(i, old, z, zSlopes, oldFloor, floor[i]); ok {
			level[i], surface[i] = true, levels.Round(mean, m.Spacing)
		}
	}
	b := balance{m, h, carried.H, floor, surface, level}
	b.all()
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
// have the volume that they cover. Ground beside them that is then below the level is flooded. Cells of a set without
// water get their mean thickness.
type balance struct {
	*Meshes
	mean, h, floor, surface []float64
	level                   []bool // whether a cell has a level, that of surface
}

func (b *balance) all() {
	seen := make([]bool, len(b.h))
	var set []int32
	for first := range b.h {
		if !b.level[first] || seen[first] {
			continue
		}
		set = append(set[:0], int32(first))
		seen[first] = true
		for k := 0; k < len(set); k++ {
			for _, n := range b.ToNb[set[k]] {
				if n >= 0 && b.level[n] && !seen[n] {
					seen[n] = true
					set = append(set, n)
				}
			}
		}
		set = b.one(set)
		for _, i := range set {
			seen[i] = true
		}
	}
}

// mostShifts is how often the levels of a set are changed: again only if cells become dry or wet.
const mostShifts = 20

// one balances a set, and returns it with the ground that it has flooded.
func (b *balance) one(set []int32) []int32 {
	shift := 0.0
	for range mostShifts {
		missing, area := 0.0, 0.0
		for _, i := range set {
			a := b.To.Area(int(i))
			if b.h[i] = max(0, b.surface[i]+shift-b.floor[i]); b.h[i] > 0 {
				area += a
			}
			missing += (b.mean[i] - b.h[i]) * a
		}
		if area == 0 {
			for _, i := range set {
				b.h[i], b.level[i] = b.mean[i], false
			}
			return set
		}
		by, before := levels.Round(missing/area, b.Spacing), len(set)
		if set = b.flood(set, shift); by == 0 && len(set) == before {
			break
		}
		shift += by
	}
	for _, i := range set {
		b.h[i] = max(0, b.surface[i]+shift-b.floor[i])
	}
	b.MostShift = max(b.MostShift, math.Abs(shift))
	return set
}

// flood adds cells without water to a set that are below the level of a neighbour in it.
func (b *balance) flood(set []int32, shift float64) []int32 {
	for k := 0; k < len(set); k++ {
		i := set[k]
		if b.h[i] == 0 {
			continue
		}
		for _, n := range b.ToNb[i] {
			if n >= 0 && !b.level[n] && b.mean[n] == 0 && b.floor[n] < b.surface[i]+shift {
				b.level[n], b.surface[n] = true, b.surface[i]
				b.h[n] = b.surface[i] + shift - b.floor[n]
				set = append(set, n)
			}
		}
	}
	return set
}

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
