package smooth

import (
	"context"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// event is the first vertex of a loop, or sent, or waited.
type event int

const (
	sent   event = -1
	waited event = -2
)

// traced records what its rank runs and sends, in order.
type traced struct {
	dist.Comm
	backend.Device
	log []event
}

func (t *traced) Isend(ctx context.Context, to, tag int, buf []byte) (dist.Request, error) {
	t.log = append(t.log, sent)
	return t.Comm.Isend(ctx, to, tag, buf)
}

func (t *traced) Wait(ctx context.Context, reqs []dist.Request) error {
	t.log = append(t.log, waited)
	return t.Comm.Wait(ctx, reqs)
}

func (t *traced) Run(l backend.Loop, lo, hi int) {
	t.log = append(t.log, event(lo))
	t.Device.Run(l, lo, hi)
}

func (t *traced) Close() error { return nil }

// device is the device of a traced rank.
type device struct{ *traced }

func (d device) Close() {}

// TestOverlapped proves that of each set the vertices that other ranks need move first, and the others between
// sending and waiting.
func TestOverlapped(t *testing.T) {
	m, s := smoothtest.Rectangle(t, 1600, 9), plain()
	l, err := layout.New(m, s.layout)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := partition.Partition(partition.RCB, l.Graph(), m.X, m.Y, 2,
		1)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := l.Parts(owner, 2)
	if err != nil {
		t.Fatal(err)
	}
	metric := swirl(t)
	var wg sync.WaitGroup
	for r, comm := range local.New(2) {
		wg.Go(func() {
			defer comm.Close()
			dev := cpu.New(1)
			defer dev.Close()
			trace := &traced{Comm: comm, Device: dev}
			solver, err := New(t.Context(), "float64", Config{Smoother: "pain", Guard: "none"}, parts[r], metric, trace,
				device{trace})
			if err != nil {
				t.Error(err)
				return
			}
			defer solver.Close()
			trace.log = nil
			if _, err := solver.Sweep(t.Context(), 1); err != nil {
				t.Error(err)
				return
			}
			checkOverlap(t, parts[r], trace.log)
		})
	}
	wg.Wait()
}

// checkOverlap checks the log of a sweep.
func checkOverlap(t *testing.T, p *layout.Part, log []event) {
	shown := 0
	for set := range p.Sets {
		if p.First[set].Hi == p.First[set].Lo || p.Rest[set].Hi == p.Rest[set].Lo {
			continue
		}
		shown++
		var order []string
		away := false
		for _, e := range log {
			switch e {
			case sent:
				away = true
			case waited:
				away = false
			case event(p.First[set].Lo):
				order = append(order, "first")
			case event(p.Rest[set].Lo):
				if !away {
					t.Errorf("set %d: the rest moves while nothing travels: %v", set, log)
				}
				order = append(order, "rest")
			}
		}
		if len(order) != 2 || order[0] != "first" || order[1] != "rest" {
			t.Errorf("set %d moves in the order %v: %v", set, order, log)
		}
	}
	if shown < 3 {
		t.Errorf("%d sets have vertices of both kinds: the case is too simple", shown)
	}
}
