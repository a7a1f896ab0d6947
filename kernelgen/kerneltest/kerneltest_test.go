package kerneltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// givenLoop is a loop with a given launch.
type givenLoop abi.Launch

func (k givenLoop) Launch() abi.Launch { return abi.Launch(k) }

// errorRecorder is a testing.TB that records errors.
type errorRecorder struct {
	testing.TB
	errors []string
}

func (n *errorRecorder) Helper()           {}
func (n *errorRecorder) Error(args ...any) { n.errors = append(n.errors, fmt.Sprint(args...)) }

// TestRunReports proves that a launch with a race fails the test and leaves the result of the natural order.
func TestRunReports(t *testing.T) {
	l := Compile(t, "testdata/unsound")
	x := []float64{1, 2, 3, 4}
	var n errorRecorder
	l.Run(&n, givenLoop(indexed("Shift_f64", abi.ElementsOf("x", x))), 1, 4)
	if want := []float64{1, 3, 4, 4}; !slices.Equal(x, want) {
		t.Errorf("the outcome is %v, want %v", x, want)
	}
	const want = "kernel Shift_f64: x[2] is read by index 1 and written by index 2, in any order\n" +
		"kernel Shift_f64: x[1] depends on the order: its bytes become 0000000000000840 in natural order, and " +
		"0000000000001040 in reverse order"
	if len(n.errors) != 1 || n.errors[0] != want {
		t.Errorf("reported %q, want %q", n.errors, want)
	}
	n.errors = nil
	l.Run(&n, givenLoop(indexed("Shift_f64", abi.ElementsOf("x", x))), 3, 4)
	if len(n.errors) != 0 {
		t.Errorf("one index: reported %q", n.errors)
	}
}

// TestOverlap proves that arguments that overlap on the host overlap in the copy that kernels work on.
func TestOverlap(t *testing.T) {
	l := Compile(t, "testdata/sound")
	x := []float64{1, 2, 3, 4, 5, 6}
	err := l.run(indexed("Shift_f64", abi.ElementsOf("x", x[:4]), abi.ElementsOf("out", x[2:])), 0, 4)
	if want := "x[2], which is out[0], is written by index 0 and read by index 1"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("reported %v, want %q", err, want)
	}
	if want := []float64{1, 2, 2, 2, 2, 6}; !slices.Equal(x, want) {
		t.Errorf("the outcome is %v, want %v", x, want)
	}
	if err := l.run(indexed("Shift_f64", abi.ElementsOf("x", x[:3]), abi.ElementsOf("out", x[3:])), 0, 3); err != nil {
		t.Errorf("parts of an array that do not overlap: %v", err)
	}
}

// TestLaunchersMustFit proves that a launch whose arguments do not fit the translated kernel is an error.
func TestLaunchersMustFit(t *testing.T) {
	l := Compile(t, "testdata/sound")
	twice := indexed("Shift_f64", floats("x"), floats("out"))
	twice.Dims = 2
	for want, k := range map[string]abi.Launch{
		"no kernel Shift":               indexed("Shift"),
		"and its launcher differ":       indexed("Shift_f64", floats("x")),
		"Shift_f64 and its launcher":    twice,
		"argument out has 8 bytes":      indexed("Shift_f64", floats("x"), tallyArg("out")),
		"argument x (pointer): is nil":  indexed("Shift_f64", abi.PointerTo[tally]("x", nil), floats("out")),
		"Neighbours_f64 and its launch": indexed("Neighbours_f64", floats("x"), floats("out")),
	} {
		if err := l.run(k, 0, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("reported %v, want %q", err, want)
		}
	}
}

// TestKernelsNotRun proves that checkAllRan names kernels that were not run.
func TestKernelsNotRun(t *testing.T) {
	if err := checkAllRan("testdata"); err == nil || !strings.Contains(err.Error(),
		"no test runs the kernels in testdata") {
		t.Errorf("never compiled: %v", err)
	}
	Compile(t, "testdata/sound")
	if err := checkAllRan("testdata/sound"); err == nil ||
		!strings.Contains(err.Error(), "Wide_f32") {
		t.Errorf("not run: %v", err)
	}
}
