package main

// The solvers that this program knows.
import (
	_ "github.com/atoll-hpc/atoll/solvers/shallow/problem"
	_ "github.com/atoll-hpc/atoll/solvers/smooth/problem"
	_ "github.com/atoll-hpc/atoll/solvers/vof/problem"
)
