package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// TestInfoOfTangled: mesh info describes a mesh that smooth untangles, with its faults as a note, and refuses others.
func TestInfoOfTangled(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "m.msh")
	for _, c := range []struct {
		name   string
		change func(m *mesh.Mesh, v int)
		code   int
		text   string
	}{
		{"none", func(*mesh.Mesh, int) {}, exitDone, "smallest inscribed circle"},
		{"a vertex beyond its neighbours", func(m *mesh.Mesh, v int) { m.X[v] += .7 }, exitDone, "clockwise cells"},
		{"a vertex at another", func(m *mesh.Mesh, v int) { m.X[v], m.Y[v] = m.X[v-1], m.Y[v-1] }, exitDone, "same position"},
		{"a cell twice", func(m *mesh.Mesh, v int) { m.Cells = append(m.Cells, m.Cells[0]) }, exitUsage, "given twice"},
		{"three cells at an edge", func(m *mesh.Mesh, v int) {
			m.Cells = append(m.Cells, [3]int32{m.Cells[0][0], m.Cells[0][1], m.Cells[len(m.Cells)-1][2]})
		}, exitUsage, "edge"},
	} {
		m, err := mesh.Rectangle(0, 0, 1, 1, 50, 1)
		if err != nil {
			t.Fatal(err)
		}
		rings, err := m.Rings()
		if err != nil {
			t.Fatal(err)
		}
		v := 1
		for rings.Class[v] != mesh.Interior || rings.Class[v-1] != mesh.Interior {
			v++
		}
		c.change(m, v)
		if err := meshio.Write(file, m); err != nil {
			t.Fatal(err)
		}
		command := atoll(t, dir, nil, "mesh", "info", file)
		if code := command.code(t); code != c.code {
			t.Errorf("%s: exit code %d, want %d: %s", c.name, code, c.code, &command.stderr)
		}
		if text := command.stdout.String() + command.stderr.String(); !strings.Contains(text, c.text) ||
			c.code == exitDone && c.name != "none" && !strings.Contains(text, "--untangle true") {
			t.Errorf("%s: no %q in %s", c.name, c.text, text)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	box, err := mesh.Box([3]float64{}, [3]float64{1, 1, 1}, 300, 7)
	if err != nil {
		t.Fatal(err)
	}
	free, err := box.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	v := 0
	for free[v].Axes != 3 {
		v++
	}
	box.X[v] += .9
	if err := meshio.WriteSolid(file, box); err != nil {
		t.Fatal(err)
	}
	command := atoll(t, dir, nil, "mesh", "info", "--json", file)
	if code := command.code(t); code != exitDone || !strings.Contains(command.stdout.String(), "--untangle true") {
		t.Errorf("tetrahedra: exit code %d: %s%s", code, &command.stdout, &command.stderr)
	}
}
