// Package backendtest holds the tests that every device must pass, in [Run], and devices that stand for a GPU in other
// tests, [FakeGPU] and [FakeRecorder]. The tests compare every bit with plain Go on the host: two devices that pass
// compute the same bits.
package backendtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
)

// Run tests a device with arrays of up to largest elements.
func Run(t *testing.T, d backend.Device, largest int) {
	// Sizes near those of a GPU's warps, blocks and tiles, and one of many tiles.
	sizes := []int{0, 1, 2, 31, 32, 33, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097, 70001}
	if largest > 70001 {
		sizes = append(sizes, largest)
	}
	s := &suite{dev: d, workspace: primitives.NewWorkspace(d)}
	t.Run("memory", s.memory)
	t.Run("snapshots", s.snapshots)
	t.Run("packed snapshots", s.packedSnapshots)
	for _, n := range sizes {
		for name, test := range map[string]func(*testing.T, int){
			"reduce": s.reduce, "sum": s.sum, "scan": s.scan, "compact": s.compact, "sort": s.sort,
			"reduce by key": s.reduceByKey, "order by cell": s.orderByCell, "gather and scatter": s.gather, "pack": s.pack,
		} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) { test(t, n) })
		}
	}
	t.Run("invalid arguments", s.invalidArguments)
	if err := backend.Sync(d); err != nil {
		t.Error(err)
	}
}

type suite struct {
	dev       backend.Device
	workspace *primitives.Workspace
}

// upload copies an array to the device for the duration of a test.
func upload[T any](t *testing.T, s *suite, a []T) []T {
	t.Helper()
	d, err := backend.Make[T](s.dev, len(a))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := backend.Free(s.dev, d); err != nil {
			t.Error(err)
		}
	})
	if err := backend.Upload(s.dev, d, a); err != nil {
		t.Fatal(err)
	}
	return d
}

func download[T any](t *testing.T, s *suite, d []T) []T {
	t.Helper()
	a := make([]T, len(d))
	if err := backend.Download(s.dev, a, d); err != nil {
		t.Fatal(err)
	}
	return a
}

// must returns v, or ends the test if there is an error.
func must[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// random returns a generator seeded by n, so that every device gets the same numbers.
func random(n int) *rand.Rand { return rand.New(rand.NewPCG(uint64(n), 7)) }

func generate[T any](n int, f func() T) []T {
	a := make([]T, n)
	for i := range a {
		a[i] = f()
	}
	return a
}

// bits makes floats comparable: NaN equals itself, and zeros differ by sign.
func bits[T primitives.Number](v T) uint64 {
	switch x := any(v).(type) {
	case float32:
		return uint64(math.Float32bits(x))
	case float64:
		return math.Float64bits(x)
	}
	return uint64(v)
}

// compareBits compares arrays bit by bit.
func compareBits[T primitives.Number](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d elements, want %d", what, len(got), len(want))
	}
	for i := range got {
		if bits(got[i]) != bits(want[i]) {
			t.Fatalf("%s[%d] = %v (%#x), want %v (%#x)", what, i, got[i], bits(got[i]), want[i], bits(want[i]))
		}
	}
}

// record is an element type of 24 bytes: not a power of 2.
type record struct {
	A float64
	B [3]int32
	C uint32
}

func (s *suite) memory(t *testing.T) {
	want := generate(1000, random(1).Uint64)
	a := upload(t, s, want)
	b, err := backend.Make[uint64](s.dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if got := download(t, s, b); slices.ContainsFunc(got, func(v uint64) bool { return v != 0 }) {
		t.Error("a new array is not zero")
	}
	if err := backend.Copy(s.dev, b[10:], a[:990]); err != nil {
		t.Fatal(err)
	}
	compareBits(t, "copy", download(t, s, b)[10:], want[:990])
	if err := backend.Free(s.dev, b); err != nil {
		t.Error(err)
	}
	if err := backend.Upload(s.dev, a, want[1:]); err == nil {
		t.Error("an upload to an array of a different length returns no error")
	}
	if _, err := backend.Make[int32](s.dev, -1); err == nil {
		t.Error("an array of negative length returns no error")
	}
}

func (s *suite) invalidArguments(t *testing.T) {
	a, b := upload(t, s, make([]int32, 4)), upload(t, s, make([]int32, 5))
	c := upload(t, s, []int32{0, 3, -1, 2})
	buf := upload(t, s, make([]byte, 15))
	for name, err := range map[string]error{
		"scan of different lengths":    second(primitives.ExclusiveScan(s.workspace, a, b)),
		"gather of different lengths":  primitives.Gather(s.workspace, a, a, b),
		"scatter of different lengths": primitives.Scatter(s.workspace, a, a, b),
		"pack into a short buffer":     primitives.Pack(s.workspace, buf, 4, BytesOf(b), 4, a),
		"negative index":               primitives.CheckIndex(s.workspace, c, 4),
		"index beyond the end":         primitives.CheckIndex(s.workspace, c[:2], 3),
		"negative cell":                primitives.OrderByCell(s.workspace, c, 4, b, a),
		"too few starts":               primitives.OrderByCell(s.workspace, a, 4, a, a),
		"scan beyond int32": second(primitives.ExclusiveScan(s.workspace, a[:2], upload(t, s,
			[]int32{math.MaxInt32, 1}))),
	} {
		if err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if err := primitives.CheckIndex(s.workspace, c[:2], 4); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }
