package layout

import (
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// TestTilesHold proves that every moving vertex is owned by one tile, and that a tile holds the neighbours of each
// vertex that it moves, and itself moves those of earlier sets.
func TestTilesHold(t *testing.T) {
	l, err := New(smoothtest.Rectangle(t, 20_000, 5), plainOptions())
	if err != nil {
		t.Fatal(err)
	}
	parts, err := l.Parts(make([]int32, len(l.Class)), 1)
	if err != nil {
		t.Fatal(err)
	}
	p := parts[0]
	tiles, _, err := Tiles[float64](p, 0)
	if err != nil {
		t.Fatal(err)
	}
	const none = kernels.NoSlot<<16 | kernels.NoSlot
	owned, vertex := make([]int, len(p.X)), partition.Inverse(tiles.Index)
	for k, b := range tiles.Tiles[:len(tiles.Tiles)-1] {
		next := tiles.Tiles[k+1]
		slots, visits := tiles.Slots[b.Slot:next.Slot], tiles.Visits[b.Visit:next.Visit]
		if len(slots) > kernels.TileSlots || int(b.End[kernels.TileSets-1]) != len(visits) {
			t.Fatalf("tile %d has %d slots and %d visits, the last set ending at %d", k, len(slots), len(visits),
				b.End[kernels.TileSets-1])
		}
		for i, visit := range visits {
			v := vertex[slots[i]>>kernels.SlotBits]
			if slots[i]&kernels.Own != 0 {
				owned[v]++
			}
			neighbours := [kernels.TileDegree / 2]uint32{visit.Neighbours[0], visit.Neighbours[1], visit.Neighbours[2],
				visit.Neighbours[3], none, none}
			if slots[i]&kernels.HasExtra != 0 {
				extra := tiles.Extras[visit.Neighbours[3]]
				neighbours[3], neighbours[4], neighbours[5] = extra.Neighbours[0], extra.Neighbours[1], extra.Neighbours[2]
				if slides := l.Class[p.Global[v]] == sliding; slides != (extra.Rail >= 0) || slides &&
					tiles.Sliders[extra.Rail] != v {
					t.Fatalf("vertex %d, which slides: %v, has rail %d", v, slides, extra.Rail)
				}
			}
			ring := p.neighbours(v)
			if end := len(ring); end < kernels.TileDegree && neighbours[end/2]>>(16*(end%2))&kernels.NoSlot != kernels.NoSlot {
				t.Fatalf("vertex %d has %d neighbours, more in tile %d", v, end, k)
			}
			for n, u := range ring {
				at := neighbours[n/2] >> (16 * (n % 2)) & kernels.NoSlot
				if is := vertex[slots[at]>>kernels.SlotBits]; is != u {
					t.Fatalf("tile %d: neighbour %d of vertex %d is %d, not %d", k, n, v, is, u)
				}
				set, other := l.set[p.Global[v]], l.set[p.Global[u]]
				if other < set && int(at) >= len(visits) {
					t.Fatalf("tile %d moves vertex %d after its neighbour %d, which it does not move", k, v, u)
				}
			}
		}
	}
	for v, n := range owned {
		if moves := l.Class[p.Global[v]] != fixed; moves != (n == 1) || n > 1 {
			t.Fatalf("vertex %d, which moves: %v, belongs to %d tiles", v, moves, n)
		}
	}
	t.Logf("%d tiles; %.2f visits and %.2f slots a vertex", len(tiles.Tiles)-1,
		float64(len(tiles.Visits))/float64(l.Moving()), float64(len(tiles.Slots))/float64(l.Moving()))
}

// TestFirstTilesAreIndependent proves that exactly the first tiles hold no vertex that is received from another
// rank.
func TestFirstTilesAreIndependent(t *testing.T) {
	o := plainOptions()
	o.Deep = true
	for _, batch := range []int{1, 4} {
		o.Batch = batch
		l, err := New(smoothtest.Rectangle(t, 30_000, 5), o)
		if err != nil {
			t.Fatal(err)
		}
		owner := make([]int32, len(l.Class))
		for v := range owner {
			if l.mesh.X[v] > .5 {
				owner[v] = 1
			}
		}
		parts, err := l.Parts(owner, 2)
		if err != nil {
			t.Fatal(err)
		}
		for r, p := range parts {
			tiles, independent, err := Tiles[float64](p, 0)
			if err != nil {
				t.Fatal(err)
			}
			n := len(tiles.Tiles) - 1
			if independent < n/2 || independent == n {
				t.Errorf("batch %d, rank %d: %d of %d tiles are independent", batch, r, independent, n)
			}
			received := map[int32]bool{}
			for _, v := range p.Batch.Peers[0].Receive {
				received[tiles.Index[v]] = true
			}
			for k, b := range tiles.Tiles[:n] {
				holds := slices.ContainsFunc(tiles.Slots[b.Slot:tiles.Tiles[k+1].Slot], func(slot int32) bool {
					return received[slot>>kernels.SlotBits]
				})
				if holds != (k >= independent) {
					t.Errorf("batch %d, rank %d: tile %d, with %d independent ones, holds vertices of the other rank: %v", batch, r, k,
						independent, holds)
				}
			}
		}
	}
}

func TestBatchesRefused(t *testing.T) {
	for want, o := range map[string]Options{
		"3 sweeps does not divide 8": {Deep: true, Batch: 3},
		"16 sweeps does not divide":  {Deep: true, Batch: 16},
		"-1 sweeps does not divide":  {Deep: true, Batch: -1},
		"2 sweeps needs deep":        {Batch: 2},
	} {
		o.Boundary, o.Colouring, o.Order = Slide, colouring.JonesPlassmann, partition.Natural
		if _, err := New(smoothtest.Rectangle(t, 50, 3), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v does not say %q", o, err, want)
		}
	}
}
