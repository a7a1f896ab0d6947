package kerneltest

import (
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
)

const (
	width = 48 // numbers of a tile of the kernels in testdata
	tiles = 3  // that the tests run
)

// faultyLaunch is a launch with a race, and the beginnings of the two errors that it must give, without the name of
// the kernel: race about two conflicting accesses, order about a result that depends on the order. An empty text
// means that there is no such error.
type faultyLaunch struct {
	launch      abi.Launch
	n           int // indices
	race, order string
}

func (c faultyLaunch) check(t *testing.T, l *Library) {
	t.Helper()
	err := l.run(c.launch, 0, c.n)
	if err == nil {
		t.Fatalf("%s: got no error", c.launch.Symbol)
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

// TestRacesOfIndices proves that kernels are reported whose indices write what other indices read or write.
func TestRacesOfIndices(t *testing.T) {
	l := Compile(t, "testdata/unsound")
	for _, c := range []faultyLaunch{
		{indexed("Shift_f64", floats("x")), 20, "x[1] is read by index 0 and written by index 1, in any order",
			"x[0] depends on the order"},
		{indexed("Shift_f32", abi.ElementsOf("x", []float32{1, 2, 3})), 3, "x[1] is read by index 0 and written by index 1",
			"x[0] depends on the order"},
		{indexed("Count", abi.ElementsOf("n", make([]int32, 1))), 9, "n[0] is written by index 0 and read by index 1", ""},
		{indexed("Sum_f64", floats("x"), abi.ElementsOf("sum", make([]float64, 1))), 9,
			"sum[0] is written by index 0 and read by index 1", ""},
		{indexed("Sum_f32", abi.ElementsOf("x", []float32{1 << 24, 1, 1}), abi.ElementsOf("sum", make([]float32, 1))), 3,
			"sum[0] is written by index 0 and read by index 1", "sum[0] depends on the order"},
		{indexed("Last", bytesOf("x", 20), bytesOf("last", 10)), 20, "last[0] is written by index 0 and written by index 1",
			"last[0] depends on the order"},
		{indexed("Set", bytesOf("flags", 10)), 5, "flags[1] is written by index 0 and written by index 1", ""},
		{indexed("Boxes_f64", abi.ElementsOf("from", make([]box, 9)), abi.ElementsOf("to", make([]box, 9))), 9,
			"to[0], byte 0 of its 40, is written by index 0 and written by index 1", ""},
		{onGrid("Smooth_f64"), 0, "g.Levels[1][1] is written by index 1, 0 and read by index 2, 0",
			"g.Levels[1][2] depends on the order"},
	} {
		c.check(t, l)
	}
}

// TestRacesWithAtomicFunctions proves that kernels are reported that read memory changed by atomic functions, or
// change memory by different atomic functions.
func TestRacesWithAtomicFunctions(t *testing.T) {
	l := Compile(t, "testdata/unsound")
	for _, c := range []faultyLaunch{
		{indexed("Peek", tallyArg("t"), integers("out", 9)), 9,
			"t, byte 0 of its 24, is read by index 0 and changed by an atomic addition by index 1",
			"out[0] depends on the order"},
		{indexed("Mixed", integers("x", 9), tallyArg("t")), 9, "t, byte 8 of its 24, is changed by an atomic addition " +
			"by index 0 and changed by an atomic minimum by index 1", "t, byte 8 of its 24, depends on the order"},
		{indexed("Empty_f64", floats("x"), abi.PointerTo("least", &atomics.Least[float64]{})), 9,
			"least is changed by an atomic maximum by index 0 and written by index 3", "least depends on the order"},
		{indexed("Nearest_f64", floats("x"), floats("best")), 9,
			"best[0] is read by index 0 and changed by an atomic minimum by index 1", ""},
	} {
		c.check(t, l)
	}
}

// TestRacesInTiles proves that races are reported between iterations of a tile's loops and statements outside of
// them.
func TestRacesInTiles(t *testing.T) {
	l := Compile(t, "testdata/unsound")
	for _, c := range []faultyLaunch{
		{tiled("Neighbours_f64", floats("x"), floats("out")), tiles,
			"shared[1] is read by k = 0 of loop 1 of tile 0 and written by k = 1 of loop 1 of tile 0",
			"out[0] depends on the order"},
		{tiled("Early_f64", floats("x"), floats("out")), tiles,
			"shared[0] is written by a copy of k = 0 of loop 1 of tile 0 and read by k = 0 of loop 1 of tile 0",
			"out[0] depends on the order"},
		{tiled("Overtaken_f64", floats("x"), floats("out")), tiles,
			"x[0] is read by a copy of k = 0 of loop 1 of tile 0 and written by k = 0 of loop 1 of tile 0", ""},
		{tiled("Bound", abi.ElementsOf("n", unsorted[int32](tiles)), abi.ElementsOf("out", make([]int32, width*tiles))),
			tiles, "n[1] is read by tile 1 before its loops and written by k = 2 of loop 1 of tile 1", ""},
		{tiled("Ahead_f64", floats("x"), floats("out")), tiles,
			"out[47] is written by k = 47 of loop 1 of tile 0 and read by tile 0 after loop 1", ""},
		{tiled("Together", integers("n", 1), integers("out", width*tiles)), tiles,
			"n[0] is written by every thread of tile 0 before its loops", "out[0] depends on the order"},
		{tiled("Tiles_f64", abi.ElementsOf("x", make([]float64, width*tiles+1))), tiles,
			"x[48] is written by k = 48 of loop 1 of tile 0 and written by k = 0 of loop 1 of tile 1",
			"x[48] depends on the order"},
		{tiled("Undefined_f64", floats("x"), floats("out")), tiles, "", "out[47] depends on the order"},
		{tiled("Rounds_f64", floats("x"), floats("out")), tiles,
			"shared[1] is written by k = 0 of loop 2 of tile 0 and read by k = 1 of loop 2 of tile 0",
			"out[2] depends on the order"},
	} {
		c.check(t, l)
	}
}

// TestSoundKernelsPass proves that kernels without races give no error.
func TestSoundKernelsPass(t *testing.T) {
	l := Compile(t, "testdata/sound")
	least := func() abi.Arg { return abi.PointerTo("least", &atomics.Least[float64]{}) }
	most := func() abi.Arg { return abi.PointerTo("result", &atomics.Most[float64]{}) }
	wide := tiled("Wide_f64", floats("x"), floats("out"))
	wide.Shared = abi.Shared[[9000]float64]() + abi.Shared[[width]float64]()
	for _, k := range []abi.Launch{
		indexed("Shift_f64", floats("x"), floats("out")),
		indexed("Count", integers("x", tiles), abi.ElementsOf("n", make([]int32, 1)), integers("sum", 1)),
		indexed("Bytes", bytesOf("x", tiles), bytesOf("out", tiles), abi.ElementsOf("flags", make([]bool, tiles))),
		indexed("Boxes_f64", abi.ElementsOf("from", make([]box, 9)), abi.ElementsOf("to", make([]box, 9))),
		onGrid("Smooth_f64"),
		indexed("Extremes_f64", floats("x"), integers("whole", tiles), tallyArg("t"), floats("low"), least(), most()),
		tiled("Neighbours_f64", floats("x"), floats("out")),
		tiled("Copied_f64", floats("x"), floats("out")),
		tiled("Rounds_f64", floats("x"), floats("out"), most()),
		wide,
	} {
		if err := l.run(k, 0, tiles); err != nil {
			t.Error(err)
		}
	}
	if notRun := l.notRun(); !slices.ContainsFunc(notRun, func(s string) bool { return s == "Shift_f32" }) ||
		slices.ContainsFunc(notRun, func(s string) bool { return strings.HasSuffix(s, "_f64") }) {
		t.Errorf("kernels not run: %v, want those of float32", notRun)
	}
}
