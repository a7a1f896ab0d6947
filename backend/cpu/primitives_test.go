package cpu

import (
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/primitives"
)

func TestPrimitives(t *testing.T) {
	for _, threads := range []int{1, 3} {
		d := New(threads)
		backendtest.Run(t, d, 0)
		d.Close()
	}
}

func TestPrimitivesAllocateNothingWhenRepeated(t *testing.T) {
	d := New(2)
	defer d.Close()
	w := primitives.NewWorkspace(d)
	const n = 10 * maxBlock
	keys, values, x, y := make([]uint32, n), make([]int32, n), make([]float64, n), make([]float64, n)
	buf := make([]byte, 8*n)
	var words [backend.SumWords]int64
	for name, f := range map[string]func() error{
		"min":    func() error { _, err := primitives.Min(w, x); return err },
		"sum":    func() error { return primitives.SumInto(w, &words, x) },
		"scan":   func() error { _, err := primitives.ExclusiveScan(w, values, values); return err },
		"sort":   func() error { return primitives.SortByKey(w, keys, values) },
		"gather": func() error { return primitives.Gather(w, y, x, values) },
		"pack":   func() error { return primitives.Pack(w, buf, 8, backendtest.BytesOf(x), 8, values) },
	} {
		for i := range keys {
			keys[i], values[i] = uint32(n-i), 0
		}
		if a := testing.AllocsPerRun(10, func() {
			if err := f(); err != nil {
				t.Fatal(err)
			}
		}); a != 0 {
			t.Errorf("%s allocates %v times", name, a)
		}
	}
}
