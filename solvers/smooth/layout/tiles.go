package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// Tiles divides the vertices that a part moves into compact tiles by recursive bisection of the plane. The first
// `independent` tiles do not depend on vertices of other ranks. tiles is nil if the part exceeds a limit of the
// kernels: TileSets, TileDegree, or TileSlots for a vertex and all that its move depends on.
//
// nodes is the number of samples of a metric's grid per vertex.
func Tiles[F num.Float](p *Part, nodes float64) (tiles *kernels.TiledMesh[F], independent int, err error) {
	b := newTiler[F](p)
	var ids []int32
	for i, set := range b.set {
		if set < 0 {
			continue
		}
		if len(p.neighbours(int32(i))) > kernels.TileDegree {
			return nil, 0, nil
		}
		ids = append(ids, int32(i))
	}
	if p.Sets > kernels.TileSets || len(p.X) > math.MaxInt32>>kernels.SlotBits {
		return nil, 0, nil
	}
	if len(ids) > 0 {
		if fits, err := b.divide(ids, TileCount(len(ids), nodes)); err != nil || !fits {
			return nil, 0, err
		}
	}
	b.tiled.Tiles = append(b.tiled.Tiles, b.emptyTile())
	b.appendFixed()
	return b.tiled, b.independent, nil
}

// TileCount is the number of tiles for a number of moving vertices: 9 of 13 slots of a tile are for own vertices, the
// others for vertices that it only reads and those of other tiles that it moves too. Tiles are smaller if the window
// of the metric's grid, which has `nodes` nodes per vertex, would not cover them; one node in seven may be missing. A
// large GPU (an H100) runs up to `concurrent` tiles concurrently, two blocks on each of 132 multiprocessors, so
// larger numbers of tiles are multiples of that. A small mesh has tiles of at least minVertices vertices.
func TileCount(moving int, nodes float64) int {
	const concurrent, minVertices = 264, 32
	maxVertices := kernels.TileSlots * 9 / 13
	if nodes > 0 {
		maxVertices = max(minVertices, min(maxVertices, int(kernels.TileNodes*7/6/nodes)))
	}
	if n := (moving + maxVertices - 1) / maxVertices; n > concurrent {
		return (n + concurrent - 1) / concurrent * concurrent
	}
	return min(concurrent, (moving+minVertices-1)/minVertices)
}

// tiler makes the tiles of a part, one after the other.
type tiler[F num.Float] struct {
	part  *Part
	tiled *kernels.TiledMesh[F]
	set   []int32 // of each vertex, -1 if it is fixed
	rail  []int32 // of each vertex, -1 if it does not slide

	dependent   []bool // for each vertex, whether its first move depends on a vertex from another rank
	independent int    // number of tiles before the first that owns such a vertex

	numbered int32 // number of vertices with an index in kernels.TileVertices, the vertices ordered by tile

	moving []int32 // the tile's own vertices, and those on which their moves depend, which it moves too
	inTile []int32 // all vertices with a slot
	own    []bool  // for each vertex, whether the tile owns it
	moves  []bool  // for each vertex, whether it is in moving
	slot   []int32 // -1 for vertices without a slot
}

func newTiler[F num.Float](p *Part) *tiler[F] {
	n := len(p.X)
	b := &tiler[F]{part: p, tiled: &kernels.TiledMesh[F]{Sliders: make([]int32, len(p.Rails)), Index: make([]int32, n)},
		set:  make([]int32, n),
		rail: make([]int32, n), dependent: make([]bool, n), own: make([]bool, n), moves: make([]bool, n),
		slot: make([]int32, n)}
	for i := range n {
		b.set[i], b.rail[i], b.slot[i], b.tiled.Index[i] = -1, -1, -1, -1
	}
	for set := range p.Sets {
		for _, s := range []Span{p.Sent[set], p.Unsent[set], p.Copies[set]} {
			for i := s.Lo; i < s.Hi; i++ {
				b.set[i] = int32(set)
				if i >= s.FirstSliding {
					b.rail[i] = i - s.FirstSliding + s.FirstRail
					b.tiled.Sliders[b.rail[i]] = i
				}
			}
		}
	}
	b.findDependent()
	return b
}

// findDependent finds the vertices whose tiles cannot make the first sweep of a batch before an exchange: in the order
// of sets, those with a neighbour that is received from another rank, or that is itself dependent and moves earlier.
func (b *tiler[F]) findDependent() {
	p := b.part
	if len(p.Batch.Peers) == 0 {
		return
	}
	received := make([]bool, len(p.X))
	for _, peer := range p.Batch.Peers {
		for _, v := range peer.Receive {
			received[v], b.dependent[v] = true, b.set[v] >= 0
		}
	}
	for set := range p.Sets {
		for _, s := range []Span{p.Sent[set], p.Unsent[set], p.Copies[set]} {
			for v := s.Lo; v < s.Hi; v++ {
				b.dependent[v] = b.dependent[v] || slices.ContainsFunc(p.neighbours(v), func(u int32) bool {
					return received[u] || b.set[u] >= 0 && b.set[u] < b.set[v] && b.dependent[u]
				})
			}
		}
	}
}

