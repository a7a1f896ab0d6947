package smooth

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// weighed counts what its rank sends.
type weighed struct {
	dist.Comm
	bytes, messages *atomic.Int64
}

func (w weighed) Isend(ctx context.Context, to, tag int, buf []byte) (dist.Request, error) {
	w.bytes.Add(int64(len(buf)))
	w.messages.Add(1)
	return w.Comm.Isend(ctx, to, tag, buf)
}

// TestChangesArrive: after each of many exchanges, with none, few, many or all of the vertices changed, the ghosts are
// what their owners have, through messages of every form.
func TestChangesArrive(t *testing.T) {
	const n = 1000
	var send []int32
	for i := range int32(n) {
		send = append(send, (i*7)%n)
	}
	plans := []*halo.Plan{
		{Rank: 0, Owned: n, Peers: []halo.Peer{{Rank: 1, Send: send}}},
		{Rank: 1, Ghosts: n, Peers: []halo.Peer{{Rank: 0, Hi: n}}},
	}
	comms := local.New(2)
	defer comms[0].Close()
	defer comms[1].Close()
	v, moved := [2][]kernels.Vertex[float64]{}, [2][]int32{}
	var ends [2]*changes[kernels.Vertex[float64]]
	for r := range 2 {
		v[r], moved[r] = make([]kernels.Vertex[float64], n), make([]int32, n)
		ends[r] = newChanges(plans[r], comms[r], 1, v[r], 16)
	}
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string]int{}
	for round := range 300 {
		share := []float64{0, .001, .01, .2, 1}[r.IntN(5)]
		for i := range v[0] {
			if r.Float64() < share {
				v[0][i].X, v[0][i].M12 = r.Float64(), r.Float64()
				moved[0][i] = int32(round)
			}
		}
		f := &ends[0].out[0]
		form, first := "bitmap", f.first()
		switch {
		case f.whole():
			form = "whole"
		case f.listed():
			form = "list"
		}
		if err := ends[0].Start(t.Context(), v[0], moved[0]); err != nil {
			t.Fatal(err)
		}
		if err := ends[1].Start(t.Context(), v[1], moved[1]); err != nil {
			t.Fatal(err)
		}
		if err := ends[1].Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := ends[0].Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if form != "whole" && 4+f.count*recordBytes[kernels.Vertex[float64]]() > first {
			form += " in two"
		}
		seen[form]++
		for k, i := range send {
			if v[1][k] != v[0][i] || moved[1][k] != moved[0][i] {
				t.Fatalf("round %d, %s: vertex %d: %+v, at its owner %+v", round, form, k, v[1][k], v[0][i])
			}
		}
		if ends[0].out[0].room != ends[1].in[0].room {
			t.Fatalf("round %d: room for %d and %d", round, ends[0].out[0].room, ends[1].in[0].room)
		}
	}
	for _, form := range []string{"whole", "list", "bitmap", "list in two", "bitmap in two"} {
		if seen[form] < 3 {
			t.Errorf("%d messages are of form %s: %v", seen[form], form, seen)
		}
	}
}

// TestChangesBothWays: two ranks that have more to tell each other than was expected do not wait for each other.
func TestChangesBothWays(t *testing.T) {
	const n = 5000
	send := make([]int32, n)
	for i := range send {
		send[i] = int32(i)
	}
	comms := local.New(2)
	var wait sync.WaitGroup
	for r, comm := range comms {
		wait.Go(func() {
			defer comm.Close()
			plan := &halo.Plan{Rank: r, Owned: n, Ghosts: n, Peers: []halo.Peer{{Rank: 1 - r, Send: send, Lo: n, Hi: 2 * n}}}
			v, moved := make([]kernels.Vertex[float64], 2*n), make([]int32, 2*n)
			x := newChanges(plan, comm, 1, v, 16)
			for round, changed := range []int{0, n, 0, 1, n, n} {
				for i := range changed {
					v[i].X = float64(round + r)
				}
				if err := x.Start(t.Context(), v, moved); err != nil {
					t.Error(err)
					return
				}
				if err := x.Finish(t.Context()); err != nil {
					t.Error(err)
					return
				}
				if changed == n && v[2*n-1].X != float64(round+1-r) {
					t.Errorf("rank %d, round %d: %g", r, round, v[2*n-1].X)
				}
			}
		})
	}
	wait.Wait()
}

