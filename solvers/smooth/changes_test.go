package smooth

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// TestChangesSendLess proves that culled sweeps send much less once vertices have converged.
func TestChangesSendLess(t *testing.T) {
	var sent [2]int64
	for k, cull := range []bool{false, true} {
		var w smoothtest.CountingComm
		w.Bytes, w.Messages = new(atomic.Int64), new(atomic.Int64)
		s := newTwoParts(t, 3000)
		s.sweep(t, local.New(2), w, Config{Smoother: "smart", Guard: "none", Cull: cull, Gain: 1e-3, Rescale: true}, 60)
		sent[k] = w.Bytes.Load()
	}
	if 4*sent[1] > sent[0] || sent[1] == 0 {
		t.Errorf("culled sweeps send %d bytes, others %d", sent[1], sent[0])
	}
}

// twoParts is a mesh in two parts, and a metric.
type twoParts struct {
	parts  []*layout.Part
	metric *sizing.Metric
}

func newTwoParts(t testing.TB, cells int) twoParts {
	t.Helper()
	m := smoothtest.Rectangle(t, cells, 9)
	l, err := layout.New(m, defaultSetting().layout)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := partition.Partition(partition.RandomCut, l.Graph(), [][]float64{m.X, m.Y}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := l.Parts(owner, 2)
	if err != nil {
		t.Fatal(err)
	}
	return twoParts{parts, swirl(t)}
}

// sweep makes sweeps on both ranks and counts the bytes of messages in w.
func (s twoParts) sweep(t testing.TB, comms []dist.Comm, w smoothtest.CountingComm, cfg Config, sweeps int) {
	t.Helper()
	var wait sync.WaitGroup
	for r, comm := range comms {
		wait.Go(func() {
			defer comm.Close()
			dev := cpu.New(1)
			defer dev.Close()
			env := solvers.Env{Comm: smoothtest.CountingComm{Comm: comm, Bytes: w.Bytes, Messages: w.Messages}, Device: dev}
			solver, err := New(t.Context(), env, "float64", cfg, s.parts[r], s.metric)
			if err != nil {
				t.Error(err)
				return
			}
			defer solver.Close()
			if _, err := solver.Sweep(t.Context(), sweeps); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// BenchmarkChanges takes 100 sweeps on two ranks over gRPC, after which most vertices have converged.
func BenchmarkChanges(b *testing.B) {
	s := newTwoParts(b, 20_000)
	for _, cull := range []bool{false, true} {
		b.Run(fmt.Sprintf("cull=%v", cull), func(b *testing.B) {
			var w smoothtest.CountingComm
			w.Bytes, w.Messages = new(atomic.Int64), new(atomic.Int64)
			for b.Loop() {
				cfg := Config{Smoother: "smart", Guard: "none", Cull: cull, Gain: 1e-3, Rescale: true}
				s.sweep(b, grpctest.Open(b, 2), w, cfg, 100)
			}
			b.ReportMetric(float64(w.Bytes.Load())/float64(b.N)/100, "bytes/sweep")
			b.ReportMetric(float64(w.Messages.Load())/float64(b.N)/100, "messages/sweep")
		})
	}
}
