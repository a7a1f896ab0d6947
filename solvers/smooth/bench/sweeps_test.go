package bench

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
)

func smoothOptions() SmoothOptions {
	return SmoothOptions{Sizes: []int{10}, Metric: "linear", Smoothers: []string{"pain"}, Sweeps: 3, Guard: "none",
		Colouring: "first-fit", Order: "hilbert", Precision: "float64", Threads: []int{1, 2},
		Open: func(_, threads int) (backend.Device, func(), error) {
			dev := cpu.New(threads)
			return dev, dev.Close, nil
		}}
}

func TestSmoothPrintsItsMeasurements(t *testing.T) {
	o := smoothOptions()
	o.Metric = "sinusoidal"
	var b strings.Builder
	if err := Smooth(t.Context(), &b, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n    10       100     16 ", "Table 5.2", " 2.33 "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "Table 5.4") {
		t.Errorf("a table of the other metric:\n%s", b.String())
	}
}

// TestBlockTables checks the tables of the thesis's times by threads of a block.
func TestBlockTables(t *testing.T) {
	var b strings.Builder
	thesisTables(&b, "linear", []smoothResult{{2000, "pain", 1, 2.5}})
	for _, want := range []string{"ours 2.500", "     32     820.16    328.1       360.57    144.2", "Table 5.7"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

func TestSmoothRefuses(t *testing.T) {
	for want, change := range map[string]func(*SmoothOptions){
		"0 sweeps":             func(o *SmoothOptions) { o.Sweeps = 0 },
		"size 1 is not":        func(o *SmoothOptions) { o.Sizes = []int{1} },
		`metric "flat"`:        func(o *SmoothOptions) { o.Metric = "flat" },
		"3 nodes a side":       func(o *SmoothOptions) { o.Grid = 3 },
		`smoother "laplace" `:  func(o *SmoothOptions) { o.Smoothers = []string{"laplace"} },
		`colouring "greedy" i`: func(o *SmoothOptions) { o.Colouring = "greedy" },
	} {
		o := smoothOptions()
		change(&o)
		var b strings.Builder
		if err := Smooth(t.Context(), &b, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}

// TestThesisMesh proves that the meshes have the thesis's numbers of vertices, approximately.
func TestThesisMesh(t *testing.T) {
	for _, r := range thesisRows[:3] {
		m, err := thesisMesh(r.vertices)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		if n := len(m.X); n < r.vertices*9/10 || n > r.vertices*11/10 {
			t.Errorf("%d vertices for %d", n, r.vertices)
		}
	}
}
