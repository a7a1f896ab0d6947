package runtest

import (
	"errors"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/solvers"
)

// MemoryIsAskedForFirst tests that a case is refused before an array is made on a device that has only such a share of
// what it takes, and that it runs where there is just enough.
func MemoryIsAskedForFirst(t *testing.T, share float64, text string, sets ...string) {
	t.Helper()
	c := Parse(t, text, sets...)
	on := func(f *backendtest.Far) error {
		return Each(t, c, local.New(1), func() backend.Device { return f })[0]
	}
	roomy := backendtest.NewFar(cpu.New(1), 1<<30)
	if err := on(roomy); err != nil {
		t.Fatal(err)
	}
	small := backendtest.NewFar(cpu.New(1), int(share*float64(roomy.Most)))
	err := on(small)
	var bad *solvers.BadInput
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "needs at least") ||
		!strings.Contains(err.Error(), " free of ") {
		t.Errorf("%v, %d bytes of %d: %v", sets, small.Size, roomy.Most, err)
	}
	if small.Calls != 0 {
		t.Errorf("%v: %d arrays were made before", sets, small.Calls)
	}
	if err := on(backendtest.NewFar(cpu.New(1), roomy.Most)); err != nil {
		t.Errorf("%v, %d bytes: %v", sets, roomy.Most, err)
	}
}
