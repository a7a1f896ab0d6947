// Command gen compiles the CUDA C files named on the command line to PTX beside them. It needs NVRTC of CUDA 12, which
// "pip install nvidia-cuda-nvrtc-cu12==12.4.127" provides; ATOLL_NVRTC may name the library. It needs no GPU.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/backend/cuda/internal/ptx"
	"github.com/ebitengine/purego"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(files []string) error {
	n, err := load()
	if err != nil {
		return err
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		compiled, err := n.compile(filepath.Base(file), source)
		if err != nil {
			return err
		}
		out := strings.TrimSuffix(file, ".cu") + ".ptx"
		if err := os.WriteFile(out, append([]byte(ptx.Header(source)), compiled...), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// nvrtc is the compiler's C interface.
type nvrtc struct {
	create  func(program *uintptr, source, name string, headers int32, text, names *uintptr) int32
	build   func(program uintptr, n int32, options **byte) int32
	logSize func(program uintptr, size *uint64) int32
	log     func(program uintptr, text *byte) int32
	size    func(program uintptr, size *uint64) int32
	ptx     func(program uintptr, text *byte) int32
	destroy func(program *uintptr) int32
}

func load() (*nvrtc, error) {
	var refused []error
	for _, path := range places() {
		h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			refused = append(refused, err)
			continue
		}
		n := new(nvrtc)
		for name, fn := range map[string]any{
			"nvrtcCreateProgram": &n.create, "nvrtcCompileProgram": &n.build, "nvrtcGetProgramLogSize": &n.logSize,
			"nvrtcGetProgramLog": &n.log, "nvrtcGetPTXSize": &n.size, "nvrtcGetPTX": &n.ptx, "nvrtcDestroyProgram": &n.destroy,
		} {
			purego.RegisterLibFunc(fn, h, name)
		}
		return n, nil
	}
	return nil, fmt.Errorf("no NVRTC of CUDA 12; pip install nvidia-cuda-nvrtc-cu12==12.4.127, or set ATOLL_NVRTC: %w",
		errors.Join(refused...))
}

// places lists where the library may be, the most explicit first.
func places() []string {
	if p := os.Getenv("ATOLL_NVRTC"); p != "" {
		return []string{p}
	}
	var all []string
	if out, err := exec.Command("python3", "-c", "import nvidia.cuda_nvrtc as p; print(p.__path__[0])").Output(); err == nil {
		all = append(all, filepath.Join(strings.TrimSpace(string(out)), "lib", "libnvrtc.so.12"))
	}
	return append(all, "libnvrtc.so.12")
}

func (n *nvrtc) compile(name string, source []byte) ([]byte, error) {
	var program uintptr
	if r := n.create(&program, string(source), name, 0, nil, nil); r != 0 {
		return nil, fmt.Errorf("%s: nvrtcCreateProgram: error %d", name, r)
	}
	defer n.destroy(&program)
	options := make([]*byte, len(ptx.Options))
	for i, o := range ptx.Options {
		options[i] = &append([]byte(o), 0)[0]
	}
	if r := n.build(program, int32(len(options)), &options[0]); r != 0 {
		return nil, fmt.Errorf("%s: error %d\n%s", name, r, text(program, n.logSize, n.log))
	}
	return text(program, n.size, n.ptx), nil
}

// text reads a text of the program, without the 0 at its end.
func text(program uintptr, size func(uintptr, *uint64) int32, read func(uintptr, *byte) int32) []byte {
	var length uint64
	if size(program, &length) != 0 || length == 0 {
		return nil
	}
	t := make([]byte, length)
	if read(program, &t[0]) != 0 {
		return nil
	}
	return bytes.TrimRight(t, "\x00")
}
