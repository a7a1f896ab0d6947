package vtk

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// TestVectors: a mesh holds arrays of several components as one field each, and they are written as they were.
func TestVectors(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 32, 1)
	if err != nil {
		t.Fatal(err)
	}
	g := Triangles(m.X, m.Y, m.Cells)
	g.add(typeLine, m.Cells[0][0], m.Cells[0][1]) // which the mesh does not keep, since it has no tag
	for i := range m.X {
		v := float64(i)
		g.PointData = appendTo(g.PointData, "velocity", 2, v, -v)
		g.PointData = appendTo(g.PointData, "p", 1, v*v)
	}
	for c := range len(m.Cells) + 1 {
		g.CellData = appendTo(g.CellData, "stress", 3, float64(c), float64(2*c), float64(3*c))
	}
	path := filepath.Join(t.TempDir(), "a.vtu")
	if err := Write(path, g); err != nil {
		t.Fatal(err)
	}
	for range 2 { // as written by another program, and then by WriteMesh
		got, err := ReadMesh(path)
		if err != nil {
			t.Fatal(err)
		}
		names := append(mesh.FieldNames(got.VertexData), mesh.FieldNames(got.CellData)...)
		if want := []string{"p", "velocity[0]", "velocity[1]", "stress[0]", "stress[1]", "stress[2]"}; !reflect.DeepEqual(
			names, want) {
			t.Fatalf("fields %q, want %q", names, want)
		}
		if v := got.VertexData["velocity[1]"][3]; v != -3 {
			t.Errorf("velocity[1] is %g at vertex 3, want -3", v)
		}
		if s := got.CellData["stress[2]"][2]; s != 6 {
			t.Errorf("stress[2] is %g in cell 2, want 6", s)
		}
		if err := WriteMesh(path, got); err != nil {
			t.Fatal(err)
		}
	}
	written, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range append(written.PointData, written.CellData...) {
		if want := map[string]int{"p": 1, "velocity": 2, "stress": 3}[a.Name]; a.width() != want {
			t.Errorf("array %q of %d components, want %d", a.Name, a.width(), want)
		}
	}
}

// appendTo appends a tuple to the array of the given name.
func appendTo(data Arrays, name string, components int, tuple ...float64) Arrays {
	for k := range data {
		if data[k].Name == name {
			data[k].Data = append(data[k].Data.([]float64), tuple...)
			return data
		}
	}
	return append(data, Array{Name: name, Components: components, Data: tuple})
}
