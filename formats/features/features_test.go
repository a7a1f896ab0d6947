package features

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const collection = `{"type": "FeatureCollection",
"crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::27700"}}, "features": [
{"type": "Feature", "properties": {"name": "levee", "crest": 12.5}, "geometry":
  {"type": "LineString", "coordinates": [[0, 0, 3], [10, 5, 4]]}},
{"type": "Feature", "properties": {"ID": 7, "size": "2.5"}, "geometry":
  {"type": "MultiPolygon", "coordinates": [[[[0,0],[4,0],[4,4],[0,0]]], [[[9,9],[10,9],[10,10],[9,9]]]]}},
{"type": "Feature", "properties": null, "geometry": {"type": "Point", "coordinates": [1, 2]}}]}`

// write writes a file to a new folder and returns its path.
func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestGeoJSON(t *testing.T) {
	f, err := Read(write(t, "a.geojson", []byte(collection)))
	if err != nil {
		t.Fatal(err)
	}
	if f.EPSG != 27700 || len(f.Features) != 3 {
		t.Fatalf("EPSG %d, %d features", f.EPSG, len(f.Features))
	}
	line, area, point := &f.Features[0], &f.Features[1], &f.Features[2]
	if line.Kind != Lines || line.Name() != "levee" ||
		!reflect.DeepEqual(line.Parts, [][]Position{{{0, 0, 3}, {10, 5, 4}}}) {
		t.Errorf("line %+v", line)
	}
	if v, found, err := line.Value("CREST"); v != 12.5 || !found || err != nil {
		t.Errorf("crest %v %v %v", v, found, err)
	}
	if area.Kind != Polygons || area.Name() != "7" || len(area.Parts) != 2 || area.Parts[1][1].X != 10 {
		t.Errorf("polygons %+v", area)
	}
	if v, found, err := area.Value("size"); v != 2.5 || !found || err != nil {
		t.Errorf("size %v %v %v", v, found, err)
	}
	if _, found, err := point.Value("size"); point.Kind != Points || found || err != nil ||
		!math.IsNaN(point.Parts[0][0].Z) {
		t.Errorf("point %+v", point)
	}
}

