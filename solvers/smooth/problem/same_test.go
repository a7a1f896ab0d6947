package problem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
)

// results returns the results of a run: its state, the summary without configuration and times, and its table.
func results(t testing.TB, ranks, threads int, open runtest.Open, sets ...string) string {
	t.Helper()
	dir := t.TempDir()
	s, err := runtest.Run(t, wavy, ranks, threads, open, dir, sets...)
	if err != nil {
		t.Fatalf("%d ranks, %v: %v", ranks, sets, err)
	}
	if s.Metrics["moved"] == 0 || s.Metrics["inverted"] != 0 {
		t.Fatalf("metrics %v", s.Metrics)
	}
	table, err := os.ReadFile(filepath.Join(dir, "conservation.csv"))
	if err != nil {
		t.Fatal(err)
	}
	s.CaseSHA256, s.Ranks, s.Transport, s.Threads, s.Phases, s.Wall, s.UpdatesPerS, s.Host = "", 0, "", 0, nil, 0, 0,
		summary.Host{}
	s.Imbalance, s.Processor, s.ArrayBytes, s.Estimate = nil, nil, 0, nil
	text, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + string(table)
}

// TestSmoothSameBits proves that for every smoother and colouring, coordinates, summary and
// tables have the same bits in every configuration.
func TestSmoothSameBits(t *testing.T) {
	for k, smoother := range smooth.Smoothers {
		for n, colouring := range []string{"jones-plassmann", "first-fit"} {
			t.Run(smoother+"/"+colouring, func(t *testing.T) {
				t.Parallel()
				set := []string{"mesh.cells=250", "method.sweeps=8", "method.smoother=" + smoother, "method.colouring=" + colouring}
				want := results(t, 1, 1, runtest.Local, set...)
				same := func(what string, ranks, threads int, open runtest.Open, more ...string) {
					t.Helper()
					if got := results(t, ranks, threads, open, append(more, set...)...); got != want {
						t.Errorf("%s, %d ranks, %d threads, %v:\n%s\non one rank\n%s", what, ranks, threads, more, got, want)
					}
				}
				for i, ranks := range []int{1, 2, 3, 4, 7} {
					order := "mesh.order=" + []string{"random", "natural", "hilbert"}[(i+k)%3]
					over, open := "local", runtest.Open(runtest.Local)
					if (i+k+n)%2 > 0 { // with the other colouring it is the other way round
						over, open = "grpc", runtest.GRPC
					}
					same(over, ranks, 1+i%2, open, "mesh.partition=random", order)
					same("deep", ranks, 1, runtest.Local, "mesh.partition="+[]string{"hilbert", "rcb"}[i%2], "method.deep=true")
				}
				same("delayed", 4, 1, runtest.Delayed, "mesh.partition=random")
			})
		}
	}
}

// reported smooths a mesh on several ranks and returns the report of atoll smooth, without times.
func reported(t testing.TB, ranks int, open runtest.Open, sets ...string) string {
	t.Helper()
	c, err := solvers.Parse("case.toml", []byte(wavy), sets)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	reports, errs := make([]*Report, ranks), make([]error, ranks)
	var wait sync.WaitGroup
	for rank, comm := range open(t, ranks) {
		wait.Go(func() {
			dev := cpu.New(1)
			defer dev.Close()
			_, errs[rank] = run.Run(ctx, run.Options{Case: c, Comm: comm, Device: dev,
				Report: func(ctx context.Context, s solvers.Solver, o solvers.Outcome) error {
					r, err := reporter("")(ctx, s, o)
					reports[rank], _ = r.(*Report)
					return err
				}})
			errs[rank] = errors.Join(errs[rank], comm.Close())
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	var text string
	for rank, r := range reports {
		r.SetUp, r.Seconds = 0, 0
		r.ShapeBefore, r.ShapeAfter = reports[0].ShapeBefore, reports[0].ShapeAfter // of rank 0 alone
		body, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if rank > 0 && !bytes.Equal(body, []byte(text)) {
			t.Errorf("rank %d of %d reports\n%s, rank 0\n%s", rank, ranks, body, text)
		}
		text = string(body)
	}
	return text + reports[0].Text()
}

// TestSmoothReportsTheSame proves that the report of atoll smooth, except times, is the same for any number of ranks.
func TestSmoothReportsTheSame(t *testing.T) {
	for _, set := range [][]string{
		{"method.smoother=hybrid"}, {"method.smoother=barrier"},
		{"method.smoother=pain-exact", "stop={every=2, advance=0.01}"},
		{"method={smoother='smart', cull=true, settled=0.01, colouring='first-fit'}", "stop.move=0.05"},
	} {
		want := reported(t, 1, runtest.Local, set...)
		var keys struct{ Before, After map[string]any }
		if err := json.Unmarshal([]byte(want[:bytes.LastIndexByte([]byte(want), '}')+1]), &keys); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"quality_min", "quality_mean", "objective", "inverted", "moved", "area_drift",
			"edge_in_range", "quality_histogram", "edge_histogram", "worst_cell", "best_cell", "shape_min", "shape_mean"} {
			if keys.Before[key] == nil || keys.After[key] == nil {
				t.Errorf("%v: the report has no %s", set, key)
			}
		}
		for _, ranks := range []int{2, 3, 4, 7} {
			open := runtest.Local
			if ranks == 3 {
				open = runtest.GRPC
			}
			if got := reported(t, ranks, open, append(set, "mesh.partition=random")...); got != want {
				t.Errorf("%v on %d ranks:\n%s\non one\n%s", set, ranks, got, want)
			}
		}
	}
}
