package shallow

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// TestSetUpByAnyNumberOfThreads proves that edges, outlets and partition do not depend on the number of threads.
func TestSetUpByAnyNumberOfThreads(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 45_000, 3)
	if err != nil {
		t.Fatal(err)
	}
	setUpWith := func(threads int) (all []any) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		d, err := decompose.New(m, decompose.Options{Ranks: 2, Order: "hilbert", Method: "hilbert"})
		if err != nil {
			t.Fatal(err)
		}
		err = d.Each(func(_ int, part *mesh.Part, _ *halo.Plan) error {
			out, err := newOutlets[float64](Config{Open: true}, part.Groups, 1)
			if err != nil {
				return err
			}
			kernelMesh, innerEdges, err := assemble[float64](part, make([]float64, len(part.Cells)), out)
			all = append(all, part, kernelMesh, innerEdges, out.keys)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := setUpWith(1)
	for _, threads := range []int{2, 4} {
		for k, got := range setUpWith(threads) {
			if !reflect.DeepEqual(got, want[k]) {
				t.Errorf("%d threads: result %d differs", threads, k)
			}
		}
	}
}
