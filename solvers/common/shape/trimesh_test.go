package shape

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// volumesByTrimesh prints the volume of each file of its arguments.
const volumesByTrimesh = `
import sys, trimesh
for name in sys.argv[1:]:
    print(repr(float(trimesh.load(name, process=False).volume)))
`

// TestVolumesAsByTrimesh proves that files of all forms and kinds have the volumes that trimesh computes.
func TestVolumesAsByTrimesh(t *testing.T) {
	python := needs.Trimesh(t)
	lo, hi := point{.2, .3, .25}, point{.7, .8, .75}
	ball := globe(point{.5, .5, .5}, .4, 3)
	turnedBlock := moved(block(point{-.2, -.1, -.3}, point{.2, .3, .1}), point{1, 2, 3}, .7, point{.5, .45, .55})
	var files []struct {
		name string
		data []byte
	}
	add := func(name string, data []byte) {
		files = append(files, struct {
			name string
			data []byte
		}{name, data})
	}
	add("upper case", []byte(strings.ToUpper(string(asciiOf(block(lo, hi))))))
	add("ASCII", asciiOf(ball))
	add("binary", binaryOf(ball))
	add("turned", binaryOf(turnedBlock))
	add("touching faces", binaryOf(concat(block(point{.1, .2, .2}, point{.5, .7, .7}), block(point{.5, .2, .2},
		point{.9, .7, .7}))))
	add("touching, shifted", binaryOf(concat(block(point{.1, .2, .2}, point{.5, .7, .7}), block(point{.5, .3, .3},
		point{.9, .8, .8}))))
	add("along an edge", binaryOf(concat(block(point{.1, .1, .2}, point{.5, .5, .7}), block(point{.5, .5, .2},
		point{.9, .9, .7}))))
	add("cavity", asciiOf(concat(ball, reversed(globe(point{.5, .5, .5}, .2, 2)))))
	add("two bodies", binaryOf(concat(globe(point{.25, .25, .25}, .2, 3), globe(point{.7, .7, .7}, .25, 2))))
	add("an open cavity", binaryOf(concat(cavities(1, .1, .1, .1, .9, .9, .9, .3, .3, .1, .7, .7, .5)...)))
	add("cracks of 1e-7", asciiOf(jittered(ball, 1e-7)))

	dir := t.TempDir()
	args := []string{"-c", volumesByTrimesh}
	for n, f := range files {
		path := filepath.Join(dir, fmt.Sprint(n, ".stl"))
		if err := os.WriteFile(path, f.data, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	out, err := exec.Command(python, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	volumes := strings.Fields(string(out))
	for n, f := range files {
		b, err := STL(f.data)
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		cells := cellsOf(3, [3]int{9, 8, 7}, point{}, point{1, 1, 1})
		fractions, err := b.Cut(t.Context(), cells)
		var want float64
		if _, scanned := fmt.Sscan(volumes[n], &want); scanned != nil || err != nil {
			t.Fatal(f.name, scanned, err)
		}
		tolerance := 1e-9
		if strings.Contains(f.name, "cracks") {
			tolerance = 1e-7 // the volume of an open surface depends on how it is closed
		}
		if got := cells.filled(fractions); math.Abs(got-want) > tolerance {
			t.Errorf("%s: got volume %.12g, by trimesh it is %.12g", f.name, got, want)
		}
	}
}
