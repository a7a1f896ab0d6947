// Package backendtest holds the tests that every device passes. They compare with plain Go on the host bit by bit, so
// that two devices that pass give the same bits.
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
	sizes := []int{0, 1, 2, 31, 32, 33, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097, 70001}
	if largest > 70001 {
		sizes = append(sizes, largest)
	}
	s := &suite{dev: d, w: primitives.On(d)}
	t.Run("memory", s.memory)
	t.Run("keep", s.keep)
	for _, n := range sizes {
		for name, test := range map[string]func(*testing.T, int){
			"reduce": s.reduce, "sum": s.sum, "scan": s.scan, "compact": s.compact, "sort": s.sort,
			"reduce by key": s.reduceByKey, "order by cell": s.orderByCell, "gather and scatter": s.gather, "pack": s.pack,
		} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) { test(t, n) })
		}
	}
	t.Run("refusals", s.refusals)
	if err := backend.Sync(d); err != nil {
		t.Error(err)
	}
}

type suite struct {
	dev backend.Device
	w   *primitives.Workspace
}

// put copies an array to the device for the duration of a test.
func put[T any](t *testing.T, s *suite, a []T) []T {
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

func get[T any](t *testing.T, s *suite, d []T) []T {
	t.Helper()
	a := make([]T, len(d))
	if err := backend.Download(s.dev, a, d); err != nil {
		t.Fatal(err)
	}
	return a
}

func must[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// random numbers come from n alone, so that every device sees the same ones.
func random(n int) *rand.Rand { return rand.New(rand.NewPCG(uint64(n), 7)) }

func fill[T any](n int, f func() T) []T {
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

// same compares arrays bit by bit.
func same[T primitives.Number](t *testing.T, what string, got, want []T) {
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

// record is an element whose size is no power of 2.
type record struct {
	A float64
	B [3]int32
	C uint32
}

func (s *suite) memory(t *testing.T) {
	want := fill(1000, random(1).Uint64)
	a := put(t, s, want)
	b, err := backend.Make[uint64](s.dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, b); slices.ContainsFunc(got, func(v uint64) bool { return v != 0 }) {
		t.Error("a new array is not zero")
	}
	if err := backend.Copy(s.dev, b[10:], a[:990]); err != nil {
		t.Fatal(err)
	}
	same(t, "copy", get(t, s, b)[10:], want[:990])
	if err := backend.Free(s.dev, b); err != nil {
		t.Error(err)
	}
	if err := backend.Upload(s.dev, a, want[1:]); err == nil {
		t.Error("an upload to an array of another length is accepted")
	}
	if _, err := backend.Make[int32](s.dev, -1); err == nil {
		t.Error("an array of negative length is made")
	}
}

func (s *suite) refusals(t *testing.T) {
	a, b := put(t, s, make([]int32, 4)), put(t, s, make([]int32, 5))
	c := put(t, s, []int32{0, 3, -1, 2})
	buf := put(t, s, make([]byte, 15))
	for name, err := range map[string]error{
		"scan of other length":    second(primitives.ExclusiveScan(s.w, a, b)),
		"gather of other length":  primitives.Gather(s.w, a, a, b),
		"scatter of other length": primitives.Scatter(s.w, a, a, b),
		"pack beyond the buffer":  second(primitives.Pack(s.w, buf, b, a)),
		"negative index":          primitives.CheckIndex(s.w, c, 4),
		"index beyond the end":    primitives.CheckIndex(s.w, c[:2], 3),
		"negative cell":           primitives.OrderByCell(s.w, c, 4, b, a),
		"too few starts":          primitives.OrderByCell(s.w, a, 4, a, a),
		"scan beyond int32":       second(primitives.ExclusiveScan(s.w, a[:2], put(t, s, []int32{math.MaxInt32, 1}))),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if err := primitives.CheckIndex(s.w, c[:2], 4); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }
