package cuda

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// arrays are the arguments of kernel axpy.
type arrays struct {
	x, y   []float64
	factor float64
}

func array(t testing.TB, d *Device, n int, value func(i int) float64) []float64 {
	t.Helper()
	host := make([]float64, n)
	for i := range host {
		host[i] = value(i)
	}
	a, err := backend.Make[float64](d, n)
	ok(t, err)
	ok(t, backend.Upload(d, a, host))
	return a
}

func expect(t *testing.T, d *Device, a []float64, want func(i int) float64) {
	t.Helper()
	host := make([]float64, len(a))
	ok(t, backend.Download(d, host, a))
	for i, v := range host {
		if v != want(i) {
			t.Fatalf("element %d is %v, want %v", i, v, want(i))
		}
	}
}

func TestLaunch(t *testing.T) {
	d := open(t)
	const n = 10_001
	a := arrays{x: array(t, d, n, func(i int) float64 { return float64(i) / 3 }),
		y: array(t, d, n, func(int) float64 { return 1 }), factor: 0.1}
	f := kernel(t, d, "axpy")
	l, err := d.Prepare(f, 1, [3]int{128, 1, 1}, Value(a))
	ok(t, err)
	defer l.Close()
	d.Run(l, 0, 0)
	d.Run(l, 100, 9_000)
	inside := func(i int) bool { return i >= 100 && i < 9_000 }
	third, tenth := 3.0, 0.1 // variables, so that arithmetic rounds as the kernel's
	expect(t, d, a.y, func(i int) float64 {
		if inside(i) {
			return 1 + tenth*(float64(i)/third)
		}
		return 1
	})
	if n := testing.AllocsPerRun(100, func() { d.Run(l, 0, 32) }); n != 0 {
		t.Errorf("a launch allocates %v times", n)
	}
	if registers, err := f.Registers(); err != nil || registers == 0 {
		t.Errorf("%d registers, error %v", registers, err)
	}
	if _, err := d.Prepare(f, 1, [3]int{128, 1, 1}, Value(a.x)); err == nil ||
		!strings.Contains(err.Error(), "kernel axpy") {
		t.Errorf("a wrong argument: error %v", err)
	}
}

func TestBoxOfTwoDimensions(t *testing.T) {
	d := open(t)
	out, err := backend.Make[int32](d, 100)
	ok(t, err)
	l, err := d.Prepare(kernel(t, d, "number"), 2, [3]int{4, 2, 1}, Value(out))
	ok(t, err)
	defer l.Close()
	l.Box([3]int{2, 3}, [3]int{9, 8})
	l.Box([3]int{0, 5}, [3]int{9, 5})
	got := make([]int32, 100)
	ok(t, backend.Download(d, got, out))
	for n, v := range got {
		want := int32(0)
		if i, j := n%10, n/10; i >= 2 && i < 9 && j >= 3 && j < 8 {
			want = int32(100*j + i)
		}
		if v != want {
			t.Fatalf("element %d is %d, want %d", n, v, want)
		}
	}
}

// axpyLoop is as the loop that kernelgen generates for a kernel.
type axpyLoop struct {
	a *arrays
}

var testModule = ptxModule("kernels", kernelsPTX)

func (l *axpyLoop) Range(lo, hi int) {
	for i := lo; i < hi; i++ {
		l.a.y[i] += l.a.factor * l.a.x[i]
	}
}

func (l *axpyLoop) Launch() abi.Launch {
	return abi.Launch{Module: testModule, Symbol: "axpy", Block: 64, Dims: 1, Args: []abi.Arg{abi.ConstantOf("a", l.a)}}
}

func TestGeneratedLoop(t *testing.T) {
	d := open(t)
	const n = 1000
	zero := func(int) float64 { return 0 }
	one := func(int) float64 { return 1 }
	a := &arrays{x: array(t, d, n, one), y: array(t, d, n, zero), factor: 2}
	l := &axpyLoop{a}
	d.Run(l, 0, n)
	expect(t, d, a.y, func(int) float64 { return 2 })

	// Run uses what a solver has changed between steps: numbers, and which arrays are read and written.
	a.factor = 3
	d.Run(l, 0, n)
	expect(t, d, a.y, func(int) float64 { return 5 })
	a.x, a.y = a.y, a.x
	d.Run(l, 0, n)
	expect(t, d, a.y, func(int) float64 { return 16 })
	l.a = &arrays{x: a.x, y: array(t, d, n, zero), factor: 1}
	d.Run(l, 0, n)
	expect(t, d, l.a.y, func(int) float64 { return 5 })
	if allocs := testing.AllocsPerRun(100, func() { d.Run(l, 0, n) }); allocs != 0 {
		t.Errorf("a loop that has not changed allocates %v times", allocs)
	}

	l.a.x = make([]float64, n)
	d.Run(l, 0, n)
	err := d.Sync()
	if err == nil || !strings.Contains(err.Error(), "kernel axpy, argument a (constant): its ") {
		t.Errorf("an array of the host: error %v", err)
	}
	d.err = errExpected
}
