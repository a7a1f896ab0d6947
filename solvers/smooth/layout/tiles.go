package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// Tiles cuts the vertices that a part moves into tiles by recursive bisection of the plane, so that they are compact.
// The first tiles, separate in number, hold nothing that comes from other ranks. tiles is nil where the part exceeds a
// limit of kernels: TileSets, TileDegree, or TileSlots with a vertex and all that its move depends on.
//
// nodes is how many samples of a metric's grid there are to a vertex.
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

// TileCount is the number of tiles for moving vertices: 9 of 13 slots are for own vertices, the others for the vertices
// that a tile only reads and the copies that it moves; tiles are smaller where the window of a metric's grid, with so
// many nodes a vertex, would not cover them. Up to atOnce tiles run at the same time on a large GPU (two blocks on each
// of 132 multiprocessors), so that more are a multiple of that, and a small mesh has tiles of least vertices or more.
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
	set  []int32 // of each vertex, -1 if it stays where it is
	rail []int32 // of each vertex, -1 if it does not slide

	waits       []bool // of each vertex, whether its first move depends on one that comes from another rank
	independent int    // number of tiles before the first that owns such a vertex

	numbered int32 // number of vertices that have got their index in TileVertices

	moving []int32 // the tile's own vertices, and the copies that they depend on
	held   []int32 // all that have a slot
	mine   []bool  // of each vertex, whether it is the tile's own
	moves  []bool  // among moving
	slot   []int32 // -1 if it is not among held
}

