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

// staging is a device with separate memory that counts the messages that it stages.
type staging struct {
	*backendtest.FakeGPU
	staged *atomic.Int64 // messages
}

func (s staging) StartDownload(dst, src []byte) error {
	s.staged.Add(1)
	return s.FakeGPU.StartDownload(dst, src)
}

// wires carry the messages between linked devices.
type wires struct {
	lock  sync.Mutex
	wire  map[[2]int]chan []byte
	names atomic.Int64
	used  atomic.Int64
}

func (w *wires) between(from, to int) chan []byte {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.wire[[2]int{from, to}] == nil {
		w.wire[[2]int{from, to}] = make(chan []byte, 8)
	}
	return w.wire[[2]int{from, to}]
}

// linked is a staging device with a device communicator.
type linked struct {
	staging
	wires *wires
	name  string
}

func (l linked) DeviceID() string      { return l.name }
func (linked) LinkID() ([]byte, error) { return []byte("id"), nil }
func (l linked) Link(rank, size int, id []byte) (backend.DeviceComm, error) {
	return wired{l.wires, rank}, nil
}

// wired is a rank's end of the wires.
type wired struct {
	wires *wires
	rank  int
}

func (l wired) Exchange(send, recv []backend.Message) error {
	l.wires.used.Add(1)
	for _, m := range send {
		l.wires.between(l.rank, m.Peer) <- append([]byte(nil), m.Data...)
	}
	for _, m := range recv {
		b := <-l.wires.between(m.Peer, l.rank)
		if len(b) != len(m.Data) {
			return fmt.Errorf("%d bytes for %d", len(b), len(m.Data))
		}
		copy(m.Data, b)
	}
	return nil
}

func (wired) Max([]uint64) error        { return nil }
func (wired) Fork(f func() error) error { return f() }
func (wired) Join() error               { return nil }
func (wired) Abort()                    {}
func (wired) Close() error              { return nil }

// TestDevicesExchange proves that devices that stage messages, and linked ones, give the bits of one rank, with one
// exchange for each set or for each sweep; linked devices exchange directly in the latter case.
func TestDevicesExchange(t *testing.T) {
	t.Parallel()
	m := smoothtest.Rectangle(t, 300, 3)
	for _, smoother := range []string{"pain-exact", "hybrid"} {
		for _, precision := range []string{"float64", "float32"} {
			cfg := Config{Smoother: smoother, Guard: "halve", Rescale: true}
			s := plain()
			s.precision = precision
			want := s.run(t, m, swirl(t), cfg, 5)
			for _, ranks := range []int{2, 3, 4} {
				for _, deep := range []bool{false, true} {
					for _, links := range []bool{false, true} {
						s.ranks, s.layout.Deep, s.cut = ranks, deep, partition.RandomCut
						w := &wires{wire: map[[2]int]chan []byte{}}
						staged := new(atomic.Int64)
						s.device = func() backend.Device {
							d := staging{newFar(), staged}
							if links {
								return linked{d, w, fmt.Sprint(w.names.Add(1))}
							}
							return d
						}
						if got := s.run(t, m, swirl(t), cfg, 5); got != want {
							t.Errorf("%s, %s, %d ranks, deep %v, linked %v:\n%+v, on one rank\n%+v", smoother, precision, ranks, deep,
								links, got, want)
						}
						if byLink := w.used.Load() > 0; byLink != (deep && links) || byLink == (staged.Load() > 0) {
							t.Errorf("deep %v, linked %v: %d exchanges by links, %d staged", deep, links, w.used.Load(), staged.Load())
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
		{"linked", "nccl", false, false, "", "is for deep ghosts"},
		{"linked", "nccl", true, true, "", "is for deep ghosts"},
		{"staged", "auto", true, false, "staged", ""},
		{"staged", "nccl", true, false, "", "rank 0: device cpu has no device communicator"},
		{"staged", "wire", true, false, "", `"wire" is not known; choose auto`},
	} {
		s := plain()
		s.ranks, s.layout.Deep, s.device = 2, c.deep, devices(&launches)[c.device]
		cfg := Config{Smoother: "pain", Guard: "none", Cull: c.cull, Halo: c.halo}
		var found atomic.Value
		found.Store("")
		err := s.on(t, smoothtest.Rectangle(t, 200, 3), swirl(t), cfg, func(_ dist.Comm, _ *layout.Part,
			solver Solver) error {
			found.Store(solver.Halo())
			return nil
		})
		refused := err != nil && c.refuse != "" && strings.Contains(err.Error(), c.refuse)
		if found.Load() != c.want || refused != (c.refuse != "") || err != nil && !refused {
			t.Errorf("%+v: %v, %v", c, found.Load(), err)
		}
	}
}
