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

// The C++ that precedes translated kernels.
var (
	//go:embed turns.h
	turnsSource string
	//go:embed shadow.h
	shadowSource string
	//go:embed cpu.h
	cpuSource string
)

const compiler = "g++"

// missing returns an error if this machine lacks the programs to translate and compile kernels. On macOS g++ is clang,
// whose instrumentation differs.
var missing = sync.OnceValue(func() error {
	out, err := exec.Command(compiler, "--version").Output()
	if err == nil && strings.Contains(string(out), "clang") {
		err = fmt.Errorf("%s is clang", compiler)
	}
	if err != nil {
		return fmt.Errorf("GNU g++, which compiles the translated kernels, is missing: %w (Debian: apt-get install g++)", err)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("the go command, which finds the kernels' sources, is missing: %w", err)
	}
	return nil
})

// options compile without contraction, as for the GPU, and with instrumented memory accesses, which call the functions
// in shadow.h. -fno-hoist-adjacent-loads prevents loads that the source does not have. The warnings about unused
// functions of the prelude and about precedences are off.
var options = []string{"-std=c++17", "-O1", "-ffp-contract=off", "-fno-hoist-adjacent-loads", "-fsanitize=thread",
	"-fvisibility=hidden", "-fPIC", "-Wall", "-Werror", "-Wno-unused", "-Wno-parentheses", "-Wno-array-bounds"}

// compile translates the kernels in dir, compiles them and loads the library.
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
		"sizeof(one_thread::change) == %d, \"as in launch.go\");\n", turnsSource, shadowSource, cpuSource, source,
		unsafe.Sizeof(launch{}), cellBytes, changeBytes)
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
	// Linked by a second command, since -fsanitize=thread would link the compiler's own race detector.
	for _, args := range [][]string{append(options, "-c", "-o", object, file), {"-shared", "-o", library, object}} {
		if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s: %w\n%s", compiler, err, out)
		}
	}
	return dynlib.Open(library)
}

// runner returns a C++ function that calls an entry for each index of a launch.
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
