package meshio

import (
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// BenchmarkFormats writes and reads a mesh of 252,000 vertices. The throughput is that of coordinates and triangles in
// memory, so that formats can be compared.
func BenchmarkFormats(b *testing.B) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 500_000, 1)
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"a.msh", "a.mesh", "a.meshb", "a.vtu"} {
		path := filepath.Join(b.TempDir(), name)
		if err := Write(path, m); err != nil {
			b.Fatal(err)
		}
		size := int64(16*len(m.X) + 12*len(m.Cells))
		b.Run("write/"+name[2:], func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if err := Write(path, m); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("read/"+name[2:], func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
