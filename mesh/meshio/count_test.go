package meshio

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh"
)

// Count finds the counts of files of all formats, and returns 0 without an error for invalid files.
func TestCount(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 20000, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mesh.Box([3]float64{}, [3]float64{1, 1, 1}, 6000, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.msh", "text.msh", "a.mesh", "a.meshb", "a.vtu"} {
		path := filepath.Join(dir, name)
		write := Write
		if name == "text.msh" {
			write = func(path string, m *mesh.Mesh) error { return gmsh.Write(path, m, false) }
		}
		if err := write(path, m); err != nil {
			t.Fatal(err)
		}
		// Cells may include boundary elements.
		c, err := Count(path)
		if n := int64(len(m.Cells)); err != nil || c.Dim != 2 || c.Vertices != int64(len(m.X)) || c.Cells < n ||
			c.Cells > n+n/20 {
			t.Errorf("%s: %+v, error %v; want %d vertices and about %d cells", name, c, err, len(m.X), n)
		}
	}
	for _, name := range []string{"s.msh", "s.mesh", "s.meshb", "s.vtu"} {
		path := filepath.Join(dir, name)
		if err := WriteSolid(path, s); err != nil {
			t.Fatal(err)
		}
		c, err := Count(path)
		if n := int64(len(s.Cells)); err != nil || c.Dim != 3 || c.Vertices != int64(len(s.X)) || c.Cells < n ||
			c.Cells > n+n/3 {
			t.Errorf("%s: %+v, error %v; want %d vertices and about %d cells", name, c, err, len(s.X), n)
		}
	}
	for _, name := range []string{"b.msh", "b.mesh", "b.meshb", "b.vtu"} {
		path := filepath.Join(dir, name)
		for _, text := range []string{"", "$MeshFormat\n4.1 1 8\n$Nodes", "Vertices\nmany\n", "\x01\x00\x00\x00\x03\x00"} {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			if c, err := Count(path); err != nil || c.Cells != 0 {
				t.Errorf("%s: %q: %+v, %v", name, text, c, err)
			}
		}
	}
	if _, err := Count(filepath.Join(dir, "none.msh")); err == nil {
		t.Error("Count of a file that does not exist: no error")
	}
}

// Count finds the counts of binary Gmsh files whose numbers begin with bytes that look like line breaks.
func TestCountBinaryBlocks(t *testing.T) {
	for _, blocks := range []int{1, 9, 10, 13, 266, 269, 2570, 3338, 3341} {
		m, err := mesh.Rectangle(0, 0, 1, 1, 4*blocks, 1)
		if err != nil {
			t.Fatal(err)
		}
		m.Tagged = nil
		m.Groups = []mesh.Group{{Dim: 2, Tag: 1, Name: "a"}, {Dim: 2, Tag: 2, Name: "b"}}
		m.CellGroup = make([]int32, len(m.Cells))
		for c := range min(blocks, len(m.Cells)) { // each block ends where the group changes
			m.CellGroup[c] = int32(c % 2)
		}
		for c := blocks; c < len(m.Cells); c++ {
			m.CellGroup[c] = int32((blocks - 1) % 2)
		}
		path := filepath.Join(t.TempDir(), "a.msh")
		if err := Write(path, m); err != nil {
			t.Fatal(err)
		}
		if c, err := Count(path); err != nil || c.Vertices != int64(len(m.X)) || c.Cells != int64(len(m.Cells)) {
			t.Errorf("%d blocks: %+v, %v; want %d vertices and %d cells", blocks, c, err, len(m.X), len(m.Cells))
		}
	}
	big := "$MeshFormat\n4.1 1 8\n\x00\x00\x00\x01\n$EndMeshFormat\n$Nodes\r\n" +
		"\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x00\x00\x00\x0a\x0a" + "$Elements\n" +
		"\x00\x00\x00\x00\x00\x00\x00\x0d\x00\x00\x00\x00\x00\x00\x0d\x0a"
	path := filepath.Join(t.TempDir(), "big.msh")
	if err := os.WriteFile(path, []byte(big), 0o666); err != nil {
		t.Fatal(err)
	}
	if c, err := Count(path); err != nil || c.Vertices != 0xa0a || c.Cells != 0xd0a {
		t.Errorf("big-endian: %+v, %v", c, err)
	}
}
