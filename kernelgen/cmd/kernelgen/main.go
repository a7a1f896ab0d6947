package main

import (
	"fmt"
	"os"

	"github.com/atoll-hpc/atoll/kernelgen"
)

func main() {
	p, err := kernelgen.Load(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	src, _, err := p.CUDA()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Print(src)
}
