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

// TestTangledAdvice: for a mesh with clockwise cells and vertices at one position, in which no repair of convert leaves
// a mesh, all commands advise to untangle it, which works; its report counts the cells that were inverted.
func TestTangledAdvice(t *testing.T) {
	dir := t.TempDir()
	m, err := mesh.Rectangle(0, 0, 1, 1, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	rings, err := m.Rings()
	if err != nil {
		t.Fatal(err)
	}
	var inside []int
	for v := range m.X {
		if rings.Class[v] == mesh.Interior {
			inside = append(inside, v)
		}
	}
	m.X[inside[0]] += .5
	m.X[inside[5]], m.Y[inside[5]] = m.X[inside[9]], m.Y[inside[9]]
	file, out := filepath.Join(dir, "m.msh"), filepath.Join(dir, "o.msh")
	if err := meshio.Write(file, m); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"mesh", "convert", file, out}, {"mesh", "convert", file, out, "--orient"},
		{"mesh", "convert", file, out, "--merge-duplicates"}, {"smooth", file, out},
		{"smooth", file, out, "--untangle", "true", "--metric", "implied"}} {
		command := atoll(t, dir, nil, arguments...)
		want := "--untangle true"
		if arguments[len(arguments)-1] == "implied" {
			want = "--metric uniform"
		}
		if code := command.code(t); code != exitUsage || !strings.Contains(command.stderr.String(), want) {
			t.Errorf("%s: exit code %d, %s", arguments, code, &command.stderr)
		}
	}
	command := atoll(t, dir, nil, "smooth", file, out, "--untangle", "true")
	if code := command.code(t); code != exitDone {
		t.Fatalf("exit code %d: %s", code, &command.stderr)
	}
	text := command.stdout.String()
	_, after, _ := strings.Cut(text, "untangled ")
	count, _, _ := strings.Cut(after, " ")
	_, row, _ := strings.Cut(text, "\ninverted")
	if fields := strings.Fields(row); count == "" || count == "0" || fields[0] != count || fields[1] != "0" {
		t.Errorf("untangled %q, inverted %q, in\n%s", count, strings.Fields(row)[:2], text)
	}
}
