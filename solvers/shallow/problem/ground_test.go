package problem

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestGround: a pond over a bed of a fine raster has the volume of the bed's means, and another with values at
// centroids; a levee raises cells, also to the ground under it; roughness comes from classes. Each with the same bits
// on any number of ranks.
func TestGround(t *testing.T) {
	dir := t.TempDir()
	var bed, cover, gap strings.Builder
	for _, b := range []*strings.Builder{&bed, &cover, &gap} {
		b.WriteString("ncols 200\nnrows 200\nxllcorner 0\nyllcorner 0\ncellsize 0.5\n")
	}
	for row := range 200 {
		for column := range 200 {
			bed.WriteString([]string{"-10 ", "-8 "}[(row/2+column/2)%2])
			class := []string{"1 ", "2 "}[column/100]
			cover.WriteString(class)
			if column < 20 { // 10 m
				class = "-9999 "
			}
			gap.WriteString(class)
		}
		bed.WriteByte('\n')
		cover.WriteByte('\n')
		gap.WriteByte('\n')
	}
	for name, text := range map[string]string{"bed.asc": bed.String(), "cover.asc": cover.String(),
		"gap.asc":     gap.String(),
		"classes.csv": "class,manning,n2,depth_deep\n1,0.03,0.1,0.5\n2,0.05,0.2,1\n", "few.csv": "class,manning\n1,0.03\n",
		"levee.geojson": `{"type": "Feature", "properties": {"crest": 2}, "geometry": {"type": "LineString",
			"coordinates": [[50, -1], [50, 101]]}}`,
		"road.geojson": `{"type": "Feature", "properties": {"crest": "raster"}, "geometry": {"type": "LineString",
			"coordinates": [[50, -1], [50, 101]]}}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mass := func(depth, physics string) (float64, error) {
		text := strings.Replace(pond, "BED", depth, 1)
		text = strings.ReplaceAll(strings.Replace(text, "layers", physics+"layers", 1), "DIR", dir)
		var first float64
		var hash string
		for _, ranks := range []int{1, 3} {
			s, err := runtest.Run(t, text, ranks, 1, runtest.Local, t.TempDir())
			if err != nil {
				return 0, err
			}
			if first = s.Metrics["mass"]; hash != "" && s.StateSHA256 != hash {
				t.Errorf("%s: hash %s on %d ranks, %s on one", text, s.StateSHA256, ranks, hash)
			}
			hash = s.StateSHA256
		}
		return first, nil
	}
	const raster = `{ raster = "DIR/bed.asc", positive = "up"`
	mean, err := mass(raster+" }", "")
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(mean/9e4-1) > .003 {
		t.Errorf("mass over means %g, want 9e4", mean)
	}
	points, err := mass(raster+`, sample = "centroid" }`, "")
	if err != nil || points == mean || math.Abs(points/9e4-1) > .02 {
		t.Errorf("mass over values at centroids %g, %v", points, err)
	}
	if levee, err := mass(raster+`, lines = "DIR/levee.geojson" }`, ""); err != nil || !(levee < .95*mean) {
		t.Errorf("mass with a levee %g, %v", levee, err)
	}
	// The bed is -10 and -8 by turns: of cells along the line it rises by 1 m, and these are some 4% of the area.
	road, err := mass(raster+`, lines = "DIR/road.geojson" }`, "")
	if err != nil || !(mean-road > 200 && mean-road < 600) {
		t.Errorf("mass with a line that has the height of the ground %g of %g, %v", road, mean, err)
	}
	if _, err := mass("10", `manning = { raster = "DIR/cover.asc", table = "DIR/classes.csv" }, `); err != nil {
		t.Error(err)
	}
	const shallow = `manning_shallow = { raster = "DIR/cover.asc", table = "DIR/classes.csv", column = "n2" },
		depth_deep = { raster = "DIR/cover.asc", table = "DIR/classes.csv" }, `
	if _, err := mass("10", "manning = 0.03, "+strings.ReplaceAll(shallow, "\n\t\t", " ")); err != nil {
		t.Error(err)
	}
	_, err = mass("10", `manning = { raster = "DIR/cover.asc", table = "DIR/few.csv" }, `)
	if err == nil || !strings.Contains(err.Error(), "manning at cell") ||
		!strings.Contains(err.Error(), "class 2 is not in") {
		t.Errorf("a class that is not in the table: %v", err)
	}
	const holes = `manning = { raster = "DIR/gap.asc", table = "DIR/classes.csv"`
	if _, err := mass("10", holes+", reach = 15 }, "); err != nil {
		t.Errorf("classes within reach: %v", err)
	}
	for _, reach := range []string{"", ", reach = 1"} {
		if _, err := mass("10", holes+reach+" }, "); err == nil || !strings.Contains(err.Error(), "reach = … of the raster") {
			t.Errorf("classes out of reach: %v", err)
		}
	}
}
