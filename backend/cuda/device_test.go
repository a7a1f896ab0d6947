package cuda

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

func TestPrimitives(t *testing.T) { backendtest.Run(t, open(t), 1_000_007) }

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
	a := arrays{x: array(t, d, n, func(i int) float64 { return float64(i) / 3 }), y: array(t, d, n, func(int) float64 { return 1 }), factor: 0.1}
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
	if sizes, known := f.params(); known {
		if !slices.Equal(sizes, []int{8, 8, 56}) {
			t.Errorf("parameters of %v bytes", sizes)
		}
		if _, err := d.Prepare(f, 1, [3]int{128, 1, 1}, Value(a.x)); err == nil || !strings.Contains(err.Error(), "kernel axpy") {
			t.Errorf("a wrong argument: error %v", err)
		}
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

// axpyLoop is what kernelgen would make of axpy.
type axpyLoop struct {
	a *arrays
}

var testModule = &abi.Module{Name: "kernels", PTX: kernelsPTX}

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

	// What a solver changes between steps is seen: numbers, and which arrays are which.
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
	if err == nil || !strings.Contains(err.Error(), "kernel axpy, argument a (constant): slice at byte 0") {
		t.Errorf("an array of the host: error %v", err)
	}
	d.err = errExpected
}

func TestGraph(t *testing.T) {
	d := open(t)
	const n = 1000
	a := arrays{x: array(t, d, n, func(int) float64 { return 1 }), y: array(t, d, n, func(int) float64 { return 0 }), factor: 1}
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
	expect(t, d, a.y, func(int) float64 { return 0 }) // a capture does nothing yet
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
	expect(t, d, a.y, want(11)) // a graph keeps the arguments that it captured
	ok(t, g.Update(step))
	g.Launch()
	expect(t, d, a.y, want(16))
	if n := testing.AllocsPerRun(10, g.Launch); n != 0 {
		t.Errorf("a graph's launch allocates %v times", n)
	}
	if err := g.Update(func() error { d.Run(l, 0, n); return nil }); err == nil {
		t.Error("a graph takes another number of kernels")
	}
	if _, err := d.Capture(func() error { return errExpected }); !errors.Is(err, errExpected) {
		t.Errorf("error %v", err)
	}
	ok(t, d.Sync())
	if _, err := d.Capture(func() error { return d.Sync() }); err == nil || !strings.Contains(err.Error(), "while a graph is captured") {
		t.Errorf("waiting within a graph: error %v", err)
	}
	d.err = errExpected
}

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
	ok(t, d.Sync()) // Make's zeros come on the other stream
	ok(t, d.Copier().Record(start))
	ok(t, Upload(d.Copier(), a, in))
	ok(t, d.Copier().Record(up))
	ok(t, d.Compute().Wait(up))
	ok(t, Download(d.Compute(), out, a))
	ok(t, d.Compute().Record(end))
	ok(t, end.Sync())
	if !slices.Equal(in, out) {
		t.Error("what comes back differs")
	}
	if took, err := end.Since(start); err != nil || took <= 0 || took > time.Minute {
		t.Errorf("the copies took %v, error %v", took, err)
	}
	ok(t, FreePinned(d, in))
	ok(t, FreePinned(d, out))
}

// TestStaging sends a device's array around through the host, as a halo exchange does, with kernels before and after.
func TestStaging(t *testing.T) {
	d := open(t)
	const n, rounds = 100_000, 50
	sum := arrays{x: array(t, d, n, func(int) float64 { return 1 }), y: array(t, d, n, func(int) float64 { return 0 }), factor: 1}
	other := arrays{x: array(t, d, n, func(int) float64 { return 1 }), y: array(t, d, n, func(int) float64 { return 0 }), factor: 1}
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
		ok(t, d.Fetch(out, raw))
		d.Run(busy, 0, n)
		ok(t, d.Fetched())
		copy(in, out)
		value := (*float64)(unsafe.Pointer(&in[0]))
		*value *= 2 // the first element comes back doubled
		ok(t, d.Deliver(raw, in))
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

func TestPrimitivesAllocateNothingWhenRepeated(t *testing.T) {
	d := open(t)
	w := primitives.On(d)
	const n = 50_000
	x, y := array(t, d, n, func(i int) float64 { return float64(i) }), array(t, d, n, func(int) float64 { return 0 })
	keys, err := backend.Make[uint32](d, n)
	ok(t, err)
	values, err := backend.Make[int32](d, n)
	ok(t, err)
	var words [backend.SumWords]int64
	for name, f := range map[string]func() error{
		"min":    func() error { _, err := primitives.Min(w, x); return err },
		"sum":    func() error { return primitives.SumInto(w, &words, x) },
		"scan":   func() error { _, err := primitives.ExclusiveScan(w, values, values); return err },
		"sort":   func() error { return primitives.SortByKey(w, keys, values) },
		"gather": func() error { return primitives.Gather(w, y, x, values) },
	} {
		if a := testing.AllocsPerRun(10, func() { ok(t, f()) }); a != 0 {
			t.Errorf("%s allocates %v times", name, a)
		}
	}
}

// TestGraphOfPrimitives captures moves by index, which are only queued, and refuses what the host waits for.
func TestGraphOfPrimitives(t *testing.T) {
	d := open(t)
	w := primitives.On(d)
	const n = 1000
	x, y := array(t, d, n, func(i int) float64 { return float64(i) }), array(t, d, n, func(int) float64 { return 0 })
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(n - 1 - i)
	}
	at, err := backend.Make[int32](d, n)
	ok(t, err)
	ok(t, backend.Upload(d, at, index))
	move := func() error { return primitives.Gather(w, y, x, at) }
	ok(t, move())
	ok(t, backend.Upload(d, y, make([]float64, n)))
	g, err := d.Capture(move)
	ok(t, err)
	defer g.Close()
	g.Launch()
	expect(t, d, y, func(i int) float64 { return float64(n - 1 - i) })
	if _, err := d.Capture(func() error { _, err := primitives.Min(w, x); return err }); err == nil {
		t.Error("a graph takes a reduction that the host waits for")
	}
	d.err = errExpected
}

