package gmsh

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/gmsh/internal/write"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
	"github.com/atoll-hpc/atoll/mesh/internal/meshtest"
)

func FuzzRead(f *testing.F) {
	for _, name := range islandFiles {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(cells22 + field("NodeData", "4\n9 1.5\n1 2\n7 -3e2\n3 4\n")))
	f.Add([]byte(cells41 + field("ElementData", "3\n2 1.5\n1 2\n3 7\n")))
	for _, bin := range []bool{false, true} {
		var b bytes.Buffer
		if err := write.To(&b, meshfile.OfMesh(meshtest.WithGroupsAndFields(4, 1)), bin); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parse(data)
		meshtest.Fuzzed(t, data, m, err)
	})
}
