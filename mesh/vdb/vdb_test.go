package vdb

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// ball is the level set of a ball in n³ voxels with a band of three voxels on either side.
func ball(n int, first, h float64) Grid {
	g := Grid{Name: "phi", N: [3]int{n, n, n}, First: [3]float64{first, first, first}, Spacing: [3]float64{h, h, h},
		Background: 3 * h, LevelSet: true}
	for c := range n * n * n {
		x, y, z := float64(c%n)-float64(n)/2, float64(c/n%n)-float64(n)/2, float64(c/n/n)-float64(n)/2
		d := (math.Sqrt(x*x+y*y+z*z) - float64(n)/3) * h
		g.Values = append(g.Values, math.Max(-3*h, math.Min(3*h, d)))
	}
	return g
}

// OpenVDB's tool vdb_print reads a file of Write without a warning and finds the same active voxels.
func TestReadByOpenVDB(t *testing.T) {
	needs.Program(t, "vdb_print", "libopenvdb-tools")
	path := filepath.Join(t.TempDir(), "ball.vdb")
	g := ball(70, -1, .5)
	fog := Grid{Name: "f", N: [3]int{9, 3, 1}, Spacing: [3]float64{1, 2, 3}, Values: make([]float64, 27)}
	fog.Values[20] = .25
	if err := Write(path, g, fog); err != nil {
		t.Fatal(err)
	}
	stored := 0
	for _, v := range g.Values {
		if math.Abs(v) < 1.5 {
			stored++
		}
	}
	out, err := exec.Command("vdb_print", "-l", "-m", path).CombinedOutput()
	text := string(out)
	if err != nil || strings.Contains(strings.ToLower(text), "warn") {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, want := range []string{"class: level set", "class: fog volume", "Name: phi", "voxel size: 0.5",
		"voxel dimensions: [1, 2, 3]", "Number of active voxels:       1\n", "[9, 9, 9] -> [61, 61, 61]",
		"Number of active voxels:       " + thousands(stored)} {
		if !strings.Contains(text, want) {
			t.Errorf("output\n%s\nwant %q in it", text, want)
		}
	}
}

// thousands formats a number as OpenVDB does.
func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }

// Write refuses grids that a file cannot represent.
func TestWriteRefusals(t *testing.T) {
	good := ball(8, 0, 1)
	for want, corrupt := range map[string]func(g *Grid){
		"3 values for":     func(g *Grid) { g.Values = g.Values[:3] },
		"voxel 5 of":       func(g *Grid) { g.Values[5] = math.NaN() },
		"the background 0": func(g *Grid) { g.Background = 0 },
		"has the spacing":  func(g *Grid) { g.Spacing[1] = 0 },
		"is empty or":      func(g *Grid) { g.Name = "" },
	} {
		g := good
		g.Values = slices.Clone(good.Values)
		corrupt(&g)
		if err := Write(filepath.Join(t.TempDir(), "a.vdb"), g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
