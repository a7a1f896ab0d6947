package bench

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// TestLinesOfJSON: each bench prints a line for each measurement and nothing else, with as many updates as it made.
func TestLinesOfJSON(t *testing.T) {
	open := func(threads int) (backend.Device, func(), error) {
		dev := cpu.New(threads)
		return dev, dev.Close, nil
	}
	onRank := func(_, threads int) (backend.Device, func(), error) { return open(threads) }
	smoothing := smoothOptions()
	smoothing.JSON, smoothing.Repeat = true, 2
	for _, c := range []struct {
		name  string
		print func(w io.Writer) error
		lines int
		of    int64 // what updates are a multiple of: cells or vertices
	}{
		{"shallow", func(w io.Writer) error {
			return Shallow(t.Context(), w, ShallowOptions{Cells: []int{200}, Schemes: []string{"roe", "pvm-ifcp"},
				Orders: []string{"rcm"}, Precisions: []string{"float32"}, Threads: []int{1}, Seconds: .001, Repeat: 3,
				JSON: true, Open: open})
		}, 6, 200},
		{"vof", func(w io.Writer) error {
			return Vof(t.Context(), w, VofOptions{Dim: 2, Cells: []int{16}, Precisions: []string{"float64"}, Threads: []int{1},
				Ranks: []int{1}, Steps: 3, Repeat: 4, JSON: true, Open: onRank,
				Configs: []vof.Config{{Normal: "myc", Advect: "weymouth-yue", CFL: .5}}})
		}, 4, 3 * 16 * 16},
		{"smooth", func(w io.Writer) error { return Smooth(t.Context(), w, smoothing) }, 4, 3 * 100},
	} {
		var out bytes.Buffer
		if err := c.print(&out); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		lines := 0
		for text := range bytes.Lines(out.Bytes()) {
			var got Timing
			if err := json.Unmarshal(text, &got); err != nil {
				t.Errorf("%s: %v in %s", c.name, err, text)
			}
			if lines++; got.Name == "" || got.Updates < c.of || got.Updates%c.of != 0 || got.Wall <= 0 || got.Processor < 0 {
				t.Errorf("%s: %+v", c.name, got)
			}
		}
		if lines != c.lines {
			t.Errorf("%s: %d lines, want %d", c.name, lines, c.lines)
		}
	}
}
