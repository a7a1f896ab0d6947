package ground

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/common/raster"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// grid returns a raster of 40 x 30 cells of 1 m from (0, 0) with the values of f at their centres.
func grid(t *testing.T, f func(x, y float64) string) raster.Stack {
	t.Helper()
	var b strings.Builder
	b.WriteString("ncols 40\nnrows 30\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n")
	for row := range 30 {
		for column := range 40 {
			b.WriteString(f(float64(column)+.5, 29.5-float64(row)) + " ")
		}
		b.WriteByte('\n')
	}
	s, err := raster.OpenAll([]string{file(t, "a.asc", b.String())}, raster.Options{Box: raster.Everywhere})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestMean: the mean of a plane is its value at the centroid; that of a small triangle is the interpolated value with
// the same bits; that of a column of a wall is its share of the area; positions without data do not count.
func TestMean(t *testing.T) {
	plane := grid(t, func(x, y float64) string { return fmt.Sprint(2*x - 3*y + 1) })
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		size := 1 + 20*random.Float64()
		x, y := 1+18*random.Float64(), 1+8*random.Float64()
		tri := Triangle{{x, y}, {x + size, y + size*(random.Float64()-.2)/2}, {x + size/3, y + size/1.2}}
		for k := range tri {
			tri[k][0], tri[k][1] = max(.5, min(39.5, tri[k][0])), max(.5, min(29.5, tri[k][1]))
		}
		x, y = tri.Centroid()
		v, err := Mean(plane, &tri, x, y)
		if err != nil || math.Abs(v-(2*x-3*y+1)) > 1e-9 {
			t.Fatalf("%v: got %v, %v, want %v", tri, v, err, 2*x-3*y+1)
		}
	}
	wall := grid(t, func(x, _ float64) string { return fmt.Sprint(10 * step(x > 20 && x < 21)) })
	tri := Triangle{{5, 5}, {35, 5}, {20, 25}}
	x, y := tri.Centroid()
	v, err := Mean(wall, &tri, x, y)
	if want := 10 * 19.5 / 300; err != nil || math.Abs(v/want-1) > .1 {
		t.Errorf("wall: mean %v, %v, want about %v", v, err, want)
	}
	small := Triangle{{5, 5}, {6.2, 5}, {5.5, 6}}
	x, y = small.Centroid()
	v, _ = Mean(plane, &small, x, y)
	if at, _ := plane.At(x, y); v != at {
		t.Errorf("small triangle: %v, interpolated %v", v, at)
	}
	half := grid(t, func(x, _ float64) string {
		if x > 22 {
			return "-9999"
		}
		return "4"
	})
	x, y = tri.Centroid()
	if v, err := Mean(half, &tri, x, y); v != 4 || err != nil {
		t.Errorf("half without data: %v, %v", v, err)
	}
	far := Triangle{{20, 5}, {35, 5}, {30, 25}}
	x, y = far.Centroid()
	if _, err := Mean(half, &far, x, y); err == nil || !strings.Contains(err.Error(), "no data at point (28.33") {
		t.Errorf("without data: %v", err)
	}
	if v, found := half.Nearest(25, 7, 4, 1); v != 4 || !found {
		t.Errorf("nearest value %v %v", v, found)
	}
	if _, found := half.Nearest(25, 7, 3, 1); found {
		t.Error("a value too far away was found")
	}
}

func step(b bool) int {
	if b {
		return 1
	}
	return 0
}

const levee = `{"type": "FeatureCollection", "features": [
{"type": "Feature", "properties": {"crest": 7}, "geometry": {"type": "LineString", "coordinates": [[0, 10], [40, 10]]}},
{"type": "Feature", "properties": {}, "geometry": {"type": "LineString", "coordinates": [[10, 0, 2], [10, 30, 8]]}}]}`

