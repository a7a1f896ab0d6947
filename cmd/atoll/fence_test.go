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

	"github.com/atoll-hpc/atoll/run/folder"
)

// TestRanksOfAnEarlierEpochPublishNothing: as soon as the folder of a run has another epoch, which somebody has begun
// who took these ranks for lost, their tables grow no more, and they end and say why.
func TestRanksOfAnEarlierEpochPublishNothing(t *testing.T) {
	dir := caseFile(t, strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4"))
	d := &disturbed{t: t, dir: dir, args: []string{"run", "case.toml", "--ranks", "2", "--transport", "grpc", "--quiet",
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
	d.until("table", func() bool { return size() > 1000 })

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
	if err := os.WriteFile(filepath.Join(d.out(), "epoch.json"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	at := size()
	if err := fence.Close(); err != nil {
		t.Fatal(err)
	}
	most := at
	d.until("another epoch", func() bool {
		if d.epoch() > e.Epoch {
			return true
		}
		most = max(most, size())
		return false
	})
	if most > at {
		t.Errorf("the table had %d bytes, and %d before the next epoch began", at, most)
	}
	d.until("loop", func() bool { return size() < most })
	d.until("table", func() bool { return size() > 1000 }) // of the ranks that go on
	if err := d.launcher.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, said := d.launcher.end(t); code != exitSaved || !strings.Contains(said, "others have taken its place") {
		t.Errorf("exit code %d: %s", code, said)
	}
}
