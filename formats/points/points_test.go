package points

import (
	"reflect"
	"strings"
	"testing"
)

const geojson = `{"type": "FeatureCollection", "features": [
{"type": "Feature", "properties": {"name": "creek"}, "geometry": {"type": "Point", "coordinates": [1.5, -2, 7]}},
{"type": "Feature", "properties": null, "geometry": {"type": "Point", "coordinates": [3, 4]}}]}`

// TestParse reads the same points from files of all formats.
func TestParse(t *testing.T) {
	for path, text := range map[string]string{
		"a/p.csv":     "# places\nName, Northing ,x\ncreek,-2,1.5\n,4,3\n",
		"p.geojson":   geojson,
		"p.xyz":       "# x y z name\n1.5 -2 7 \"creek\"\n\n3;4\n",
		"p.TXT":       "1.5,-2,creek\n3,4,5\n",
		"b/p.xyz":     "\ufeff1,5;-2;creek\n3;4,0\n",
		"c/p.xyz":     "1,5 -2,0 creek\n3 4\n",
		"b/p.csv":     "\ufeffname;x;y\ncreek;1,5;-2\n;3;4,0\n",
		"c/p.csv":     "name\tx\ty\ncreek\t1.5\t-2\n\t3\t4\n",
		"a b.c/p.CSV": "\uFEFFeasting,northing,id\n1.5,-2,creek\n3,4,\n",
	} {
		list, err := Parse([]byte(text), path, 2)
		for i := range list {
			list[i].Line = 0
		}
		want := []Point{{Name: "creek", Position: []float64{1.5, -2}}, {Name: "p-2", Position: []float64{3, 4}}}
		if err != nil || !reflect.DeepEqual(list, want) {
			t.Errorf("%s: got %v, %v; want %v", path, list, err, want)
		}
	}
	list, err := Parse([]byte("lon,lat,id\n500000,4,creek\n3,4,\n"), "m.csv", 2) // metres, whatever the titles say
	if err != nil || list[0].Position[0] != 500000 {
		t.Errorf("metres under the title lon: got %v, %v", list, err)
	}
	list, err = Parse([]byte("1 2 3 mast"), "p.xyz", 3)
	if err != nil || list[0].Name != "mast" || list[0].Position[2] != 3 {
		t.Errorf("3D: got %v, %v; want a point mast", list, err)
	}
}

// TestParseRefusesMalformedFiles: errors have the file, the line and the reason.
func TestParseRefusesMalformedFiles(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"p.shp", "", "p.shp: want a file .csv, .geojson, .json, .xyz or .txt; ogr2ogr"},
		{"p.csv", "", "p.csv:1: the file is empty"},
		{"p.csv", "name,y\na,1\n", `p.csv:1: the first row has no title "x"`},
		{"p.csv", "name,x,y\na,1,2\nb,1\n", "p.csv:3: the row has 2 columns, the first row has 3"},
		{"p.csv", "name,x,y\na,1,2\nb,NaN,2\n", `p.csv:3: x: "NaN" is not a finite number`},
		{"p.csv", "name,x,y\n", "p.csv: the file has no points"},
		{"p.csv", "longitude,latitude,name\n8.5,54.2,a\n", `p.csv:2: 8.5, 54.2 under the title "longitude" are degrees`},
		{"p.csv", "name;Lat;Lon\na;-33,8;151,2\n", `p.csv:2: 151.2, -33.8 under the title "Lon" are degrees`},
		{"p.xyz", "1 2 a\nb 1 2\n", `p.xyz:2: "b 1 2" does not begin with 2 finite numbers`},
		{"p.xyz", "1 inf\n", `p.xyz:1: "1 inf" does not begin with 2 finite numbers`},
		{"p.geojson", "{\n\"type\": 1}", "p.geojson:2: Type is a number"},
		{"p.geojson", "{\n\n\"type\": \"Feat", "p.geojson:3: unexpected end of JSON input"},
		{"p.geojson", `{"type": "Point", "coordinates": [1, 2]}`, `p.geojson: the type is "Point", want a FeatureCollection`},
		{"p.geojson", strings.Replace(geojson, `"Point", "coordinates": [3, 4]`, `"LineString"`, 1),
			"feature 2 is not a point"},
		{"p.geojson", strings.Replace(geojson, `[3, 4]`, `[3]`, 1), "p.geojson: feature 2 has 1 coordinates"},
	} {
		if _, err := Parse([]byte(c.text), c.path, 2); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: got error %v, want %s", c.path, c.text, err, c.want)
		}
	}
}

// FuzzParse: for any file, Parse returns an error or points with finite coordinates and names.
func FuzzParse(f *testing.F) {
	for kind, text := range []string{"name,x,y\na,1,2\n", geojson, "1 2 3 a\n4,5\n"} {
		f.Add(kind, []byte(text))
	}
	f.Fuzz(func(t *testing.T, kind int, data []byte) {
		path := []string{"p.csv", "p.geojson", "p.xyz"}[uint(kind)%3]
		list, err := Parse(data, path, 2)
		if (err == nil) != (len(list) > 0) {
			t.Fatalf("got %d points with error %v", len(list), err)
		}
		for _, p := range list {
			if p.Name == "" || len(p.Position) != 2 || p.Position[0]-p.Position[0] != 0 || p.Position[1]-p.Position[1] != 0 {
				t.Fatalf("got point %+v, want a name and two finite coordinates", p)
			}
		}
	})
}
