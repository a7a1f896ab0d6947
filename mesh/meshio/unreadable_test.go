package meshio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOtherFormats: meshio is advised for formats that it reads, and not for others; those of SMS, ADCIRC
// and MIKE are read.
func TestOtherFormats(t *testing.T) {
	for name, advised := range map[string]bool{"a.vtk": true, "a.XDMF": true, "a.su2": true, "a.inp": true, "a.nas": true,
		"a.shp": false, "a.poly": false, "a": false, "a.txt": false} {
		_, err := Read(name)
		if err == nil || strings.Contains(err.Error(), "meshio convert "+name) != advised {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"a.2dm":   "MESH2D\nE3T 1 1 2 3 1\nND 1 0 0 0\nND 2 1 0 0\nND 3 0 1 0\n",
		"fort.14": "title\n1 3\n1 0 0 5\n2 1 0 5\n3 0 1 5\n1 3 1 2 3\n",
		"a.mesh":  "3 UTM-32\n1 0 0 0 1\n2 1 0 0 1\n3 0 1 0 1\n1 3 21\n1 1 2 3\n",
		"a.gr3":   "title\n1 3\n1 0 0 5\n2 1 0 5\n3 0 1 5\n1 3 1 2 3\n0\n0\n0\n0\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := Read(path); err != nil || len(m.Cells) != 1 || len(m.X) != 3 {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}
