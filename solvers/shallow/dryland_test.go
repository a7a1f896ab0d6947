package shallow

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/series"
)

// TestDryLandIsSkipped proves that cells, and at second order tiles, without water nearby are not computed, and that
// this changes no bit of the states, lengths of steps, extremes and counters: for one and two layers, both orders,
// walls and boundaries that bring water, rain that begins, wind, several ranks and threads.
func TestDryLandIsSkipped(t *testing.T) {
	defer func(n, tiles int) { blockCells, leastTiles = n, tiles }(blockCells, leastTiles)
	blockCells, leastTiles = 40, 0
	shower := []series.Row{{T: 0, Value: 0}, {T: .3, Value: 0}, {T: .4, Value: 1e-3}, {T: .5, Value: 0}}
	for _, c := range []struct {
		name   string
		layers int
		change func(c *Config)
	}{
		{"two layers", 2, func(*Config) {}},
		{"one layer", 1, func(*Config) {}},
		{"friction and wind", 1, func(c *Config) {
			c.Forcing.WindX = series.Constant(20)
			c.Forcing.WindY = series.Constant(5)
		}},
		{"outlets", 1, func(c *Config) { c.Boundary = []bool{true, true, true, true} }},
		{"inflow", 1, func(c *Config) {
			c.Given = []*Given{nil, nil, {Kind: "discharge", Value: []series.Row{{T: 0, Value: 0}, {T: .2, Value: .5}}}, nil}
		}},
		{"shower", 1, func(c *Config) { c.Forcing.Rain = shower }},
		{"shower that dries up", 1, func(c *Config) {
			c.Forcing.Rain = []series.Row{{T: 0, Value: 0}, {T: .1, Value: 0}, {T: .15, Value: 1e-3}, {T: .2, Value: 0}}
			c.Forcing.Evaporation = series.Constant(1e-3)
		}},
	} {
		for order := 1; order <= 2; order++ {
			for _, ranks := range []int{1, 3} {
				for _, precision := range []string{"float64", "float32"}[:3-c.layers] {
					t.Run(fmt.Sprint(c.name, order, ranks, precision), func(t *testing.T) {
						cfg := config("pvm-ifcp")
						cfg.Sweep, cfg.Order, cfg.Layers, cfg.Keep = CellSweep, order, c.layers, Keep{Maxima: true, Threshold: .01}
						cfg.Given = make([]*Given, 4)
						c.change(&cfg)
						all, _ := dryRun(t, cfg, ranks, 1, precision, true)
						for _, sweep := range []Sweep{CellSweep, TileSweep} {
							cfg.Sweep = sweep
							some, share := dryRun(t, cfg, ranks, 3, precision, false)
							if k := slices.IndexFunc(some, func(s string) bool { return !slices.Contains(all, s) }); k >= 0 {
								t.Errorf("sweep %d, step %d: %s\nis none of the states that all cells give", sweep, k, some[k])
							}
							if ranks == 1 && share > .85 && (sweep == CellSweep || order == 2) {
								t.Errorf("sweep %d: at least %.2f of the cells are updated in every stage", sweep, share)
							}
						}
					})
				}
			}
		}
	}
}

// dryRun takes steps of a dam break next to land with hills, all of which is computed if all is set. It returns the
// hashes and diagnostics of the states and the last values of all fields, and the least share of cells that a stage has
// updated.
func dryRun(t *testing.T, cfg Config, ranks, threads int, precision string, all bool) (list []string, share float64) {
	t.Helper()
	water := func(x, y float64) (depth, h1, h2 float64) {
		depth = 1 - .1*(x+5) - .3*math.Sin(2*x)*math.Cos(2*y)
		if x < -3.5 {
			if h2 = max(0, depth-.2); cfg.Layers == 2 {
				h1 = .3
			}
		}
		return depth, h1, h2
	}
	share = 1
	device := func(dist.Comm) backend.Device { return cpu.New(threads) }
	if cfg.Sweep == TileSweep {
		device = newRecorder
	}
	err := onDevices(t, device, "", ranks, 1500, precision, cfg, water,
		func(c dist.Comm, p *mesh.Part, s *Solver) error {
			for i := 0; all && i < p.Owned; i++ {
				s.activity.AddSource(int32(i))
			}
			for range 25 {
				if _, err := s.Step(context.Background(), 1); err != nil {
					return err
				}
				hash, err := s.Hash(context.Background())
				if err != nil {
					return err
				}
				d, err := s.Diagnose(context.Background())
				if err != nil {
					return err
				}
				if c.Rank() == 0 {
					list = append(list, fmt.Sprintf("%x %s %+v", s.Time(), hash, d))
					if share = min(share, wetShare(s)); s.activity != nil {
						share = min(share, s.activity.Share())
					}
				}
			}
			if c.Rank() > 0 {
				return nil
			}
			for _, f := range s.Engine.Fields() { // extremes too
				values, err := f.Read(context.Background())
				if err != nil {
					return err
				}
				list = append(list, fmt.Sprint(f.Name, values))
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return list, share
}

// wetShare returns the share of the tiles that have water in one of the states; 1 without tiles.
func wetShare(s *Solver) float64 {
	var marks [][]int32
	switch s := s.Model().(type) {
	case *solver[float32]:
		marks = s.wetTiles
	case *solver[float64]:
		marks = s.wetTiles
	}
	if marks == nil {
		return 1
	}
	wet := 0
	for k := range marks[0] {
		if slices.ContainsFunc(marks, func(m []int32) bool { return m[k] != 0 }) {
			wet++
		}
	}
	return float64(wet) / float64(len(marks[0]))
}
