package problem

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestVOFGauges proves that gauges show the values of the cell that contains them, the same for any number of ranks.
// One gauge is on a face between two cells, one in a corner of the grid, one not in a mixed cell.
func TestVOFGauges(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		sets  []string
		first string // rows of the first moment
	}{
		"plane": {swirl, []string{"output={fields=['f', 'normal', 'alpha', 'curvature'], format=[]}", "gauge=[" +
			"{name='face', at=[0.7, 0.5]}, {name='corner', at=[1, 1], every=0.1}, " +
			"{name='edge', at=[0.312, 0.755], every=0.05}]"},
			"0,0,0,0,0,0\n"},
		"space": {shearedBody, []string{"output={fields=['f', 'alpha'], format=[]}", "gauge=[" +
			"{name='face', at=[0.5, 0.5, 0.5]}, {name='corner', at=[0, 0, 0], every=0.1}, " +
			"{name='edge', at=[0.4, 0.641, 0.41]}]"},
			"0,0,0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tables := map[string]string{}
			for _, ranks := range []int{1, 2, 4, 6} {
				dir := t.TempDir()
				if _, err := runtest.Run(t, c.text, ranks, 1, runtest.Local, dir, c.sets...); err != nil {
					t.Fatal(err)
				}
				for _, gauge := range []string{"face", "corner", "edge"} {
					rows, err := os.ReadFile(filepath.Join(dir, "gauges", gauge+".csv"))
					if err != nil {
						t.Fatal(err)
					}
					if ranks == 1 {
						tables[gauge] = string(rows)
					}
					if string(rows) != tables[gauge] {
						t.Errorf("%s on %d ranks:\n%s\non one:\n%s", gauge, ranks, rows, tables[gauge])
					}
				}
			}
			head, corner, _ := strings.Cut(tables["corner"], "\n")
			if !strings.HasPrefix(corner, c.first) || strings.Count(corner, "\n") >= strings.Count(tables["face"], "\n")-1 {
				t.Errorf("the corner:\n%s\n%s", head, corner)
			}
			if want := "t,f,nx,ny,alpha,curvature"; name == "plane" && head != want {
				t.Errorf("head %s, want %s", head, want)
			}
			if n := strings.Count(tables["edge"], ","); n == 0 || strings.Count(tables["edge"], ",0\n")*4 > n {
				t.Errorf("no interface at the edge:\n%s", tables["edge"])
			}
		})
	}
}

// TestVOFGaugesAreFields proves that gauges show the values of Field, also on a device with separate memory.
func TestVOFGaugesAreFields(t *testing.T) {
	c, err := solvers.Parse("case.toml", []byte(swirl), []string{"output.fields=['f', 'normal', 'alpha', 'curvature']"})
	if err != nil {
		t.Fatal(err)
	}
	comm := runtest.Local(t, 1)[0]
	defer comm.Close()
	dev := backendtest.NewFakeGPU(cpu.New(1), 1<<30)
	defer dev.Close()
	made, err := newSolver(t.Context(), solvers.Env{Comm: comm, Device: dev}, c)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	if _, err := made.Advance(t.Context(), 2, math.Inf(1), 5); err != nil {
		t.Fatal(err)
	}
	cells := []int{0, 39, 40*36 - 1, 800, 40*28 + 12}
	for x := range 40 {
		cells = append(cells, 40*20+x)
	}
	mixed := 0
	for _, f := range made.Fields() {
		width := len(f.Numbers())
		values := make([]float64, width*len(cells))
		if err := f.Pick(t.Context(), cells, values); err != nil {
			t.Fatal(err)
		}
		all, err := f.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, cell := range cells {
			for k, name := range f.Numbers() {
				got, want := values[i*width+k], all[cell*width+k]
				if math.Float64bits(got) != math.Float64bits(want) {
					t.Errorf("%s of cell %d is %v, not %v", name, cell, got, want)
				}
				if name == "alpha" && want != 0 {
					mixed++
				}
			}
		}
	}
	if mixed == 0 {
		t.Error("no cell is mixed")
	}
}

func TestVOFGaugesThatAreRefused(t *testing.T) {
	for set, want := range map[string]string{
		"gauge=[{name='g', at=[1.1, 0.5]}]": `gauge "g" at [1.1 0.5] lies in no cell`,
		"gauge=[{name='g', at=[0, -0.1]}]":  `gauge "g" at [0 -0.1] lies in no cell`,
	} {
		_, err := runtest.Run(t, swirl, 2, 1, runtest.Local, t.TempDir(), set)
		var input *solvers.BadInput
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %q", set, err, want)
		}
	}
	if _, err := solvers.Parse("c.toml", []byte(shearedBody), []string{"gauge=[{name='g', at=[0, 0]}]"}); err == nil ||
		!strings.Contains(err.Error(), "[[gauge]] at: must be a list of 3 numbers") {
		t.Errorf("two coordinates in space: %v", err)
	}
}
