package raster

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/formats/geotiff"
	"github.com/atoll-hpc/atoll/formats/netcdf"
)

// valuesOf returns the values of all cells as text, from the north-west corner.
func valuesOf(g *Grid) string {
	var list []float64
	for row := g.Rows - 1; row >= 0; row-- {
		for column := range g.Columns {
			list = append(list, g.scale*g.value(column, row))
		}
	}
	return fmt.Sprint(list)
}

// TestTextOfASCIIGrids: headers and values in the forms that programs write give the same grid.
func TestTextOfASCIIGrids(t *testing.T) {
	const values = "1 2 3\n4 5 -9\n"
	for _, text := range []string{
		sample,
		"\ufeff" + sample,
		"# a grid\n" + strings.ReplaceAll(sample, "\n", " # comment\n"),
		"3 ncols\n2 nrows\n0 xllcorner\n10 yllcorner\n2 cellsize\n-9 nodata_value\n" + values,
		"     3      mx\n     2      my\n 1.0 xlower\n 11.0 ylower\n 2.0 cellsize\n -9 nodata_value\n" + values,
		"3 ncols\n2 nrows\n1 xllcenter\n11 yllcenter\n2.0  2.0 cellsize\n-9 nodata_value\n1\n2\n3\n4\n5\n-9\n",
		"mx 3\nmy 2\nxlower 1\nylower 11\ndx 2\ndy 2\nNODATA -9\n" + values,
		"ncols 3 nrows 2 xllcorner 0 yllcorner 10 cellsize 2\n1 2 3 4 5 -1.#IND\n",
		"ncols 3 nrows 2 xllcorner 0 yllcorner 10 cellsize 2\n1 2 3 4 5 nan(ind)\n",
	} {
		text = strings.Replace(text, "1 2 3\n4 5 -1.#", "NODATA_value nan 1 2 3 4 5 -1.#", 1)
		text = strings.Replace(text, "1 2 3 4 5 ", "NODATA_value nan 1 2 3 4 5 ", 1)
		g, err := Decode(strings.NewReader(text), "a.asc")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := fmt.Sprint(g.West, g.South, g.Width, g.Height, " ", valuesOf(g)); got != "0 10 2 2 [1 2 3 4 5 NaN]" {
			t.Errorf("%q: %s", text, got)
		}
	}
	for text, want := range map[string]string{
		"\xff\xfen\x00":                   "a.asc:1: the file is text in UTF-16",
		"3 ncols\n2 nrows\n1 2 3 4":       "the header lacks cellsize",
		"3 ncols\n2 rows\n":               "the header lacks nrows",
		"1 2 3\n4 5 6\n":                  "the header lacks ncols",
		"3 ncols\n3 ncols\n":              "a.asc:2: ncols is given twice",
		"# " + strings.Repeat("x", 1<<17): "a.asc:1: a comment is longer",
	} {
		if _, err := Decode(strings.NewReader(text), "a.asc"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// TestRoundedMissingValues: values that are declared as missing are recognized after rounding.
func TestRoundedMissingValues(t *testing.T) {
	for _, c := range [][2]string{{"-3.40282346639e+38", "-3.4028234663852886e+38"}, {"-3.4e38", "-3.4028235e+38"},
		{"-9999.9", "-9999.900390625"}, {"-2147483648", "-2.14748e9"}, {"-9999.0", "-9999"}, {"1e20", "1.00000002004e20"},
		{"-1.797693e+308", "-1.7976931348623157e+308"}, {"0", "9.96921e36"}, {"-9999", "-1e+34"}} {
		text := strings.NewReplacer("NODATA_value -9", "NODATA_value "+c[0], "5 -9", "5 "+c[1]).Replace(sample)
		if g := decode(t, text); valuesOf(g) != "[1 2 3 4 5 NaN]" {
			t.Errorf("%s for %s: %s", c[1], c[0], valuesOf(g))
		}
	}
	if g := decode(t, strings.Replace(sample, "5 -9", "5 -8.9", 1)); valuesOf(g) != "[1 2 3 4 5 -8.9]" {
		t.Error(valuesOf(g))
	}
}

// TestXYZDialects: points in the forms that programs write give the same grid.
func TestXYZDialects(t *testing.T) {
	for _, text := range []string{
		"x,y,z\n0.5,0,1\n1.5,0,2.5\n0.5,1,3\n1.5,1,4\n", "0.5 0 1\n1.5 0 2.5\n0.5 1 3\n1.5 1 4\n",
		"0,5;0;1\n1,5;0;2,5\n0,5;1;3\n1,5;1;4\n", "\ufeffX;Y;Z\r\n0,5;0;1\r\n1,5;0;2,5\r\n0,5;1;3\r\n1,5;1;4\r\n",
		"0,5 0 1\n1,5 0 2,5\n0,5 1 3\n1,5 1 4\n", "0.5, 0, 1\n1.5, 0, 2.5\n0.5, 1, 3\n1.5, 1, 4\n",
		"# points\nx\ty\tz\n0.5\t0\t1\n1.5\t0\t2.5\n0.5\t1\t3\n1.5\t1\t4\n",
		"0.5,0,1,7\n1.5,0,2.5,7\n0.5,1,3,7\n1.5,1,4,7\n",
	} {
		g, err := DecodeXYZ(strings.NewReader(text), "a.xyz")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := fmt.Sprint(g.West, g.South, " ", valuesOf(g)); got != "0 -0.5 [3 4 1 2.5]" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestXYZTitles: names choose the columns of points, and their units.
func TestXYZTitles(t *testing.T) {
	const rows = "0.5,0,1\n1.5,0,2.5\n0.5,1,3\n1.5,1,4\n"
	const swapped = "0,0.5,1\n0,1.5,2.5\n1,0.5,3\n1,1.5,4\n"
	for _, c := range []struct{ text, want, note string }{
		{"x,y,z\n" + rows, "0 -0.5 [3 4 1 2.5]", ""},
		{"y,x,z\n" + swapped, "0 -0.5 [3 4 1 2.5]", ""},
		{"Northing;Easting;Elevation\n" + strings.ReplaceAll(swapped, ",", ";"), "0 -0.5 [3 4 1 2.5]", ""},
		{"lat lon elev\n" + strings.ReplaceAll(swapped, ",", " "), "0 -0.5 [3 4 1 2.5]",
			"the unit of its coordinates is degree"},
		{"id,x,y,z\n1,0.5,0,1\n2,1.5,0,2.5\n3,0.5,1,3\n4,1.5,1,4\n", "0 -0.5 [3 4 1 2.5]", ""},
		{"x,y,class,z\n0.5,0,7,1\n1.5,0,7,2.5\n0.5,1,7,3\n1.5,1,7,4\n", "0 -0.5 [3 4 1 2.5]", ""},
		{"\"X\",\"Y\",\"Z\"\n" + rows, "0 -0.5 [3 4 1 2.5]", ""},
		{"x,y,z [cm]\n" + rows, "0 -0.5 [0.03 0.04 0.01 0.025]", "is converted from cm to m"},
		{"x_m,y_m,z_cm\n" + rows, "0 -0.5 [0.03 0.04 0.01 0.025]", "is converted from cm to m"},
		{"x [km],y [km],z\n" + rows, "0 -500 [3 4 1 2.5]", ""},
		{"x,y\n" + rows, "0 -0.5 [3 4 1 2.5]", ""},
		{"point,station,z\n" + rows, "0 -0.5 [3 4 1 2.5]", ""}, // no names of coordinates
	} {
		g, err := DecodeXYZ(strings.NewReader(c.text), "a.csv")
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		notes, err := Stack{g}.Convert(Wanted{Unit: "m"})
		if got := fmt.Sprint(g.West, g.South, " ", valuesOf(g)); err != nil || got != c.want {
			t.Errorf("%q: %s, %v, want %s", c.text, got, err, c.want)
		}
		if got := strings.Join(notes, "\n"); !strings.Contains(got, c.note) || c.note == "" && got != "" {
			t.Errorf("%q: notes %q, want %q", c.text, got, c.note)
		}
	}
}

// TestSidecar: what GDAL writes beside a raster in .aux.xml, and what a vertical coordinate system says, holds for the
// values.
func TestSidecar(t *testing.T) {
	band := func(text string) string {
		return `<PAMDataset><PAMRasterBand band="1">` + text + `</PAMRasterBand></PAMDataset>`
	}
	const horizontal = `PROJCS["u",UNIT["Meter",1.0]]`
	for _, c := range []struct{ file, text, want, note string }{
		{"a.asc.aux.xml", band("<Scale>0.1</Scale>"), "[0.1 0.2 0.3 0.4 0.5 NaN]", ""},
		{"a.asc.aux.xml", band("<Offset>10</Offset><Scale>1.5</Scale>"), "[11.5 13 14.5 16 17.5 NaN]", ""},
		{"a.asc.aux.xml", band("<UnitType>cm</UnitType>"), "[0.01 0.02 0.03 0.04 0.05 NaN]", "is converted from cm to m"},
		{"a.asc.aux.xml", band("<NoDataValue>4.00000000E+00</NoDataValue>"), "[1 2 3 NaN 5 NaN]", ""},
		{"a.asc.aux.xml", band("<Metadata><MDI key=\"STATISTICS_MEAN\">3</MDI></Metadata>"), "[1 2 3 4 5 NaN]", ""},
		{"a.asc.aux.xml", `<PAMDataset><PAMRasterBand band="2"><Scale>9</Scale></PAMRasterBand></PAMDataset>`,
			"[1 2 3 4 5 NaN]", ""},
		{"a.asc.aux.xml", `<PAMDataset><SRS>GEOGCS["g",UNIT["degree",0.0174532925]]</SRS></PAMDataset>`, "[1 2 3 4 5 NaN]",
			"the unit of its coordinates is degree"},
		{"a.asc.aux.xml", "<PAMDataset>", "[1 2 3 4 5 NaN]", "a.asc.aux.xml is not understood"},
		{"a.asc.aux.xml", band("<Scale>much</Scale>"), `a.asc.aux.xml: "much" is not a number`, ""},
		{"a.asc.msk", "", "a.asc.msk: masks are not supported: gdalwarp -dstnodata", ""},
		{"a.prj", horizontal + `,VERTCS["v",UNIT["Foot",0.3048]]`, "[0.3048 0.6096 0.9144000000000001 1.2192 1.524 NaN]",
			"is converted from foot to m"},
		{"a.prj", horizontal + `,VERTCS["v",PARAMETER["Direction",-1.0],UNIT["Meter",1.0]]`, "[1 2 3 4 5 NaN]",
			`the file says positive = "down" (vertical system of depths)`},
		{"a.prj", "Projection UTM\nZunits 10\nUnits METERS\n", "[0.1 0.2 0.30000000000000004 0.4 0.5 NaN]",
			"is converted from 0.1 m to m"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"a.asc": sample, c.file: c.text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		g, err := Open(filepath.Join(dir, "a.asc"), Options{Box: Everywhere})
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.text, err, c.want)
			}
			continue
		}
		notes, err := Stack{g}.Convert(Wanted{Unit: "m", Positive: "up"})
		if got := valuesOf(g); err != nil || roundedText(got) != roundedText(c.want) {
			t.Errorf("%s: %s, %v, want %s", c.text, got, err, c.want)
		}
		if got := strings.Join(notes, "\n"); !strings.Contains(got, c.note) || c.note == "" && got != "" {
			t.Errorf("%s: notes %q, want %q", c.text, got, c.note)
		}
	}
	g := decode(t, sample)
	g.setSystem(epsg.System{Unit: "m", Height: epsg.Height{Unit: "foot"}})
	if notes, err := (Stack{g}).Convert(Wanted{Unit: "s/m^(1/3)"}); err != nil || len(notes) > 0 {
		t.Errorf("heights in feet concern other values: %q, %v", notes, err)
	}
}

// roundedText returns a list of numbers with 12 digits.
func roundedText(list string) string {
	words := strings.Fields(strings.Trim(list, "[]"))
	for i, word := range words {
		if v, err := strconv.ParseFloat(word, 64); err == nil {
			words[i] = strconv.FormatFloat(v, 'g', 12, 64)
		}
	}
	return strings.Join(words, " ")
}

// TestOtherAttributes: attributes that mean what those of the CF conventions mean are noted.
func TestOtherAttributes(t *testing.T) {
	text, number := netcdf.Text, netcdf.Numeric
	for _, c := range []struct {
		grid
		note string
	}{
		{grid{zAttrs: netcdf.Attrs{text("unit", "ft")}},
			"the attribute unit is not used, since the CF conventions know only units"},
		{grid{zAttrs: netcdf.Attrs{text("Units", "ft")}}, "ncrename -a elevation@Units,units renames it"},
		{grid{zAttrs: netcdf.Attrs{number("FillValue", netcdf.Float64, 4)}}, "know only _FillValue"},
		{grid{zAttrs: netcdf.Attrs{number("NODATA_value", netcdf.Float64, 4)}}, "know only _FillValue"},
		{grid{zAttrs: netcdf.Attrs{number("Scale_factor", netcdf.Float64, 4)}}, "know only scale_factor"},
		{grid{zAttrs: netcdf.Attrs{number("slope", netcdf.Float64, 4)}}, "know only scale_factor"},
		{grid{zAttrs: netcdf.Attrs{text("unit", "ft"), text("units", "m")}}, ""},
		{grid{zAttrs: netcdf.Attrs{text("long_name", "depth below mean sea level")}},
			`positive = "down" (by its name, a depth)`},
		{grid{zAttrs: netcdf.Attrs{text("long_name", "elevation")}}, ""},
		{grid{mapping: netcdf.Attrs{text("grid_mapping_name", "latitude_longitude")}},
			"the unit of its coordinates is degree"},
		{grid{names: [2]string{"longitude", "latitude"}}, "the unit of its coordinates is degree"},
		{grid{mapping: netcdf.Attrs{text("crs_wkt",
			`COMPD_CS["c",PROJCS["p",UNIT["metre",1]],VERT_CS["v",UNIT["foot",0.3048]]]`)}},
			"is converted from foot to m"},
		{grid{zAttrs: netcdf.Attrs{number("scale_factor", netcdf.Float64, 0)}}, "the attribute scale_factor is 0"},
	} {
		g, err := Open(c.write(t), Options{Box: Everywhere})
		var notes []string
		if err == nil {
			notes, err = Stack{g}.Convert(Wanted{Unit: "m", Positive: "up"})
		}
		got := strings.Join(notes, "\n") + fmt.Sprint(err)
		if !strings.Contains(got, c.note) || c.note == "" && got != "<nil>" {
			t.Errorf("%+v: %q, want %q", c.grid, got, c.note)
		}
	}
}

// grid is a NetCDF file of 2 x 2 values over coordinates of some types with attributes.
type grid struct {
	x, y, z []float64
	xyType  netcdf.Type
	zType   netcdf.Type
	xAttrs  netcdf.Attrs
	zAttrs  netcdf.Attrs
	names   [2]string // of x and y
	mapping netcdf.Attrs
}

// write writes the file, with default coordinates 1, 3 and 10, 12 and values 1 to 4 from the south-west corner.
func (c grid) write(t *testing.T) string {
	t.Helper()
	if c.x == nil {
		c.x, c.y = []float64{1, 3}, []float64{10, 12}
	}
	if c.z == nil {
		c.z = []float64{1, 2, 3, 4}
	}
	names := c.names
	if names[0] == "" {
		names = [2]string{"x", "y"}
	}
	x := &netcdf.Var{Name: names[0], Type: max(c.xyType, netcdf.Int8), Dims: []int{1}, Attrs: c.xAttrs}
	y := &netcdf.Var{Name: names[1], Type: x.Type, Dims: []int{0}, Attrs: c.xAttrs}
	z := &netcdf.Var{Name: "elevation", Type: max(c.zType, netcdf.Int8), Dims: []int{0, 1}, Attrs: c.zAttrs}
	list := []*netcdf.Var{x, y, z}
	if c.mapping != nil {
		z.Attrs = append(z.Attrs, netcdf.Text("grid_mapping", "crs"))
		list = append(list, &netcdf.Var{Name: "crs", Type: netcdf.Int32, Attrs: c.mapping})
	}
	head, err := netcdf.Define([]netcdf.Dim{{Name: y.Name, Length: 2}, {Name: x.Name, Length: 2}}, nil, list)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, head.FixedSize())
	copy(b, head.Encode())
	for v, of := range map[*netcdf.Var][]float64{x: c.x, y: c.y, z: c.z} {
		copy(b[head.Offset(v, 0, 0):], v.Type.Append(nil, of))
	}
	path := filepath.Join(t.TempDir(), "a.nc")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDecodingOfNetCDF: packed, unsigned and missing values and coordinates.
func TestDecodingOfNetCDF(t *testing.T) {
	text, number := netcdf.Text, netcdf.Numeric
	for _, c := range []struct {
		grid
		want string // edges, size of cells, values from the north-west corner
	}{
		{grid{}, "0 9 2 2 [3 4 1 2]"},
		{grid{zAttrs: netcdf.Attrs{text("_Unsigned", "true")}, z: []float64{-56, -106, 1, 2}}, "0 9 2 2 [1 2 200 150]"},
		{grid{xyType: netcdf.Int16, x: []float64{10, 30}, y: []float64{100, 120},
			xAttrs: netcdf.Attrs{number("scale_factor", netcdf.Float64, .1)}}, "0 9 2 2 [3 4 1 2]"},
		{grid{xyType: netcdf.Int8, x: []float64{-56, -54}, y: []float64{100, 102},
			xAttrs: netcdf.Attrs{text("_Unsigned", "true")}}, "199 99 2 2 [3 4 1 2]"},
		{grid{xyType: netcdf.Float32, xAttrs: netcdf.Attrs{text("units", "km")}}, "0 9000 2000 2000 [3 4 1 2]"},
		{grid{xyType: netcdf.Float32, xAttrs: netcdf.Attrs{text("units", "m")}}, "0 9 2 2 [3 4 1 2]"},
		{grid{zType: netcdf.Int16, z: []float64{-32767, 2, 3, 4}}, "0 9 2 2 [3 4 NaN 2]"},
		{grid{zType: netcdf.Float32, z: []float64{9.969209968386869e36, 2, 3, 4}}, "0 9 2 2 [3 4 NaN 2]"},
		{grid{zType: netcdf.Float32, z: []float64{float64(float32(-9999.9)), 2, 3, 4},
			zAttrs: netcdf.Attrs{number("missing_value", netcdf.Float64, -9999.9)}}, "0 9 2 2 [3 4 NaN 2]"},
		{grid{zType: netcdf.Float64, z: []float64{1e20, -1e34, 3, 4}}, "0 9 2 2 [3 4 NaN NaN]"},
		{grid{zType: netcdf.Int16, zAttrs: netcdf.Attrs{text("scale_factor", "0.5"), text("missing_value", "4")}},
			"0 9 2 2 [1.5 NaN 0.5 1]"},
		// refused
		{grid{names: [2]string{"lat", "lon"}}, "x before y: reorder it by ncpdq -a lat,lon"},
		{grid{names: [2]string{"Northing", "Easting"}}, "x before y: reorder it by ncpdq -a Northing,Easting"},
		{grid{zAttrs: netcdf.Attrs{text("add_offset", "none")}}, `the attribute add_offset is the text "none"`},
		{grid{xyType: netcdf.Float64, y: []float64{10, 9.969209968386869e36}, x: []float64{0, 1}}, "has unequal steps"},
	} {
		g, err := Open(c.write(t), Options{Box: Everywhere})
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %s", c.grid, err, c.want)
			}
			continue
		}
		if got := fmt.Sprint(g.West, g.South, g.Width, g.Height, " ", valuesOf(g)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.grid, got, c.want)
		}
	}
}

