package main

// The imports register the solvers of this program, their verification and their benchmarks.
import (
	_ "github.com/atoll-hpc/atoll/solvers/levelset/bench"
	_ "github.com/atoll-hpc/atoll/solvers/levelset/problem"
	_ "github.com/atoll-hpc/atoll/solvers/levelset/verify"
	_ "github.com/atoll-hpc/atoll/solvers/shallow/bench"
	_ "github.com/atoll-hpc/atoll/solvers/shallow/problem"
	_ "github.com/atoll-hpc/atoll/solvers/shallow/verify"
	_ "github.com/atoll-hpc/atoll/solvers/smooth/bench"
	_ "github.com/atoll-hpc/atoll/solvers/smooth/problem"
	_ "github.com/atoll-hpc/atoll/solvers/smooth/verify"
	_ "github.com/atoll-hpc/atoll/solvers/smooth/verify/adapt"
	_ "github.com/atoll-hpc/atoll/solvers/twophase/problem"
	_ "github.com/atoll-hpc/atoll/solvers/twophase/verify"
	_ "github.com/atoll-hpc/atoll/solvers/vof/bench"
	_ "github.com/atoll-hpc/atoll/solvers/vof/problem"
	_ "github.com/atoll-hpc/atoll/solvers/vof/verify"
)
