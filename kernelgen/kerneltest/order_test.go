package kerneltest

import (
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
)

// The tiles of the kernels in testdata have width numbers each; many of them are run.
const width, many = 48, 3

// A fault is a launch that is to be found: because of two accesses whose order is open, or of an outcome in another
// order, or of both. The reports are as they go on after the name of the kernel; empty where there is none.
type fault struct {
	launch      abi.Launch
	n           int
	race, order string
}

func (c fault) check(t *testing.T, l *Library) {
	t.Helper()
	err := l.run(c.launch, 0, c.n)
	if err == nil {
		t.Fatalf("%s: nothing was reported", c.launch.Symbol)
	}
	var race, order string
	for line := range strings.Lines(err.Error()) {
		text := strings.TrimPrefix(line, "kernel "+c.launch.Symbol+": ")
		if strings.Contains(line, "depends on the order") {
			order = text
		} else {
			race = text
		}
	}
	for _, pair := range [][2]string{{race, c.race}, {order, c.order}} {
		if got, want := pair[0], pair[1]; !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: reported %q, want %q", c.launch.Symbol, got, want)
		}
	}
}

// TestIndicesInAnyOrder proves that a kernel is found whose indices write what others read or write.
func TestIndicesInAnyOrder(t *testing.T) {
	l := Compile(t, "testdata/unsound")
	for _, c := range []fault{
		{plain("Shift_f64", floats("x")), 20, "x[1] is read by index 0 and written by index 1, in any order",
			"x[0] depends on the order"},
		{plain("Shift_f32", abi.ElementsOf("x", []float32{1, 2, 3})), 3, "x[1] is read by index 0 and written by index 1",
			"x[0] depends on the order"},
		{plain("Count", abi.ElementsOf("n", make([]int32, 1))), 9, "n[0] is written by index 0 and read by index 1", ""},
		{plain("Sum_f64", floats("x"), abi.ElementsOf("sum", make([]float64, 1))), 9,
			"sum[0] is written by index 0 and read by index 1", ""},
		{plain("Sum_f32", abi.ElementsOf("x", []float32{1 << 24, 1, 1}), abi.ElementsOf("sum", make([]float32, 1))), 3,
			"sum[0] is written by index 0 and read by index 1", "sum[0] depends on the order"},
		{plain("Last", bytesOf("x", 20), bytesOf("last", 10)), 20, "last[0] is written by index 0 and written by index 1",
			"last[0] depends on the order"},
		{plain("Set", bytesOf("flags", 10)), 5, "flags[1] is written by index 0 and written by index 1", ""},
		{plain("Boxes_f64", abi.ElementsOf("from", make([]box, 9)), abi.ElementsOf("to", make([]box, 9))), 9,
			"to[0], byte 0 of its 40, is written by index 0 and written by index 1", ""},
		{onGrid("Smooth_f64"), 0, "g.Levels[1][1] is written by index 1, 0 and read by index 2, 0",
			"g.Levels[1][2] depends on the order"},
	} {
		c.check(t, l)
	}
}

// TestAtomicFunctionsInAnyOrder proves that a kernel is found that reads what atomic functions change, or changes it by
// different ones. Alike they have one outcome.
func TestAtomicFunctionsInAnyOrder(t *testing.T) {
	l := Compile(t, "testdata/unsound")
	for _, c := range []fault{
		{plain("Peek", tallied("t"), integers("out", 9)), 9,
			"t, byte 0 of its 24, is read by index 0 and changed by an atomic addition by index 1",
			"out[0] depends on the order"},
		{plain("Mixed", integers("x", 9), tallied("t")), 9, "t, byte 8 of its 24, is changed by an atomic addition " +
			"by index 0 and changed by an atomic minimum by index 1", "t, byte 8 of its 24, depends on the order"},
		{plain("Empty_f64", floats("x"), abi.PointerTo("least", &atomics.Least[float64]{})), 9,
			"least is changed by an atomic maximum by index 0 and written by index 3", "least depends on the order"},
		{plain("Nearest_f64", floats("x"), floats("best")), 9,
			"best[0] is read by index 0 and changed by an atomic minimum by index 1", ""},
	} {
		c.check(t, l)
	}
}

