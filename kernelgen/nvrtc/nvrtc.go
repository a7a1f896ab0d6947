// Package nvrtc compiles CUDA C to PTX with NVIDIA's run-time compiler NVRTC. [Load] finds and opens the library, and
// [Compiler].Compile compiles a source. It needs neither a GPU nor cgo. Users of Atoll do not need it: PTX is generated
// at development time.
package nvrtc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/atoll-hpc/atoll/internal/dynlib"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// Variable is the environment variable with the path of libnvrtc.so.12.
const Variable = "ATOLL_NVRTC"

// Options keep Go's arithmetic: no fused multiply-add, IEEE division and roots, and denormal numbers. The architecture
// is the oldest that drivers of CUDA 12 compile for; newer GPUs compile the same PTX when it is loaded.
var Options = []string{
	"--gpu-architecture=compute_70", "--std=c++17", "-fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false",
	// no warnings about unused functions of the prelude and comparisons of unsigned numbers with 0
	"--diag-suppress=177,186",
}

// Compiler is the loaded library.
type Compiler struct {
	Path         string
	Major, Minor int // version of CUDA

	create    func(program *uintptr, source, name string, headers int32, sources, names unsafe.Pointer) int32
	compile   func(program uintptr, count int32, options *unsafe.Pointer) int32
	logSize   func(program uintptr, size *uintptr) int32
	log       func(program uintptr, text *byte) int32
	ptxSize   func(program uintptr, size *uintptr) int32
	ptx       func(program uintptr, text *byte) int32
	codeSize  func(program uintptr, size *uintptr) int32
	code      func(program uintptr, text *byte) int32
	destroy   func(program *uintptr) int32
	errorText func(code int32) string
	version   func(major, minor *int32) int32
}

// ErrMissing is the error of a machine without NVRTC.
var ErrMissing = errors.New("NVRTC not found: " + abi.Remedy)

// Load finds and opens the library once: at the path in ATOLL_NVRTC, in python3's package nvidia-cuda-nvrtc-cu12, or
// in the system's library path.
var Load = sync.OnceValues(load)

func load() (*Compiler, error) {
	if path := os.Getenv(Variable); path != "" {
		c, err := open(path)
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", Variable, path, err)
		}
		return c, nil
	}
	candidates := append(wheels(), "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12")
	for _, path := range candidates {
		if c, err := open(path); err == nil {
			return c, nil
		}
	}
	return nil, ErrMissing
}

// wheels returns the paths of the library in python3's packages.
func wheels() []string {
	out, err := exec.Command("python3", "-c", "import sysconfig, site\n"+
		"print(sysconfig.get_paths()['purelib'], site.getusersitepackages(), sep='\\n')").Output()
	if err != nil {
		return nil
	}
	var found []string
	for folder := range strings.FieldsSeq(string(out)) {
		path := filepath.Join(folder, "nvidia", "cuda_nvrtc", "lib", "libnvrtc.so.12")
		if _, err := os.Stat(path); err == nil {
			found = append(found, path)
		}
	}
	return found
}

func open(path string) (*Compiler, error) {
	handle, err := dynlib.Open(path)
	if err != nil {
		return nil, err
	}
	c := &Compiler{Path: path}
	for _, symbol := range []struct {
		name string
		fn   any
	}{
		{"nvrtcCreateProgram", &c.create}, {"nvrtcCompileProgram", &c.compile}, {"nvrtcGetProgramLogSize", &c.logSize},
		{"nvrtcGetProgramLog", &c.log}, {"nvrtcGetPTXSize", &c.ptxSize}, {"nvrtcGetPTX", &c.ptx},
		{"nvrtcGetCUBINSize", &c.codeSize}, {"nvrtcGetCUBIN", &c.code},
		{"nvrtcDestroyProgram", &c.destroy}, {"nvrtcGetErrorString", &c.errorText}, {"nvrtcVersion", &c.version},
	} {
		address, err := dynlib.Symbol(handle, symbol.name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		purego.RegisterFunc(symbol.fn, address)
	}
	var major, minor int32
	if code := c.version(&major, &minor); code != 0 {
		return nil, fmt.Errorf("%s: nvrtcVersion: %s", path, c.errorText(code))
	}
	c.Major, c.Minor = int(major), int(minor)
	return c, nil
}

// Compile compiles CUDA C to PTX, or to machine code if the architecture in the options is a GPU such as sm_90. name is
// the file name in the compiler's messages, which the error repeats. Warnings are errors.
func (c *Compiler) Compile(name, source string, options ...string) (string, error) {
	if strings.Contains(name+source+strings.Join(options, ""), "\x00") {
		return "", fmt.Errorf("nvrtc: %s: a zero byte in the source", name)
	}
	var program uintptr
	if code := c.create(&program, source, name, 0, nil, nil); code != 0 {
		return "", fmt.Errorf("nvrtc: %s: %s", name, c.errorText(code))
	}
	defer c.destroy(&program)

	texts := make([][]byte, len(options))
	pointers := make([]unsafe.Pointer, len(options)+1)
	var pin runtime.Pinner
	defer pin.Unpin()
	for i, o := range options {
		texts[i] = append([]byte(o), 0)
		pin.Pin(&texts[i][0])
		pointers[i] = unsafe.Pointer(&texts[i][0])
	}
	code := c.compile(program, int32(len(options)), &pointers[0])
	log, err := c.text(program, c.logSize, c.log)
	if err != nil {
		return "", fmt.Errorf("nvrtc: %s: %w", name, err)
	}
	if log = strings.TrimSpace(strings.TrimRight(log, "\x00")); code != 0 || log != "" {
		return "", fmt.Errorf("nvrtc: %s: %s\n%s", name, c.errorText(code), log)
	}
	size, get, end := c.ptxSize, c.ptx, 1
	if slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, "--gpu-architecture=sm_") }) {
		size, get, end = c.codeSize, c.code, 0
	}
	text, err := c.text(program, size, get)
	if err != nil {
		return "", fmt.Errorf("nvrtc: %s: %w", name, err)
	}
	return text[:max(0, len(text)-end)], nil
}

// text returns a text or the code of the program; texts end with a zero byte.
func (c *Compiler) text(program uintptr, size func(uintptr, *uintptr) int32,
	get func(uintptr, *byte) int32) (string, error) {
	var n uintptr
	if code := size(program, &n); code != 0 {
		return "", errors.New(c.errorText(code))
	}
	if n == 0 {
		return "", nil
	}
	buffer := make([]byte, n)
	if code := get(program, &buffer[0]); code != 0 {
		return "", errors.New(c.errorText(code))
	}
	return string(buffer), nil
}
