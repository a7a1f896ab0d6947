package gmsh

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestEmptyBlocks proves that blocks without elements, of any type, do not matter.
func TestEmptyBlocks(t *testing.T) {
	for _, block := range []string{"", "3 1 4 0\n", "2 1 3 0\n", "2 1 2 0\n", "1 1 1 0\n", "0 1 15 0\n", "3 1 5 0\n",
		"3 7 11 0\n"} {
		for _, first := range []bool{true, false} {
			triangles := "2 1 2 1\n1 1 2 3\n"
			text, blocks := block+triangles, 1
			if !first {
				text = triangles + block
			}
			if block != "" {
				blocks = 2
			}
			path := filepath.Join(t.TempDir(), "a.msh")
			if err := os.WriteFile(path, fmt.Appendf(nil, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n"+
				"2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n$Elements\n%d 1 1 1\n%s$EndElements\n", blocks,
				text), 0o600); err != nil {
				t.Fatal(err)
			}
			m, err := Read(path)
			if err != nil || len(m.Cells) != 1 {
				t.Errorf("with the block %q, first %t: %v", block, first, err)
			}
		}
	}
}
