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

// TestRecovery: the time from killing a rank to the first step of the next epoch is at most 1.2 times that from
// starting a run to its first step. Both are medians of ATOLL_RECOVERY runs.
func TestRecovery(t *testing.T) {
	times, err := strconv.Atoi(os.Getenv(envRecovery))
	if err != nil {
		t.Skipf("set %s to the number of runs, as in 9: make recovery", envRecovery)
	}
	path, err := filepath.Abs("../../examples/dam-break.toml")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"run", path, "--out", "out", "--quiet", "--ranks", "4", "--transport", "grpc", "--set",
		"mesh.cells=30000", "--set", "time.end=0.4", "--set", "checkpoint.steps=20"}
	random := rand.New(rand.NewPCG(3, 4))
	// firstStep returns the time from start to the first step of the last epoch: up to the raise of the epoch, plus
	// the time in the summary, which counts from the start of rank 0.
	firstStep := func(d *faultyRun, from time.Time) time.Duration {
		if code, stderr := d.launcher.end(t); code != exitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
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
		d := &faultyRun{t: t, dir: t.TempDir(), args: args}
		from := time.Now()
		d.launch()
		starts = append(starts, firstStep(d, from))
		d = &faultyRun{t: t, dir: t.TempDir(), args: args}
		d.launch()
		d.awaitProgress(random)
		recoveries = append(recoveries, firstStep(d, d.disturbRank(random, false)))
	}
	slices.Sort(starts)
	slices.Sort(recoveries)
	start, recovery := starts[times/2], recoveries[times/2]
	t.Logf("start to first step %v (%v to %v), kill to first step %v (%v to %v): %.2f", start, starts[0],
		starts[times-1], recovery, recoveries[0], recoveries[times-1], float64(recovery)/float64(start))
	if recovery > start*6/5 {
		t.Error("recovery took more than 1.2 times a start")
	}
}
