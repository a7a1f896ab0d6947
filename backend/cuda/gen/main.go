// Command gen compiles the CUDA C files named on the command line to PTX beside them, with NVRTC, and with -machine to
// an archive of machine code for common GPUs too. It needs no GPU.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/backend/cuda/internal/ptx"
	"github.com/atoll-hpc/atoll/kernelgen"
	"github.com/atoll-hpc/atoll/kernelgen/nvrtc"
)

// gpus are those with machine code. Their code runs on all GPUs of the same major version.
var gpus = []string{"sm_80", "sm_90"}

func main() {
	machine := flag.Bool("machine", false, "write machine code too")
	flag.Parse()
	if err := run(flag.Args(), *machine); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(files []string, machine bool) error {
	compiler, err := nvrtc.Load()
	if err != nil {
		return err
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		compiled, err := compiler.Compile(filepath.Base(file), string(source), nvrtc.Options...)
		if err != nil {
			return err
		}
		out := strings.TrimSuffix(file, ".cu")
		text := ptx.Header(string(source), nvrtc.Options) + compiled
		if err := os.WriteFile(out+".ptx", []byte(text), 0o666); err != nil {
			return err
		}
		if !machine {
			continue
		}
		archive, err := kernelgen.CompileMachine(compiler, filepath.Base(file), string(source), text, nvrtc.Options, gpus)
		if err != nil {
			return err
		}
		if err := os.WriteFile(out+".zip", archive, 0o666); err != nil {
			return err
		}
	}
	return nil
}
