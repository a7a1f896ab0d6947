package divide

import (
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// BenchmarkMesh divides a file of a million triangles among 8 ranks of this process.
func BenchmarkMesh(b *testing.B) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 1_000_000, 1)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "m.msh")
	if err := gmsh.Write(path, m, true); err != nil {
		b.Fatal(err)
	}
	cells := len(m.Cells)
	m = nil
	layout, err := gmsh.Layout(path, 1<<18)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		o := decompose.Options{Order: partition.RCM, Method: partition.HilbertCut}
		if _, doubt := divided(b, layout, 8, o); doubt != "" {
			b.Fatal(doubt)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
}
