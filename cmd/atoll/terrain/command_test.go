package terrain

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/mesh/terrain"
)

const (
	domain = `{"type": "FeatureCollection", "crs": {"properties": {"name": "urn:ogc:def:crs:EPSG::27700"}}, "features": [
{"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates":
  [[[0, 0], [1000, 0], [1000, 600], [500, 602], [0, 600], [0, 0]]]}}]}`
	rivers = `{"type": "FeatureCollection", "features": [
{"type": "Feature", "properties": {"name": "in", "width": 100}, "geometry": {"type": "Point", "coordinates": [1, 300]}},
{"type": "Feature", "properties": {"name": "out"}, "geometry":
  {"type": "LineString", "coordinates": [[999, 200], [1001, 450]]}}]}`
	levee = `{"type": "Feature", "properties": {"size": 15}, "geometry": {"type": "LineString", "coordinates":
  [[100, 100], [500, 200], [900, 100], [1100, 100]]}}`
	channel = `{"type": "Feature", "properties": {"width": 60}, "geometry": {"type": "LineString", "coordinates":
  [[0, 300], [1000, 325]]}}`
	zone = `{"type": "Feature", "properties": {"size": 25}, "geometry": {"type": "Polygon", "coordinates":
  [[[700, 450], [800, 450], [800, 550], [700, 450]]]}}`
)

