package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// Tiles cuts the vertices that a part moves into compact tiles by recursive bisection of the plane. The first
// `separate` tiles depend on nothing from other ranks. tiles is nil if the part exceeds a limit of the kernels:
// TileSets, TileDegree, or TileSlots for a vertex and all that its move depends on.
//
// nodes is the number of samples of a metric's grid per vertex.
func Tiles[F num.Float](p *Part, nodes float64) (tiles *kernels.TiledMesh[F], separate int, err error) {
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
		if fits, err := b.cut(ids, TileCount(len(ids), nodes)); err != nil || !fits {
			return nil, 0, err
		}
	}
	b.to.Tiles = append(b.to.Tiles, b.next())
	b.appendFixed()
	return b.to, b.independent, nil
}

// TileCount is the number of tiles for so many moving vertices: 9 of 13 slots are for own vertices, the others for
// vertices that a tile only reads and copies that it moves. Tiles are smaller if the window of a metric's grid, with
// so many nodes per vertex, would not cover them. A large GPU runs up to atOnce tiles concurrently (two blocks on
// each of 132 multiprocessors), so larger numbers are multiples of that, and a small mesh has tiles of at least
// `least` vertices.
func TileCount(moving int, nodes float64) int {
	const atOnce, least = 264, 32
	most := kernels.TileSlots * 9 / 13
	if nodes > 0 {
		most = max(least, min(most, int(kernels.TileNodes*7/6/nodes)))
	}
	if n := (moving + most - 1) / most; n > atOnce {
		return (n + atOnce - 1) / atOnce * atOnce
	}
	return min(atOnce, (moving+least-1)/least)
}

// tiler collects the vertices of a tile.
type tiler[F num.Float] struct {
	part *Part
	to   *kernels.TiledMesh[F]
	set  []int32 // of each vertex, -1 if it is fixed
	rail []int32 // of each vertex, -1 if it does not slide

	dependent   []bool // for each vertex, whether its first move depends on a vertex from another rank
	independent int    // number of tiles before the first that owns such a vertex

	numbered int32 // number of vertices with an index in TileVertices

	moving []int32 // the tile's own vertices, and the copies that they depend on
	inTile []int32 // all vertices with a slot
	own    []bool  // for each vertex, whether the tile owns it
	moves  []bool  // for each vertex, whether it is in moving
	slot   []int32 // -1 for vertices without a slot
}

func newTiler[F num.Float](p *Part) *tiler[F] {
	n := len(p.X)
	b := &tiler[F]{part: p, to: &kernels.TiledMesh[F]{Sliders: make([]int32, len(p.Rails)), Index: make([]int32, n)},
		set:  make([]int32, n),
		rail: make([]int32, n), dependent: make([]bool, n), own: make([]bool, n), moves: make([]bool, n),
		slot: make([]int32, n)}
	for i := range n {
		b.set[i], b.rail[i], b.slot[i], b.to.Index[i] = -1, -1, -1, -1
	}
	for set := range p.Sets {
		for _, s := range []Span{p.First[set], p.Rest[set], p.Copies[set]} {
			for i := s.Lo; i < s.Hi; i++ {
				b.set[i] = int32(set)
				if i >= s.Slide {
					b.rail[i] = i - s.Slide + s.Rail
					b.to.Sliders[b.rail[i]] = i
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
	comes := make([]bool, len(p.X))
	for _, peer := range p.Batch.Peers {
		for _, v := range peer.Take {
			comes[v], b.dependent[v] = true, b.set[v] >= 0
		}
	}
	for set := range p.Sets {
		for _, s := range []Span{p.First[set], p.Rest[set], p.Copies[set]} {
			for v := s.Lo; v < s.Hi; v++ {
				b.dependent[v] = b.dependent[v] || slices.ContainsFunc(p.neighbours(v), func(u int32) bool {
					return comes[u] || b.set[u] >= 0 && b.set[u] < b.set[v] && b.dependent[u]
				})
			}
		}
	}
}

// cut makes count tiles of vertices with ascending ids, and halves those that exceed TileSlots. It returns false if a
// single vertex does.
func (b *tiler[F]) cut(ids []int32, count int) (bool, error) {
	x, y := make([]float64, len(ids)), make([]float64, len(ids))
	for k, v := range ids {
		x[k], y[k] = b.part.X[v], b.part.Y[v]
	}
	partOf, err := partition.Partition(partition.RCB, partition.Graph{Start: make([]int32, len(ids)+1)}, x, y, count, 0)
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
	waits := func(v int32) bool { return b.dependent[v] }
	var first, others [][]int32
	for _, part := range parts {
		if slices.ContainsFunc(part, waits) {
			others = append(others, part)
		} else {
			first = append(first, part)
		}
	}
	for _, part := range append(first, others...) {
		if b.fill(part) {
			if b.independent == len(b.to.Tiles)-1 && !slices.ContainsFunc(part, waits) {
				b.independent++
			}
			continue
		}
		if len(part) == 1 {
			return false, nil
		}
		if fits, err := b.cut(part, 2); err != nil || !fits {
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
	rest := p.More[more:]
	return append(slices.Clip(ring), rest[:slices.Index(rest, -1)]...)
}

// fill makes a tile of own vertices and all that their moves depend on. It returns false without a tile if they
// exceed TileSlots.
func (b *tiler[F]) fill(own []int32) bool {
	for _, v := range own {
		b.hold(v)
		b.move(v)
		b.own[v] = true
	}
	for k := 0; k < len(b.moving) && len(b.inTile) <= kernels.TileSlots; k++ {
		w := b.moving[k]
		for _, u := range b.part.neighbours(w) {
			b.hold(u)
			if b.set[u] >= 0 && b.set[u] < b.set[w] {
				b.move(u)
			}
		}
	}
	fits := len(b.inTile) <= kernels.TileSlots
	if fits {
		b.write()
	}
	for _, v := range b.inTile {
		b.slot[v], b.moves[v], b.own[v] = -1, false, false
	}
	b.moving, b.inTile = b.moving[:0], b.inTile[:0]
	return fits
}

// hold gives vertex v a slot; write numbers the slots.
func (b *tiler[F]) hold(v int32) {
	if b.slot[v] < 0 {
		b.slot[v] = 0
		b.inTile = append(b.inTile, v)
	}
}

// move adds vertex v to those that the tile moves.
func (b *tiler[F]) move(v int32) {
	if !b.moves[v] {
		b.moves[v] = true
		b.moving = append(b.moving, v)
	}
}

// next returns an empty tile after all others.
func (b *tiler[F]) next() kernels.Tile {
	return kernels.Tile{Slot: int32(len(b.to.Slots)), Visit: int32(len(b.to.Visits))}
}

// write adds the tile: first the vertices that it moves, by their sets, then the others.
func (b *tiler[F]) write() {
	t, to := b.next(), b.to
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

// appendFixed gives fixed vertices the last indices in TileVertices, and sets those of all slots.
func (b *tiler[F]) appendFixed() {
	for v, k := range b.to.Index {
		if k < 0 {
			b.to.Index[v] = b.numbered
			b.numbered++
		}
	}
	for k, s := range b.to.Slots {
		b.to.Slots[k] = b.to.Index[s>>kernels.SlotBits]<<kernels.SlotBits | s&(1<<kernels.SlotBits-1)
	}
}
