package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// A tile is a part of the mesh through which a block of a GPU's threads makes a whole sweep. Its vertices are in
// shared memory: those that it moves, the neighbours whose new positions it needs, which it moves too, and the rest
// of their neighbours, which it only reads. The results for its own vertices are written to another array, so that
// all tiles start from the same mesh and give, in any order, the bits of sweeping set by set.
//
// The sizes are such that two blocks of float64 fill the shared memory of a multiprocessor of an H200.
const (
	TileSlots  = 1536 // vertices that a tile holds
	TileNodes  = 2244 // nodes of the metric's grid that a tile holds
	TileSets   = 8    // sets in a sweep
	TileDegree = 12   // neighbours of a vertex that a tile moves
	NoSlot     = 1<<16 - 1
)

// Tile holds the first slot and the first visit of a tile; slots end at those of the next tile. The visits of set s
// end at End[s] and start at the end of the previous set. Visit k moves the vertex in slot k.
type Tile struct {
	Slot, Visit int32
	End         [TileSets]int32
}

// Visit is a vertex that a tile moves: the slots of its neighbours, two per word, the first in the lower half, and
// NoSlot after the last. If the vertex slides, or has more than 8 neighbours, the last word is the index in Extras.
type Visit struct{ Neighbours [4]uint32 }

// Extra is the rail of a visit, -1 if it does not slide, and its seventh and later neighbours.
type Extra struct {
	Rail       int32
	Neighbours [3]uint32
}

// The lowest bits of a slot are flags of its visit; the others are the vertex's index in TileVertices.
const (
	Own      = 1 << iota // no other tile moves the vertex
	HasExtra             // the visit has an Extra
	SlotBits = iota
)

// TiledMesh is a mesh cut into tiles, and the samples of the metric's grid, as a block fetches them.
type TiledMesh[F num.Float] struct {
	Tiles    []Tile  // and one more at the end
	Slots    []int32 // indices in TileVertices, and flags
	Visits   []Visit
	Extras   []Extra
	Rails    []Rail[F]
	Sliders  []int32  // the vertex of each rail
	Index    []int32  // of each vertex, its index in TileVertices
	NodeRow  []Row[F] // of each node of the metric's grid, the first row of the tensor
	NodeRest []F      // and its M22
}

// TileVertices holds the vertices for tiles from one sweep to the next, ordered by tile, so that adjacent threads
// access adjacent memory, as they would not in an array of structs. Along is the S of each rail's vertex.
type TileVertices[F num.Float] struct {
	Place []Place[F]
	Row   []Row[F]
	M22   []F
	Along []F
}

// Place is the position of a vertex.
type Place[F num.Float] struct{ X, Y F }

// Row is the first row of a symmetric tensor.
type Row[F num.Float] struct{ M11, M12 F }

// sharedTile is the shared memory of a tile: the vertices in its slots, and the nodes of the metric's grid in its
// window.
type sharedTile[F num.Float] struct {
	place    []Place[F]
	row      []Row[F]
	m22      []F
	nodeRow  []Row[F]
	nodeRest []F
	window   Window
}

// TilePain makes a sweep of Pain without guard through tile t. It returns the square of the longest move in the
// metric.
//
//atoll:kernel tile max block=320 blocks=2
func TilePain[F num.Float](t int, p *Params[F], m *TiledMesh[F], field *Field[F], windows []Window, source,
	to *TileVertices[F],
	place *[TileSlots]Place[F], row *[TileSlots]Row[F], rest *[TileSlots]F, nodeRow *[TileNodes]Row[F],
	nodeRest *[TileNodes]F) F {
	slot, visit := m.Tiles[t].Slot, m.Tiles[t].Visit
	slots := m.Tiles[t+1].Slot - slot
	window := windows[t]
	nodes := window.Nx * window.Ny
	threadsUsed := max((slots+slotsAtOnce-1)/slotsAtOnce, min(nodes, tileThreads))
	across := max(window.Nx, 1)
	stepI, stepJ := threadsUsed%across, threadsUsed/across
	best := F(0)
	for k := range threadsUsed {
		at := m.slotIndices(k, threadsUsed, slot, slots)
		i, j := k%across, k/across
		for node := k; node < nodes; node += threadsUsed {
			n := (window.J+j)*(field.Nx+1) + window.I + i
			from := &m.NodeRow[n]
			//atoll:async
			nodeRow[node].M11, nodeRow[node].M12, nodeRest[node] = from.M11, from.M12, m.NodeRest[n]
			i, j = i+stepI, j+stepJ
			if i >= across {
				i, j = i-across, j+1
			}
		}
		for j := range int32(slotsAtOnce) {
			if to := k + j*threadsUsed; to < slots {
				p, r := &source.Place[at.index[j]], &source.Row[at.index[j]]
				//atoll:async
				place[to].X, place[to].Y, row[to].M11, row[to].M12, rest[to] = p.X, p.Y, r.M11, r.M12, source.M22[at.index[j]]
			}
		}
	}
	//atoll:ordered
	for set := range TileSets {
		first, count := m.Tiles[t].visits(set)
		for k := range count {
			b := sharedTile[F]{place[:], row[:], rest[:], nodeRow[:], nodeRest[:], window}
			moveSquare := b.pain(m.Visits[visit+first+k], m.Slots[slot+first+k], first+k, p, m, field, source, to)
			best = max(best, moveSquare)
		}
	}
	return best
}

// visits returns the first visit of a set, and their number.
func (t *Tile) visits(set int) (int32, int32) {
	first := int32(0)
	if set > 0 {
		first = t.End[set-1]
	}
	return first, t.End[set] - first
}

// tileThreads is the number of threads of TilePain's block. All of them fetch nodes.
const tileThreads = 320