// TestConvert: values are converted to the wanted unit, and what contradicts the case is noted or refused.
func TestConvert(t *testing.T) {
	text := netcdf.Text
	depth := Wanted{Unit: "m", Positive: "up"}
	attrs := func(pairs ...string) (list netcdf.Attrs) {
		for k := 0; k < len(pairs); k += 2 {
			list = append(list, text(pairs[k], pairs[k+1]))
		}
		return list
	}
	const wkt = `PROJCS["x",AUTHORITY["EPSG","32632"]]`
	for _, c := range []struct {
		grid
		to     Wanted
		values string
		want   string // the only note or the error; "" for none
	}{
		{grid{}, depth, "[3 4 1 2]", ""},
		{grid{zAttrs: attrs("units", "m")}, depth, "[3 4 1 2]", ""},
		{grid{zAttrs: attrs("units", "ft")}, depth, "[0.9144000000000001 1.2192 0.3048 0.6096]",
			"elevation is converted from ft to m"},
		{grid{zAttrs: attrs("units", "cm")}, depth, "[0.03 0.04 0.01 0.02]", "elevation is converted from cm to m"},
		{grid{zAttrs: attrs("units", "US survey foot")}, Wanted{}, "[3 4 1 2]", ""},
		{grid{zAttrs: attrs("units", "mm/h")}, Wanted{Unit: "m/s"}, "", "elevation is converted from mm/h to m/s"},
		{grid{zAttrs: attrs("units", "parsec")}, depth, "[3 4 1 2]", `the unit "parsec" is not known`},
		{grid{zAttrs: attrs("units", "K")}, depth, "", `elevation: the unit is "K", which cannot be converted to m`},
		{grid{zAttrs: attrs("positive", "down")}, depth, "[3 4 1 2]", `positive = "down" (attribute positive), but the case`},
		{grid{zAttrs: attrs("standard_name", "sea_floor_depth_below_geoid")}, depth, "[3 4 1 2]", `positive = "down"`},
		{grid{zAttrs: attrs("standard_name", "surface_altitude")}, depth, "[3 4 1 2]", ""},
		{grid{zAttrs: attrs("standard_name", "height_above_mean_sea_level")}, Wanted{Unit: "m", Positive: "down"},
			"[3 4 1 2]", `positive = "up" (standard_name height`},
		{grid{xAttrs: attrs("units", "degrees_east"), names: [2]string{"lon", "b"}}, depth, "[3 4 1 2]",
			"the unit of its coordinates is degree, but they are taken as m"},
		{grid{xAttrs: attrs("units", "degrees_east"), names: [2]string{"lon", "b"}}, Wanted{EPSG: 25832}, "",
			"has coordinates in degrees, the case has EPSG:25832"},
		{grid{mapping: attrs("epsg_code", "EPSG:4326")}, depth, "[3 4 1 2]", "the unit of its coordinates is degree"},
		{grid{mapping: attrs("epsg_code", "EPSG:2263")}, depth, "[3 4 1 2]", "coordinates is US survey foot, but they"},
		{grid{mapping: attrs("spatial_ref", wkt)}, Wanted{EPSG: 25832}, "", "in EPSG:32632, the case has EPSG:25832"},
		{grid{mapping: attrs("crs_wkt", `PROJCRS["x",ID["EPSG",32632]]`)}, Wanted{EPSG: 32632}, "[3 4 1 2]", ""},
	} {
		g, err := Open(c.write(t), Options{Box: Everywhere})
		if err != nil {
			t.Fatal(err)
		}
		notes, err := Stack{g}.Convert(c.to)
		got := strings.Join(notes, "; ")
		if err != nil {
			got = err.Error()
		} else if v := valuesOf(g); c.values != "" && v != c.values {
			t.Errorf("%+v: values %s, want %s", c.grid, v, c.values)
		}
		if !strings.Contains(got, c.want) || (c.want == "") != (got == "") || len(notes) > 1 {
			t.Errorf("%+v: %q, want %q", c.grid, got, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "a.tif")
	m := &geotiff.Image{Columns: 2, Rows: 1, Width: 1, Height: 1, Unit: "ft", EPSG: 4326, Values: []float64{1, 2}}
	if err := geotiff.Write(path, m); err != nil {
		t.Fatal(err)
	}
	g, err := Open(path, Options{Box: Everywhere})
	if err != nil {
		t.Fatal(err)
	}
	notes, err := Stack{g}.Convert(depth)
	if err != nil || len(notes) != 2 || valuesOf(g) != "[0.3048 0.6096]" {
		t.Errorf("%v, %v, %s", notes, err, valuesOf(g))
	}
}

// TestMarker: values that may mark missing ones are found where they are used, unless the case says which value does.
func TestMarker(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.asc")
	if err := os.WriteFile(path, []byte(strings.Replace(sample, "5 -9", "5 -9999", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := Open(path, Options{Box: Everywhere})
	if err != nil {
		t.Fatal(err)
	}
	all := Stack{g}
	m, ok := all.Marker(4, 12)
	if !ok || m.Raw != -9999 || m.X != 5 || m.Y != 11 || !all.HasMarkers() {
		t.Errorf("%+v, %v", m, ok)
	}
	if m, ok := all.Marker(1, 13); ok {
		t.Errorf("%+v, but the cells there have none", m)
	}
	for declared, want := range map[float64]string{-9999: "[1 2 3 4 5 NaN]", 1: "[NaN 2 3 4 5 -9999]"} {
		if g, err = Open(path, Options{Box: Everywhere, Missing: &declared}); err != nil || g.hasMarkers ||
			valuesOf(g) != want {
			t.Errorf("nodata = %g: %v, %s", declared, err, valuesOf(g))
		}
	}
	if m, ok := (Stack{decode(t, sample)}).Marker(math.NaN(), 0); ok {
		t.Errorf("%+v", m)
	}
}
