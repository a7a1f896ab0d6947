package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlotCommand: a mesh file is drawn in the format of the output's extension. Invalid flags and files are
// refused with exit code 2, before anything is written.
func TestPlotCommand(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"mesh generate a.msh --cells 60", 0, "a.msh: "},
		{"plot a.msh --quality -o a.pdf --width 8.5cm --title {field}", 0, "a.pdf"},
		{"plot a.msh --range 2:1", 2, `range "2:1" is empty`},
		{"plot a.msh --colours jet", 2, `unknown colour map "jet"; choose viridis`},
		{"plot a.msh --slice 0.5", 2, "such as x=0.5"},
		{"plot a.msh --isolines many", 2, "isolines"},
		{"plot a.msh --width 1cm", 2, "from 1.5 to 26 inches"},
		{"plot a.msh --fps 100", 2, "0.1 to 50"},
		{"plot a.msh --field w", 2, `no field "w" of cells to draw; there are quality`},
		{"plot a.msh -o a.bmp", 2, "must end with .png, .pdf or .svg"},
		{"plot a.msh .", 2, "of 2 names 1 are meshes"},
		{"plot . --quality", 2, "--quality is for mesh files"},
		{"plot .", 2, "nothing to draw"},
	} {
		run := atoll(t, dir, nil, strings.Fields(c.args)...)
		if code := run.code(t); code != c.code {
			t.Errorf("%s: exit code %d, not %d", c.args, code, c.code)
		}
		if want := run.stdout.String() + run.stderr.String(); !strings.Contains(want, c.want) {
			t.Errorf("%s: no %q in %q", c.args, c.want, want)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a.pdf")); err != nil || !strings.HasPrefix(string(data), "%PDF") {
		t.Errorf("a.pdf: %v", err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 2 {
		t.Errorf("%d files are left: %v", len(names), err)
	}
}
