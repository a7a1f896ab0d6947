package main

// The solvers that this program knows, and their checks.
import (
	_ "github.com/atoll-hpc/atoll/solvers/shallow/problem"
	_ "github.com/atoll-hpc/atoll/solvers/shallow/verify"
	_ "github.com/atoll-hpc/atoll/solvers/smooth/problem"
	_ "github.com/atoll-hpc/atoll/solvers/smooth/verify"
	_ "github.com/atoll-hpc/atoll/solvers/vof/problem"
	_ "github.com/atoll-hpc/atoll/solvers/vof/verify"
)
