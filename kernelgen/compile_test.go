package kernelgen_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/kernelgen"
	"github.com/ebitengine/purego"
)

// compiled is a package's CUDA C, compiled as C++ for this processor.
type compiled struct {
	handle  uintptr
	entries map[string]*kernelgen.Entry
}

// compileForCPU translates the package in dir and compiles it with g++, every kernel with a function that calls it for
// a box of indices with arguments as cuLaunchKernel takes them: an array of pointers to values.
func compileForCPU(t *testing.T, dir string) *compiled {
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
	c := &compiled{entries: map[string]*kernelgen.Entry{}}
	var text strings.Builder
	text.WriteString(source)
	for _, e := range entries {
		c.entries[e.Symbol] = e
		text.WriteString(runner(e))
	}
	folder := t.TempDir()
	file, library := filepath.Join(folder, "kernels.cpp"), filepath.Join(folder, "kernels.so")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	header, err := filepath.Abs("testdata/cpu.h")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(gxx, "-std=c++17", "-O2", "-ffp-contract=off", "-Wall", "-Wno-unused-function",
		"-Wno-unused-but-set-variable", "-Wno-unused-variable", "-Wno-parentheses", "-Wno-type-limits", "-Werror", "-shared",
		"-fPIC", "-include", header, "-o", library, file).CombinedOutput()
	if err != nil {
		t.Fatalf("g++: %v\n%s", err, out)
	}
	if c.handle, err = purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL); err != nil {
		t.Fatal(err)
	}
	return c
}

// runner is a C++ function that calls an entry as the threads of a GPU do.
func runner(e *kernelgen.Entry) string {
	var args, open, end strings.Builder
	for d := range e.Kernel.Dims {
		axis := "xyz"[d]
		fmt.Fprintf(&args, ", box[%d], box[%d]", 2*d, 2*d+1)
		fmt.Fprintf(&open, "for (blockIdx.%c = 0; box[%d] + blockIdx.%c < box[%d] + 2; blockIdx.%c++) ", axis, 2*d, axis, 2*d+1, axis)
	}
	for i, p := range e.Params {
		fmt.Fprintf(&args, ", *(%s *)args[%d]", p.CType, i)
	}
	return fmt.Sprintf("extern \"C\" void run_%s(const int64 *box, void **args) {\n%s%s(%s);%s\n}\n",
		e.Symbol, open.String(), e.Symbol, args.String()[2:], end.String())
}

// run calls a kernel for the indices of a box: lo and hi of each dimension. An argument is a pointer to what the
// kernel's parameter holds: for a slice to its header, for a pointer to the pointer, for a constant struct to the struct.
func (c *compiled) run(t *testing.T, symbol string, box []int64, args ...unsafe.Pointer) {
	t.Helper()
	e := c.entries[symbol]
	if e == nil {
		t.Fatalf("no kernel %s", symbol)
	}
	if len(args) != len(e.Params) || len(box) != 2*e.Kernel.Dims {
		t.Fatalf("%s takes %d arguments and %d bounds, got %d and %d", symbol, len(e.Params), 2*e.Kernel.Dims, len(args), len(box))
	}
	var call func(box *int64, args *unsafe.Pointer)
	purego.RegisterLibFunc(&call, c.handle, "run_"+symbol)
	if len(args) == 0 {
		args = []unsafe.Pointer{nil}
	}
	call(&box[0], &args[0])
	runtime.KeepAlive(args)
}
