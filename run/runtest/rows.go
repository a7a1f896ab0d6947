package runtest

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run"
)

// RowsAreAsynchronous tests that measuring rows of conservation.csv does not wait for a device with separate memory,
// and that all tables have the same bytes as with a CPU, on one rank and on two.
func RowsAreAsynchronous(t *testing.T, text string, sets ...string) {
	t.Helper()
	c := Parse(t, text, sets...)
	want := ""
	for _, ranks := range []int{1, 2} {
		for _, separate := range []bool{false, true} {
			dir := t.TempDir()
			errs, pending := make([]error, ranks), make([]int, ranks)
			var wait sync.WaitGroup
			for rank, comm := range Local(t, ranks) {
				wait.Go(func() {
					var dev backend.Device = cpu.New(1)
					defer dev.Close()
					if separate {
						device := backendtest.NewFakeGPU(dev, 1<<30)
						defer func() { pending[rank] = device.MaxUnread }()
						dev = device
					}
					_, err := run.Run(t.Context(), run.Options{Case: c, Comm: comm, Device: dev, Dir: dir})
					errs[rank] = errors.Join(err, comm.Close())
				})
			}
			wait.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			tables, err := filepath.Glob(filepath.Join(dir, "gauges", "*.csv"))
			if err != nil {
				t.Fatal(err)
			}
			rows := ""
			for _, table := range append(tables, filepath.Join(dir, "conservation.csv")) {
				text, err := os.ReadFile(table)
				if err != nil {
					t.Fatal(err)
				}
				rows += string(text)
			}
			if want == "" {
				want = rows
			}
			if rows != want {
				t.Errorf("%d ranks, separate memory %t:\n%swant\n%s", ranks, separate, rows, want)
			}
			for rank, n := range pending {
				if separate && n < 2 {
					t.Errorf("rank %d of %d: at most %d rows were pending, want 2", rank, ranks, n)
				}
			}
		}
	}
}
