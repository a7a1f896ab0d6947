package kernelgen

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// compileMachine compiles the machine code and packs it into an archive.
func (p *Package) compileMachine(compiler func() (Compiler, error), source string, options []string) (string, error) {
	c, err := compiler()
	if err != nil {
		return "", err
	}
	archive, err := CompileMachine(c, cudaFile, source, hashLine(source, options), options, p.Machine)
	return string(archive), err
}

// CompileMachine compiles CUDA C to machine code for each of the GPUs, such as sm_90, and packs it into an archive for
// the PTX that was made with the same options: see [abi.PackMachine].
func CompileMachine(c Compiler, file, source, ptx string, options, gpus []string) ([]byte, error) {
	code := map[string]string{}
	for _, gpu := range gpus {
		gpuOptions := slices.Clone(options)
		gpuOptions = append(slices.DeleteFunc(gpuOptions, func(o string) bool { return strings.HasPrefix(o, architecture) }),
			architecture+gpu)
		var err error
		if code[gpu], err = c.Compile(file, source, gpuOptions...); err != nil {
			return nil, fmt.Errorf("machine code for %s: %w", gpu, err)
		}
	}
	return abi.PackMachine(ptx, code)
}

const architecture = "--gpu-architecture="

// checkMachine returns an error if the archive in dir lacks code for the GPUs, or was made for other PTX.
func checkMachine(dir string, gpus []string) error {
	if len(gpus) == 0 {
		return nil
	}
	path := filepath.Join(dir, machineFile)
	archive, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	ptx, err := os.ReadFile(filepath.Join(dir, ptxFile))
	if err != nil {
		return err
	}
	archived, err := abi.ArchivedGPUs(string(ptx), string(archive))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !slices.Equal(archived, gpus) {
		return fmt.Errorf("%s was not made from the present %s: run go generate there, on a machine with NVRTC", path,
			ptxFile)
	}
	return nil
}
