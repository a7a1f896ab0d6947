package mesh

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzReadGmsh(f *testing.F) {
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
		w, err := newGmshWriter(laden(4, 1).content(), bin)
		if err != nil {
			f.Fatal(err)
		}
		var b bytes.Buffer
		if err := w.write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseGmsh(data)
		fuzzed(t, data, m, err)
	})
}

// fuzzed holds for what a reader makes of any input: a mesh no larger than the input can describe, which Check and the
// repairs can take, or an error with a place.
func fuzzed(t *testing.T, data []byte, m *Mesh, err error) {
	if err != nil {
		if s := err.Error(); m != nil || !strings.HasPrefix(s, "byte offset ") && !strings.HasPrefix(s, "line ") {
			t.Fatalf("mesh %v, error %q", m, err)
		}
		return
	}
	if len(m.X) > len(data) || cap(m.X) > len(data) || len(m.Cells) > len(data) || cap(m.Cells) > 2*len(data)+8 {
		t.Fatalf("%d (%d) vertices and %d (%d) cells from %d bytes", len(m.X), cap(m.X), len(m.Cells), cap(m.Cells),
			len(data))
	}
	if m.Check() == nil {
		return
	}
	_, _ = m.Orient()
	_, _, _ = m.MergeDuplicates()
	_, _, _ = m.DropDangling()
	_ = m.Check()
}

func FuzzReadMedit(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "island.mesh"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(squareMedit))
	for _, inBinary := range []bool{false, true} {
		f.Add(meditBytes(f, laden(4, 1), inBinary))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseMedit(data)
		fuzzed(t, data, m, err)
	})
}
