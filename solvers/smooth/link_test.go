package smooth

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// stagingDevice is a device with separate memory that counts the messages that it stages.
type stagingDevice struct {
	*backendtest.FakeGPU
	staged *atomic.Int64 // messages
}

func (s stagingDevice) StartDownload(dst, src []byte) error {
	s.staged.Add(1)
	return s.FakeGPU.StartDownload(dst, src)
}

// network carries the messages between linked devices.
type network struct {
	lock      sync.Mutex
	channels  map[[2]int]chan []byte
	lastName  atomic.Int64
	exchanges atomic.Int64
}

func (w *network) channel(from, to int) chan []byte {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.channels[[2]int{from, to}] == nil {
		w.channels[[2]int{from, to}] = make(chan []byte, 8)
	}
	return w.channels[[2]int{from, to}]
}

// linkedDevice is a staging device with a device communicator.
type linkedDevice struct {
	stagingDevice
	wires *network
	name  string
}

func (l linkedDevice) DeviceID() string      { return l.name }
func (linkedDevice) LinkID() ([]byte, error) { return []byte("id"), nil }
func (l linkedDevice) Link(rank, size int, id []byte) (backend.DeviceComm, error) {
	return networkEnd{l.wires, rank}, nil
}

// networkEnd is a rank's end of a network, as device communicator.
type networkEnd struct {
	wires *network
	rank  int
}

func (l networkEnd) Exchange(send, recv []backend.Message) error {
	l.wires.exchanges.Add(1)
	for _, m := range send {
		l.wires.channel(l.rank, m.Peer) <- append([]byte(nil), m.Data...)
	}
	for _, m := range recv {
		b := <-l.wires.channel(m.Peer, l.rank)
		if len(b) != len(m.Data) {
			return fmt.Errorf("%d bytes for %d", len(b), len(m.Data))
		}
		copy(m.Data, b)
	}
	return nil
}

func (networkEnd) Max([]uint64) error        { return nil }
func (networkEnd) Sum([]int64) error         { return nil }
func (networkEnd) Fork(f func() error) error { return f() }
func (networkEnd) Join() error               { return nil }
func (networkEnd) Abort()                    {}
func (networkEnd) Close() error              { return nil }

// TestDevicesExchange proves that devices that stage messages, and linked ones, give the bits of one rank, with one
// exchange for each set or for each sweep; linked devices exchange directly in the latter case.
func TestDevicesExchange(t *testing.T) {
	t.Parallel()
	m := smoothtest.Rectangle(t, 300, 3)
	for _, smoother := range []string{"pain-exact", "hybrid"} {
		for _, precision := range []string{"float64", "float32"} {
			cfg := Config{Smoother: smoother, Guard: "halve", Rescale: true}
			s := defaultSetting()
			s.precision = precision
			want := s.run(t, m, swirl(t), cfg, 5)
			for _, ranks := range []int{2, 3, 4} {
				for _, deep := range []bool{false, true} {
					for _, links := range []bool{false, true} {
						s.ranks, s.layout.Deep, s.cut = ranks, deep, partition.RandomCut
						w := &network{channels: map[[2]int]chan []byte{}}
						staged := new(atomic.Int64)
						s.device = func() backend.Device {
							d := stagingDevice{newSeparateMemory(), staged}
							if links {
								return linkedDevice{d, w, fmt.Sprint(w.lastName.Add(1))}
							}
							return d
						}
						if got := s.run(t, m, swirl(t), cfg, 5); got != want {
							t.Errorf("%s, %s, %d ranks, deep %v, linked %v:\n%+v, on one rank\n%+v", smoother, precision, ranks, deep,
								links, got, want)
						}
						if byLink := w.exchanges.Load() > 0; byLink != (deep && links) || byLink == (staged.Load() > 0) {
							t.Errorf("deep %v, linked %v: %d exchanges by links, %d staged", deep, links, w.exchanges.Load(), staged.Load())
						}
					}
				}
			}
		}
	}
}

// TestHaloChosen proves that linked devices stage messages on request, and that NCCL is refused with a reason if
// devices cannot be linked.
func TestHaloChosen(t *testing.T) {
	t.Parallel()
	var launches atomic.Int64
	for _, c := range []struct {
		device, halo string
		deep, cull   bool
		want, refuse string
	}{
		{"linked", "auto", true, false, "nccl", ""},
		{"linked", "nccl", true, false, "nccl", ""},
		{"linked", "staged", true, false, "staged", ""},
		{"linked", "nccl", false, false, "", "needs a deep halo"},
		{"linked", "nccl", true, true, "", "needs a deep halo"},
		{"staged", "auto", true, false, "staged", ""},
		{"staged", "nccl", true, false, "", "rank 0: device cpu has no device communicator"},
		{"staged", "wire", true, false, "", `"wire" is not known; choose auto`},
	} {
		s := defaultSetting()
		s.ranks, s.layout.Deep, s.device = 2, c.deep, devices(&launches)[c.device]
		s.halo = c.halo
		cfg := Config{Smoother: "pain", Guard: "none", Cull: c.cull}
		var found atomic.Value
		found.Store("")
		err := s.onEachRank(t, smoothtest.Rectangle(t, 200, 3), swirl(t), cfg, func(_ dist.Comm, _ *layout.Part,
			solver *Solver) error {
			found.Store(solver.Halo())
			return nil
		})
		refused := err != nil && c.refuse != "" && strings.Contains(err.Error(), c.refuse)
		if found.Load() != c.want || refused != (c.refuse != "") || err != nil && !refused {
			t.Errorf("%+v: %v, %v", c, found.Load(), err)
		}
	}
}
