package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/kernelgen/lanes"
	"github.com/atoll-hpc/atoll/run/bench"
)

// TestLinesOfJSON: each benchmark of a solver prints one line of JSON per measurement, with the number of updates.
func TestLinesOfJSON(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		lines int
		unit  int64 // of which the number of updates is a multiple: those of all cells or vertices in the shortest run
	}{
		"shallow": {[]string{"--cells=200", "--schemes=roe,pvm-ifcp", "--orders=rcm", "--precisions=float32", "--threads=1",
			"--seconds=0.001", "--repeat=3"}, 6, 200},
		"vof": {[]string{"--cells=16", "--threads=1", "--steps=3", "--repeat=4"}, 4, 3 * 16 * 16},
		"smooth": {[]string{"--sizes=10", "--sweeps=3", "--colouring=first-fit", "--threads=1,2", "--repeat=2"}, 4,
			3 * 100},
	} {
		var out bytes.Buffer
		m := &bench.Machine{Out: &out, Open: func(_, threads int) (backend.Device, func(), error) {
			dev := cpu.New(threads)
			return dev, dev.Close, nil
		}}
		for _, b := range bench.All() {
			if b.Name != name {
				continue
			}
			flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
			measure := b.New(flags)
			if err := flags.Parse(append(c.args, "--json")); err != nil {
				t.Fatal(err)
			}
			if err := measure(t.Context(), m); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		lines := 0
		for text := range bytes.Lines(out.Bytes()) {
			var got bench.Timing
			if err := json.Unmarshal(text, &got); err != nil {
				t.Errorf("%s: %v in %s", name, err, text)
			}
			if lines++; got.Name == "" || got.Updates < c.unit || got.Updates%c.unit != 0 || got.Wall <= 0 ||
				got.Processor < 0 {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if lines != c.lines {
			t.Errorf("%s: %d lines, want %d", name, lines, c.lines)
		}
	}
}

// TestVectorsKeepStates: the state of a case is the same with all vector instruction sets, on one rank and on
// three: bench case fails if they differ. The cases cover all solvers with vector kernels.
func TestVectorsKeepStates(t *testing.T) {
	sets := "off"
	for set := lanes.AVX2; set <= lanes.Best(); set++ {
		sets += "," + set.String()
	}
	weno := []string{"grid.cells=[20,20,20]", "method.particles=0", `method.advect="weno"`, `method.reinit="weno"`,
		"method.cfl=0.4"}
	for _, c := range [][]string{
		{"dam-break", "mesh.cells=800"}, {"dam-break", "mesh.cells=800", "physics.order=2"},
		{"island", "mesh.cells=800", "physics.order=2", `physics.precision="float32"`},
		{"vortex", "grid.cells=[40,40]"}, {"vortex", "grid.cells=[40,40]", `method.precision="float32"`},
		{"enright", "grid.cells=[20,20,20]"}, append([]string{"enright-levelset"}, weno...),
	} {
		args := []string{"--json", "--vectors=" + sets, "--ranks=1,3", "--threads=1", "--warm=0", "--steps=4", "--repeat=2"}
		for _, set := range c[1:] {
			args = append(args, "--set", set)
		}
		var out bytes.Buffer
		m := &bench.Machine{Out: &out, Args: []string{"../../examples/" + c[0] + ".toml"},
			Open: func(_, threads int) (backend.Device, func(), error) {
				dev := cpu.New(threads)
				return dev, dev.Close, nil
			}}
		for _, b := range bench.All() {
			if b.Name != "case" {
				continue
			}
			flags := pflag.NewFlagSet(c[0], pflag.ContinueOnError)
			measure := b.New(flags)
			if err := flags.Parse(args); err != nil {
				t.Fatal(err)
			}
			if err := measure(t.Context(), m); err != nil {
				t.Errorf("%v: %v", c, err)
			}
		}
		if want := 2 * 2 * (1 + strings.Count(sets, ",")); strings.Count(out.String(), "\n") != want {
			t.Errorf("%v: want %d lines, got\n%s", c, want, out.String())
		}
	}
}