// divide makes count tiles of the vertices ids, which ascend, and halves tiles that exceed TileSlots. It returns
// false if the tile of a single vertex exceeds it.
func (b *tiler[F]) divide(ids []int32, count int) (bool, error) {
	x, y := make([]float64, len(ids)), make([]float64, len(ids))
	for k, v := range ids {
		x[k], y[k] = b.part.X[v], b.part.Y[v]
	}
	unconnected := partition.Graph{Start: make([]int32, len(ids)+1)}
	partOf, err := partition.Partition(partition.RCB, unconnected, [][]float64{x, y}, count, 0)
	if err != nil {
		return false, err
	}
	parts, err := partition.Split(partOf, count)
	if err != nil {
		return false, err
	}
	for _, part := range parts {
		for k, i := range part {
			part[k] = ids[i]
		}
	}
	isDependent := func(v int32) bool { return b.dependent[v] }
	var first, others [][]int32
	for _, part := range parts {
		if slices.ContainsFunc(part, isDependent) {
			others = append(others, part)
		} else {
			first = append(first, part)
		}
	}
	for _, part := range append(first, others...) {
		if b.addTile(part) {
			if b.independent == len(b.tiled.Tiles)-1 && !slices.ContainsFunc(part, isDependent) {
				b.independent++
			}
			continue
		}
		if len(part) == 1 {
			return false, nil
		}
		if fits, err := b.divide(part, 2); err != nil || !fits {
			return fits, err
		}
	}
	return true, nil
}

// neighbours returns the neighbours of moving vertex i.
func (p *Part) neighbours(i int32) []int32 {
	ring := p.Rings[i].At[:]
	last := len(ring) - 1
	more := ring[last]
	ring = ring[:last]
	if end := slices.Index(ring, -1); end >= 0 {
		return ring[:end]
	}
	if more < 0 {
		return ring
	}
	rest := p.MoreNeighbours[more:]
	return append(slices.Clip(ring), rest[:slices.Index(rest, -1)]...)
}

// addTile adds a tile of own vertices and all vertices on which their moves depend. It returns false, and adds
// none, if they exceed TileSlots.
func (b *tiler[F]) addTile(own []int32) bool {
	for _, v := range own {
		b.addSlot(v)
		b.addMoving(v)
		b.own[v] = true
	}
	for k := 0; k < len(b.moving) && len(b.inTile) <= kernels.TileSlots; k++ {
		w := b.moving[k]
		for _, u := range b.part.neighbours(w) {
			b.addSlot(u)
			if b.set[u] >= 0 && b.set[u] < b.set[w] {
				b.addMoving(u)
			}
		}
	}
	fits := len(b.inTile) <= kernels.TileSlots
	if fits {
		b.writeTile()
	}
	for _, v := range b.inTile {
		b.slot[v], b.moves[v], b.own[v] = -1, false, false
	}
	b.moving, b.inTile = b.moving[:0], b.inTile[:0]
	return fits
}

// addSlot gives vertex v a slot; writeTile numbers the slots.
func (b *tiler[F]) addSlot(v int32) {
	if b.slot[v] < 0 {
		b.slot[v] = 0
		b.inTile = append(b.inTile, v)
	}
}

// addMoving adds vertex v to those that the tile moves.
func (b *tiler[F]) addMoving(v int32) {
	if !b.moves[v] {
		b.moves[v] = true
		b.moving = append(b.moving, v)
	}
}

// emptyTile returns an empty tile after all others.
func (b *tiler[F]) emptyTile() kernels.Tile {
	return kernels.Tile{Slot: int32(len(b.tiled.Slots)), Visit: int32(len(b.tiled.Visits))}
}

// writeTile writes the tile: first the vertices that it moves, by their sets, then the others.
func (b *tiler[F]) writeTile() {
	t, to := b.emptyTile(), b.tiled
	slices.SortFunc(b.moving, func(v, w int32) int {
		return cmp.Or(cmp.Compare(b.set[v], b.set[w]), cmp.Compare(v, w))
	})
	to.Slots = append(to.Slots, b.moving...)
	slices.Sort(b.inTile)
	for _, v := range b.inTile {
		if !b.moves[v] {
			to.Slots = append(to.Slots, v)
		}
	}
	for k, v := range to.Slots[t.Slot:] {
		b.slot[v] = int32(k)
	}
	slots := to.Slots[t.Slot:]
	for k := range slots {
		slots[k] <<= kernels.SlotBits
	}
	for k, v := range b.moving {
		if b.own[v] {
			slots[k] |= kernels.Own
			to.Index[v] = b.numbered
			b.numbered++
		}
		var neighbours [kernels.TileDegree / 2]uint32
		ring := b.part.neighbours(v)
		for n := range kernels.TileDegree {
			at := uint32(kernels.NoSlot)
			if n < len(ring) {
				at = uint32(b.slot[ring[n]])
			}
			neighbours[n/2] |= at << (16 * (n % 2))
		}
		visit := kernels.Visit{Neighbours: [4]uint32(neighbours[:])}
		if b.rail[v] >= 0 || len(ring) > 8 {
			slots[k] |= kernels.HasExtra
			visit.Neighbours[3] = uint32(len(to.Extras))
			to.Extras = append(to.Extras, kernels.Extra{Rail: b.rail[v], Neighbours: [3]uint32(neighbours[3:])})
		}
		to.Visits = append(to.Visits, visit)
		for s := b.set[v]; s < kernels.TileSets; s++ {
			t.End[s] = int32(k + 1)
		}
	}
	to.Tiles = append(to.Tiles, t)
}

// appendFixed gives fixed vertices the last indices in kernels.TileVertices, and sets those of all slots.
func (b *tiler[F]) appendFixed() {
	for v, k := range b.tiled.Index {
		if k < 0 {
			b.tiled.Index[v] = b.numbered
			b.numbered++
		}
	}
	for k, s := range b.tiled.Slots {
		b.tiled.Slots[k] = b.tiled.Index[s>>kernels.SlotBits]<<kernels.SlotBits | s&(1<<kernels.SlotBits-1)
	}
}
