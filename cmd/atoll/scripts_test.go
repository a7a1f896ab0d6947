package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// TestPythonExamples: the scripts of examples/python work on the output of a run.
func TestPythonExamples(t *testing.T) {
	python := needs.Xarray(t)
	if out, err := exec.Command(python, "-c", "import matplotlib").CombinedOutput(); err != nil {
		needs.Missing(t, "python3 has no module matplotlib (python3 -m pip install matplotlib): %s", out)
	}
	dir := endingFolder(t)
	c := atoll(t, dir, nil, "run", "case.toml", "-q", "--set", "output.format=['nc']", "--set", "output.raster=1",
		"--set", "output.fields=['h', 'z', 'max_h', 'hazard']", "--set", "title=two words")
	if code := c.code(t); code != exitDone {
		t.Fatalf("exit code %d, stderr\n%s", code, c.stderr.String())
	}
	// Pillow, on which matplotlib stands, reads neither BigTIFF nor numbers of 8 bytes in compressed strips.
	open := "import sys; from PIL import Image; i = Image.open(sys.argv[1]); print(i.size, i.mode, i.getextrema()[1] > 1)"
	out, err := exec.Command(python, "-c", open, filepath.Join(dir, "out", "raster", "max_h.tif")).CombinedOutput()
	if err != nil || string(out) != "(10, 10) F True\n" {
		t.Errorf("Pillow says %v\n%s", err, out)
	}
	record := filepath.Join(dir, "record.csv")
	text := "time,h\n2026-01-31T12:00:00Z,1\n2026-01-31T12:00:00.5Z,1\n2026-01-31T13:00:00Z,9\n"
	if err := os.WriteFile(record, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	script := func(name string, args ...string) string {
		t.Helper()
		path := filepath.Join("..", "..", "examples", "python", name)
		out, err := exec.Command(python, append([]string{"-W", "error", path}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	picture := filepath.Join(dir, "map.png")
	if out := script("flood_map.py", filepath.Join(dir, "out"), picture); !strings.Contains(out, "of 1800 cells") {
		t.Errorf("flood_map.py printed %s", out)
	}
	if info, err := os.Stat(picture); err != nil || info.Size() < 10_000 {
		t.Errorf("picture missing or too small: %v, %v", info, err)
	}
	text = script("compare_gauge.py", filepath.Join(dir, "out", "gauges.nc"), "shore", "h", record)
	if !strings.Contains(text, "against 1.0000, 2 rows") {
		t.Errorf("compare_gauge.py printed %s", text)
	}
}
