package gmsh

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// BenchmarkStart times the set-up of a run before ordering and partition: it reads and checks a mesh of two million
// triangles, and finds the neighbours and boundary groups.
func BenchmarkStart(b *testing.B) {
	for _, bin := range []bool{true, false} {
		name := "text"
		if bin {
			name = "binary"
		}
		b.Run(name, func(b *testing.B) {
			m0, err := mesh.Rectangle(-5, -5, 5, 5, 2_000_000, 1)
			if err != nil {
				b.Fatal(err)
			}
			path := filepath.Join(b.TempDir(), "m.msh")
			if err := Write(path, m0, bin); err != nil {
				b.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				m, err := Read(path)
				if err != nil {
					b.Fatal(err)
				}
				if err := m.Check(); err != nil {
					b.Fatal(err)
				}
				nb, err := m.Neighbours()
				if err != nil {
					b.Fatal(err)
				}
				if _, err := m.BoundaryGroups(nb); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
