package cuda

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

func TestStreamsAndPinnedMemory(t *testing.T) {
	d := open(t)
	const n = 1 << 20
	a, err := backend.Make[uint64](d, n)
	ok(t, err)
	in, err := Pinned[uint64](d, n)
	ok(t, err)
	out, err := Pinned[uint64](d, n)
	ok(t, err)
	for i := range in {
		in[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	start, up, end := event(t, d), event(t, d), event(t, d)
	ok(t, d.Sync()) // Make fills the array with zeros on the compute stream
	ok(t, d.CopyStream().Record(start))
	ok(t, Upload(d.CopyStream(), a, in))
	ok(t, d.CopyStream().Record(up))
	ok(t, d.Compute().Wait(up))
	ok(t, Download(d.Compute(), out, a))
	ok(t, d.Compute().Record(end))
	ok(t, end.Sync())
	if !slices.Equal(in, out) {
		t.Error("the downloaded array differs from the uploaded one")
	}
	if took, err := end.Since(start); err != nil || took <= 0 || took > time.Minute {
		t.Errorf("the copies took %v, error %v", took, err)
	}
	ok(t, FreePinned(d, in))
	ok(t, FreePinned(d, out))
}

// TestStaging copies an array to the host and back, as a halo exchange does, with kernels before and after.
func TestStaging(t *testing.T) {
	d := open(t)
	const n, rounds = 100_000, 50
	sum := arrays{x: array(t, d, n, func(int) float64 { return 1 }), y: array(t, d, n, func(int) float64 { return 0 }),
		factor: 1}
	other := arrays{x: array(t, d, n, func(int) float64 { return 1 }), y: array(t, d, n, func(int) float64 { return 0 }),
		factor: 1}
	f := kernel(t, d, "axpy")
	grow, err := d.Prepare(f, 1, [3]int{128, 1, 1}, Value(sum))
	ok(t, err)
	defer grow.Close()
	busy, err := d.Prepare(f, 1, [3]int{128, 1, 1}, Value(other))
	ok(t, err)
	defer busy.Close()
	out, err := d.Pin(8 * n)
	ok(t, err)
	in, err := d.Pin(8 * n)
	ok(t, err)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(sum.y))), 8*n)
	step := func() {
		d.Run(grow, 0, n)
		ok(t, d.StartDownload(out, raw))
		d.Run(busy, 0, n)
		ok(t, d.WaitDownloads())
		copy(in, out)
		value := (*float64)(unsafe.Pointer(&in[0]))
		*value *= 2 // the host doubles the first element
		ok(t, d.StartUpload(raw, in))
		d.Run(busy, 0, n)
	}
	for range rounds {
		step()
	}
	first := 0.0
	for range rounds {
		first = 2 * (first + 1)
	}
	expect(t, d, sum.y, func(i int) float64 {
		if i == 0 {
			return first
		}
		return rounds
	})
	expect(t, d, other.y, func(int) float64 { return 2 * rounds })
	if allocs := testing.AllocsPerRun(10, step); allocs != 0 {
		t.Errorf("an exchange allocates %v times", allocs)
	}
	ok(t, d.Sync())
	ok(t, errors.Join(d.Unpin(out), d.Unpin(in)))
}

// TestSmallUploads uploads more than the ring holds without waiting, from one array that the host changes in between.
func TestSmallUploads(t *testing.T) {
	d := open(t)
	for _, each := range []int{1, 3, 100, maxSmallCopy / 8, maxSmallCopy/8 + 1} {
		count := 3*ringSize/(8*each) + 1
		a, err := backend.Make[float64](d, count*each)
		ok(t, err)
		host := make([]float64, each)
		for k := range count {
			for i := range host {
				host[i] = float64(k*each + i)
			}
			ok(t, backend.Upload(d, a[k*each:(k+1)*each], host))
		}
		expect(t, d, a, func(i int) float64 { return float64(i) })
		if allocs := testing.AllocsPerRun(10, func() { ok(t, backend.Upload(d, a[:each], host)) }); allocs != 0 {
			t.Errorf("an upload of %d numbers allocates %v times", each, allocs)
		}
	}
	x, err := backend.Make[float64](d, 1)
	ok(t, err)
	_, err = d.Capture(func() error { return backend.Upload(d, x, []float64{1}) })
	if err == nil || !strings.Contains(err.Error(), "cannot be part of a graph") {
		t.Errorf("an upload within a graph: error %v", err)
	}
	d.err = errExpected
}

func event(t *testing.T, d *Device) *Event {
	t.Helper()
	e, err := d.NewEvent()
	ok(t, err)
	t.Cleanup(e.Close)
	return e
}
