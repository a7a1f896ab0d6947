package vtk

import (
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

func FuzzVTU(f *testing.F) {
	files, err := filepath.Glob("testdata/*.vtu")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		f.Add(read(f, file))
	}
	cube, err := mesh.Cube(1, 1, 1, 0, 1)
	if err != nil {
		f.Fatal(err)
	}
	cube.Groups = []mesh.Group{{Dim: 2, Tag: 3, Name: "low"}}
	path := filepath.Join(f.TempDir(), "cube.vtu")
	if err := WriteSolid(path, cube); err != nil {
		f.Fatal(err)
	}
	f.Add(read(f, path))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := parse(data)
		if err != nil {
			return
		}
		// A grid that is read is consistent: its arrays can be indexed, and conversion to a mesh succeeds or gives an error.
		if err := g.checkCells(); err != nil {
			t.Fatal(err)
		}
		for _, list := range []struct {
			arrays Arrays
			tuples int
		}{{g.PointData, g.points()}, {g.CellData, len(g.Types)}} {
			for _, a := range list.arrays {
				if a.Tuples() != list.tuples {
					t.Fatalf("array %q has %d tuples, want %d", a.Name, a.Tuples(), list.tuples)
				}
			}
		}
		if s, err := g.solid(); err == nil && s.Check() == nil {
			for name, field := range s.CellData {
				if len(field) != len(s.Cells) {
					t.Fatalf("cell field %q has %d values for %d cells", name, len(field), len(s.Cells))
				}
			}
			if _, err := s.MergeDuplicates(); err != nil {
				t.Fatal(err)
			}
		}
		if m, err := g.mesh(); err == nil {
			for _, c := range m.Cells {
				for _, v := range c {
					_ = m.X[v]
				}
			}
		}
	})
}

func FuzzPVTU(f *testing.F) {
	f.Add(read(f, "testdata/pieces.pvtu"))
	f.Add([]byte(`<VTKFile type="PUnstructuredGrid"><PUnstructuredGrid><Piece Source="a"/></PUnstructuredGrid></VTKFile>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, _, err := xmldata.ParseTree(data, "PUnstructuredGrid")
		if err != nil {
			return
		}
		names, err := sources(root)
		if err != nil {
			return
		}
		if err := checkSources(names); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzPVD(f *testing.F) {
	f.Add([]byte(`<VTKFile type="Collection"><Collection><DataSet timestep="0" file="a"/>` +
		`<DataSet timestep="1e-3" group="" part="0" file="b"/></Collection></VTKFile>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		frames, err := parseFrames(data)
		if err != nil {
			return
		}
		if err := checkTimes(frames); err != nil {
			t.Fatal(err)
		}
	})
}
