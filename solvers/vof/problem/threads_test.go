package problem

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
)

// TestSetUpByAnyNumberOfThreads proves that volume fractions, and errors in them, do not depend on the number of
// threads.
func TestSetUpByAnyNumberOfThreads(t *testing.T) {
	comm := runtest.Local(t, 1)[0]
	defer comm.Close()
	for _, v := range []Initial{
		{Shape: "difference(sphere(0.4, 0.5, 0.5, 0.3), union(box(0.3, 0.3, 0.2, 0.9, 0.5, 0.6), torus(0.5, 0.5, 0.5, 0.2, " +
			"0.1)))", Fractions: "quadrature"},
		{Shape: "x*x + y*y + z*z - 0.5 + 0.1*sin(9*x)", Levels: 3, Leaf: "plane"},
		{Shape: "sqrt(x - 0.5)*sqrt(0.75 - y)", Levels: 3}, // undefined in some cells
	} {
		s := config.Grid{Dim: 3, Hi: [3]float64{1, 1, 1}, Cells: [3]int{12, 10, 14}}
		b, err := domain.Cut(&s, 2, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		hashWith := func(threads int) string {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			f, _, err := fractions(t.Context(), comm, "[initial]", &v, nil, b.Block)
			return fmt.Sprintf("%x %v", sha256.Sum256(fmt.Append(nil, f)), err)
		}
		want := hashWith(1)
		for _, threads := range []int{2, 3, 8} {
			if got := hashWith(threads); got != want {
				t.Errorf("%s: %s by %d threads, %s by one", v.Shape, got, threads, want)
			}
		}
	}
}
