package problem

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// vofSetting is a configuration in which a case is run.
type vofSetting struct {
	ranks, threads int
	open           func(testing.TB, int) []dist.Comm // opens the transport
	set            string                            // an override of the case; "" for none
}

// vofSettings are the configurations for cases in two and in three dimensions. Each pair of an advection and a normal
// has the first and every other one of the rest.
var vofSettings = map[string][]vofSetting{
	"plane": {
		{1, 1, runtest.Local, ""}, {1, 3, runtest.Local, "method.exchange=step"}, {2, 2, runtest.Delayed,
			"grid.blocks=[1, 2]"},
		{3, 1, runtest.GRPC, "method.exchange=sweep"}, {3, 2, runtest.Local, "grid.blocks=[3, 1]"},
		{4, 1, runtest.Local, "grid.blocks=[1, 4]"}, {4, 2, runtest.GRPC, "method.exchange=step"},
		{6, 1, runtest.Delayed, "grid.blocks=[2, 3]"}, {8, 1, runtest.Local, "grid.blocks=[4, 2]"}, {8, 1, runtest.GRPC,
			""},
	},
	"space": {
		{1, 1, runtest.Local, ""}, {1, 2, runtest.Local, "method.exchange=step"}, {2, 1, runtest.GRPC,
			"grid.blocks=[1, 1, 2]"},
		{3, 1, runtest.Delayed, "method.exchange=step"}, {4, 2, runtest.Local, "grid.blocks=[2, 2, 1]"},
		{6, 1, runtest.Local, "grid.blocks=[1, 3, 2]"}, {8, 1, runtest.GRPC, "grid.blocks=[2, 2, 2]"},
	},
}

// TestVOFSameBits proves that state, metrics, table, and every point and polygon of the interface have the same bits in
// every configuration, and that volume and bounds are kept.
func TestVOFSameBits(t *testing.T) {
	for name, text := range map[string]string{"plane": swirl, "space": shearedBody} {
		for j, advect := range vof.Advections {
			if advect == "ei-le" && name == "space" {
				continue
			}
			for k, normal := range vof.Normals {
				t.Run(name+" "+advect+" "+normal, func(t *testing.T) {
					t.Parallel()
					onOneRank := map[string]string{}
					for i, c := range vofSettings[name] {
						if i > 0 && (i+j+k)%2 > 0 {
							continue
						}
						if c.set == "method.exchange=step" && name == "space" && normal == "height" {
							c.set = "" // its ghosts are wider than blocks
						}
						sets := []string{"method.normal=" + normal, "method.advect=" + advect, "time.max_steps=6",
							"output.every=0.15", "method.rebalance=" + []string{"1", "3"}[i%2],
							`output.format=["vtp", "plic"]`}
						if c.set != "" {
							sets = append(sets, c.set)
						}
						if name == "plane" && normal != "height" && c.set != "method.exchange=sweep" {
							sets = append(sets, "method.sweep="+[]string{"tiles", "cells"}[i%2])
						}
						dir := t.TempDir()
						s, err := runtest.Run(t, text, c.ranks, c.threads, c.open, dir, sets...)
						if err != nil {
							t.Fatalf("%d ranks, %v: %v", c.ranks, sets, err)
						}
						rows, err := os.ReadFile(filepath.Join(dir, "conservation.csv"))
						if err != nil {
							t.Fatal(err)
						}
						got := map[string]string{"state": s.StateSHA256, "table": string(rows),
							"surface": interfaceIn(t, dir, "case"), "planes": interfaceIn(t, dir, "case_plic")}
						for key, v := range s.Metrics {
							got[key] = fmt.Sprint(v)
						}
						if i == 0 {
							onOneRank = got
						}
						for key, want := range onOneRank {
							if got[key] != want {
								t.Errorf("%d ranks, %v: %s is %s, not %s", c.ranks, sets, key, got[key], want)
							}
						}
						if d := s.Metrics["volume_drift"]; !(math.Abs(d) <= 1e-13 && s.Metrics["bound_excess"] <= 1e-12) {
							t.Errorf("%d ranks, %v: drift %g, excess %g", c.ranks, sets, d, s.Metrics["bound_excess"])
						}
					}
				})
			}
		}
	}
}

// TestBlocksMove proves that blocks follow the interface, where sweeps go by cells.
func TestBlocksMove(t *testing.T) {
	for _, c := range []struct {
		set   string
		moves bool
	}{
		{"method.rebalance=2", true}, {"method.rebalance=0", false}, {"method.sweep=tiles", false},
		{"grid.blocks=[3, 1]", false},
	} {
		s, err := runtest.Run(t, swirl, 3, 1, runtest.Local, t.TempDir(), c.set, "time.max_steps=20")
		if err != nil {
			t.Fatal(err)
		}
		if moved := s.Balance != nil && s.Balance.Moves > 0; moved != c.moves {
			t.Errorf("%s: blocks move: %v", c.set, moved)
		}
	}
}

// interfaceIn returns a hash of the simplices of all frames and ranks, each starting with its least point, sorted by
// points. No simplex may occur twice.
func interfaceIn(t *testing.T, dir, series string) string {
	t.Helper()
	sum := sha256.New()
	frames, err := vtk.ReadPVD(filepath.Join(dir, series+".pvd"))
	if err != nil || len(frames) < 2 {
		t.Fatal(frames, err)
	}
	for _, f := range frames {
		all := map[string]bool{}
		p, err := vtk.ReadPolyData(filepath.Join(dir, f.File))
		if err != nil {
			t.Fatal(err)
		}
		for _, cells := range []*vtk.Cells{&p.Lines, &p.Polys} {
			for i := range cells.Len() {
				var corners []string
				for _, n := range cells.Cell(i) {
					corners = append(corners, fmt.Sprintf("%x", p.Points[3*n:3*n+3]))
				}
				if len(corners) > 2 { // a segment has a direction
					least := slices.Index(corners, slices.Min(corners))
					corners = append(corners[least:], corners[:least]...)
				}
				simplex := strings.Join(corners, " ")
				if all[simplex] {
					t.Errorf("%s: %s is given twice", f.File, simplex)
				}
				all[simplex] = true
			}
		}
		if len(all) == 0 {
			t.Errorf("%s: no interface", f.File)
		}
		for _, simplex := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintln(sum, simplex)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
