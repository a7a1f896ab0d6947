package cuda

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cuda/internal/ptx"
	"github.com/atoll-hpc/atoll/internal/dynlib"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/nvrtc"
)

func TestPTXIsCurrent(t *testing.T) {
	for _, name := range []string{"primitives", "peer", filepath.Join("testdata", "kernels")} {
		source, err := os.ReadFile(name + ".cu")
		ok(t, err)
		compiled, err := os.ReadFile(name + ".ptx")
		ok(t, err)
		if !ptx.Current(string(compiled), string(source), nvrtc.Options) {
			t.Errorf("%s.ptx is stale: run go generate in backend/cuda", name)
		}
		if ptx.Current(string(compiled), string(source)+" ", nvrtc.Options) ||
			ptx.Current(string(compiled), string(source), nil) {
			t.Errorf("%s.ptx counts as current for another source or other options", name)
		}
		if strings.Contains(string(compiled), "fma.") {
			t.Errorf("%s.ptx contains fused multiply-adds", name)
		}
	}
}

func TestMachineCodeIsCurrent(t *testing.T) {
	for _, m := range []abi.Module{primitivesModule, peerModule} {
		packed, err := m.PTX()
		ok(t, err)
		if file, err := os.ReadFile(m.Name + ".ptx"); err != nil || packed != string(file) {
			t.Errorf("%s.zip has other PTX than %s.ptx (%v): run go generate in backend/cuda", m.Name, m.Name, err)
		}
		for major := 8; major <= 9; major++ {
			if code, err := m.MachineFor(major, 0); err != nil || code == nil {
				t.Errorf("%s.zip: %d bytes of machine code for capability %d.0, error %v: run go generate in "+
					"backend/cuda", m.Name, len(code), major, err)
			}
		}
	}
}

// TestOrderScratch compares the estimate backend.OrderScratch with the scratch memory that Primitives.Order (sort by
// keys) allocates.
func TestOrderScratch(t *testing.T) {
	for _, n := range []int{1 << 16, 1_000_000, 1 << 28} {
		allocated := 0
		for _, size := range orderAreas(n) {
			allocated += aligned(size)
		}
		allocated += allocated / 8 // as scratchBuffer.reserve does
		if estimate := backend.OrderScratch(n); math.Abs(float64(estimate)/float64(allocated)-1) > .01 {
			t.Errorf("%d elements: OrderScratch is %d bytes, want %d within 1%%", n, estimate, allocated)
		}
	}
}

// TestTileSizesMatchTheSource compares the sizes of blocks and tiles in Go with those in the CUDA C.
func TestTileSizesMatchTheSource(t *testing.T) {
	source, err := os.ReadFile("primitives.cu")
	ok(t, err)
	if threads != 256 || tile != 8*threads || sortTile != 16*threads || digits != 256 {
		t.Error("the sizes in primitives.go have changed: change the lines below too")
	}
	for _, line := range []string{"const int THREADS = 256;", "const int ITEMS = 8;", "const int TILE = THREADS * ITEMS;",
		"const int SORT_ITEMS = 16;", "const int SORT_TILE = THREADS * SORT_ITEMS;", "const int DIGITS = 256;"} {
		if !strings.Contains(string(source), line) {
			t.Errorf("primitives.cu has no line %q", line)
		}
	}
}

// TestCallPassesAllArguments calls snprintf with arguments in registers and on the stack.
func TestCallPassesAllArguments(t *testing.T) {
	h, err := dynlib.Open("libc.so.6")
	ok(t, err)
	snprintf, err := dynlib.Symbol(h, "snprintf")
	ok(t, err)
	out, format := make([]byte, 200), []byte("%ld %lx %ld %ld %ld %ld %ld %ld\x00")
	const want = "-4 8000000000000001 6 7 8 9 10 11"
	r := invoke(snprintf, [maxArgs]uintptr{address(out), uintptr(len(out)), address(format), ^uintptr(3), 1<<63 | 1, 6, 7,
		8, 9, 10, 11})
	if got, _, _ := strings.Cut(string(out), "\x00"); int(r) != len(want) || got != want {
		t.Errorf("%d characters %q, want %d %q", r, got, len(want), want)
	}
	runtime.KeepAlive(format)
}

