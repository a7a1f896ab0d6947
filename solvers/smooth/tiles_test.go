package smooth

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// withRecorder returns the setting with a device that can record; launches counts the launches of recordings.
func withRecorder(s setting, launches *int) setting {
	s.device = func() backend.Device { return recorder{newSeparateMemory(), launches} }
	return s
}

// TestTilesSame proves that sweeps by tiles give the bits of sweeps by sets, on meshes smaller than a tile and with
// many tiles, with sliding and fixed vertices and dedicated sets, in both precisions and with any local order.
func TestTilesSame(t *testing.T) {
	metric := swirl(t)
	for _, cells := range []int{50, 1600, 3_000} {
		m := smoothtest.Rectangle(t, cells, 5)
		for _, precision := range []string{"float32", "float64"} {
			for k, order := range []partition.Ordering{partition.Hilbert, partition.Random, partition.Natural} {
				s := defaultSetting()
				s.precision, s.layout.Order, s.layout.Dedicated = precision, order, k == 1
				if k == 2 {
					s.layout.Boundary = layout.Fixed
				}
				const sweeps = 3*sweepsPerRecording + 2
				cfg := Config{Smoother: "pain", Guard: "none", Rescale: true}
				want := s.run(t, m, metric, cfg, sweeps)
				launches := 0
				cfg.Sweep = "tiles"
				if s.layout.Dedicated { // there may be too many sets
					cfg.Sweep = "auto"
				}
				if got := withRecorder(s, &launches).run(t, m, metric, cfg, sweeps); got != want || launches != 2 {
					t.Errorf("%d cells, %s, %s: after %d launches tiles give\n%+v, sets\n%+v", cells, precision, order,
						launches, got, want)
				}
			}
		}
	}
}

// TestTilesRefused covers configurations without tiles, and checks that the message names the setting.
func TestTilesRefused(t *testing.T) {
	m := smoothtest.Rectangle(t, 200, 5)
	for want, c := range map[string]struct {
		cfg     Config
		ranks   int
		records bool
	}{
		"without guard or cull": {Config{Smoother: "pain", Guard: "clip", Sweep: "tiles"}, 1, true},
		"not for smart":         {Config{Smoother: "smart", Guard: "none", Sweep: "tiles"}, 1, true},
		"need deep ghosts":      {Config{Smoother: "pain", Guard: "none", Sweep: "tiles"}, 2, true},
		"cannot record":         {Config{Smoother: "pain", Guard: "none", Sweep: "tiles"}, 1, false},
		`"rows" is not known`:   {Config{Smoother: "pain", Guard: "none", Sweep: "rows"}, 1, true},
	} {
		s, launches := defaultSetting(), 0
		if c.records {
			s = withRecorder(s, &launches)
		}
		s.ranks = c.ranks
		err := s.onEachRank(t, m, swirl(t), c.cfg, func(dist.Comm, *layout.Part, *Solver) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, which does not say %q", c, err, want)
		}
	}
}

// TestTileCount proves that the number of tiles is a multiple of what a large GPU runs at once, and that tiles are
// smaller for finer grids.
func TestTileCount(t *testing.T) {
	for _, c := range []struct {
		moving int
		nodes  float64
		want   int
	}{{1, 0, 1}, {6400, 2, 200}, {157_000, 1.7, 264}, {2_512_225, 0, 2376}, {2_512_225, 1.67, 2376},
		{5_654_884, 2.97, 6600}} {
		if got := layout.TileCount(c.moving, c.nodes); got != c.want {
			t.Errorf("%d moving vertices, %g nodes each: got %d tiles, want %d", c.moving, c.nodes, got, c.want)
		}
	}
}