// TestSmallUploads sends more than the ring holds without waiting, from one place of the host that changes meanwhile.
func TestSmallUploads(t *testing.T) {
	d := open(t)
	for _, each := range []int{1, 3, 100, small / 8, small/8 + 1} {
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

func TestRanksShareAGPU(t *testing.T) {
	open(t)
	var ranks sync.WaitGroup
	for rank := range 4 {
		ranks.Go(func() {
			d, err := Open(Options{LocalRank: rank})
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			m, err := d.Load("kernels", kernelsPTX)
			if err != nil {
				t.Error(err)
				return
			}
			f, err := m.Function("nothing")
			if err != nil {
				t.Error(err)
				return
			}
			x, err := backend.Make[float64](d, 1000)
			if err != nil {
				t.Error(err)
				return
			}
			for range 100 {
				// A graph is captured while other ranks take memory and wait.
				l, err := d.Prepare(f, 1, [3]int{32, 1, 1})
				if err != nil {
					t.Error(err)
					return
				}
				g, err := d.Capture(func() error { l.Range(0, 1); return nil })
				if err != nil {
					t.Error(err)
					return
				}
				g.Launch()
				extra, err := backend.Make[float64](d, 10)
				if err = errors.Join(err, backend.Free(d, extra)); err != nil {
					t.Error(err)
					return
				}
				g.Close()
				l.Close()
				want := slices.Repeat([]float64{float64(rank)}, 1000)
				got := make([]float64, 1000)
				if err := errors.Join(backend.Upload(d, x, want), backend.Download(d, got, x)); err != nil || !slices.Equal(got, want) {
					t.Errorf("rank %d: error %v", rank, err)
					return
				}
			}
		})
	}
	ranks.Wait()
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	d := open(t)
	_, total, err := d.MemoryInfo()
	ok(t, err)
	var full *OutOfMemory
	if _, err := backend.Make[byte](d, int(total)+1); !errors.As(err, &full) || full.Asked != total+1 || full.Total != total || full.Free == 0 {
		t.Errorf("error %v", err)
	}
	if _, err := backend.Make[*int](d, 1); err == nil || !strings.Contains(err.Error(), "Go pointers") {
		t.Errorf("an array of pointers: error %v", err)
	}
	a, err := backend.Make[byte](d, 1)
	ok(t, err) // the device still works
	if err := backend.Free(d, unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&a[0]), 1)), 1)); err == nil {
		t.Error("memory that was never given is freed")
	}
	ok(t, backend.Free(d, a))
	if err := backend.Free(d, a); err == nil {
		t.Error("memory is freed twice")
	}
}

func TestBadModules(t *testing.T) {
	d := open(t)
	_, err := d.Load("broken", strings.Replace(kernelsPTX, "ld.param", "ld.nonsense", 1))
	var e *Error
	if !errors.As(err, &e) || e.Subject != "module broken" || !strings.Contains(e.Log, "nonsense") {
		t.Errorf("error %v", err)
	}
	m, err := d.Load("kernels", kernelsPTX)
	ok(t, err)
	if _, err := m.Function("absent"); err == nil || !strings.Contains(err.Error(), "kernel absent of module kernels") {
		t.Errorf("error %v", err)
	}
}

// A kernel that strays ruins the context of its process, so that it runs in another one.
func TestStrayKernelIsNamed(t *testing.T) {
	const variable = "ATOLL_TEST_STRAY"
	if os.Getenv(variable) == "" {
		open(t)
		for debug, want := range map[string]string{"": "after kernel stray or one queued before it", "1": "kernel stray: cuEventSynchronize"} {
			c := exec.Command(os.Args[0], "-test.run=^TestStrayKernelIsNamed$", "-test.v")
			c.Env = append(os.Environ(), variable+"=1", "ATOLL_CUDA_DEBUG="+debug)
			out, err := c.CombinedOutput()
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("with ATOLL_CUDA_DEBUG=%q: want %q in\n%s", debug, want, out)
			}
		}
		return
	}
	d := open(t)
	l, err := d.Prepare(kernel(t, d, "stray"), 1, [3]int{32, 1, 1})
	ok(t, err)
	nothing, err := d.Prepare(kernel(t, d, "nothing"), 1, [3]int{32, 1, 1})
	ok(t, err)
	d.Run(l, 0, 1)
	err = d.Sync()
	if err == nil {
		t.Fatal("a write to address 8 is no error")
	}
	t.Log(err)
	d.Run(nothing, 0, 1)
	if again := d.Sync(); again != err {
		t.Errorf("the first error is followed by %v", again)
	}
	d.err = errExpected
}

func TestDebugPrintsATable(t *testing.T) {
	open(t)
	var out strings.Builder
	d, err := Open(Options{Debug: true, Report: &out})
	ok(t, err)
	l, err := d.Prepare(kernel(t, d, "nothing"), 1, [3]int{32, 1, 1})
	ok(t, err)
	defer l.Close()
	for range 3 {
		d.Run(l, 0, 1)
	}
	d.Close()
	if !strings.Contains(out.String(), "nothing                              3 ") {
		t.Errorf("table\n%s", out.String())
	}
	if err := d.Sync(); err == nil {
		t.Error("a closed device works")
	}
	d.Close()
}
