package problem

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
)

func onCPU() backend.Device { return cpu.New(1) }

// TestLostRankIsNoBadInput proves that a rank that dies during set-up, at any message, is a failure of the run and
// not of the input, and that the other ranks free their devices.
func TestLostRankIsNoBadInput(t *testing.T) {
	c := runtest.Parse(t, wet)
	for message := range 24 {
		devices := make(chan *backendtest.FakeGPU, 3)
		all := []*backendtest.FakeGPU{backendtest.NewFakeGPU(cpu.New(1), 1<<30), backendtest.NewFakeGPU(cpu.New(1), 1<<30),
			backendtest.NewFakeGPU(cpu.New(1), 1<<30)}
		for _, f := range all {
			devices <- f
		}
		var once sync.Once
		var count int
		var mu sync.Mutex
		var comms []dist.Comm
		comms = local.New(3, local.Drop(func(from, to, _, _ int) bool {
			mu.Lock()
			defer mu.Unlock()
			if count++; count > message {
				once.Do(func() { local.Kill(comms[2]) })
			}
			return false
		}))
		for rank, err := range runtest.RunEach(t, c, comms, func() backend.Device { return <-devices }) {
			var bad *solvers.BadInput
			var lost *dist.PeerError
			if errors.As(err, &bad) || !errors.As(err, &lost) || lost.Rank != 2 {
				t.Errorf("rank 2 lost at message %d: on rank %d %v", message, rank, err)
			}
		}
		for i, f := range all {
			if f.Used != 0 {
				t.Errorf("rank 2 lost at message %d: device %d keeps %d bytes", message, i, f.Used)
			}
		}
	}
}

// TestRankLostBeforeTheMesh is the same for a rank that dies before the first message.
func TestRankLostBeforeTheMesh(t *testing.T) {
	comms := local.New(3)
	local.Kill(comms[1])
	for rank, err := range runtest.RunEach(t, runtest.Parse(t, wet), comms, onCPU) {
		var bad *solvers.BadInput
		if errors.As(err, &bad) || !errors.Is(err, dist.ErrPeerLost) {
			t.Errorf("on rank %d: %v", rank, err)
		}
	}
}

// TestBadInputIsThatOfAll proves that an input error on one rank is reported by all ranks.
func TestBadInputIsThatOfAll(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"mesh={file='nowhere.msh'}", "nowhere.msh"},
		{"initial.h2=(x > 4 && y > 4) ? -1 : 1", "negative"},
		{"initial.h2=(x > 4 && y > 4) ? sqrt(-x) : 1", "sqrt(-x)"},
		{"boundary.harbour=open", "harbour"},
		{"gauge=[{name='g', at=[50, 0]}]", "lies in no cell"},
	} {
		for rank, err := range runtest.RunEach(t, runtest.Parse(t, wet, test.set), local.New(3), onCPU) {
			var bad *solvers.BadInput
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s on rank %d: %v", test.set, rank, err)
			}
		}
	}
}

// TestOneRankWithoutMemory proves that an allocation error on one rank ends all ranks and is reported.
func TestOneRankWithoutMemory(t *testing.T) {
	devices := make(chan *backendtest.FakeGPU, 3)
	all := make([]*backendtest.FakeGPU, 3)
	for i := range all {
		all[i] = backendtest.NewFakeGPU(cpu.New(1), 1<<30)
		if i == 1 {
			all[i].Size, all[i].OverstatesFree = 4096, true
		}
		devices <- all[i]
	}
	reported := 0
	var bad *solvers.BadInput
	for rank, err := range runtest.RunEach(t, runtest.Parse(t, wet), local.New(3),
		func() backend.Device { return <-devices }) {
		if err == nil || errors.As(err, &bad) {
			t.Errorf("on rank %d: %v", rank, err)
		} else if strings.Contains(err.Error(), "out of memory") {
			reported++
		}
	}
	if reported != 3 {
		t.Errorf("%d ranks report the error", reported)
	}
	for i, f := range all {
		if f.Used != 0 {
			t.Errorf("device %d keeps %d bytes", i, f.Used)
		}
	}
}

// TestDeviceIsLeftAsItWas proves that all arrays are freed at the end of a run, and after errors during set-up.
func TestDeviceIsLeftAsItWas(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"title=well", ""},
		{"gauge=[{name='g', at=[50, 0]}]", "lies in no cell"},
		{"initial.h2=x > 4 ? -1 : 1", "negative"},
	} {
		f := backendtest.NewFakeGPU(cpu.New(1), 1<<30)
		err := runtest.RunEach(t, runtest.Parse(t, wet, test.set), local.New(1), func() backend.Device { return f })[0]
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.set, err)
		}
		if f.Used != 0 || len(f.Allocations) != 0 {
			t.Errorf("%s: %d bytes in %d arrays were kept", test.set, f.Used, len(f.Allocations))
		}
		if test.want != "negative" && f.AllocCalls == 0 {
			t.Errorf("%s: no array was made", test.set)
		}
	}
}

func TestMemoryIsCheckedFirst(t *testing.T) {
	for _, precision := range []string{"float64", "float32"} {
		for _, text := range []string{wet, dry} {
			runtest.MemoryIsCheckedFirst(t, .8, text, "mesh.cells=20000", "time.max_steps=1", "physics.precision="+precision)
		}
	}
}
