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
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// event is the first vertex of the range of a loop that was run, or sent or waited.
type event int

const (
	sent   event = -1
	waited event = -2
)

// tracer records in order what its rank runs and sends.
type tracer struct {
	dist.Comm
	backend.Device
	log []event
}

func (t *tracer) Isend(ctx context.Context, to, tag int, buf []byte) (dist.Request, error) {
	t.log = append(t.log, sent)
	return t.Comm.Isend(ctx, to, tag, buf)
}

func (t *tracer) Wait(ctx context.Context, reqs []dist.Request) error {
	t.log = append(t.log, waited)
	return t.Comm.Wait(ctx, reqs)
}

func (t *tracer) Run(l backend.Loop, lo, hi int) {
	t.log = append(t.log, event(lo))
	t.Device.Run(l, lo, hi)
}

func (t *tracer) Close() error { return nil }

// tracedDevice is a tracer as a device, whose Close does not close the communicator.
type tracedDevice struct{ *tracer }

func (d tracedDevice) Close() {}

// TestExchangeOverlapsMoves proves that of each set the vertices that other ranks need move first, and the others
// between sending and waiting.
func TestExchangeOverlapsMoves(t *testing.T) {
	m, s := smoothtest.Rectangle(t, 1600, 9), defaultSetting()
	l, err := layout.New(m, s.layout)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := partition.Partition(partition.RCB, l.Graph(), [][]float64{m.X, m.Y}, 2,
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
			trace := &tracer{Comm: comm, Device: dev}
			env := solvers.Env{Comm: trace, Device: tracedDevice{trace}}
			solver, err := New(t.Context(), env, "float64", Config{Smoother: "pain", Guard: "none"}, parts[r], metric)
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
	checked := 0
	for set := range p.Sets {
		if p.Sent[set].Hi == p.Sent[set].Lo || p.Unsent[set].Hi == p.Unsent[set].Lo {
			continue
		}
		checked++
		var order []string
		underWay := false
		for _, e := range log {
			switch e {
			case sent:
				underWay = true
			case waited:
				underWay = false
			case event(p.Sent[set].Lo):
				order = append(order, "first")
			case event(p.Unsent[set].Lo):
				if !underWay {
					t.Errorf("set %d: the rest moves while nothing travels: %v", set, log)
				}
				order = append(order, "rest")
			}
		}
		if len(order) != 2 || order[0] != "first" || order[1] != "rest" {
			t.Errorf("set %d moves in the order %v: %v", set, order, log)
		}
	}
	if checked < 3 {
		t.Errorf("%d sets have vertices of both kinds: the case is too simple", checked)
	}
}
