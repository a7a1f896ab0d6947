package cuda

import (
	"errors"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
)

func TestGraph(t *testing.T) {
	d := open(t)
	const n = 1000
	a := arrays{x: array(t, d, n, func(int) float64 { return 1 }), y: array(t, d, n, func(int) float64 { return 0 }),
		factor: 1}
	l, err := d.Prepare(kernel(t, d, "axpy"), 1, [3]int{128, 1, 1}, Value(a))
	ok(t, err)
	defer l.Close()
	step := func() error {
		d.Run(l, 0, n)
		d.Run(l, 0, n/2)
		return nil
	}
	g, err := d.Capture(step)
	ok(t, err)
	defer g.Close()
	expect(t, d, a.y, func(int) float64 { return 0 }) // a capture executes nothing
	for range 10 {
		g.Launch()
	}
	want := func(each float64) func(i int) float64 {
		return func(i int) float64 {
			if i < n/2 {
				return 2 * each
			}
			return each
		}
	}
	expect(t, d, a.y, want(10))
	a.factor = 5
	ok(t, l.Set(0, Value(a)))
	g.Launch()
	expect(t, d, a.y, want(11)) // the graph has the arguments of its capture
	ok(t, g.Update(step))
	g.Launch()
	expect(t, d, a.y, want(16))
	if n := testing.AllocsPerRun(10, g.Launch); n != 0 {
		t.Errorf("a graph's launch allocates %v times", n)
	}
	if err := g.Update(func() error { d.Run(l, 0, n); return nil }); err == nil {
		t.Error("an update with a different number of kernels returns no error")
	}
	if _, err := d.Capture(func() error { return errExpected }); !errors.Is(err, errExpected) {
		t.Errorf("error %v", err)
	}
	ok(t, d.Sync())
	if _, err := d.Capture(func() error { return d.Sync() }); err == nil ||
		!strings.Contains(err.Error(), "while a graph is captured") {
		t.Errorf("waiting within a graph: error %v", err)
	}
	d.err = errExpected
}

// TestGraphOfPrimitives captures a gather, which is only queued. A reduction, for which the host waits, is an error.
func TestGraphOfPrimitives(t *testing.T) {
	d := open(t)
	w := primitives.NewWorkspace(d)
	const n = 1000
	x, y := array(t, d, n, func(i int) float64 { return float64(i) }), array(t, d, n, func(int) float64 { return 0 })
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(n - 1 - i)
	}
	deviceIndex, err := backend.Make[int32](d, n)
	ok(t, err)
	ok(t, backend.Upload(d, deviceIndex, index))
	move := func() error { return primitives.Gather(w, y, x, deviceIndex) }
	ok(t, move())
	ok(t, backend.Upload(d, y, make([]float64, n)))
	g, err := d.Capture(move)
	ok(t, err)
	defer g.Close()
	g.Launch()
	expect(t, d, y, func(i int) float64 { return float64(n - 1 - i) })
	if _, err := d.Capture(func() error { _, err := primitives.Min(w, x); return err }); err == nil {
		t.Error("capturing a reduction returns no error")
	}
	d.err = errExpected
}
