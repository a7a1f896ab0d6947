package layout

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
)

// TestProcessorsAgree proves that parts do not depend on the number of processors.
func TestProcessorsAgree(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := smoothtest.Grouped(t, 150_000, 5)
	for _, o := range []Options{
		{Boundary: Slide, Colouring: colouring.JonesPlassmann, Order: partition.Hilbert},
		{Boundary: Slide, Colouring: colouring.FirstFit, Order: partition.Natural, Deep: true},
	} {
		cut := func() []*Part {
			l, err := New(m, o)
			if err != nil {
				t.Fatal(err)
			}
			unconnected := partition.Graph{Start: make([]int32, len(m.X)+1)}
			owner, err := partition.Partition(partition.HilbertCut, unconnected, [][]float64{m.X, m.Y}, 2, 0)
			if err != nil {
				t.Fatal(err)
			}
			parts, err := l.Parts(owner, 2)
			if err != nil {
				t.Fatal(err)
			}
			return parts
		}
		want := cut()
		for _, processors := range []int{2, 5} {
			runtime.GOMAXPROCS(processors)
			if got := cut(); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the parts differ on %d processors", o.Colouring, processors)
			}
		}
		runtime.GOMAXPROCS(1)
	}
}
