// Package zig compiles the vector code of kernels, C++ made by kernelgen, with the clang of the PyPI package ziglang,
// and writes the machine code as Go assembly: [Generate] does this for a package of kernels. Users of Atoll do not need
// it: the assembly is generated at development time and committed.
package zig

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Variable is the environment variable with the path of the program zig.
const Variable = "ATOLL_ZIG"

// Version is the version that made the committed code. Other versions generate different code.
const Version = "0.17.1"

// ErrMissing is the error of a machine without this compiler.
var ErrMissing = errors.New("no compiler for vectors: pip install ziglang==" + Version + ", or set " + Variable +
	" to the program zig")

// options keep Go's arithmetic: no fused multiply-add, IEEE division and roots, integers that wrap around. The code
// needs no library and no system.
var options = []string{
	"c++", "-x", "c++", "-target", "x86_64-freestanding-none", "-O3", "-std=c++20", "-ffreestanding", "-fPIC",
	"-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing", "-fwrapv",
	"-fno-stack-protector",
	"-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables", "-fcf-protection=none", "-fno-sanitize=all",
	"-fstack-size-section", "-ferror-limit=5", "-w",
}

// Target is a vector instruction set.
type Target struct {
	Name    string // of the instruction set
	Bytes   int    // of a vector
	options []string
}

// Targets are the instruction sets for which code is generated. To add one, add it here and to bits in lanes.h.
var Targets = []Target{
	{"avx2", 32, []string{"-mcpu=x86_64_v3"}},
	{"avx512", 64, []string{"-mcpu=x86_64_v4", "-mprefer-vector-width=512"}},
}

// lanes returns how many numbers of size bytes are computed at a time. Wide kernels, such as those in stages, are long
// chains of dependent operations: they take at least eight numbers, two vectors of float64 with AVX2, so that the
// processor has work while it waits for a division. Other kernels take at most eight: they wait for memory, and more
// lanes access more memory at once.
func (t Target) lanes(size int, wide bool) int {
	if wide {
		return max(t.Bytes/size, 8)
	}
	return min(t.Bytes/size, 8)
}

// Options returns all options that affect the code for a target, a number of lanes and a size of numbers in bytes.
func (t Target) Options(lanes, size int) []string {
	real := map[int]string{4: "float", 8: "double"}[size]
	return append(append(append([]string{"ziglang " + Version}, options...), t.options...),
		fmt.Sprintf("-DLANES=%d", lanes), "-DREAL="+real)
}

// Compiler is the zig program.
type Compiler struct{ Path string }

// Load finds the program once: at the path in ATOLL_ZIG, in python3's package ziglang, or in PATH.
var Load = sync.OnceValues(func() (*Compiler, error) {
	candidates := []string{os.Getenv(Variable)}
	if candidates[0] == "" {
		candidates = candidates[:0]
		out, err := exec.Command("python3", "-c", "import sysconfig, site\n"+
			"print(sysconfig.get_paths()['purelib'], site.getusersitepackages(), sep='\\n')").Output()
		if err == nil {
			for folder := range strings.FieldsSeq(string(out)) {
				candidates = append(candidates, filepath.Join(folder, "ziglang", "zig"))
			}
		}
		candidates = append(candidates, "zig")
	}
	for _, path := range candidates {
		out, err := exec.Command(path, "version").Output()
		if err == nil && strings.TrimSpace(string(out)) == Version {
			return &Compiler{path}, nil
		}
	}
	return nil, ErrMissing
})

// Compile compiles C++ for a target and a number of lanes; size is that of a number in bytes. Errors repeat the
// compiler's messages, with the lines of #line directives.
func (c *Compiler) Compile(source string, t Target, lanes, size int) (*Object, error) {
	dir, err := os.MkdirTemp("", "lanes")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "lanes.cpp"), filepath.Join(dir, "lanes.o")
	if err := os.WriteFile(in, []byte(source), 0o666); err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Path, append(t.Options(lanes, size)[1:], "-c", in, "-o", out)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("zig: %w\n%s", err, text)
	}
	return open(out)
}
