package runtest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/summary"
)

// RestartsAfterKill tests that a killed run continues from its latest checkpoint to the same files and hash as an
// uninterrupted run: on other numbers of ranks, over other transports, and on a device with separate memory. sets must
// make the case save its state several times.
func RestartsAfterKill(t *testing.T, text string, sets ...string) {
	t.Helper()
	sets = append(sets, "checkpoint.keep=1000")
	complete := t.TempDir()
	want, err := Run(t, text, 2, 1, Local, complete, sets...)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := checkpoint.List(complete)
	if err != nil || len(saved) < 2 {
		t.Fatalf("checkpoints %v, %v", saved, err)
	}
	host := func() backend.Device { return cpu.New(1) }
	separate := func() backend.Device { return backendtest.NewFakeGPU(cpu.New(1), 1<<30) }
	recorder := func() backend.Device { return backendtest.NewFakeRecorder(cpu.New(1), 1<<30) }
	for _, c := range []struct {
		name   string
		ranks  int
		open   Open
		device func() backend.Device
	}{
		{"1 rank", 1, Local, func() backend.Device { return cpu.New(3) }},
		{"3 ranks over gRPC", 3, GRPC, host},
		{"7 ranks with memory of their own", 7, Local, separate},
		{"1 rank that queues steps", 1, Local, recorder},
	} {
		dir := filepath.Join(t.TempDir(), "again")
		copyAsKilled(t, complete, dir, len(saved)/2)
		got, err := restart(t, text, c.ranks, c.open, c.device, dir, sets...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.StateSHA256 != want.StateSHA256 || got.Steps != want.Steps || got.Stopped != want.Stopped {
			t.Errorf("%s: state %s after %d steps, want %s after %d", c.name, got.StateSHA256, got.Steps,
				want.StateSHA256, want.Steps)
		}
		for name, v := range want.Metrics {
			if got.Metrics[name] != v {
				t.Errorf("%s: %s is %v, want %v", c.name, name, got.Metrics[name], v)
			}
		}
		sameTables(t, complete, dir, c.name)
	}
}

// copyAsKilled copies the folder of a complete run and makes it look as if the run had been killed: without the latest
// checkpoints, as many as removed says, with later rows in its tables and a temporary file beside each file.
func copyAsKilled(t *testing.T, complete, dir string, removed int) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(complete)); err != nil {
		t.Fatal(err)
	}
	saved, err := checkpoint.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range filesIn(t, dir) { // files that were being written
		partial := name + ".4711-12.tmp"
		if folder := filepath.Dir(name); folder == "frames" || folder == "checkpoints" {
			partial = strings.Replace(name, "_000001.", "_000999.", 1) + ".part"
		} else if strings.HasPrefix(name, ".") { // a lock, which is not replaced
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, partial), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range append(saved[:removed:removed], filepath.Join(dir, "summary.json")) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	infoFile := filepath.Join(dir, "run.json")
	text, err := os.ReadFile(infoFile)
	if err == nil {
		err = os.WriteFile(infoFile, []byte(strings.Replace(string(text), `"done"`, `"running"`, 1)), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// restart continues a case in a folder, like Run, on the given devices.
func restart(t *testing.T, text string, ranks int, open Open, device func() backend.Device, dir string,
	sets ...string) (*summary.Summary, error) {
	t.Helper()
	c := Parse(t, text, sets...)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	results, errs := make([]*summary.Summary, ranks), make([]error, ranks)
	var wg sync.WaitGroup
	for rank, comm := range open(t, ranks) {
		wg.Go(func() {
			dev := device()
			defer dev.Close()
			results[rank], errs[rank] = run.Run(ctx, run.Options{Case: c, Comm: comm, Device: dev, Dir: dir, Restart: true})
			errs[rank] = errors.Join(errs[rank], comm.Close())
		})
	}
	wg.Wait()
	return results[0], errors.Join(errs...)
}

// sameTables compares the tables, indices of frames, and NetCDF files of two folders.
func sameTables(t *testing.T, want, got, name string) {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.csv", "gauges/*.csv", "transects/*.csv", "measured/*.csv", "*.pvd", "*.nc",
		"*.geojson"} {
		found, err := filepath.Glob(filepath.Join(want, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 2 {
		t.Errorf("%s: the run wrote only %v", name, files)
	}
	for _, path := range files {
		file, err := filepath.Rel(want, path)
		if err != nil {
			t.Fatal(err)
		}
		a, errA := os.ReadFile(path)
		b, errB := os.ReadFile(filepath.Join(got, file))
		if err := errors.Join(errA, errB); err != nil || string(a) != string(b) {
			t.Errorf("%s: %s has\n%s\nwant\n%s\n%v", name, file, b, a, err)
		}
	}
	if a, b := filesIn(t, want), filesIn(t, got); !slices.Equal(a, b) {
		t.Errorf("%s: files %v, want %v", name, b, a)
	}
}

// filesIn returns the paths of all files in a folder.
func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