// TestTurnsInAnyOrder proves the same of the turns of a tile's loops, and of what its threads do together.
func TestTurnsInAnyOrder(t *testing.T) {
	l := Compile(t, "testdata/unsound")
	for _, c := range []fault{
		{tiles("Neighbours_f64", floats("x"), floats("out")), many,
			"shared[1] is read by k = 0 of loop 1 of tile 0 and written by k = 1 of loop 1 of tile 0",
			"out[0] depends on the order"},
		{tiles("Early_f64", floats("x"), floats("out")), many,
			"shared[0] is written by a copy of k = 0 of loop 1 of tile 0 and read by k = 0 of loop 1 of tile 0",
			"out[0] depends on the order"},
		{tiles("Overtaken_f64", floats("x"), floats("out")), many,
			"x[0] is read by a copy of k = 0 of loop 1 of tile 0 and written by k = 0 of loop 1 of tile 0", ""},
		{tiles("Bound", abi.ElementsOf("n", some[int32](many)), abi.ElementsOf("out", make([]int32, width*many))), many,
			"n[1] is read by tile 1 before its loops and written by k = 2 of loop 1 of tile 1", ""},
		{tiles("Ahead_f64", floats("x"), floats("out")), many,
			"out[47] is written by k = 47 of loop 1 of tile 0 and read by tile 0 after loop 1", ""},
		{tiles("Together", integers("n", 1), integers("out", width*many)), many,
			"n[0] is written by every thread of tile 0 before its loops", "out[0] depends on the order"},
		{tiles("Tiles_f64", abi.ElementsOf("x", make([]float64, width*many+1))), many,
			"x[48] is written by k = 48 of loop 1 of tile 0 and written by k = 0 of loop 1 of tile 1",
			"x[48] depends on the order"},
		{tiles("Undefined_f64", floats("x"), floats("out")), many, "", "out[47] depends on the order"},
		{tiles("Rounds_f64", floats("x"), floats("out")), many,
			"shared[1] is written by k = 0 of loop 2 of tile 0 and read by k = 1 of loop 2 of tile 0",
			"out[2] depends on the order"},
	} {
		c.check(t, l)
	}
}

// TestSoundKernelsPass: what kernels of each kind may do is not taken for a fault.
func TestSoundKernelsPass(t *testing.T) {
	l := Compile(t, "testdata/sound")
	least := func() abi.Arg { return abi.PointerTo("least", &atomics.Least[float64]{}) }
	most := func() abi.Arg { return abi.PointerTo("result", &atomics.Most[float64]{}) }
	wide := tiles("Wide_f64", floats("x"), floats("out"))
	wide.Shared = abi.Shared[[9000]float64]() + abi.Shared[[width]float64]()
	for _, k := range []abi.Launch{
		plain("Shift_f64", floats("x"), floats("out")),
		plain("Count", integers("x", many), abi.ElementsOf("n", make([]int32, 1)), integers("sum", 1)),
		plain("Bytes", bytesOf("x", many), bytesOf("out", many), abi.ElementsOf("flags", make([]bool, many))),
		plain("Boxes_f64", abi.ElementsOf("from", make([]box, 9)), abi.ElementsOf("to", make([]box, 9))),
		onGrid("Smooth_f64"),
		plain("Extremes_f64", floats("x"), integers("whole", many), tallied("t"), floats("low"), least(), most()),
		tiles("Neighbours_f64", floats("x"), floats("out")),
		tiles("Copied_f64", floats("x"), floats("out")),
		tiles("Rounds_f64", floats("x"), floats("out"), most()),
		wide,
	} {
		if err := l.run(k, 0, many); err != nil {
			t.Error(err)
		}
	}
	if all := l.missed(); !slices.ContainsFunc(all, func(s string) bool { return s == "Shift_f32" }) ||
		slices.ContainsFunc(all, func(s string) bool { return strings.HasSuffix(s, "_f64") }) {
		t.Errorf("not run: %v, want those of float32", all)
	}
}
