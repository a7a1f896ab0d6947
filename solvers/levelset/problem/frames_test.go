package problem

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// ballAcrossBlocks has a ball at the corner where eight blocks meet.
const ballAcrossBlocks = `
solver = "level-set"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [20, 18, 16] }
initial = { shape = "sphere(0.5, 0.5, 0.5, 0.3)" }
velocity = { field = "enright", period = 1 }
method = { particles = 3 }
time = { end = 0.3, max_steps = 8 }
output = { format = ["vti", "vtp", "stl", "obj", "particles", "vdb"], every = 10 }
`

// runFrames runs the case on a number of ranks and returns the path of frame 1 without extension.
func runFrames(t *testing.T, ranks int, sets ...string) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := runtest.Run(t, ballAcrossBlocks, ranks, 1, runtest.Local, dir, sets...); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "frames", "case_000001")
}

// TestSurfaceIsOneManifold proves that the surface of eight ranks is one closed manifold with Euler characteristic 2,
// and the same as on one rank except for the order.
func TestSurfaceIsOneManifold(t *testing.T) {
	points, triangles := readObj(t, runFrames(t, 8)+".obj")
	edges := map[[2]int]int{}
	for _, c := range triangles {
		for k := range 3 {
			edges[[2]int{c[k], c[(k+1)%3]}]++
		}
	}
	for edge, n := range edges {
		if n != 1 || edges[[2]int{edge[1], edge[0]}] != 1 {
			t.Fatalf("triangles have the edge %v %d times in this direction and %d times in the other", edge, n,
				edges[[2]int{edge[1], edge[0]}])
		}
	}
	if euler := len(points) - len(edges)/2 + len(triangles); euler != 2 || len(triangles) < 500 {
		t.Errorf("%d points, %d edges and %d triangles are not one sphere", len(points), len(edges)/2, len(triangles))
	}
	volume := 0.0
	for _, c := range triangles {
		a, b, d := points[c[0]], points[c[1]], points[c[2]]
		volume += (a[0]*(b[1]*d[2]-b[2]*d[1]) + a[1]*(b[2]*d[0]-b[0]*d[2]) + a[2]*(b[0]*d[1]-b[1]*d[0])) / 6
	}
	if volume < .09 || volume > .12 { // of a ball of 0.113
		t.Errorf("the surface encloses %g", volume)
	}
	alone, same := readObj(t, runFrames(t, 1)+".obj")
	if len(alone) != len(points) || len(same) != len(triangles) {
		t.Errorf("%d points and %d triangles on eight ranks, %d and %d on one", len(points), len(triangles), len(alone),
			len(same))
	}
}

func readObj(t *testing.T, path string) (points [][3]float64, triangles [][3]int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var p [3]float64
		var c [3]int
		if n, _ := fmt.Sscanf(lines.Text(), "v %g %g %g", &p[0], &p[1], &p[2]); n == 3 {
			points = append(points, p)
		} else if n, _ := fmt.Sscanf(lines.Text(), "f %d %d %d", &c[0], &c[1], &c[2]); n == 3 {
			triangles = append(triangles, [3]int{c[0] - 1, c[1] - 1, c[2] - 1})
		} else {
			t.Fatalf("%s: %q", path, lines.Text())
		}
	}
	return points, triangles
}

// TestFilesReadByOthers proves that VTK and OpenVDB read the files of eight ranks without warnings.
func TestFilesReadByOthers(t *testing.T) {
	needs.VTK(t)
	path := runFrames(t, 8)
	for _, kind := range []string{".vtp", ".stl"} {
		runtest.ClosedByVTK(t, path, kind, "phi", "5760")
	}
	print := needs.Program(t, "vdb_print", "libopenvdb-tools")
	out, err := exec.Command(print, "-l", "-m", path+".vdb").CombinedOutput()
	text := string(out)
	if err != nil || strings.Contains(strings.ToLower(text), "warn") || !strings.Contains(text, "class: level set") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestParticleFiles checks the data of particles in files of several ranks.
func TestParticleFiles(t *testing.T) {
	path := runFrames(t, 4)
	whole, err := vtk.ReadPolyData(strings.TrimSuffix(path, "_000001") + "_particles_000001.vtp")
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(name string) []float64 {
		a, found := whole.PointData.Find(name)
		if !found {
			t.Fatalf("there is no %q", name)
		}
		return a.Float64s()
	}
	id, sign, radius, escaped := numbers("particle"), numbers("sign"), numbers("radius"), numbers("escaped")
	seen, flags := map[float64]bool{}, 0.0
	for i := range id {
		flags += escaped[i]
		if seen[id[i]] || sign[i] != 1 && sign[i] != -1 || !(radius[i] > 0 && radius[i] < .04) {
			t.Fatalf("particle %g, again: %t, of sign %g and radius %g", id[i], seen[id[i]], sign[i], radius[i])
		}
		seen[id[i]] = true
	}
	if len(id) < 1000 || whole.Verts.Len() != len(id) || flags == 0 || flags > float64(len(id))/2 {
		t.Errorf("%d particles, %d vertices, %g escaped", len(id), whole.Verts.Len(), flags)
	}
}
