// Package zig compiles C++ to machine code with the clang of the PyPI package ziglang, and writes that as Go assembly.
// Users of Atoll do not need it: the assembly is made at development time, and committed.
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

// Variable names the environment variable that may hold the path of the program zig.
const Variable = "ATOLL_ZIG"

// Version is the one whose code is committed: another one would make other code.
const Version = "0.17.1"

// ErrMissing says that this machine has no such compiler.
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

// Target is a set of vector instructions for numbers of a size.
type Target struct {
	Name    string // of the set
	Bytes   int    // of a vector
	options []string
}

// Targets are the sets for which there is code. Another processor's vectors are one more line here, and what the
// prelude has for the bits of a mask.
var Targets = []Target{
	{"avx2", 32, []string{"-mcpu=x86_64_v3"}},
	{"avx512", 64, []string{"-mcpu=x86_64_v4", "-mprefer-vector-width=512"}},
}

// lanes is how many numbers of so many bytes are done at a time. Kernels in stages are long chains of operations, and
// do eight at least, with AVX2 two vectors of float64, so that the processor has work while it waits for a division.
// Others do eight at most: what they wait for is memory, of which more lanes need more at once.
func (t Target) lanes(size int, staged bool) int {
	if staged {
		return max(t.Bytes/size, 8)
	}
	return min(t.Bytes/size, 8)
}

// Options are those of a target for so many lanes of numbers of so many bytes, each of which changes the code.
func (t Target) Options(lanes, size int) []string {
	real := map[int]string{4: "float", 8: "double"}[size]
	return append(append(append([]string{"ziglang " + Version}, options...), t.options...),
		fmt.Sprintf("-DLANES=%d", lanes), "-DREAL="+real)
}

// Compiler is the program.
type Compiler struct{ Path string }

// Load finds the program once: where ATOLL_ZIG says, in the package of python3, or in the path.
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

// Compile makes an object of C++ for a target and so many lanes of numbers of so many bytes. Line numbers in its
// messages are those of the source, or of what its #line directives say.
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
