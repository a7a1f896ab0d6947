package smooth

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// repeating runs on a device that repeats sweeps, and counts the launches.
func repeating(s setting, launches *int) setting {
	s.device = func() backend.Device { return recorder{newFar(), launches} }
	return s
}

// TestTilesSame: sweeps by tiles give the bits of those by sets, on meshes of less than a tile and of many, with
// vertices that slide, stay, or form sets of their own, in both precisions and with any local order.
func TestTilesSame(t *testing.T) {
	metric := swirl(t)
	for _, cells := range []int{50, 1600, 3_000} {
		m := rectangle(t, cells, 5)
		for _, precision := range []string{"float32", "float64"} {
			for k, order := range []partition.Ordering{partition.Hilbert, partition.Random, partition.Natural} {
				s := plain()
				s.precision, s.layout.Order, s.layout.Dedicated = precision, order, k == 1
				if k == 2 {
					s.layout.Boundary = Fixed
				}
				const sweeps = 3*recorded + 2
				cfg := Config{Smoother: "pain", Guard: "none", Rescale: true}
				want := s.run(t, m, metric, cfg, sweeps)
				launches := 0
				cfg.Sweep = "tiles"
				if s.layout.Dedicated { // may be too many sets
					cfg.Sweep = "auto"
				}
				if got := repeating(s, &launches).run(t, m, metric, cfg, sweeps); got != want || launches != 3 {
					t.Errorf("%d cells, %s, %s: after %d launches tiles give\n%+v, sets\n%+v", cells, precision, order,
						launches, got, want)
				}
			}
		}
	}
}

// TestTilesHold: every vertex that moves is one tile's own, and a tile holds what its visits read: neighbours, and of
// those in an earlier set the move itself.
func TestTilesHold(t *testing.T) {
	l, err := NewLayout(rectangle(t, 20_000, 5), plain().layout)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := l.Parts(make([]int32, len(l.class)), 1)
	if err != nil {
		t.Fatal(err)
	}
	p := parts[0]
	tiles, _, err := tile[float64](p, 0)
	if err != nil {
		t.Fatal(err)
	}
	const none = kernels.NoSlot<<16 | kernels.NoSlot
	owned, vertex := make([]int, len(p.X)), partition.Inverse(tiles.Where)
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
			near := [kernels.TileDegree / 2]uint32{visit.Near[0], visit.Near[1], visit.Near[2], visit.Near[3], none, none}
			if slots[i]&kernels.HasExtra != 0 {
				extra := tiles.Extras[visit.Near[3]]
				near[3], near[4], near[5] = extra.Near[0], extra.Near[1], extra.Near[2]
				if slides := l.class[p.Global[v]] == sliding; slides != (extra.Rail >= 0) || slides &&
					tiles.Sliders[extra.Rail] != v {
					t.Fatalf("vertex %d, which slides: %v, has rail %d", v, slides, extra.Rail)
				}
			}
			ring := p.neighbours(v)
			if end := len(ring); end < kernels.TileDegree && near[end/2]>>(16*(end%2))&kernels.NoSlot != kernels.NoSlot {
				t.Fatalf("vertex %d has %d neighbours, more in tile %d", v, end, k)
			}
			for n, u := range ring {
				at := near[n/2] >> (16 * (n % 2)) & kernels.NoSlot
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
		if moves := l.class[p.Global[v]] != fixed; moves != (n == 1) || n > 1 {
			t.Fatalf("vertex %d, which moves: %v, belongs to %d tiles", v, moves, n)
		}
	}
	t.Logf("%d tiles; %.2f visits and %.2f slots a vertex", len(tiles.Tiles)-1,
		float64(len(tiles.Visits))/float64(l.Moving()), float64(len(tiles.Slots))/float64(l.Moving()))
}

// TestTilesRefused: where there are none, and which setting would do.
func TestTilesRefused(t *testing.T) {
	m := rectangle(t, 200, 5)
	for want, c := range map[string]struct {
		cfg     Config
		ranks   int
		repeats bool
	}{
		"without guard or cull": {Config{Smoother: "pain", Guard: "clip", Sweep: "tiles"}, 1, true},
		"not for smart":         {Config{Smoother: "smart", Guard: "none", Sweep: "tiles"}, 1, true},
		"need deep ghosts":      {Config{Smoother: "pain", Guard: "none", Sweep: "tiles"}, 2, true},
		"does not repeat":       {Config{Smoother: "pain", Guard: "none", Sweep: "tiles"}, 1, false},
		`"rows" is not known`:   {Config{Smoother: "pain", Guard: "none", Sweep: "rows"}, 1, true},
	} {
		s, launches := plain(), 0
		if c.repeats {
			s = repeating(s, &launches)
		}
		s.ranks = c.ranks
		err := s.on(t, m, swirl(t), c.cfg, func(dist.Comm, *Part, Solver) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, which does not say %q", c, err, want)
		}
	}
}

// TestTileCount: tiles fill a large GPU a whole number of times, and are smaller where a grid is finer.
func TestTileCount(t *testing.T) {
	for _, c := range []struct {
		moving int
		nodes  float64
		want   int
	}{{1, 0, 1}, {6400, 2, 200}, {157_000, 1.7, 264}, {2_512_225, 0, 2376}, {2_512_225, 1.67, 2376},
		{5_654_884, 2.97, 6600}} {
		if got := tileCount(c.moving, c.nodes); got != c.want {
			t.Errorf("%d vertices that move, %g nodes each: %d tiles, not %d", c.moving, c.nodes, got, c.want)
		}
	}
}
