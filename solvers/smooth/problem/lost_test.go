package problem

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// openHooked returns the communicators of ranks of this process, and calls f before their n-th message is sent.
func openHooked(ranks, n int, f func(comms []dist.Comm)) []dist.Comm {
	var lock sync.Mutex
	var comms []dist.Comm
	count := 0
	comms = local.New(ranks, local.Drop(func(int, int, int, int) bool {
		lock.Lock()
		defer lock.Unlock()
		if count++; count == n {
			f(comms)
		}
		return false
	}))
	return comms
}

// communicationCases are settings of cases with different communication patterns.
var communicationCases = []string{"method.smoother=pain-exact", "method.deep=true",
	"method={smoother='smart', cull=true, sweeps=12}", "method.untangle=true",
	"method={smoother='hybrid', colouring='first-fit', sweeps=12}"}

// smoothAll runs a case, or only smooths its mesh, on every rank, and returns their errors. It fails if they hang.
func smoothAll(t *testing.T, ctx context.Context, comms []dist.Comm, alone bool, set string) []error {
	t.Helper()
	c, err := solvers.Parse("case.toml", []byte(wavy), []string{set, "mesh.partition=random"})
	if err != nil {
		t.Fatal(err)
	}
	dir, errs := t.TempDir(), make([]error, len(comms))
	var ranks sync.WaitGroup
	for rank, comm := range comms {
		ranks.Go(func() {
			dev := cpu.New(1)
			defer dev.Close()
			o := run.Options{Case: c, Comm: comm, Device: dev, Dir: dir}
			if alone {
				o.Report = func(ctx context.Context, s solvers.Solver, o solvers.Outcome) error {
					_, err := reporter("")(ctx, s, o)
					return err
				}
			}
			_, errs[rank] = run.Run(ctx, o)
			_ = comm.Close()
		})
	}
	ended := make(chan struct{})
	go func() { ranks.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Hour):
		t.Fatalf("%s: the ranks hang", set)
	}
	return errs
}

// TestSmoothLosesARank proves that if a rank dies at any message, the others end with its number, and that this is
// not an input error.
func TestSmoothLosesARank(t *testing.T) {
	for k, set := range communicationCases {
		lost := 0
		for n := 1; n < 400; n += 1 + n/5 {
			errs := smoothAll(t, t.Context(), openHooked(3, n, func(c []dist.Comm) { local.Kill(c[2]) }), n%2 == k%2, set)
			for rank, err := range errs {
				var bad *solvers.BadInput
				var peer *dist.PeerError
				if err == nil && n > 50 {
					continue // the rank had received what it needed
				}
				if errors.As(err, &bad) || !errors.As(err, &peer) || peer.Rank != 2 {
					t.Errorf("%s: rank 2 lost at message %d: on rank %d %v", set, n, rank, err)
				}
				lost++
			}
		}
		if lost < 30 {
			t.Errorf("%s: %d ranks noticed", set, lost)
		}
	}
}

// TestSmoothIsStopped proves that a run can be cancelled at any message on all ranks, and that this is not an input
// error.
func TestSmoothIsStopped(t *testing.T) {
	for k, set := range communicationCases {
		for n := 1; n < 100; n += 1 + n/5 {
			ctx, cancel := context.WithCancel(t.Context())
			errs := smoothAll(t, ctx, openHooked(3, n, func([]dist.Comm) { cancel() }), n%2 == k%2, set)
			cancel()
			all := errors.Join(errs...)
			stopped := errors.Is(all, context.Canceled) || errors.As(all, new(*run.Stopped)) // in set-up, or in sweeps
			for rank, err := range errs {
				var bad *solvers.BadInput
				if errors.As(err, &bad) || n <= 50 && (err == nil || !stopped) {
					t.Errorf("%s: stopped at message %d: on rank %d %v", set, n, rank, err)
				}
			}
		}
	}
}

// TestSmoothIsStoppedAlone proves that a single rank checks for cancellation while the metric is sampled, and after
// each sweep.
func TestSmoothIsStoppedAlone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := smoothAll(t, ctx, local.New(1), false, "method.sweeps=1000000")[0]; !errors.Is(err, context.Canceled) {
		t.Errorf("set up: %v", err)
	}
	c, err := solvers.Parse("case.toml", []byte(wavy), []string{"metric.samples=8192"})
	if err != nil {
		t.Fatal(err)
	}
	w := c.Sections.(*Sections)
	m, err := domain.Load(c, w.Mesh)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (planeMesh{Mesh: m}).cut(ctx, w, 1, false, newStageLog(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("cut: %v", err)
	}
	if _, err := planeMetric(ctx, &w.Metric, boundsOfMesh(m), &request.Adjusted{}); !errors.Is(err, context.Canceled) {
		t.Errorf("metric: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err = smoothAll(t, ctx, local.New(1), true, "method.sweeps=10000000")[0]
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("sweeps: %v", err)
	}
}

// TestSmoothRefusesOnAllRanks proves that all ranks report a fault of a mesh or a metric with the same text.
func TestSmoothRefusesOnAllRanks(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"mesh={file='nowhere.msh'}", "nowhere.msh"},
		{"metric={m11='x+1', m12='0', m22='1', samples=0}", "vertex 0"},
		{"metric={width='x > 0.9 ? -1 : 1', height='1'}", "width = -1"},
		{"mesh={generate='delaunay', bounds=[0, 0, 1, 1], cells=2}", "ranks for"},
	} {
		for _, alone := range []bool{false, true} {
			ranks := 3
			if test.want == "ranks for" {
				ranks = 7
			}
			errs := smoothAll(t, t.Context(), local.New(ranks), alone, test.set)
			for rank, err := range errs {
				var bad *solvers.BadInput
				if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) || fmt.Sprint(err) != fmt.Sprint(errs[0]) {
					t.Errorf("%s on rank %d: %v", test.set, rank, err)
				}
			}
		}
	}
}
