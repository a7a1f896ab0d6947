// Command kernelgen writes the CUDA C, the PTX and the launchers of the kernels in a folder, by default its own:
//
//	//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//
// With -check it only checks that they are current, and with -print it prints the CUDA C. It exits with 1 if files are
// stale or cannot be written, and with 2 if a kernel uses Go that cannot be translated. Without NVRTC it prints what to
// install; the package then builds and runs without a GPU.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/atoll-hpc/atoll/kernelgen"
	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
	"github.com/atoll-hpc/atoll/kernelgen/nvrtc"
	"github.com/atoll-hpc/atoll/kernelgen/zig"
)

func main() {
	check := flag.Bool("check", false, "check that the generated files are current")
	show := flag.Bool("print", false, "print the CUDA C")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: kernelgen [-check | -print] [folder]")
		flag.PrintDefaults()
	}
	flag.Parse()
	dir := "."
	switch flag.NArg() {
	case 0:
	case 1:
		dir = flag.Arg(0)
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err := run(dir, *check, *show); err != nil {
		fmt.Fprintln(os.Stderr, err)
		if refused := (source.Refused{}); errors.As(err, &refused) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

func run(dir string, check, show bool) error {
	switch {
	case show:
		p, err := kernelgen.Load(dir)
		if err != nil {
			return err
		}
		source, _, err := p.CUDA()
		fmt.Print(source)
		return err
	case check:
		return errors.Join(kernelgen.Check(dir, nvrtc.Options), zig.Check(dir))
	}
	written, err := kernelgen.Generate(dir, func() (kernelgen.Compiler, error) { return nvrtc.Load() }, nvrtc.Options)
	if err == nil || errors.As(err, &kernelgen.Uncompiled{}) {
		more, failed := zig.Generate(dir, zig.Load)
		written = append(written, more...)
		if missing := (zig.Uncompiled{}); errors.As(failed, &missing) {
			fmt.Println("note:", missing)
		} else if failed != nil {
			err = failed
		}
	}
	for _, name := range written {
		fmt.Println("wrote", name)
	}
	if missing := (kernelgen.Uncompiled{}); errors.As(err, &missing) {
		fmt.Println("note:", missing)
		return nil
	}
	if err != nil {
		return err
	}
	local, err := kernelgen.LocalMemory(dir)
	for _, name := range slices.Sorted(maps.Keys(local)) {
		fmt.Printf("note: %s spills %d bytes a thread to local memory: see Speed on the GPU in docs/kernels.md\n", name,
			local[name])
	}
	return err
}
