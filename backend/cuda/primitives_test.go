package cuda

import (
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/primitives"
)

func TestPrimitives(t *testing.T) { backendtest.Run(t, open(t), 1_000_007) }

func TestPrimitivesAllocateNothingWhenRepeated(t *testing.T) {
	d := open(t)
	w := primitives.NewWorkspace(d)
	const n = 50_000
	x, y := array(t, d, n, func(i int) float64 { return float64(i) }), array(t, d, n, func(int) float64 { return 0 })
	keys, err := backend.Make[uint32](d, n)
	ok(t, err)
	values, err := backend.Make[int32](d, n)
	ok(t, err)
	var words [backend.SumWords]int64
	for name, f := range map[string]func() error{
		"min":    func() error { _, err := primitives.Min(w, x); return err },
		"sum":    func() error { return primitives.SumInto(w, &words, x) },
		"scan":   func() error { _, err := primitives.ExclusiveScan(w, values, values); return err },
		"sort":   func() error { return primitives.SortByKey(w, keys, values) },
		"gather": func() error { return primitives.Gather(w, y, x, values) },
	} {
		if a := testing.AllocsPerRun(10, func() { ok(t, f()) }); a != 0 {
			t.Errorf("%s allocates %v times", name, a)
		}
	}
}
