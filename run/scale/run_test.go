package scale

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
)

func options(ranks ...string) Options {
	load := func(sets ...string) (*config.Case, error) {
		return solvers.Load("../../examples/dam-break.toml", append([]string{"time.end=100", "mesh.cells=2000"}, sets...))
	}
	return Options{Ranks: ranks, Steps: 20, Machine: "mpi", Load: load}
}

func predict(t *testing.T, o Options) (string, error) {
	t.Helper()
	c, err := o.Load()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = Run(context.Background(), c, o, &out, io.Discard)
	return out.String(), err
}

// TestBadOptionsAreRefused: the message says what to give.
func TestBadOptionsAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "machine.json")
	if err := os.WriteFile(file, []byte(`{"latency": -1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(o *Options){
		"--ranks is missing":          func(o *Options) { o.Ranks = nil },
		"--ranks 1.5":                 func(o *Options) { o.Ranks = []string{"1.5"} },
		"--ranks many":                func(o *Options) { o.Ranks = []string{"many"} },
		"--ranks 0":                   func(o *Options) { o.Ranks = []string{"0"} },
		"--steps 3":                   func(o *Options) { o.Steps = 3 },
		"--noise -1":                  func(o *Options) { o.Noise = -1 },
		"--step -1ns":                 func(o *Options) { o.Step = -1 },
		"--record 1":                  func(o *Options) { o.Traced = []int{1} },
		"multiples":                   func(o *Options) { o.Weak, o.Ranks = true, []string{"4", "10"} },
		"--picture":                   func(o *Options) { o.Picture = "scaling.txt" },
		"there is no machine \"mpj\"": func(o *Options) { o.Machine = "mpj" },
		"latency = -1":                func(o *Options) { o.Machine = file },
		"cannot be divided among 3000 ranks": func(o *Options) {
			o.Ranks = []string{"3000"}
		},
	} {
		o := options("4")
		change(&o)
		_, err := predict(t, o)
		var bad *solvers.BadInput
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want bad input with %q", err, want)
		}
	}
}

// TestPredictionsAreReported: as a table with the assumptions, as JSON, and as a picture; a number of ranks for which
// the case has too few cells has a reason instead of numbers.
func TestPredictionsAreReported(t *testing.T) {
	o := options("4", "1e2", "3000")
	o.Picture = filepath.Join(t.TempDir(), "scaling.png")
	text, err := predict(t, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3000 ranks for 2048 cells", "assumed:", "machine mpi", "collectives by doubling"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if _, err := os.Stat(o.Picture); err != nil {
		t.Error(err)
	}
	o.JSON, o.Picture, o.Weak, o.Ranks = true, "", true, []string{"4", "100", "1000"}
	if text, err = predict(t, o); err != nil {
		t.Fatal(err)
	}
	var got struct{ Predictions []Prediction }
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	p := got.Predictions
	if len(p) != 3 || p[2].Ranks != 1000 ||
		p[2].MeanCells != p[0].MeanCells || math.Abs(p[2].Messages-p[0].Messages) > 1e-9 ||
		p[2].Entities != 250*p[0].Entities || p[0].Efficiency != 1 || p[2].Efficiency >= 1 || p[2].Step <= p[0].Step {
		t.Errorf("weak scaling: %+v", p)
	}
}

// TestStepScalesComputations: with the time of a step on one rank, that is the time there.
func TestStepScalesComputations(t *testing.T) {
	o := options("1", "4")
	o.JSON, o.Step = true, 1e9 // ns
	text, err := predict(t, o)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Predictions []Prediction }
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if p := got.Predictions; p[0].Step < .99 || p[0].Step > 1.01 || p[1].Step < .25 || p[1].Step > .9 {
		t.Errorf("steps of %g s on one rank and %g s on four", p[0].Step, p[1].Step)
	}
}