// TestGeometries: a geometry may be alone in a file, and a feature may have several, each of which is a feature then.
func TestGeometries(t *testing.T) {
	const line = `{"type": "LineString", "coordinates": [[0, 0], [1, 2]]}`
	const point = `{"type": "Point", "coordinates": [3, 4]}`
	const collection = `{"type": "GeometryCollection", "geometries": [`
	several := collection + line + `, ` + collection + point + `]}]}`
	for text, want := range map[string][]Kind{line: {Lines}, several: {Lines, Points},
		`{"type": "Feature", "properties": {"name": "a"}, "geometry": ` + several + `}`: {Lines, Points}} {
		f, err := Read(write(t, "a.geojson", []byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		var got []Kind
		for _, x := range f.Features {
			if got = append(got, x.Kind); x.Number != 1 || strings.Contains(text, "name") && x.Name() != "a" {
				t.Errorf("%s: feature %+v", text, x)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// shape encodes a record of lines or polygons, with heights if the kind has them.
func shape(number, kind int, parts ...[]Position) []byte {
	var content []byte
	u32 := func(v int) { content = binary.LittleEndian.AppendUint32(content, uint32(v)) }
	f64 := func(v float64) { content = binary.LittleEndian.AppendUint64(content, math.Float64bits(v)) }
	points := 0
	for _, p := range parts {
		points += len(p)
	}
	u32(kind)
	content = append(content, make([]byte, 32)...)
	u32(len(parts))
	u32(points)
	first := 0
	for _, p := range parts {
		u32(first)
		first += len(p)
	}
	for _, part := range parts {
		for _, p := range part {
			f64(p.X)
			f64(p.Y)
		}
	}
	if kind > 10 {
		f64(0)
		f64(0)
		for _, part := range parts {
			for _, p := range part {
				f64(p.Z)
			}
		}
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(number))
	head = binary.BigEndian.AppendUint32(head, uint32(len(content)/2))
	return append(head, content...)
}

func shapefile(records ...[]byte) []byte {
	data := make([]byte, shapeHeader)
	binary.BigEndian.PutUint32(data, 9994)
	for _, r := range records {
		data = append(data, r...)
	}
	return data
}

// table encodes a table of dBASE with a column of texts and one of numbers.
func table(rows ...[2]string) []byte {
	data := make([]byte, 32)
	binary.LittleEndian.PutUint32(data[4:], uint32(len(rows)))
	binary.LittleEndian.PutUint16(data[8:], 32+2*32+1)
	binary.LittleEndian.PutUint16(data[10:], 1+8+6)
	for _, c := range []struct {
		name string
		kind byte
		size byte
	}{{"NAME", 'C', 8}, {"CREST", 'N', 6}} {
		d := make([]byte, 32)
		copy(d, c.name)
		d[11], d[16] = c.kind, c.size
		data = append(data, d...)
	}
	data = append(data, '\r')
	for _, r := range rows {
		data = append(data, ' ')
		data = append(data, (r[0] + strings.Repeat(" ", 8-len(r[0])))...)
		data = append(data, (strings.Repeat(" ", 6-len(r[1])) + r[1])...)
	}
	return data
}

func TestShapefile(t *testing.T) {
	ring := []Position{{0, 0, 1}, {0, 9, 1}, {9, 9, 2}, {0, 0, 1}}
	data := shapefile(shape(1, 15, ring, ring), shape(2, 3, []Position{{1, 2, 0}, {3, 4, 0}}))
	path := write(t, "a.shp", data)
	base := strings.TrimSuffix(path, ".shp")
	for name, content := range map[string][]byte{
		base + ".dbf": table([2]string{"polder", "1.25"}, [2]string{"", "****"}),
		base + ".prj": []byte(`PROJCS["x",GEOGCS["y",UNIT["Degree",0.0174532925199433]],UNIT["Meter",1.0],` +
			`AUTHORITY["EPSG","28992"]]`),
	} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	area, line := &f.Features[0], &f.Features[1]
	if f.EPSG != 28992 || f.Unit != "m" || area.Kind != Polygons || area.Name() != "polder" ||
		!reflect.DeepEqual(area.Parts, [][]Position{ring, ring}) {
		t.Errorf("EPSG %d in %s, %+v", f.EPSG, f.Unit, area)
	}
	if v, _, _ := area.Value("crest"); v != 1.25 {
		t.Errorf("crest %v", v)
	}
	if _, found, _ := line.Value("crest"); found || line.Kind != Lines || line.Name() != "" ||
		!math.IsNaN(line.Parts[0][1].Z) {
		t.Errorf("line %+v", line)
	}
	for n := range data { // no shorter file is read, unless it ends between records
		f := &File{}
		if err := f.parseShapes(data[:n], nil); err == nil && len(f.Features) > 1 {
			t.Errorf("%d of %d bytes have %d features", n, len(data), len(f.Features))
		}
	}
}

// TestRefused: errors name the file, and the feature or the line.
func TestRefused(t *testing.T) {
	change := func(old, by string) string { return strings.Replace(collection, old, by, 1) }
	for _, c := range []struct{ name, text, want string }{
		{"a.kml", "", "want a file .geojson, .json or .shp"},
		{"a.json", "{\n\n\"type\": \"Feat", "a.json: line 3: unexpected end"},
		{"a.json", `{"type": "Topology"}`, `the type is "Topology"`},
		{"a.json", change("MultiPolygon", "Circle"), `feature 2: a geometry of type "Circle"`},
		{"a.json", change("LineString", "Polygon"), "feature 1: the coordinates of the Polygon"},
		{"a.json", change("[4,4],[0,0]", "[4,4],[0,1]"), "feature 2: ring 1 of the polygon does not end where it begins"},
		{"a.json", change(", [10, 5, 4]", ""), "feature 1: part 1 of the line has 1 positions"},
		{"a.json", change("EPSG::27700", "XYZ"), "the coordinate reference system is"},
		{"a.json", `{"type": "FeatureCollection", "features": []}`, "has no features"},
		{"a.json", `{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": null}]}`, "has no geometry"},
		{"a.json", `{"type": "GeometryCollection", "geometries": [null]}`, "feature 1 has no geometry"},
		{"a.shp", "text", "it is not a Shapefile"},
		{"a.shp", string(shapefile(shape(1, 31, []Position{{}, {}}))), "record 1: shapes of kind 31"},
		{"a.shp", string(shapefile(shape(1, 3, []Position{{}, {X: math.NaN()}}))), "feature 1: a coordinate is not finite"},
	} {
		if _, err := Read(write(t, c.name, []byte(c.text))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %s", c.name, err, c.want)
		}
	}
	x := Feature{Number: 3, Properties: map[string]any{"size": "wide"}}
	if _, _, err := x.Value("size"); err == nil ||
		!strings.Contains(err.Error(), `feature 3: size = "wide" is not a number`) {
		t.Error(err)
	}
}

// FuzzRead: any content gives an error or features with finite coordinates.
func FuzzRead(f *testing.F) {
	f.Add([]byte(collection), true)
	f.Add([]byte(`{"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [1, 2]}]}`), true)
	f.Add(shapefile(shape(1, 13, []Position{{1, 2, 3}, {4, 5, 6}})), false)
	f.Add(table([2]string{"a", "1"}), false)
	f.Fuzz(func(t *testing.T, data []byte, isJSON bool) {
		file := &File{}
		parse := func(data []byte) error { return file.parseShapes(data, nil) }
		if isJSON {
			parse = file.parseGeoJSON
		}
		parseRows(data)
		if parse(data) != nil {
			return
		}
		for _, x := range file.Features {
			for _, part := range x.Parts {
				for _, p := range part {
					if p.X-p.X != 0 || p.Y-p.Y != 0 {
						t.Fatalf("position %v", p)
					}
				}
			}
		}
	})
}
