package levelset

import (
	"runtime"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// TestSetUpByAnyNumberOfThreads proves that initial distances and velocities do not depend on the number of threads.
func TestSetUpByAnyNumberOfThreads(t *testing.T) {
	g, err := grid.New(3, [3]int{30, 24, 28}, [3]float64{}, [3]float64{1, 1, 1}, [3]bool{true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := g.Whole(4)
	if err != nil {
		t.Fatal(err)
	}
	v, err := flow.Named("enright", g, 3)
	if err != nil {
		t.Fatal(err)
	}
	body := shape.Union(shape.Ball(.4, .5, .5, .3), shape.Torus(.6, .5, .5, .3, .1))
	setUp := func(threads int) []float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		distances, err := Distance(t.Context(), b, body)
		if err != nil {
			t.Fatal(err)
		}
		u, err := flow.OnBlock[float64](t.Context(), b, v)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Concat(distances, u[0], u[1], u[2])
	}
	want := setUp(1)
	for _, threads := range []int{2, 3, 8} {
		if !slices.Equal(setUp(threads), want) {
			t.Errorf("%d threads give a different result than one", threads)
		}
	}
}