func TestCallAllocatesNothing(t *testing.T) {
	h, err := dynlib.Open("libc.so.6")
	ok(t, err)
	labs, err := dynlib.Symbol(h, "labs")
	ok(t, err)
	if n := testing.AllocsPerRun(100, func() {
		if invoke(labs, [maxArgs]uintptr{^uintptr(41)}) != 42 {
			t.Fatal("labs(-42) is not 42")
		}
	}); n != 0 {
		t.Errorf("a call allocates %v times", n)
	}
}

func TestMissingDriverIsOneLine(t *testing.T) {
	_, err := openLibrary("libcuda.so.missing")
	if err == nil {
		t.Fatal("opening a missing library returns no error")
	}
	text := unavailable(err).Error()
	if !strings.HasPrefix(text, "backend cuda: no NVIDIA driver on this machine") || strings.Contains(text, "\n") {
		t.Errorf("error %q", text)
	}
	if _, err := openLibrary("libc.so.6"); err == nil || !strings.Contains(err.Error(),
		"too old: libc.so.6 has no cuInit") {
		t.Errorf("a library without cuInit: error %v", err)
	}
	if text := unavailable(&Error{Call: "cuInit", Code: codeNoDevice}).Error(); !strings.HasSuffix(text,
		"finds no GPU on this machine") {
		t.Errorf("error %q", text)
	}
}

