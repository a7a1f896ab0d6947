// Package kerneltest runs translated kernels without a GPU: their CUDA C is compiled as C++ and launched, through the
// same parameters as on a device, by one thread. Tests compare what comes out with what the Go functions do.
package kerneltest

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/internal/dynlib"
	"github.com/atoll-hpc/atoll/kernelgen"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/ebitengine/purego"
)

//go:embed cpu.h
var header string

// Library is a package's kernels, compiled for this processor.
type Library struct {
	handle  uintptr
	entries map[string]*kernelgen.Entry
}

// Compile translates the kernels in dir and compiles them. Where there is no g++ the test is skipped.
func Compile(t testing.TB, dir string) *Library {
	t.Helper()
	gxx, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("NOT TESTED: no g++ to compile the translated kernels with")
	}
	pkg, err := kernelgen.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	source, entries, err := pkg.CUDA()
	if err != nil {
		t.Fatal(err)
	}
	l := &Library{entries: map[string]*kernelgen.Entry{}}
	var text strings.Builder
	text.WriteString(header + source)
	for _, e := range entries {
		l.entries[e.Symbol] = e
		text.WriteString(runner(e))
	}
	folder := t.TempDir()
	file, library := filepath.Join(folder, "kernels.cpp"), filepath.Join(folder, "kernels.so")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	// Without contraction, as on the GPU. What is not used in the prelude, and Go's precedences, give no warnings.
	out, err := exec.Command(gxx, "-std=c++17", "-O2", "-ffp-contract=off", "-Wall", "-Werror", "-Wno-unused",
		"-Wno-parentheses", "-shared", "-fPIC", "-o", library, file).CombinedOutput()
	if err != nil {
		t.Fatalf("g++: %v\n%s", err, out)
	}
	if l.handle, err = dynlib.Open(library); err != nil {
		t.Fatal(err)
	}
	return l
}

// runner is a C++ function that calls an entry as the threads of a GPU do: for each index of a box, and beyond it.
func runner(e *kernelgen.Entry) string {
	var loops strings.Builder
	var args []string
	for d := range e.Kernel.Dims {
		args = append(args, fmt.Sprintf("box[%d], box[%d]", 2*d, 2*d+1))
		fmt.Fprintf(&loops, "    for (blockIdx.%[1]c = 0; box[%[2]d] + blockIdx.%[1]c < box[%[3]d] + 2; blockIdx.%[1]c++)\n",
			"xyz"[d], 2*d, 2*d+1)
	}
	for i, p := range e.Params {
		args = append(args, fmt.Sprintf("*(%s *)args[%d]", p.CType, i))
	}
	return fmt.Sprintf("\nextern \"C\" void run_%s(const int64 *box, void **args) {\n%s        %s(%s);\n}\n",
		e.Symbol, loops.String(), e.Symbol, strings.Join(args, ", "))
}

// Run launches a loop for indices of [lo, hi), or for all of its box.
func (l *Library) Run(t testing.TB, loop abi.Launcher, lo, hi int) {
	t.Helper()
	launch := loop.Launch()
	e := l.entries[launch.Symbol]
	if e == nil {
		t.Fatalf("no kernel %s", launch.Symbol)
	}
	if len(launch.Args) != len(e.Params) || launch.Dims != e.Kernel.Dims || launch.Block != e.Kernel.Block {
		t.Fatalf("%s and its launcher differ: %d and %d arguments", launch.Symbol, len(e.Params), len(launch.Args))
	}
	parameters, err := launch.Parameters(func(host unsafe.Pointer, _ uintptr) (uint64, error) {
		return uint64(uintptr(host)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	args := make([]unsafe.Pointer, len(parameters)+1)
	for i, p := range parameters {
		if int64(len(p)) != e.Params[i].Size {
			t.Fatalf("%s: argument %s has %d bytes, the entry takes %d", launch.Symbol, launch.Args[i].Name, len(p),
				e.Params[i].Size)
		}
		args[i] = unsafe.Pointer(unsafe.SliceData(p))
	}
	box := []int64{int64(lo), int64(hi)}
	if launch.Box != nil {
		box = nil
		for d := range launch.Dims {
			box = append(box, int64(launch.Box.Lo[d]), int64(launch.Box.Hi[d]))
		}
	}
	var call func(box *int64, args *unsafe.Pointer)
	purego.RegisterLibFunc(&call, l.handle, "run_"+launch.Symbol)
	call(&box[0], &args[0])
	runtime.KeepAlive(parameters)
	runtime.KeepAlive(loop)
}

// Same reports elements that differ. They must agree in every bit, but any NaN equals any other: processors differ in
// which NaN they make. The function input, which may be nil, tells what led to an element.
func Same[T any](t testing.TB, what string, want, got []T, input func(i int) any) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s: %d and %d elements", what, len(want), len(got))
	}
	wrong := 0
	for i := range want {
		if equal(reflect.ValueOf(&want[i]).Elem(), reflect.ValueOf(&got[i]).Elem()) {
			continue
		}
		if wrong++; wrong > 3 {
			continue
		}
		of := any(i)
		if input != nil {
			of = input(i)
		}
		t.Errorf("%s of %v: Go has\n%+v, the translation\n%+v", what, of, want[i], got[i])
	}
	if wrong > 3 {
		t.Errorf("%s: %d of %d differ", what, wrong, len(want))
	}
}

func equal(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		x, y := a.Float(), b.Float()
		return x != x && y != y || math.Float64bits(x) == math.Float64bits(y)
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).Name != "_" && !equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array, reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	}
	return a.Equal(b)
}
