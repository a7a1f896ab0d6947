package divide

import (
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// BenchmarkMesh divides a file of a million triangles among 8 ranks of this process: together, and as rank 0 does alone
// if it reads the whole mesh, without sending the parts.
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
	o := decompose.Options{Order: partition.RCM, Method: partition.HilbertCut}
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			if _, doubt := divided(b, layout, 8, o); doubt != "" {
				b.Fatal(doubt)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
	})
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			if _, err := whole(b, path, 8, o); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
	})
}
