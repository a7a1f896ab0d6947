//go:build linux

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gofrs/flock"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/folder"
)

// TestRanksOfAnEarlierEpochPublishNothing: once epoch.json in the folder of a run has a later epoch, the ranks of
// the earlier one append nothing to tables, and end with an error that says why.
func TestRanksOfAnEarlierEpochPublishNothing(t *testing.T) {
	dir := caseFile(t, strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4"))
	d := &faultyRun{t: t, dir: dir, args: []string{"run", "case.toml", "--ranks", "2", "--transport", "grpc", "--quiet",
		"--set", "output.every=0.5"}}
	d.launch()
	table := filepath.Join(d.out(), "conservation.csv")
	size := func() int64 {
		info, err := os.Stat(table)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	d.waitFor("table", func() bool { return size() > 1000 })

	e, err := folder.ReadEpoch(d.out())
	if err != nil {
		t.Fatal(err)
	}
	e.Epoch += 10
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	fence := flock.New(filepath.Join(d.out(), ".fence"))
	if err := fence.Lock(); err != nil {
		t.Fatal(err)
	}
	// At once, as launchers do: this one would take half a file for damage, and write its own epoch again.
	err = atomicfile.Write(filepath.Join(d.out(), "epoch.json"), func(f *atomicfile.File) error {
		_, err := f.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	before := size()
	if err := fence.Close(); err != nil {
		t.Fatal(err)
	}
	largest := before
	d.waitFor("another epoch", func() bool {
		if d.epoch() > e.Epoch {
			return true
		}
		largest = max(largest, size())
		return false
	})
	if largest > before {
		t.Errorf("the table had %d bytes when the epoch changed, and grew to %d before the next one began", before, largest)
	}
	d.waitFor("table cut back by the new epoch", func() bool { return size() < largest })
	d.waitFor("rows of the new epoch", func() bool { return size() > 1000 })
	if err := d.launcher.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, stderr := d.launcher.end(t); code != exitSaved || !strings.Contains(stderr, "other ranks have replaced it") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
