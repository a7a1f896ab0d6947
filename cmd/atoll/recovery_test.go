//go:build linux

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestRecovery: from when a rank is killed to the first step of the next epoch it takes at most 1.2 times as long as
// from when a run is started to its first step, by the medians of as many runs as ATOLL_RECOVERY says.
func TestRecovery(t *testing.T) {
	times, err := strconv.Atoi(os.Getenv(envRecovery))
	if err != nil {
		t.Skipf("%s does not say how often, as 9 would: make recovery", envRecovery)
	}
	path, err := filepath.Abs("../../examples/dam-break.toml")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"run", path, "--out", "out", "--quiet", "--ranks", "4", "--transport", "grpc", "--set",
		"mesh.cells=30000", "--set", "time.end=0.4", "--set", "checkpoint.steps=20"}
	random := rand.New(rand.NewPCG(3, 4))
	// to is how long it takes from a moment to the first step of the last epoch: until this is raised, and then what the
	// summary says, which counts from when the process of rank 0 began.
	to := func(d *disturbed, from time.Time) time.Duration {
		if code, said := d.launcher.end(t); code != exitDone {
			t.Fatalf("exit code %d: %s", code, said)
		}
		info, err := os.Stat(filepath.Join(d.out(), "epoch.json"))
		if err != nil {
			t.Fatal(err)
		}
		first := readSummary(t, filepath.Join(d.out(), "summary.json")).Phases["first_step"]
		return info.ModTime().Sub(from) + time.Duration(first*float64(time.Second))
	}
	var starts, recoveries []time.Duration
	for range times {
		d := &disturbed{t: t, dir: t.TempDir(), args: args}
		from := time.Now()
		d.launch()
		starts = append(starts, to(d, from))
		d = &disturbed{t: t, dir: t.TempDir(), args: args}
		d.launch()
		d.progress(random)
		recoveries = append(recoveries, to(d, d.hit(random, false)))
	}
	slices.Sort(starts)
	slices.Sort(recoveries)
	start, recovery := starts[times/2], recoveries[times/2]
	t.Logf("start to first step %v (%v to %v), kill to first step %v (%v to %v): %.2f", start, starts[0],
		starts[times-1], recovery, recoveries[0], recoveries[times-1], float64(recovery)/float64(start))
	if recovery > start*6/5 {
		t.Error("that is more than 1.2 times a start")
	}
}
