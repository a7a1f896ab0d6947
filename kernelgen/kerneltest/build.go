package kerneltest

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/atoll-hpc/atoll/internal/dynlib"
	"github.com/atoll-hpc/atoll/kernelgen"
)

// The C++ that stands before translated kernels.
var (
	//go:embed turns.h
	turns string
	//go:embed shadow.h
	shadow string
	//go:embed cpu.h
	cpu string
)

const compiler = "g++"

// missing tells why kernels cannot be translated or compiled here, if so: what macOS calls g++ is another compiler,
// whose instrumentation is another.
var missing = sync.OnceValue(func() error {
	out, err := exec.Command(compiler, "--version").Output()
	if err == nil && strings.Contains(string(out), "clang") {
		err = fmt.Errorf("%s is clang", compiler)
	}
	if err != nil {
		return fmt.Errorf("no GNU g++ to compile the translated kernels with: %w (Debian: apt-get install g++)", err)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("no go command to load the kernels' sources with: %w", err)
	}
	return nil
})

// options compile without contraction, as for the GPU, and instrumented: shadow.h has the functions that accesses call.
// No access may be invented: by default one of two neighbours that are read under a condition may be. What is not used
// in the prelude, and Go's precedences, give no warnings.
var options = []string{"-std=c++17", "-O1", "-ffp-contract=off", "-fno-hoist-adjacent-loads", "-fsanitize=thread",
	"-fvisibility=hidden", "-fPIC", "-Wall", "-Werror", "-Wno-unused", "-Wno-parentheses", "-Wno-array-bounds"}

// compile translates the kernels in dir, compiles them and loads the outcome.
func compile(dir string) (*Library, error) {
	pkg, err := kernelgen.Load(dir)
	if err != nil {
		return nil, err
	}
	source, entries, err := pkg.CUDA()
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s%s%s%s\nstatic_assert(sizeof(one_thread::launch) == %d && sizeof(one_thread::cell) == %d && "+
		"sizeof(one_thread::change) == %d, \"as in launch.go\");\n", turns, shadow, cpu, source, unsafe.Sizeof(launch{}),
		cellBytes, changeBytes)
	for _, e := range entries {
		text.WriteString(runner(e))
	}
	handle, err := build(text.String())
	if err != nil {
		return nil, fmt.Errorf("kerneltest: the kernels in %s: %w", dir, err)
	}
	l := &Library{entries: map[string]*entry{}}
	for _, e := range entries {
		var call func(*launch, *unsafe.Pointer)
		address, err := dynlib.Symbol(handle, "run_"+e.Symbol)
		if err != nil {
			return nil, fmt.Errorf("kerneltest: the kernels in %s: %w", dir, err)
		}
		purego.RegisterFunc(&call, address)
		l.entries[e.Symbol] = &entry{Entry: e, call: call}
	}
	return l, nil
}

// build compiles C++ to a library and opens it.
func build(text string) (uintptr, error) {
	folder, err := os.MkdirTemp("", "kerneltest")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	file, object, library := filepath.Join(folder, "kernels.cpp"), filepath.Join(folder, "kernels.o"),
		filepath.Join(folder, "kernels.so")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return 0, err
	}
	// Linked apart, since with the option of instrumentation it would be linked with the compiler's own detector.
	for _, args := range [][]string{append(options, "-c", "-o", object, file), {"-shared", "-o", library, object}} {
		if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s: %w\n%s", compiler, err, out)
		}
	}
	return dynlib.Open(library)
}

// runner is a C++ function that calls an entry for each index of a launch.
func runner(e *kernelgen.Entry) string {
	var args []string
	for d := range e.Kernel.Dims {
		args = append(args, fmt.Sprintf("l->box[%d], l->box[%d]", 2*d, 2*d+1))
	}
	for i, p := range e.Params {
		args = append(args, fmt.Sprintf("*(%s *)args[%d]", p.CType, i))
	}
	return fmt.Sprintf("\nextern \"C\" __attribute__((visibility(\"default\"))) void run_%[1]s(one_thread::launch *l, "+
		"void **args) {\n    for (one_thread::indices all(l); all.next();) %[1]s(%[2]s);\n}\n", e.Symbol,
		strings.Join(args, ", "))
}
