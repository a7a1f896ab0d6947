package smooth

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// tile cuts the vertices that a part moves into tiles: runs along a Hilbert curve, so that they are compact. It returns
// nil where none moves, or tiles cannot hold them: of too many sets, or of a vertex with too many neighbours or others
// that a sweep moves before it.
func tile[F kernels.Float](p *Part) (*kernels.TiledMesh[F], error) {
	if p.Sets > kernels.TileSets {
		return nil, nil
	}
	b := newTiler[F](p)
	order, err := b.curve()
	if err != nil || len(order) == 0 {
		return nil, err
	}
	most := tileOwn(len(order))
	for k := 0; k < len(order); {
		if len(b.own) < most && b.add(order[k]) {
			k++
			continue
		}
		if len(b.own) == 0 {
			return nil, nil
		}
		b.finish()
	}
	b.finish()
	b.to.Tiles = append(b.to.Tiles, b.next())
	return b.to, nil
}

// tileSweeps prepares sweeps by tiles if they were asked for or would be fastest: on a device that repeats sweeps, for
// a rank that is alone. They go from the vertices to a copy of them and back.
func (s *solver[F]) tileSweeps() error {
	_, records := s.dev.(backend.Recorder)
	asked := s.cfg.Sweep == "tiles"
	switch {
	case !asked && (s.cfg.Sweep == "sets" || !records || s.comm.Size() > 1 || !tileable(&s.cfg)):
		return nil
	case s.comm.Size() > 1:
		return fmt.Errorf("sweeps by tiles are for one rank, not for %d: choose sets", s.comm.Size())
	case !records:
		return fmt.Errorf("device %s does not repeat sweeps, which those by tiles need: choose sets", s.dev.Name())
	}
	t, err := tile[F](s.part)
	if err != nil {
		return err
	}
	if t == nil {
		if asked {
			return fmt.Errorf("the mesh does not fit tiles of %d vertices, %d neighbours of each and %d sets: choose sets",
				kernels.TileSlots, kernels.TileDegree, kernels.TileSets)
		}
		return nil
	}
	s.ntiles = len(t.Tiles) - 1
	return s.placeTiles(s.dev, t)
}

// tiler collects the vertices of a tile.
type tiler[F kernels.Float] struct {
	part *Part
	to   *kernels.TiledMesh[F]
	set  []int32 // of each vertex, -1 if it stays where it is
	rail []int32 // of each vertex, -1 if it does not slide

	own    []int32 // vertices that the tile is there for
	moving []int32 // these, and those that it moves for their sake
	held   []int32 // all that it holds
	mine   []bool  // of each vertex, whether it is among own
	moves  []bool  // among moving
	slot   []int32 // -1 if it is not among held
}

// tileOwn bounds the vertices that are a tile's own: on a small mesh so that all of a GPU has work. A large GPU takes
// some 528 tiles at a time.
func tileOwn(moving int) int {
	const atOnce = 528
	return max(1, (moving+atOnce-1)/atOnce)
}

func newTiler[F kernels.Float](p *Part) *tiler[F] {
	n := len(p.X)
	b := &tiler[F]{part: p, to: &kernels.TiledMesh[F]{}, set: make([]int32, n), rail: make([]int32, n),
		mine: make([]bool, n), moves: make([]bool, n), slot: make([]int32, n)}
	for i := range n {
		b.set[i], b.rail[i], b.slot[i] = -1, -1, -1
	}
	for set := range p.Sets {
		for _, s := range []Span{p.First[set], p.Rest[set]} {
			for i := s.Lo; i < s.Hi; i++ {
				b.set[i] = int32(set)
				if i >= s.Slide {
					b.rail[i] = i - s.Slide + s.Rail
				}
			}
		}
	}
	return b
}

// curve orders the vertices that move along a Hilbert curve.
func (b *tiler[F]) curve() ([]int32, error) {
	var ids []int32
	var x, y []float64
	for i, set := range b.set {
		if set >= 0 {
			ids, x, y = append(ids, int32(i)), append(x, b.part.X[i]), append(y, b.part.Y[i])
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	perm, err := partition.HilbertOrder(x, y)
	if err != nil {
		return nil, err
	}
	for k, i := range perm {
		perm[k] = ids[i]
	}
	return perm, nil
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

// add takes in a vertex and what its move needs, or nothing if that is more than a tile can hold.
func (b *tiler[F]) add(v int32) bool {
	held, moving := len(b.held), len(b.moving)
	b.hold(v)
	b.move(v)
	fits := true
	for k := moving; k < len(b.moving) && fits; k++ {
		w := b.moving[k]
		near := b.part.neighbours(w)
		fits = len(near) <= kernels.TileDegree
		for _, u := range near {
			b.hold(u)
			if b.set[u] >= 0 && b.set[u] < b.set[w] {
				b.move(u)
			}
		}
		fits = fits && len(b.held) <= kernels.TileSlots
	}
	if fits {
		b.own, b.mine[v] = append(b.own, v), true
		return true
	}
	for _, u := range b.held[held:] {
		b.slot[u] = -1
	}
	for _, u := range b.moving[moving:] {
		b.moves[u] = false
	}
	b.held, b.moving = b.held[:held], b.moving[:moving]
	return false
}

func (b *tiler[F]) hold(v int32) {
	if b.slot[v] < 0 {
		b.slot[v] = 0
		b.held = append(b.held, v)
	}
}

func (b *tiler[F]) move(v int32) {
	if !b.moves[v] {
		b.moves[v] = true
		b.moving = append(b.moving, v)
	}
}

// next is where a tile would begin.
func (b *tiler[F]) next() kernels.Tile {
	return kernels.Tile{Slot: int32(len(b.to.Slots)), Visit: int32(len(b.to.Visits))}
}

// finish writes the tile: the vertices that it moves by their sets, and then the others.
func (b *tiler[F]) finish() {
	if len(b.own) == 0 {
		return
	}
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
	for k, v := range b.moving {
		visit := kernels.Visit{Rail: b.rail[v]}
		if b.mine[v] {
			visit.Own = 1
		}
		near := b.part.neighbours(v)
		for n := range kernels.TileDegree {
			at := uint32(kernels.NoSlot)
			if n < len(near) {
				at = uint32(b.slot[near[n]])
			}
			visit.Near[n/2] |= at << (16 * (n % 2))
		}
		to.Visits = append(to.Visits, visit)
		for s := b.set[v]; s < kernels.TileSets; s++ {
			t.End[s] = int32(k + 1)
		}
	}
	to.Tiles = append(to.Tiles, t)
	for _, v := range b.held {
		b.slot[v], b.moves[v], b.mine[v] = -1, false, false
	}
	b.own, b.moving, b.held = b.own[:0], b.moving[:0], b.held[:0]
}