func TestKernelsWithoutPTXAreOneLine(t *testing.T) {
	m := ptxModule("decay", abi.Uncompiled("example.com/decay")+"\n")
	_, err := (&Device{}).generatedFunction(m, "Decay_f64")
	if err == nil || !strings.HasPrefix(err.Error(), "cuda: kernel Decay_f64: no PTX of example.com/decay, ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}

func TestErrorsSayWhatFailed(t *testing.T) {
	e := &Error{Call: "cuLaunchKernel", Code: 701, Name: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", Text: "too many resources"}
	withSubject(e, "kernel EdgeFlux_f64")
	withSubject(e, "something else")
	if got, want := e.Error(), "kernel EdgeFlux_f64: cuLaunchKernel: too many resources "+
		"(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	m := &OutOfMemory{Device: "NVIDIA H200", Requested: 200 << 30, Free: 139<<30 + 1<<29, Total: 140 << 30}
	const want = "out of memory on NVIDIA H200: 200.00 GiB requested, 139.50 GiB of 140.00 GiB free"
	if got := m.Error(); got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

var elements = make([]float64, 3, 5) // a package variable, so that the array is not on a stack, which may move

func TestParameterBlock(t *testing.T) {
	type params struct {
		a []float64
		b float32
		c bool
	}
	v := params{a: elements, b: 1.5, c: true}
	b := newParameters(2, []Arg{Value(v), Value(int32(-7)), Value(struct{}{})})
	defer b.pins.Unpin()
	*b.bounds = [6]int64{10, 20, 30, 40, 0, 0}
	if len(b.params) != 7 {
		t.Fatalf("%d parameters, want 4 bounds and 3 arguments", len(b.params))
	}
	for n, want := range []int64{10, 20, 30, 40} {
		if got := *(*int64)(b.params[n]); got != want {
			t.Errorf("bound %d is %d, want %d", n, got, want)
		}
	}
	got := *(*params)(b.params[4])
	if unsafe.SliceData(got.a) != unsafe.SliceData(v.a) || len(got.a) != 3 || cap(got.a) != 5 || got.b != 1.5 || !got.c {
		t.Errorf("the struct is %v, want %v", got, v)
	}
	if got := *(*int32)(b.params[5]); got != -7 {
		t.Errorf("the number is %d, want -7", got)
	}
	for n, p := range b.params {
		if uintptr(p)%8 != 0 {
			t.Errorf("parameter %d is not aligned", n)
		}
	}
}

func TestSetReplacesAnArgument(t *testing.T) {
	l := &Launch{f: &Function{name: "k"}, parameters: newParameters(1, []Arg{Value(1.0), Value(int32(2))})}
	defer l.Close()
	ok(t, l.Set(1, Value(int32(9))))
	if got := *(*int32)(l.params[3]); got != 9 {
		t.Errorf("argument is %d, want 9", got)
	}
	for n, a := range map[int]Arg{-1: Value(1.0), 2: Value(1.0), 0: Value(int32(1))} {
		if err := l.Set(n, a); err == nil || !strings.Contains(err.Error(), "kernel k") {
			t.Errorf("argument %d of %d bytes: error %v", n, len(a), err)
		}
	}
}

func TestArgumentsMustFit(t *testing.T) {
	args := []Arg{Value(1.0), Value([]int32{})}
	ok(t, checkArgs("k", []int{8, 8, 8, 24}, 1, args))
	for _, sizes := range [][]int{{8, 8, 8}, {8, 8, 8, 24, 4}, {8, 8, 4, 24}, {8, 8, 8, 16}, nil} {
		if err := checkArgs("k", sizes, 1, args); err == nil || !strings.Contains(err.Error(), "kernel k") {
			t.Errorf("parameters of %v bytes: error %v", sizes, err)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		dims  int
		block [3]int
		good  bool
	}{
		{1, [3]int{1, 1, 1}, true}, {1, [3]int{1024, 1, 1}, true}, {2, [3]int{32, 32, 1}, true}, {3, [3]int{8, 2, 64}, true},
		{0, [3]int{1, 1, 1}, false}, {4, [3]int{1, 1, 1}, false}, {1, [3]int{0, 1, 1}, false}, {1, [3]int{1025, 1, 1}, false},
		{1, [3]int{32, 2, 1}, false}, {2, [3]int{64, 32, 1}, false}, {3, [3]int{1, 1, 65}, false},
		{3, [3]int{2, -2, 2}, false},
	} {
		if err := checkShape("k", c.dims, c.block); (err == nil) != c.good {
			t.Errorf("%d dimensions, blocks of %v: error %v", c.dims, c.block, err)
		}
	}
}

func TestWordSize(t *testing.T) {
	for _, c := range []struct {
		size     int
		src, dst uint64
		want     int
	}{
		{48, 0, 256, 16}, {48, 8, 256, 8}, {24, 0, 0, 8}, {12, 0, 0, 4}, {6, 0, 0, 2}, {3, 0, 0, 1}, {16, 1, 0, 1},
		{64, 32, 64, 16},
	} {
		if got := wordSize(c.size, c.src, c.dst); got != c.want {
			t.Errorf("elements of %d bytes at %d and %d: words of %d bytes, want %d", c.size, c.src, c.dst, got, c.want)
		}
	}
}

// TestAllocations compares the list of allocations with a map of bytes.
func TestAllocations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s allocations
		owner := map[uintptr]uintptr{} // address of a byte -> address of its allocation
		for address := uintptr(1000); address < 1100; {
			size := rapid.UintptrRange(1, 9).Draw(t, "size")
			if rapid.Bool().Draw(t, "used") {
				s.add(address, size)
				for b := address; b < address+size; b++ {
					owner[b] = address
				}
			}
			address += size
		}
		removed := rapid.UintptrRange(1000, 1100).Draw(t, "removed")
		if _, found := s.remove(removed); found != (owner[removed] == removed) {
			t.Fatalf("remove(%d) found %v, want %v", removed, found, !found)
		} else if owner[removed] == removed {
			for b, o := range owner {
				if o == removed {
					delete(owner, b)
				}
			}
		}
		for address := uintptr(995); address < 1110; address++ {
			for size := uintptr(1); size < 12; size++ {
				want := owner[address] != 0 && owner[address] == owner[address+size-1]
				if got := s.holds(address, size); got != want {
					t.Fatalf("holds(%d, %d) = %v, want %v", address, size, got, want)
				}
			}
		}
		if s.holds(1000, ^uintptr(0)) {
			t.Fatal("holds returns true for a size that wraps around")
		}
	})
}

func TestTableOfKernels(t *testing.T) {
	var out strings.Builder
	p := &profile{out: &out, rows: map[string]*row{}}
	p.add("UpdateCell_f64", 10*time.Microsecond)
	p.add("EdgeFlux_f64", 40*time.Microsecond)
	p.add("EdgeFlux_f64", 50*time.Microsecond)
	p.print()
	want := `kernel                           calls     total ms      %      mean µs     worst µs
EdgeFlux_f64                         2        0.090   90.0        45.00        50.00
UpdateCell_f64                       1        0.010   10.0        10.00        10.00
`
	if out.String() != want {
		t.Errorf("table\n%s\nwant\n%s", out.String(), want)
	}
}
