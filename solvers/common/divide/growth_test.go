package divide

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// largestArray returns the size of the largest array that Mesh allocates in a call of f, and where it does.
func largestArray(f func()) (size int64, where string) {
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 4096 // large arrays are in the profile all the same
	defer func() { runtime.MemProfileRate = rate }()
	f()
	for range 3 { // the profile is complete after some collections
		runtime.GC()
	}
	records := make([]runtime.MemProfileRecord, 0)
	for n, ok := runtime.MemProfile(nil, true); !ok; {
		records = make([]runtime.MemProfileRecord, n+100)
		n, ok = runtime.MemProfile(records, true)
		records = records[:min(n, len(records))]
	}
	for _, r := range records {
		if r.AllocObjects == 0 {
			continue
		}
		var stack []string
		frames := runtime.CallersFrames(r.Stack())
		for frame, more := frames.Next(); more || frame.Function != ""; frame, more = frames.Next() {
			stack = append(stack, fmt.Sprintf("%s:%d", frame.Function, frame.Line))
			if !more {
				break
			}
		}
		// A record has objects of one size that one stack allocated.
		if text := strings.Join(stack, "\n"); strings.Contains(text, "divide.Mesh:") && r.AllocBytes/r.AllocObjects > size {
			size, where = r.AllocBytes/r.AllocObjects, text
		}
	}
	return size, where
}

// TestNothingGrowsWithTheWhole: the largest array of a rank grows with its own cells and with the number of ranks, not
// with all cells or with pairs of ranks.
func TestNothingGrowsWithTheWhole(t *testing.T) {
	largest := func(cells, ranks int) (size int64, where string) {
		m, err := mesh.Rectangle(0, 0, 1, 1, cells, 1)
		if err != nil {
			t.Fatal(err)
		}
		mesh.SetField(&m.VertexData, "a", m.X)
		mesh.SetField(&m.CellData, "b", make([]float64, len(m.Cells)))
		path := filepath.Join(t.TempDir(), "m.msh")
		if err := gmsh.Write(path, m, true); err != nil {
			t.Fatal(err)
		}
		layout, err := gmsh.Layout(path, 1<<18)
		if err != nil {
			t.Fatal(err)
		}
		return largestArray(func() {
			o := decompose.Options{Order: partition.RCM, Method: partition.HilbertCut}
			if _, doubt := divided(t, layout, ranks, o); doubt != "" {
				t.Fatal(doubt)
			}
		})
	}
	// The pairs come first: the profile keeps what earlier runs have allocated.
	const pairs, all = 200, 120_000
	if size, where := largest(2_000, pairs); size > 2*pairs*pairs {
		t.Errorf("%d ranks: an array of %d bytes\n%s", pairs, size, where)
	}
	if size, where := largest(all, 50); size > 2*all {
		t.Errorf("%d cells: an array of %d bytes\n%s", all, size, where)
	}
}
