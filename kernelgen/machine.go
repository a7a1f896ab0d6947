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
	code := map[string]string{}
	for _, gpu := range p.Machine {
		gpuOptions := slices.Clone(options)
		gpuOptions = append(slices.DeleteFunc(gpuOptions, func(o string) bool { return strings.HasPrefix(o, architecture) }),
			architecture+gpu)
		if code[gpu], err = c.Compile(cudaFile, source, gpuOptions...); err != nil {
			return "", fmt.Errorf("machine code for %s: %w", gpu, err)
		}
	}
	archive, err := abi.PackMachine(hashLine(source, options), code)
	return string(archive), err
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