// FuzzChanges: a message that is none is refused, and never writes outside the ghosts.
func FuzzChanges(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 3, 0, 0, 0}, 1, 1)
	f.Add([]byte{2, 0, 0, 0, 3}, 8, 2)
	f.Fuzz(func(t *testing.T, message []byte, room, count int) {
		const n, lo = 100, 3
		g := flow[kernels.Vertex[float32]]{n: n, size: 8, lo: lo,
			buf: make([]byte, 4+4*n+n*recordBytes[kernels.Vertex[float32]]())}
		copy(g.buf, message)
		if room < 0 || room > n || count < 0 || count > n {
			return
		}
		g.room, g.count = room, count
		v, moved := make([]kernels.Vertex[float32], n+2*lo), make([]int32, n+2*lo)
		_ = g.unpack(v, moved)
		for i := range v {
			if (i < lo || i >= n+lo) && (!slices.Equal(rawBytes(&v[i]), make([]byte, len(rawBytes(&v[i])))) || moved[i] != 0) {
				t.Errorf("vertex %d is no ghost, and was written", i)
			}
		}
	})
}

// TestChangesRefused: what a peer tells is checked before it is used.
func TestChangesRefused(t *testing.T) {
	bad := func(room, count int, body ...byte) error {
		f := flow[kernels.Vertex[float64]]{n: 100, size: 16, room: room, count: count, buf: make([]byte, 10_000)}
		copy(f.buf[4:], body)
		return f.unpack(make([]kernels.Vertex[float64], 100), make([]int32, 100))
	}
	for what, err := range map[string]error{
		"vertex 100 of 100": bad(1, 1, 100), "bits missing": bad(10, 3, 1), "bits too many": bad(10, 1, 3),
		"a bit beyond": bad(10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1<<4),
	} {
		if err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	if err := bad(10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1<<3); err != nil {
		t.Error(err)
	}
}

// TestChangesSendLess: where vertices come to rest, culled sweeps send a small share of what others do.
func TestChangesSendLess(t *testing.T) {
	var sent [2]int64
	for k, cull := range []bool{false, true} {
		var w weighed
		w.bytes, w.messages = new(atomic.Int64), new(atomic.Int64)
		s := resting(t, 3000)
		s.sweep(t, local.New(2), w, Config{Smoother: "smart", Guard: "none", Cull: cull, Gain: 1e-3, Rescale: true}, 60)
		sent[k] = w.bytes.Load()
	}
	if 4*sent[1] > sent[0] || sent[1] == 0 {
		t.Errorf("culled sweeps send %d bytes, others %d", sent[1], sent[0])
	}
}

// rest is a mesh in two parts, and a metric.
type rest struct {
	parts  []*Part
	metric *Metric
}

func resting(t testing.TB, cells int) rest {
	t.Helper()
	m := rectangle(t, cells, 9)
	l, err := NewLayout(m, plain().layout)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := partition.Partition(partition.RandomCut, partition.Graph{Start: l.rings.Start, Adj: l.rings.At}, m.X,
		m.Y, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := l.Parts(owner, 2)
	if err != nil {
		t.Fatal(err)
	}
	return rest{parts, swirl(t)}
}

// sweep takes sweeps, of which w weighs the messages.
func (s rest) sweep(t testing.TB, comms []dist.Comm, w weighed, cfg Config, sweeps int) {
	t.Helper()
	var wait sync.WaitGroup
	for r, comm := range comms {
		wait.Go(func() {
			defer comm.Close()
			dev := cpu.New(1)
			defer dev.Close()
			solver, err := New(t.Context(), "float64", cfg, s.parts[r], s.metric, weighed{comm, w.bytes, w.messages}, dev)
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

// BenchmarkChanges takes 100 sweeps on two ranks over gRPC, after which most vertices rest.
func BenchmarkChanges(b *testing.B) {
	s := resting(b, 20_000)
	for _, cull := range []bool{false, true} {
		b.Run(fmt.Sprintf("cull=%v", cull), func(b *testing.B) {
			var w weighed
			w.bytes, w.messages = new(atomic.Int64), new(atomic.Int64)
			for b.Loop() {
				s.sweep(b, openGRPC(b, 2), w, Config{Smoother: "smart", Guard: "none", Cull: cull, Gain: 1e-3, Rescale: true}, 100)
			}
			b.ReportMetric(float64(w.bytes.Load())/float64(b.N)/100, "bytes/sweep")
			b.ReportMetric(float64(w.messages.Load())/float64(b.N)/100, "messages/sweep")
		})
	}
}

// openGRPC connects ranks as processes of one machine are.
func openGRPC(t testing.TB, n int) []dist.Comm {
	t.Helper()
	address := "unix:" + filepath.Join(t.TempDir(), "c.sock")
	comms, errs := make([]dist.Comm, n), make([]error, n)
	var wait sync.WaitGroup
	for r := range n {
		wait.Go(func() {
			comms[r], errs[r] = grpc.Join(t.Context(), grpc.Config{Rank: r, Size: n, Coordinator: address, BuildID: "b",
				CaseHash: "c"})
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return comms
}