func newTiler[F num.Float](p *Part) *tiler[F] {
	n := len(p.X)
	b := &tiler[F]{part: p, to: &kernels.TiledMesh[F]{Sliders: make([]int32, len(p.Rails)), Where: make([]int32, n)},
		set:  make([]int32, n),
		rail: make([]int32, n), waits: make([]bool, n), mine: make([]bool, n), moves: make([]bool, n), slot: make([]int32, n)}
	for i := range n {
		b.set[i], b.rail[i], b.slot[i], b.to.Where[i] = -1, -1, -1, -1
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
	b.findWaiting()
	return b
}

// findWaiting finds the vertices whose tiles cannot be taken through the first sweep of a batch before an exchange. In
// the order of sets, those are marked whose neighbours come from another rank, or are marked and move before.
func (b *tiler[F]) findWaiting() {
	p := b.part
	if len(p.Batch.Peers) == 0 {
		return
	}
	comes := make([]bool, len(p.X))
	for _, peer := range p.Batch.Peers {
		for _, v := range peer.Take {
			comes[v], b.waits[v] = true, b.set[v] >= 0
		}
	}
	for set := range p.Sets {
		for _, s := range []Span{p.First[set], p.Rest[set], p.Copies[set]} {
			for v := s.Lo; v < s.Hi; v++ {
				b.waits[v] = b.waits[v] || slices.ContainsFunc(p.neighbours(v), func(u int32) bool {
					return comes[u] || b.set[u] >= 0 && b.set[u] < b.set[v] && b.waits[u]
				})
			}
		}
	}
}

// cut makes count tiles of vertices, given in ascending order, and halves those that exceed TileSlots. It returns false
// where a single vertex does.
func (b *tiler[F]) cut(ids []int32, count int) (bool, error) {
	x, y := make([]float64, len(ids)), make([]float64, len(ids))
	for k, v := range ids {
		x[k], y[k] = b.part.X[v], b.part.Y[v]
	}
	of, err := partition.Partition(partition.RCB, partition.Graph{Start: make([]int32, len(ids)+1)}, x, y, count, 0)
	if err != nil {
		return false, err
	}
	pieces, err := partition.Split(of, count)
	if err != nil {
		return false, err
	}
	for _, piece := range pieces {
		for k, i := range piece {
			piece[k] = ids[i]
		}
	}
	waits := func(v int32) bool { return b.waits[v] }
	var first, others [][]int32
	for _, piece := range pieces {
		if slices.ContainsFunc(piece, waits) {
			others = append(others, piece)
		} else {
			first = append(first, piece)
		}
	}
	for _, piece := range append(first, others...) {
		if b.fill(piece) {
			if b.independent == len(b.to.Tiles)-1 && !slices.ContainsFunc(piece, waits) {
				b.independent++
			}
			continue
		}
		if len(piece) == 1 {
			return false, nil
		}
		if fits, err := b.cut(piece, 2); err != nil || !fits {
			return fits, err
		}
	}
	return true, nil
}

// neighbours lists those of vertex i, which moves.
func (p *Part) neighbours(i int32) []int32 {
	at := p.Rings[i].At[:]
	last := len(at) - 1
	more := at[last]
	at = at[:last]
	if end := slices.Index(at, -1); end >= 0 {
		return at[:end]
	}
	if more < 0 {
		return at
	}
	rest := p.More[more:]
	return append(slices.Clip(at), rest[:slices.Index(rest, -1)]...)
}

// fill makes a tile of own vertices and all that their moves depend on. It makes none, and returns false, if they
// exceed TileSlots.
func (b *tiler[F]) fill(own []int32) bool {
	for _, v := range own {
		b.hold(v)
		b.move(v)
		b.mine[v] = true
	}
	for k := 0; k < len(b.moving) && len(b.held) <= kernels.TileSlots; k++ {
		w := b.moving[k]
		for _, u := range b.part.neighbours(w) {
			b.hold(u)
			if b.set[u] >= 0 && b.set[u] < b.set[w] {
				b.move(u)
			}
		}
	}
	fits := len(b.held) <= kernels.TileSlots
	if fits {
		b.write()
	}
	for _, v := range b.held {
		b.slot[v], b.moves[v], b.mine[v] = -1, false, false
	}
	b.moving, b.held = b.moving[:0], b.held[:0]
	return fits
}

// hold gives vertex v a slot; write numbers the slots.
func (b *tiler[F]) hold(v int32) {
	if b.slot[v] < 0 {
		b.slot[v] = 0
		b.held = append(b.held, v)
	}
}

// move lists vertex v among those that the tile moves.
func (b *tiler[F]) move(v int32) {
	if !b.moves[v] {
		b.moves[v] = true
		b.moving = append(b.moving, v)
	}
}

// next is an empty tile behind all others.
func (b *tiler[F]) next() kernels.Tile {
	return kernels.Tile{Slot: int32(len(b.to.Slots)), Visit: int32(len(b.to.Visits))}
}

// write adds the tile: the vertices that it moves by their sets, and then the others.
func (b *tiler[F]) write() {
	t, to := b.next(), b.to
	slices.SortFunc(b.moving, func(v, w int32) int {
		return cmp.Or(cmp.Compare(b.set[v], b.set[w]), cmp.Compare(v, w))
	})
	to.Slots = append(to.Slots, b.moving...)
	slices.Sort(b.held)
	for _, v := range b.held {
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
		if b.mine[v] {
			slots[k] |= kernels.Own
			to.Where[v] = b.numbered
			b.numbered++
		}
		var near [kernels.TileDegree / 2]uint32
		ring := b.part.neighbours(v)
		for n := range kernels.TileDegree {
			at := uint32(kernels.NoSlot)
			if n < len(ring) {
				at = uint32(b.slot[ring[n]])
			}
			near[n/2] |= at << (16 * (n % 2))
		}
		visit := kernels.Visit{Near: [4]uint32(near[:])}
		if b.rail[v] >= 0 || len(ring) > 8 {
			slots[k] |= kernels.HasExtra
			visit.Near[3] = uint32(len(to.Extras))
			to.Extras = append(to.Extras, kernels.Extra{Rail: b.rail[v], Near: [3]uint32(near[3:])})
		}
		to.Visits = append(to.Visits, visit)
		for s := b.set[v]; s < kernels.TileSets; s++ {
			t.End[s] = int32(k + 1)
		}
	}
	to.Tiles = append(to.Tiles, t)
}

// appendFixed gives the vertices that stay where they are the last indices in TileVertices, and fills in those of all
// slots.
func (b *tiler[F]) appendFixed() {
	for v, k := range b.to.Where {
		if k < 0 {
			b.to.Where[v] = b.numbered
			b.numbered++
		}
	}
	for k, s := range b.to.Slots {
		b.to.Slots[k] = b.to.Where[s>>kernels.SlotBits]<<kernels.SlotBits | s&(1<<kernels.SlotBits-1)
	}
}
