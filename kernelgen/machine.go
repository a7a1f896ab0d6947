package kernelgen

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// archive returns the archive of the PTX in dir and of machine code, which it compiles.
func (p *Package) archive(dir string, compiler func() (Compiler, error), source string, options []string) (string,
	error) {
	ptx, err := os.ReadFile(filepath.Join(dir, ptxFile))
	if err != nil {
		return "", err
	}
	var c Compiler
	if len(p.Machine) > 0 {
		if c, err = compiler(); err != nil {
			return "", err
		}
	}
	archive, err := CompileMachine(c, cudaFile, source, string(ptx), options, p.Machine)
	return string(archive), err
}

// CompileMachine compiles CUDA C to machine code for each of the GPUs, such as sm_90, and packs it into an archive with
// the PTX, which was made with the same options: see [abi.Pack].
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
	return abi.Pack(ptx, code)
}

const architecture = "--gpu-architecture="

// checkArchive returns an error if the archive in dir was made of other PTX or for other GPUs.
func checkArchive(dir string, gpus []string) error {
	path := filepath.Join(dir, archiveFile)
	archive, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	ptx, err := os.ReadFile(filepath.Join(dir, ptxFile))
	if err != nil {
		return err
	}
	packed, err := (&abi.Module{Archive: string(archive)}).PTX()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	archived, err := abi.ArchivedGPUs(string(ptx), string(archive))
	if err != nil || packed != string(ptx) || !slices.Equal(archived, gpus) {
		return fmt.Errorf("%s was not made from the present %s: run go generate there, on a machine with NVRTC", path,
			ptxFile)
	}
	return nil
}
