package run

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/solvers"
)

func parse(t *testing.T, text string, sets ...string) *config.Case {
	t.Helper()
	c, err := solvers.Parse("case.toml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// runAll runs a case on every communicator that is not nil, and returns their errors.
func runAll(t *testing.T, c *config.Case, comms []dist.Comm, dev func() backend.Device) []error {
	t.Helper()
	dir := t.TempDir()
	errs := make([]error, len(comms))
	var wg sync.WaitGroup
	for rank, comm := range comms {
		if comm == nil {
			continue
		}
		wg.Go(func() {
			dev := dev()
			defer dev.Close()
			_, errs[rank] = Run(context.Background(), Options{Case: c, Comm: comm, Device: dev, Dir: dir})
		})
	}
	wg.Wait()
	return errs
}

func onCPU() backend.Device { return cpu.New(1) }

// TestLostRankIsNoBadInput: a rank that dies while the mesh is handed out or later, at whatever message, is a failure
// of the run, and the devices of the others are left as they were.
func TestLostRankIsNoBadInput(t *testing.T) {
	c := parse(t, wet)
	for message := range 24 {
		devices := make(chan *far, 3)
		all := []*far{newFar(cpu.New(1), 1<<30), newFar(cpu.New(1), 1<<30), newFar(cpu.New(1), 1<<30)}
		for _, f := range all {
			devices <- f
		}
		var once sync.Once
		var seen int
		var mu sync.Mutex
		var comms []dist.Comm
		comms = local.New(3, local.Drop(func(from, to, _, _ int) bool {
			mu.Lock()
			defer mu.Unlock()
			if seen++; seen > message {
				once.Do(func() { local.Kill(comms[2]) })
			}
			return false
		}))
		for rank, err := range runAll(t, c, comms, func() backend.Device { return <-devices }) {
			var bad *BadInput
			var lost *dist.PeerError
			if errors.As(err, &bad) || !errors.As(err, &lost) || lost.Rank != 2 {
				t.Errorf("rank 2 lost at message %d: on rank %d %v", message, rank, err)
			}
		}
		for i, f := range all {
			if f.used != 0 {
				t.Errorf("rank 2 lost at message %d: device %d keeps %d bytes", message, i, f.used)
			}
		}
	}
}

// TestRankLostBeforeTheMesh: the same where not even the first message passed.
func TestRankLostBeforeTheMesh(t *testing.T) {
	comms := local.New(3)
	local.Kill(comms[1])
	for rank, err := range runAll(t, parse(t, wet), comms, onCPU) {
		var bad *BadInput
		if errors.As(err, &bad) || !errors.Is(err, dist.ErrPeerLost) {
			t.Errorf("on rank %d: %v", rank, err)
		}
	}
}

// TestBadInputIsThatOfAll: what one rank finds wrong, all ranks say.
func TestBadInputIsThatOfAll(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"mesh={file='nowhere.msh'}", "nowhere.msh"},
		{"initial.h2=(x > 4 && y > 4) ? -1 : 1", "negative"},
		{"initial.h2=(x > 4 && y > 4) ? sqrt(-x) : 1", "sqrt(-x)"},
		{"boundary.harbour=open", "harbour"},
		{"gauge=[{name='g', at=[50, 0]}]", "lies in no cell"},
	} {
		for rank, err := range runAll(t, parse(t, wet, test.set), local.New(3), onCPU) {
			var bad *BadInput
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s on rank %d: %v", test.set, rank, err)
			}
		}
	}
}

// TestOneRankWithoutMemory: what only one rank runs into ends the others, and is told.
func TestOneRankWithoutMemory(t *testing.T) {
	devices := make(chan *far, 3)
	all := make([]*far, 3)
	for i := range all {
		all[i] = newFar(cpu.New(1), 1<<30)
		if i == 1 {
			all[i].size, all[i].boasts = 4096, true
		}
		devices <- all[i]
	}
	told := 0
	var bad *BadInput
	for rank, err := range runAll(t, parse(t, wet), local.New(3), func() backend.Device { return <-devices }) {
		if err == nil || errors.As(err, &bad) {
			t.Errorf("on rank %d: %v", rank, err)
		} else if strings.Contains(err.Error(), "the memory is full") {
			told++
		}
	}
	if told != 3 {
		t.Errorf("%d ranks tell why", told)
	}
	for i, f := range all {
		if f.used != 0 {
			t.Errorf("device %d keeps %d bytes", i, f.used)
		}
	}
}

// TestDeviceIsLeftAsItWas: arrays go back at the end of a run, and after an error that follows them.
func TestDeviceIsLeftAsItWas(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"title=well", ""},
		{"gauge=[{name='g', at=[50, 0]}]", "lies in no cell"},
		{"initial.h2=x > 4 ? -1 : 1", "negative"},
	} {
		f := newFar(cpu.New(1), 1<<30)
		err := runAll(t, parse(t, wet, test.set), local.New(1), func() backend.Device { return f })[0]
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.set, err)
		}
		if f.used != 0 || len(f.given) != 0 {
			t.Errorf("%s: %d bytes in %d arrays were kept", test.set, f.used, len(f.given))
		}
		if test.want != "negative" && f.calls == 0 {
			t.Errorf("%s: no array was made", test.set)
		}
	}
}

// TestMemoryIsAskedForFirst: a case that cannot fit is refused before an array is made, and what is asked for is nearly
// what a case takes, and not more.
func TestMemoryIsAskedForFirst(t *testing.T) {
	for _, precision := range []string{"float64", "float32"} {
		for _, text := range []string{wet, dry} {
			c := parse(t, text, "mesh.cells=20000", "time.max_steps=1", "physics.precision="+precision)
			f := newFar(cpu.New(1), 1<<30)
			if err := runAll(t, c, local.New(1), func() backend.Device { return f })[0]; err != nil {
				t.Fatal(err)
			}
			took := f.most
			// Somewhat smaller, it is refused by its name.
			f = newFar(cpu.New(1), took*8/10)
			err := runAll(t, c, local.New(1), func() backend.Device { return f })[0]
			var bad *BadInput
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), "takes at least") ||
				!strings.Contains(err.Error(), " free of ") {
				t.Errorf("%s, %d bytes of %d: %v", precision, f.size, took, err)
			}
			if f.calls != 0 {
				t.Errorf("%s: %d arrays were made before", precision, f.calls)
			}
			// As large as needed, it runs.
			f = newFar(cpu.New(1), took)
			if err := runAll(t, c, local.New(1), func() backend.Device { return f })[0]; err != nil {
				t.Errorf("%s, %d bytes: %v", precision, took, err)
			}
		}
	}
}
