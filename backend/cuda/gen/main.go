// Command gen compiles the CUDA C files named on the command line to PTX beside them, with NVRTC. It needs no GPU.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/backend/cuda/internal/ptx"
	"github.com/atoll-hpc/atoll/kernelgen/nvrtc"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(files []string) error {
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
		out := strings.TrimSuffix(file, ".cu") + ".ptx"
		if err := os.WriteFile(out, []byte(ptx.Header(string(source), nvrtc.Options)+compiled), 0o666); err != nil {
			return err
		}
	}
	return nil
}