// files writes the files of a case to a new folder, with what is changed in one of them, and returns a request.
func files(t *testing.T, name, old, by string) *request {
	t.Helper()
	dir := t.TempDir()
	dem := "ncols 11\nnrows 7\nxllcorner -50\nyllcorner -50\ncellsize 100\n" + strings.Repeat("3 2 1 0 1 2 3 4 5 6 7\n", 7)
	for file, text := range map[string]string{"domain.geojson": domain, "rivers.geojson": rivers, "levee.geojson": levee,
		"channel.geojson": channel, "zone.geojson": zone, "dem.asc": dem} {
		if file == name {
			if !strings.Contains(text, old) {
				t.Fatalf("%s has no %q", name, old)
			}
			text = strings.Replace(text, old, by, 1)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := func(file string) []string { return []string{filepath.Join(dir, file)} }
	return &request{domain: at("domain.geojson")[0], dem: at("dem.asc"), lines: at("levee.geojson"),
		zones: at("zone.geojson"), channels: at("channel.geojson"), boundaries: at("rivers.geojson"),
		triangles: 5000, simplify: 3, tolerance: .01,
		growth: 1.2, slope: .2, across: 3, threads: 1}
}

// TestGenerate: groups with their lengths, and notes about what is left out.
func TestGenerate(t *testing.T) {
	var log bytes.Buffer
	m, r, err := files(t, "", "", "").generate(t.Context(), &log)
	if err != nil {
		t.Fatal(err)
	}
	lengths := lengthsOf(m)
	for name, want := range map[string]float64{"in": 100, "out": 250, "outline": 2*1000 + 2*600 - 350,
		"levee": math.Hypot(400, 100)*2 + 100} {
		if math.Abs(lengths[name]-want) > .05 {
			t.Errorf("group %s has length %g, want %g", name, lengths[name], want)
		}
	}
	if r.Angle < 20 || math.Abs(float64(r.Triangles)/5000-1) > .02 || math.Abs(r.Area-600_000) > 1e-6 {
		t.Errorf("%+v", r)
	}
	for _, note := range []string{"the outline has 4 of its 5 vertices", "lines of a length of 100 m outside the region"} {
		if !strings.Contains(log.String(), note) {
			t.Errorf("no %q in %s", note, log.String())
		}
	}
}

func lengthsOf(m *mesh.Mesh) map[string]float64 {
	lengths := map[string]float64{}
	for _, e := range m.Tagged {
		lengths[m.Groups[e.Group].Name] += math.Hypot(m.X[e.A]-m.X[e.B], m.Y[e.A]-m.Y[e.B])
	}
	return lengths
}

// TestAdvice: --simplify is advised only for an outline that it would simplify, as one with the steps of a raster.
func TestAdvice(t *testing.T) {
	square := [][2]float64{{0, 0}, {100, 0}, {100, 100}, {0, 100}, {0, 0}}
	stairs := [][2]float64{{0, 0}}
	for k := range 100 {
		x := float64(k)
		stairs = append(stairs, [2]float64{x, 1}, [2]float64{x + 1, 1}, [2]float64{x + 1, 0})
	}
	stairs = append(stairs, square[2:]...)
	for want, ring := range map[string][][2]float64{"": square,
		"; --simplify 3 leaves 4 of the 303 vertices of the outline": stairs} {
		in := &input{request: &request{}, rings: [][][2]float64{ring}, after: len(ring) - 1}
		if got := in.advice(&terrain.TooMany{}, 10); got != "have fewer vertices in lines, or more --triangles"+want {
			t.Errorf("%d vertices: %s", in.after, got)
		}
	}
}

// TestDegrees: of longitudes and latitudes at 60°N, where a degree of longitude is half as long as one of latitude,
// groups, sizes and the area are those on the ground, and vertices of the outline stay where they are.
func TestDegrees(t *testing.T) {
	r := files(t, "", "", "")
	r.triangles, r.simplify, r.lines, r.channels = 3000, 0, nil, nil
	for file, text := range map[string]string{
		r.domain: `{"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates":
			[[[5, 60], [5.04, 60], [5.04, 60.02], [5, 60.02], [5, 60]]]}}`,
		r.boundaries[0]: `{"type": "Feature", "properties": {"name": "in", "width": 500}, "geometry":
			{"type": "Point", "coordinates": [5, 60.01]}}`,
		r.zones[0]: `{"type": "Feature", "properties": {"size": 25}, "geometry": {"type": "Polygon", "coordinates":
			[[[5.018, 60.009], [5.022, 60.009], [5.022, 60.011], [5.018, 60.011], [5.018, 60.009]]]}}`,
		r.dem[0]: "ncols 5\nnrows 4\nxllcorner 4.99\nyllcorner 59.99\ncellsize 0.015\n" + strings.Repeat("3 2 1 0 1\n", 4),
		strings.TrimSuffix(r.dem[0], ".asc") + ".prj": `GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,` +
			`298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	m, report, err := r.generate(t.Context(), &log)
	if err != nil {
		t.Fatal(err)
	}
	length := func(a, b int32) float64 { return sphere.Distance(m.X[a], m.Y[a], m.X[b], m.Y[b]) }
	in, zone, edges := 0.0, 0.0, 0
	for _, e := range m.Tagged {
		if m.Groups[e.Group].Name == "in" {
			in += length(e.A, e.B)
		}
	}
	for c, v := range m.Cells {
		if x, y := m.Centroid(c); math.Abs(x-5.02) < .0015 && math.Abs(y-60.01) < .0008 {
			for k := range v {
				zone, edges = zone+length(v[k], v[(k+1)%3]), edges+1
			}
		}
	}
	if zone /= float64(edges); math.Abs(in-500) > .1 || math.Abs(zone/25-1) > .1 {
		t.Errorf("the group is %g m long, want 500; edges in the zone %g m, want 25", in, zone)
	}
	want := sphere.Area([3]float64{5, 5.04, 5.04}, [3]float64{60, 60, 60.02}) +
		sphere.Area([3]float64{5, 5.04, 5}, [3]float64{60, 60.02, 60.02})
	if math.Abs(report.Area/want-1) > 1e-6 || report.Angle < 25 || report.Within < .95 {
		t.Errorf("%+v, want an area of %g", report, want)
	}
	if low, high := slices.Min(m.Y), slices.Max(m.Y); math.Abs(low-60) > 1e-9 || math.Abs(high-60.02) > 1e-9 {
		t.Errorf("latitudes from %.17g to %.17g", low, high)
	}
}

// TestRefused: errors have the file and the number of the feature, and say what to do.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ file, old, by, want string }{
		{"domain.geojson", "27700", "4326", "domain.geojson: latitude 600 of feature 1: latitudes go from -89.9"},
		{"domain.geojson", `"Polygon"`, `"MultiLineString"`, "domain.geojson: feature 1 is a line, want polygons"},
		{"rivers.geojson", `"features"`, `"crs": {"properties": {"name": "EPSG:28992"}}, "features"`, "rivers.geojson has " +
			"coordinates in EPSG:28992"},
		{"rivers.geojson", `, "width": 100`, "", "rivers.geojson: feature 1 is a point: want a positive width"},
		{"rivers.geojson", `"name": "out"`, "", "rivers.geojson: feature 2 has no name"},
		{"rivers.geojson", "[1, 300]", "[300, 300]", "a part is 300 m from the outline"},
		{"levee.geojson", `"size": 15`, `"size": "narrow"`, `levee.geojson: feature 1: size = "narrow" is not a number`},
		{"levee.geojson", `"size": 15`, `"size": 0`, "levee.geojson: feature 1: size = 0, want more than 0"},
		{"channel.geojson", `"width": 60`, "", "channel.geojson: feature 1: want a positive width or size"},
		{"zone.geojson", `"size": 25`, "", "zone.geojson: feature 1 has no property size"},
		{"zone.geojson", `"size": 25`, `"size": 0.5`, "zone.geojson alone needs 54800: choose larger sizes there"},
		{"channel.geojson", `"width": 60`, `"width": 12`, "channel.geojson with --across 3 alone needs 7120: choose fewer " +
			"edges across the channels than --across 3, a size"},
		{"dem.asc", "xllcorner -50", "xllcorner 5e5", "no raster has heights near the outline, which has x from 0 to 1000 " +
			"and y from 0 to 602; the rasters have x from 500000 to 501100 and y from -50 to 650: are"},
	} {
		var log bytes.Buffer
		if _, _, err := files(t, c.file, c.old, c.by).generate(t.Context(), &log); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s: got error %v, want %s", c.file, c.by, err, c.want)
		}
	}
}
