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

// RowsComeLate tests that a device is not waited for when the rows of conservation.csv are measured, and that they and
// those of gauges are those of the host's memory to the last byte, on one rank and on two.
func RowsComeLate(t *testing.T, text string, sets ...string) {
	t.Helper()
	c := Parse(t, text, sets...)
	want := ""
	for _, ranks := range []int{1, 2} {
		for _, far := range []bool{false, true} {
			dir := t.TempDir()
			errs, ahead := make([]error, ranks), make([]int, ranks)
			var wait sync.WaitGroup
			for rank, comm := range Local(t, ranks) {
				wait.Go(func() {
					var dev backend.Device = cpu.New(1)
					defer dev.Close()
					if far {
						away := backendtest.NewFakeGPU(dev, 1<<30)
						defer func() { ahead[rank] = away.MaxUnread }()
						dev = away
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
				t.Errorf("%d ranks, far %t:\n%swant\n%s", ranks, far, rows, want)
			}
			for rank, n := range ahead {
				if far && n < 2 {
					t.Errorf("rank %d of %d: %d rows were under way at most", rank, ranks, n)
				}
			}
		}
	}
}
