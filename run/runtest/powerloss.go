package runtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/run/summary"
)

// attempts returns the number of disturbances for a test: the value of an environment variable, or few.
func attempts(t *testing.T, variable string, few int) (n int, seed uint64) {
	t.Helper()
	n = few
	if text := os.Getenv(variable); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
		seed = uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
	}
	return n, seed
}

// SurvivesPowerFailures tests that a run whose machine loses power at any moment ends, after the same command, with the
// files and the hash of an undisturbed run: over goroutines and over gRPC, and also if the power fails twice. sets must
// make the case save its state several times. ATOLL_POWER_FAILURES is the number of failures over each transport.
func SurvivesPowerFailures(t *testing.T, text string, sets ...string) {
	t.Helper()
	moments, seed := attempts(t, "ATOLL_POWER_FAILURES", 3)
	for name, open := range map[string]Open{"local": Local, "grpc": GRPC} {
		complete := filepath.Join(t.TempDir(), "out")
		d := newDisk(t, filepath.Dir(complete), seed)
		want, err := Run(t, text, 2, 1, open, complete, sets...)
		if err != nil {
			t.Fatal(err)
		}
		images := t.TempDir()
		failAt := func(d *disk, operations int, prefix string) (list []string) {
			for k := range moments {
				image := filepath.Join(images, fmt.Sprint(prefix, k))
				d.moments[1+d.rng.IntN(operations)] = image
				list = append(list, image)
			}
			return list
		}
		again := filepath.Join(t.TempDir(), "out")
		disturbed := newDisk(t, filepath.Dir(again), seed+1)
		list := failAt(disturbed, d.count, name)
		if _, err := Run(t, text, 2, 1, open, again, sets...); err != nil {
			t.Fatal(err)
		}
		for k, image := range list {
			if _, err := os.Stat(image); err != nil {
				continue // the run had fewer operations, or two failures were at the same moment
			}
			second := newDisk(t, image, seed+2+uint64(k))
			twice := failAt(second, d.count, filepath.Base(image)+"-")[:1]
			sameAfterwards(t, text, open, complete, filepath.Join(image, "out"), want, fmt.Sprintf("%s, failure %d", name, k),
				sets...)
			if _, err := os.Stat(twice[0]); err == nil {
				sameAfterwards(t, text, open, complete, filepath.Join(twice[0], "out"), want,
					fmt.Sprintf("%s, failure %d twice", name, k), sets...)
			}
		}
	}
}

// sameAfterwards runs the same command in a folder and compares the files and the hash with those of a complete run.
func sameAfterwards(t *testing.T, text string, open Open, complete, dir string, want *summary.Summary, name string,
	sets ...string) {
	t.Helper()
	var found []string
	for _, file := range filesIn(t, filepath.Dir(dir)) {
		info, err := os.Stat(filepath.Join(filepath.Dir(dir), file))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, fmt.Sprintf("%s (%d bytes)", file, info.Size()))
	}
	saved, err := checkpoint.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	if before, err := folder.Read(dir); err != nil || before.State == folder.Done {
		saved = nil // the run begins anew
	}
	got, log, err := sameCommand(t, text, open, dir, sets...)
	switch {
	case err != nil:
		t.Errorf("%s: %v\n%s\n%s", name, err, log, strings.Join(found, "\n"))
		return
	case got.StateSHA256 != want.StateSHA256:
		t.Errorf("%s: state %s, want %s", name, got.StateSHA256, want.StateSHA256)
	case len(saved) > 0 && !strings.Contains(log, "continues"):
		t.Errorf("%s: the run has started from the beginning, although it had checkpoints %v\n%s", name, saved, log)
	}
	if different := differences(t, complete, dir); len(different) > 0 {
		t.Errorf("%s: %q\n%s\nbefore:\n%s", name, different, log, strings.Join(found, "\n"))
	}
}

// sameCommand runs a case on two ranks as Run does, and also returns what the run has printed.
func sameCommand(t *testing.T, text string, open Open, dir string, sets ...string) (*summary.Summary, string, error) {
	t.Helper()
	c := Parse(t, text, sets...)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	const ranks = 2
	results, errs := make([]*summary.Summary, ranks), make([]error, ranks)
	var wg sync.WaitGroup
	var log bytes.Buffer
	for rank, comm := range open(t, ranks) {
		wg.Go(func() {
			dev := cpu.New(1)
			defer dev.Close()
			o := run.Options{Case: c, Comm: comm, Device: dev, Dir: dir}
			if rank == 0 {
				o.Warn, o.Progress = &log, progress.Options{Out: &log}
			}
			results[rank], errs[rank] = run.Run(ctx, o)
			errs[rank] = errors.Join(errs[rank], comm.Close())
		})
	}
	wg.Wait()
	return results[0], log.String(), errors.Join(errs...)
}

// differences compares the output in two folders byte for byte, and the names of all files.
func differences(t *testing.T, want, got string) (different []string) {
	t.Helper()
	a, b := filesIn(t, want), filesIn(t, got)
	for _, name := range a {
		if !slices.Contains(b, name) {
			different = append(different, name+" is missing")
		}
	}
	for _, name := range b {
		x, errX := os.ReadFile(filepath.Join(want, name))
		y, errY := os.ReadFile(filepath.Join(got, name))
		switch {
		case errors.Is(errX, fs.ErrNotExist):
			different = append(different, name+" is too many")
		case errX != nil || errY != nil:
			t.Fatal(errX, errY)
		case name == "summary.json" || strings.HasPrefix(name, "checkpoints"), name == ".lock": // with wall-clock times
		case !bytes.Equal(x, y):
			different = append(different, name)
		}
	}
	return different
}