// slotsAtOnce is the maximum number of slots that a thread fills. It loads the indices of all their vertices before
// it uses the first: latency matters, not bandwidth.
const slotsAtOnce = 5

// slotIndices holds the indices of several vertices.
type slotIndices struct{ index [slotsAtOnce]int32 }

// slotIndices returns the indices of the vertices in slots k, k+n, k+2n and so on of a tile, which has a number of
// slots that start at first.
func (m *TiledMesh[F]) slotIndices(k, n, first, number int32) slotIndices {
	var s slotIndices
	for j := range int32(slotsAtOnce) {
		if k+j*n < number {
			s.index[j] = m.Slots[first+k+j*n] >> SlotBits
		}
	}
	return s
}

// pain moves the vertex in slot k. It returns the square of the move in the metric.
func (b *sharedTile[F]) pain(visit Visit, bits, k int32, p *Params[F], m *TiledMesh[F], field *Field[F], from,
	to *TileVertices[F]) F {
	var s step[F]
	s.x, s.y = b.place[k].X, b.place[k].Y
	m11, m12, m22 := b.row[k].M11, b.row[k].M12, b.m22[k]
	words := visit.Neighbours
	neighbours := [TileDegree / 2]uint32{words[0], words[1], words[2], words[3], noSlots, noSlots}
	rail := int32(-1)
	if bits&HasExtra != 0 {
		extra := &m.Extras[visit.Neighbours[3]]
		neighbours[3], neighbours[4], neighbours[5] = extra.Neighbours[0], extra.Neighbours[1], extra.Neighbours[2]
		rail = extra.Rail
	}
	if rail >= 0 {
		s.slides = true
		s.rail = m.Rails[rail]
		s.s = from.Along[rail]
	}
	var a Tensor[F]
	var gx, gy F
	for n := range TileDegree / 2 {
		first, second := neighbours[n]&NoSlot, neighbours[n]>>16
		if first == NoSlot {
			break
		}
		// Both are read before the first is added. Where there is no other, the first is read twice.
		hasSecond := second != NoSlot
		if !hasSecond {
			second = first
		}
		place, row, rest := b.place[second], b.row[second], b.m22[second]
		n11, n12, n22 := m11+b.row[first].M11, m12+b.row[first].M12, m22+b.m22[first]
		fx, fy := metricTimes(n11, n12, n22, b.place[first].X-s.x, b.place[first].Y-s.y)
		a.M11, a.M12, a.M22, gx, gy = a.M11+n11, a.M12+n12, a.M22+n22, gx+fx, gy+fy
		if hasSecond {
			n11, n12, n22 = m11+row.M11, m12+row.M12, m22+rest
			fx, fy = metricTimes(n11, n12, n22, place.X-s.x, place.Y-s.y)
			a.M11, a.M12, a.M22, gx, gy = a.M11+n11, a.M12+n12, a.M22+n22, gx+fx, gy+fy
		}
	}
	s.pain(&a, gx, gy, p)
	x, y := s.at(1)
	dx, dy := x-s.x, y-s.y
	moveSquare := F(0)
	if !(dx == 0 && dy == 0) {
		moveSquare = dx*(m11*dx+2*m12*dy) + dy*m22*dy
		metric := b.metric(field, x, y)
		m11, m12, m22 = metric.M11, metric.M12, metric.M22
		s.s += s.ds
		b.place[k].X, b.place[k].Y = x, y
		b.row[k].M11, b.row[k].M12, b.m22[k] = m11, m12, m22
	} else {
		x, y = s.x, s.y
	}
	if bits&Own != 0 {
		i := bits >> SlotBits
		to.Place[i].X, to.Place[i].Y = x, y
		to.Row[i].M11, to.Row[i].M12, to.M22[i] = m11, m12, m22
		if rail >= 0 {
			to.Along[rail] = s.s
		}
	}
	return moveSquare
}

const noSlots = NoSlot<<16 | NoSlot

// ToTiles copies vertex i to the tiles.
//
//atoll:kernel
func ToTiles[F num.Float](i int, m *TiledMesh[F], v []Vertex[F], to *TileVertices[F]) {
	p, k := &v[i], m.Index[i]
	to.Place[k].X, to.Place[k].Y = p.X, p.Y
	to.Row[k].M11, to.Row[k].M12, to.M22[k] = p.M11, p.M12, p.M22
}

// FromTiles copies vertex i from the tiles back to the vertices.
//
//atoll:kernel
func FromTiles[F num.Float](i int, m *TiledMesh[F], from *TileVertices[F], v []Vertex[F]) {
	p, k := &v[i], m.Index[i]
	p.X, p.Y = from.Place[k].X, from.Place[k].Y
	p.M11, p.M12, p.M22 = from.Row[k].M11, from.Row[k].M12, from.M22[k]
}

// NodeToTiles copies sample i of the metric's grid to the tiles.
//
//atoll:kernel
func NodeToTiles[F num.Float](i int, field *Field[F], m *TiledMesh[F]) {
	s := &field.Samples[i]
	m.NodeRow[i].M11, m.NodeRow[i].M12, m.NodeRest[i] = s.M11, s.M12, s.M22
}

// RailToTiles copies the coordinate of the vertex on rail i to the tiles, and RailFromTiles copies it back.
//
//atoll:kernel
func RailToTiles[F num.Float](i int, m *TiledMesh[F], v []Vertex[F], to *TileVertices[F]) {
	to.Along[i] = v[m.Sliders[i]].S
}

//atoll:kernel
func RailFromTiles[F num.Float](i int, m *TiledMesh[F], from *TileVertices[F], v []Vertex[F]) {
	v[m.Sliders[i]].S = from.Along[i]
}
