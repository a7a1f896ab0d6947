package problem

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// drifting is a body that moves through three blocks, farther than deep ghosts reach.
const drifting = `
solver = "vof"
grid = { bounds = [0, 0, 18.25, 1], cells = [219, 12], periodic = ["x"] }
initial = { shape = "circle(0.5, 0.5, 0.4)" }
velocity = { u = "1", v = "0", factor = "1 - 0.01*t" }
time = { end = 12 }
output = { format = [] }
`

// TestVOFRowsAnyNumberOfStepsApart proves that state and rows do not depend on the number of steps between rows, for
// any way to exchange ghosts, and for a time series of velocities.
func TestVOFRowsAnyNumberOfStepsApart(t *testing.T) {
	var files []string
	dir := t.TempDir()
	for n, v := range []float64{1, .7, .8} {
		files = append(files, fmt.Sprintf("%q", filepath.Join(dir, fmt.Sprint(n, ".npz"))))
		runtest.FaceFile(t, strings.Trim(files[n], `"`), [3]int{219, 12, 0}, v, 0)
	}
	for name, c := range map[string]struct {
		velocity string
		every    []int
	}{
		"given":  {"velocity.divergence=1e-10", []int{1000, 2, 11, 13}},
		"series": {fmt.Sprintf("velocity={faces=[%s], times=[0, 5, 12]}", strings.Join(files, ",")), []int{1, 7, 10}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hash, rows := rowsOf(t, 1, c.velocity, "output.conservation_every=1", "method.sweep='cells'")
			for _, every := range c.every {
				got, gotRows := rowsOf(t, 3, c.velocity, fmt.Sprint("output.conservation_every=", every),
					"method.exchange='steps'")
				if got != hash {
					t.Errorf("rows every %d steps: state %.8s, want %.8s", every, got, hash)
				}
				for step, row := range gotRows {
					if rows[step] != row {
						t.Fatalf("rows every %d steps: row %s, want %s", every, row, rows[step])
					}
				}
			}
		})
	}
}

// rowsOf runs the case drifting, and returns the hash of its state and the rows of conservation.csv by their steps.
func rowsOf(t *testing.T, ranks int, sets ...string) (hash string, rows map[string]string) {
	t.Helper()
	dir := t.TempDir()
	s, err := runtest.Run(t, drifting, ranks, 1, runtest.Local, dir, sets...)
	if err != nil {
		t.Fatalf("%v: %v", sets, err)
	}
	table, err := os.ReadFile(filepath.Join(dir, "conservation.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string]string{}
	for row := range strings.Lines(string(table)) {
		step, _, _ := strings.Cut(row, ",")
		rows[step] = row
	}
	return s.StateSHA256, rows
}
