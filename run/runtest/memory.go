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

// MemoryIsCheckedFirst tests that a case is refused, before an array is allocated, on a device that has only a share of
// the memory that it needs. It must run on a device with a fifth more than it needs: estimates are within a twentieth,
// and this device uses no scratch memory.
func MemoryIsCheckedFirst(t *testing.T, share float64, text string, sets ...string) {
	t.Helper()
	c := Parse(t, text, sets...)
	runOn := func(f *backendtest.FakeGPU) error {
		return RunEach(t, c, local.New(1), func() backend.Device { return f })[0]
	}
	large := backendtest.NewFakeGPU(cpu.New(1), 1<<30)
	if err := runOn(large); err != nil {
		t.Fatal(err)
	}
	small := backendtest.NewFakeGPU(cpu.New(1), int(share*float64(large.PeakUsed)))
	err := runOn(small)
	var bad *solvers.BadInput
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "needs at least") ||
		!strings.Contains(err.Error(), " free of ") {
		t.Errorf("%v, %d bytes of %d: %v", sets, small.Size, large.PeakUsed, err)
	}
	if small.AllocCalls != 0 {
		t.Errorf("%v: %d arrays were allocated before the refusal", sets, small.AllocCalls)
	}
	enough := large.PeakUsed * 6 / 5
	if err := runOn(backendtest.NewFakeGPU(cpu.New(1), enough)); err != nil {
		t.Errorf("%v, %d bytes: %v", sets, enough, err)
	}
}

// MemoryIsEstimated tests that the estimate of the memory in arrays is within 5 % of the actual memory at the end of
// the run: on a CPU, and at the peak on a device that, like a GPU, has separate memory and repeats recorded steps.
// scratch is the scratch memory, in bytes, that primitives of a GPU would take in addition.
func MemoryIsEstimated(t *testing.T, scratch int64, text string, sets ...string) {
	t.Helper()
	c := Parse(t, text, sets...)
	compare := func(device string, separate bool, used int64) {
		t.Helper()
		n, err := estimate.MemoryOf(c, 1, 1, separate)
		if err != nil {
			t.Fatal(err)
		}
		deviation := float64(n.Arrays)/float64(used) - 1
		t.Logf("%v, %s: %d bytes estimated, %d used, %+.1f%%", sets, device, n.Arrays, used, 100*deviation)
		if math.Abs(deviation) > .05 {
			t.Errorf("%v, %s: %d bytes estimated, %d used, %+.1f%%, want at most 5%%", sets, device, n.Arrays, used,
				100*deviation)
		}
	}
	s, err := Run(t, text, 1, 1, Local, t.TempDir(), sets...)
	if err != nil {
		t.Fatal(err)
	}
	compare("CPU", false, s.ArrayBytes)
	gpu := backendtest.NewFakeRecorder(cpu.New(1), 1<<32)
	if err := RunEach(t, c, local.New(1), func() backend.Device { return gpu })[0]; err != nil {
		t.Fatal(err)
	}
	compare("GPU", true, int64(gpu.PeakUsed)+scratch)
}

// CopiesAreEstimated tests that the estimate of the copies that a device makes for a frame in a format, and for a
// checkpoint, is within 5 % of their actual size.
func CopiesAreEstimated(t *testing.T, format, text string, sets ...string) {
	t.Helper()
	frame := "output.format=['" + format + "']"
	for _, output := range [][]string{{frame, "checkpoint.every=0"}, {"output.format=[]", "checkpoint.steps=1"}} {
		c := Parse(t, text, slices.Concat(sets, output)...)
		n, err := estimate.MemoryOf(c, 1, 1, true)
		if err != nil {
			t.Fatal(err)
		}
		gpu := backendtest.NewFakeRecorder(cpu.New(1), 1<<32)
		if err := RunEach(t, c, local.New(1), func() backend.Device { return gpu })[0]; err != nil {
			t.Fatal(err)
		}
		frames := 1.0 // held at the same time, which depends on how fast they are written
		for output[0] == frame && frames < estimate.FramesOnDevice &&
			float64(gpu.SnapshotPeak) > float64(n.Copies)*(frames+.5)/estimate.FramesOnDevice {
			frames++
		}
		want := float64(gpu.SnapshotPeak)
		if output[0] == frame {
			want *= estimate.FramesOnDevice / frames
		}
		t.Logf("%v, %v: %d bytes of copies estimated, %d used", sets, output, n.Copies, gpu.SnapshotPeak)
		if math.Abs(float64(n.Copies)-want) > .05*want {
			t.Errorf("%v, %v: %d bytes of copies estimated, %d used by %v frames, want at most 5%% difference", sets, output,
				n.Copies, gpu.SnapshotPeak, frames)
		}
	}
}
