package runtest

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/solvers"
)

// MemoryIsAskedForFirst tests that a case is refused before an array is made on a device that has only such a share of
// what it takes, and that it runs where there is a fifth more than that: estimates are within a twentieth, and this
// device takes no scratch memory.
func MemoryIsAskedForFirst(t *testing.T, share float64, text string, sets ...string) {
	t.Helper()
	c := Parse(t, text, sets...)
	on := func(f *backendtest.FakeGPU) error {
		return Each(t, c, local.New(1), func() backend.Device { return f })[0]
	}
	roomy := backendtest.NewFakeGPU(cpu.New(1), 1<<30)
	if err := on(roomy); err != nil {
		t.Fatal(err)
	}
	small := backendtest.NewFakeGPU(cpu.New(1), int(share*float64(roomy.PeakUsed)))
	err := on(small)
	var bad *solvers.BadInput
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "needs at least") ||
		!strings.Contains(err.Error(), " free of ") {
		t.Errorf("%v, %d bytes of %d: %v", sets, small.Size, roomy.PeakUsed, err)
	}
	if small.AllocCalls != 0 {
		t.Errorf("%v: %d arrays were made before", sets, small.AllocCalls)
	}
	enough := roomy.PeakUsed * 6 / 5
	if err := on(backendtest.NewFakeGPU(cpu.New(1), enough)); err != nil {
		t.Errorf("%v, %d bytes: %v", sets, enough, err)
	}
}

// MemoryIsTold tests that what a case is told to take in arrays, from counts alone, is within 5% of what there is at
// the end of its run: on a CPU, and at most on a device that has memory of its own and repeats steps, as a GPU, whose
// primitives would take so many bytes of scratch memory besides.
func MemoryIsTold(t *testing.T, scratch int64, text string, sets ...string) {
	t.Helper()
	c := Parse(t, text, sets...)
	within := func(where string, apart bool, there int64) {
		t.Helper()
		n, err := estimate.MemoryOf(c, 1, 1, apart)
		if err != nil {
			t.Fatal(err)
		}
		off := float64(n.Arrays)/float64(there) - 1
		t.Logf("%v, %s: %d bytes told, %d taken, %+.1f%%", sets, where, n.Arrays, there, 100*off)
		if math.Abs(off) > .05 {
			t.Errorf("%v, %s: %d bytes were told, and %d taken: %+.1f%%", sets, where, n.Arrays, there, 100*off)
		}
	}
	s, err := On(t, text, 1, 1, Local, t.TempDir(), sets...)
	if err != nil {
		t.Fatal(err)
	}
	within("CPU", false, s.ArrayBytes)
	gpu := backendtest.NewFakeRecorder(cpu.New(1), 1<<32)
	if err := Each(t, c, local.New(1), func() backend.Device { return gpu })[0]; err != nil {
		t.Fatal(err)
	}
	within("GPU", true, int64(gpu.PeakUsed)+scratch)
}

// CopiesAreTold tests that the copies which a device keeps of a case's arrays for a frame in a format, and for a
// checkpoint, are those told from counts alone, within 5%.
func CopiesAreTold(t *testing.T, format, text string, sets ...string) {
	t.Helper()
	frame := "output.format=['" + format + "']"
	for _, output := range [][]string{{frame, "checkpoint.every=0"}, {"output.format=[]", "checkpoint.steps=1"}} {
		c := Parse(t, text, slices.Concat(sets, output)...)
		n, err := estimate.MemoryOf(c, 1, 1, true)
		if err != nil {
			t.Fatal(err)
		}
		gpu := backendtest.NewFakeRecorder(cpu.New(1), 1<<32)
		if err := Each(t, c, local.New(1), func() backend.Device { return gpu })[0]; err != nil {
			t.Fatal(err)
		}
		t.Logf("%v, %v: %d bytes told, %d kept", sets, output, n.Copies, gpu.SnapshotPeak)
		if kept := float64(gpu.SnapshotPeak); math.Abs(float64(n.Copies)-kept) > .05*kept {
			t.Errorf("%v, %v: copies of %d bytes were told, and %d kept", sets, output, n.Copies, gpu.SnapshotPeak)
		}
	}
}
