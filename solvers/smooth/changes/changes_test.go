package changes

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// TestChangesArrive proves that after each of many exchanges, with none, few, many or all vertices changed, ghosts
// equal their owners' vertices, and that only the changed vertices are sent.
func TestChangesArrive(t *testing.T) {
	const n, lo = 1000, 7
	var send []int32
	for i := range int32(n) {
		send = append(send, (i*7)%n)
	}
	plans := []*halo.Plan{
		{Rank: 0, Owned: n, Peers: []halo.Peer{{Rank: 1, Send: send}}},
		{Rank: 1, Owned: lo, Ghosts: n, Peers: []halo.Peer{{Rank: 0, Lo: lo, Hi: lo + n}}},
	}
	comms := local.New(2)
	defer comms[0].Close()
	defer comms[1].Close()
	w := smoothtest.CountingComm{Comm: comms[0], Bytes: new(atomic.Int64), Messages: new(atomic.Int64)}
	v := [2][]kernels.Vertex[float64]{make([]kernels.Vertex[float64], n), make([]kernels.Vertex[float64], lo+n)}
	moved := [2][]int32{make([]int32, n), make([]int32, lo+n)}
	ends := [2]*Exchange[kernels.Vertex[float64]]{New(plans[0], w, 1, v[0], 16),
		New(plans[1], comms[1], 1, v[1], 16)}
	r := rand.New(rand.NewPCG(1, 2))
	var want int64
	for round := range 300 {
		share := []float64{0, .001, .01, .2, 1}[r.IntN(5)]
		for i := range v[0] {
			if r.Float64() < share {
				v[0][i].X, v[0][i].M12 = r.Float64(), r.Float64()
				moved[0][i] = int32(round)
				want += int64(unsafe.Sizeof(change[kernels.Vertex[float64]]{}))
			}
		}
		for k, x := range ends {
			if err := x.Start(t.Context(), v[k], moved[k]); err != nil {
				t.Fatal(err)
			}
		}
		for _, x := range ends {
			if err := x.Finish(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for k, i := range send {
			if v[1][lo+k] != v[0][i] || moved[1][lo+k] != moved[0][i] {
				t.Fatalf("round %d: vertex %d: %+v, at its owner %+v", round, k, v[1][lo+k], v[0][i])
			}
		}
		if sent := w.Bytes.Load(); sent != want {
			t.Fatalf("round %d: %d bytes were sent, want %d", round, sent, want)
		}
	}
}

// receiveChanges passes a message to a rank with 100 ghosts, from vertex 3, and returns the vertices, which were
// zero.
func receiveChanges(t testing.TB, message []byte) ([]kernels.Vertex[float32], error) {
	t.Helper()
	const n, lo = 100, 3
	comms := local.New(2)
	defer comms[0].Close()
	defer comms[1].Close()
	plan := &halo.Plan{Rank: 1, Owned: lo, Ghosts: n, Peers: []halo.Peer{{Rank: 0, Lo: lo, Hi: lo + n}}}
	v, moved := make([]kernels.Vertex[float32], n+2*lo), make([]int32, n+2*lo)
	x := New(plan, comms[1], 1, v, 8)
	if err := x.Start(t.Context(), v, moved); err != nil {
		t.Fatal(err)
	}
	sent, err := comms[0].Isend(t.Context(), 1, 1, message)
	if err != nil {
		t.Fatal(err)
	}
	err = x.Finish(t.Context())
	if bad := comms[0].Wait(t.Context(), []dist.Request{sent}); bad != nil {
		t.Fatal(bad)
	}
	for i := range v {
		if (i < lo || i >= n+lo) && (v[i] != (kernels.Vertex[float32]{}) || moved[i] != 0) {
			t.Errorf("vertex %d is no ghost, and was written", i)
		}
	}
	return v, err
}

// FuzzChanges proves that an invalid message is refused, and that no message writes outside the ghosts.
func FuzzChanges(f *testing.F) {
	f.Add(changeOf(99))
	f.Add(changeOf(-1))
	f.Add(append(changeOf(5), changeOf(100)...))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, message []byte) { _, _ = receiveChanges(t, message) })
}

// changeOf is the message that the ghost with an index has moved.
func changeOf(index int32) []byte {
	return bytes.Clone(rawBytes(&change[kernels.Vertex[float32]]{kernels.Vertex[float32]{X: 1}, 1, index}))
}

// TestChangesRefused proves that messages are checked before they are used.
func TestChangesRefused(t *testing.T) {
	for what, message := range map[string][]byte{
		"vertex 100 of 100": changeOf(100), "vertex -1": changeOf(-1), "half a change": changeOf(1)[:16],
		"a change too many": bytes.Repeat(changeOf(1), 101),
	} {
		var peer *dist.PeerError
		if _, err := receiveChanges(t, message); !errors.As(err, &peer) || peer.Rank != 0 {
			t.Errorf("%s: error %v, want one that names rank 0", what, err)
		}
	}
	if v, err := receiveChanges(t, append(changeOf(0), changeOf(99)...)); err != nil || v[3].X != 1 || v[102].X != 1 {
		t.Errorf("vertices at %v and %v, error %v", v[3].X, v[102].X, err)
	}
}