// TestCrests: the highest point of lines in a triangle; a line on edges counts for the cells on its left alone, and
// lines divide a mesh of squares without a gap, wherever they are.
func TestCrests(t *testing.T) {
	c, err := ReadCrests([]string{file(t, "a.geojson", levee)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		t      Triangle
		height float64
		over   bool
	}{
		{Triangle{{20, 5}, {30, 5}, {25, 15}}, 7, true},
		{Triangle{{20, 11}, {30, 11}, {25, 15}}, 0, false},
		{Triangle{{20, 10}, {30, 10}, {25, 15}}, 7, true},    // on its left
		{Triangle{{20, 10}, {25, 5}, {30, 10}}, 0, false},    // on its right
		{Triangle{{8, 20}, {12, 20}, {9.95, 29}}, 7.8, true}, // 2 + 29/5 at the top
		{Triangle{{5, 5}, {15, 5}, {10, 20}}, 7, true},
	} {
		height, over := c.Over(&x.t, nil)
		if over != x.over || over && math.Abs(height-x.height) > .25 {
			t.Errorf("%v: %v %v, want %v %v", x.t, height, over, x.height, x.over)
		}
	}
	checkTight(t)
}

// checkTight: with a line across a square of triangles, no path over edges leads from one side to the other
// through cells that are not raised.
func checkTight(t *testing.T) {
	const n = 20
	cells := func(i, j int) [2]Triangle {
		x, y := float64(i), float64(j)
		return [2]Triangle{{{x, y}, {x + 1, y}, {x + 1, y + 1}}, {{x, y}, {x + 1, y + 1}, {x, y + 1}}}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for try := range 60 {
		line := fmt.Sprintf("[[-1, %d], [7, 7], [7, 12], [12, 7], [%v, %v], [21, %d]]", try%20, 20*random.Float64(),
			20*random.Float64(), try%7)
		c, err := ReadCrests([]string{file(t, "a.geojson", `{"type": "Feature", "properties": {"crest": 1}, "geometry":
			{"type": "LineString", "coordinates": `+line+`}}`)}, 0)
		if err != nil {
			t.Fatal(err)
		}
		raised := func(i, j, k int) bool {
			tri := cells(i, j)[k]
			_, over := c.Over(&tri, nil)
			return over
		}
		seen := map[[3]int]bool{}
		var visit func(i, j, k int)
		visit = func(i, j, k int) {
			if i < 0 || j < 0 || i >= n || j >= n || seen[[3]int{i, j, k}] || raised(i, j, k) {
				return
			}
			seen[[3]int{i, j, k}] = true
			visit(i, j, 1-k)
			if k == 0 {
				visit(i, j-1, 1)
				visit(i+1, j, 1)
			} else {
				visit(i-1, j, 0)
				visit(i, j+1, 0)
			}
		}
		for i := range n {
			visit(i, n-1, 1)
		}
		for i := range n {
			if seen[[3]int{i, 0, 0}] && try%20 > 0 && try%7 > 0 {
				t.Fatalf("line %s: a path leads through it", line)
			}
		}
	}
}

const classes = "class,name,Manning,loss\n1, urban ,0.02,0\n2,meadow,0.035,1e-6\nforest,forest,0.1,2e-6\n"

func TestClasses(t *testing.T) {
	path := file(t, "classes.csv", classes)
	table, err := ReadTable(path, "manning")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := table.Number(2); v != .035 || err != nil {
		t.Errorf("class 2: %v %v", v, err)
	}
	if _, err := table.Number(3); err == nil || !strings.Contains(err.Error(), "class 3 is not in "+path) {
		t.Error(err)
	}
	square := func(class string, x0, y0, x1, y1 int) string {
		return fmt.Sprintf(`{"type": "Feature", "properties": {"Use": %s}, "geometry": {"type": "Polygon", "coordinates":
			[[[%d,%d],[%d,%d],[%d,%d],[%d,%d],[%[2]d,%[3]d]]]}}`, class, x0, y0, x1, y0, x1, y1, x0, y1)
	}
	cover := func(features ...string) string {
		return `{"type": "FeatureCollection", "features": [` + strings.Join(features, ",") + "]}"
	}
	text := cover(square("1", 0, 0, 10, 10), square(`"forest"`, 2, 2, 4, 4))
	c, err := ReadCover([]string{file(t, "a.json", text)}, "use", table, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ x, y, want float64 }{{1, 1, .02}, {3, 3, .1}, {9, 3, .02}} {
		if v, err := c.At(x.x, x.y); v != x.want || err != nil {
			t.Errorf("(%g, %g): %v %v, want %v", x.x, x.y, v, err, x.want)
		}
	}
	if _, err := c.At(11, 3); err == nil || !strings.Contains(err.Error(), "no polygon contains point (11, 3)") {
		t.Error(err)
	}
	for want, text := range map[string]string{"feature 1: class 9 is not in": cover(square("9", 0, 0, 1, 1)),
		"feature 1 has no property use": cover(strings.Replace(square("9", 0, 0, 1, 1), "Use", "Kind", 1))} {
		if _, err := ReadCover([]string{file(t, "a.json", text)}, "use", table, 0); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}

// TestRefused: errors have the file and the line or feature.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, column, want string }{
		{"", "manning", "classes.csv:1: the file is empty"},
		{classes, "n", `classes.csv:1: the first row has no title "n"`},
		{classes + "2,x,1,1\n", "manning", "classes.csv:5: class 2 is in the table twice"},
		{strings.Replace(classes, "0.035", "high", 1), "manning", `classes.csv:3: manning: "high" is not a`},
		{"class,manning\n", "manning", "classes.csv:1: the table has no classes"},
	} {
		if _, err := ReadTable(file(t, "classes.csv", c.text), c.column); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want %s", err, c.want)
		}
	}
	for want, text := range map[string]string{
		"feature 1 has neither the property crest": strings.Replace(levee, `"crest": 7`, "", 1),
		`crest = "high" is not a number`:           strings.Replace(levee, "7", `"high"`, 1),
		"feature 1 is a point, want lines": `{"type": "Feature", "geometry":
			{"type": "Point", "coordinates": [1, 2]}}`,
	} {
		if _, err := ReadCrests([]string{file(t, "a.geojson", text)}, 0); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}

// TestCrestsOfGround: lines with crest = "raster" have the highest ground under their part in a triangle, which is
// above its mean, and do not cross a triangle without data.
func TestCrestsOfGround(t *testing.T) {
	road := grid(t, func(x, y float64) string { return fmt.Sprint(x/10 + max(0, 3-math.Abs(y-15.5))) })
	g := &Ground{Height: func(x, y float64) (float64, bool) { z, err := road.At(x, y); return z, err == nil },
		Step: road.CellSize}
	c, err := ReadCrests([]string{file(t, "a.geojson", `{"type": "Feature", "properties": {"crest": "raster"}, "geometry":
{"type": "LineString", "coordinates": [[0, 15.5], [100, 15.5]]}}`)}, 0)
	if err != nil || !c.OfGround() {
		t.Fatal(c, err)
	}
	tri := Triangle{{10, 11.5}, {20, 11.5}, {15, 21.5}}
	// The line leaves the triangle at x = 18, and is 5 cm beside the ridge.
	got, over := c.Over(&tri, g)
	x, y := tri.Centroid()
	mean, err := Mean(road, &tri, x, y)
	if err != nil || !over || math.Abs(got-(1.8+3-beside)) > .03 || mean > 3 {
		t.Errorf("crest %v (%v), mean %v, %v; want 4.75", got, over, mean, err)
	}
	if _, over := c.Over(&Triangle{{60, 11.5}, {70, 11.5}, {65, 21.5}}, g); over {
		t.Error("a line crosses a triangle without data")
	}
}
