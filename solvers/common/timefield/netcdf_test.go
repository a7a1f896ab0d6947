package timefield

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/overtime"
	"github.com/atoll-hpc/atoll/formats/netcdf"
)

// nc is a NetCDF file of 2 times and 3 x 4 cells of 10 m, or degrees, of which the first has its centre at (0, 3), with
// the values of value.
type nc struct {
	descending bool // latitudes, or y
	degrees    bool
	west       float64 // added to x
	times      netcdf.Attrs
	bounds     netcdf.Attrs // nil for none
	stored     [4]float64   // ends of the intervals, as stored
	at         [2]float64   // times, as stored
}

func (c nc) write(t *testing.T) string {
	t.Helper()
	const columns, rows = 4, 3
	unit := [2]string{"m", "m"}
	if c.degrees {
		unit = [2]string{"degrees_east", "degrees_north"}
	}
	times := append(netcdf.Attrs{netcdf.Text("units", "s")}, c.times...)
	vars := []*netcdf.Var{{Name: "time", Type: netcdf.Int32, Dims: []int{0}},
		{Name: "y", Type: netcdf.Float64, Dims: []int{1}, Attrs: netcdf.Attrs{netcdf.Text("units", unit[1])}},
		{Name: "x", Type: netcdf.Float64, Dims: []int{2}, Attrs: netcdf.Attrs{netcdf.Text("units", unit[0])}},
		{Name: "rain", Type: netcdf.Float64, Dims: []int{0, 1, 2}, Attrs: netcdf.Attrs{netcdf.Text("units", "mm")}}}
	if c.bounds != nil {
		times = append(times, netcdf.Text("bounds", "ends"))
		vars = append(vars, &netcdf.Var{Name: "ends", Type: netcdf.Int32, Dims: []int{0, 3}, Attrs: c.bounds})
	}
	vars[0].Attrs = times
	head, err := netcdf.Define([]netcdf.Dim{{Name: "time", Length: 2}, {Name: "y", Length: rows},
		{Name: "x", Length: columns}, {Name: "two", Length: 2}}, nil, vars)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string][]float64{"time": c.at[:], "ends": c.stored[:]}
	for row := range rows {
		at := row
		if c.descending {
			at = rows - 1 - row
		}
		data["y"] = append(data["y"], 3+10*float64(at))
	}
	for column := range columns {
		data["x"] = append(data["x"], c.west+10*float64(column))
	}
	for k := range 2 {
		for _, y := range data["y"] {
			for column := range columns {
				data["rain"] = append(data["rain"], value(column, int(y/10), k))
			}
		}
	}
	b := head.Encode()
	b = append(b, make([]byte, head.FileSize(0)-int64(len(b)))...)
	for _, v := range vars {
		copy(b[head.Offset(v, 0, 0):], v.Type.Append(nil, data[v.Name]))
	}
	path := filepath.Join(t.TempDir(), "rain.nc")
	put(t, path, string(b))
	return path
}

// TestNetCDF: intervals from bounds, packed as the times or by themselves, and rows from north to south give the values
// of a list of the same rasters.
func TestNetCDF(t *testing.T) {
	half := netcdf.Attrs{netcdf.Numeric("scale_factor", netcdf.Float64, .5), netcdf.Numeric("add_offset", netcdf.Float64,
		-5)}
	for name, c := range map[string]nc{
		"bounds":         {at: [2]float64{0, 10}, bounds: netcdf.Attrs{}, stored: [4]float64{-5, 5, 5, 25}},
		"north to south": {at: [2]float64{0, 10}, bounds: netcdf.Attrs{}, stored: [4]float64{-5, 5, 5, 25}, descending: true},
		"packed times":   {at: [2]float64{10, 30}, times: half, bounds: netcdf.Attrs{}, stored: [4]float64{0, 20, 20, 60}},
		"packed bounds":  {at: [2]float64{0, 10}, bounds: half, stored: [4]float64{0, 20, 20, 60}},
		"both packed":    {at: [2]float64{10, 30}, times: half, bounds: half, stored: [4]float64{0, 20, 20, 60}},
		"bounds in milliseconds": {at: [2]float64{0, 10}, bounds: netcdf.Attrs{netcdf.Text("units", "ms")},
			stored: [4]float64{-5000, 5000, 5000, 25000}},
	} {
		t.Run(name, func(t *testing.T) {
			part := partOf(t, 0, 0, 33, 27)
			of := new(config.Case)
			of.Time.End = 20
			f, err := Open(of, &overtime.Field{Raster: c.write(t)}, part, Wanted{Unit: "m/s", Intervals: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(f.Times()); got != "[-5 5 25]" {
				t.Errorf("the intervals end at %s", got)
			}
			other, path := write(t, "", "-5", "5", "25")
			list, err := Open(other, &overtime.Field{List: path, Unit: "mm", Stamp: "start"}, part, Wanted{Unit: "m/s",
				Intervals: true})
			if err != nil {
				t.Fatal(err)
			}
			for k := range 2 {
				got, err := f.Values(k)
				if err != nil {
					t.Fatal(err)
				}
				want, err := list.Values(k)
				if err != nil {
					t.Fatal(err)
				}
				for i := range got {
					if math.Abs(got[i]-want[i]) > 1e-15*want[i] {
						t.Fatalf("record %d, cell %d: %v, want %v", k, i, got[i], want[i])
					}
				}
			}
		})
	}
	gap := nc{at: [2]float64{0, 10}, bounds: netcdf.Attrs{}, stored: [4]float64{-5, 5, 6, 25}}
	of := new(config.Case)
	of.Time.End = 20
	_, err := Open(of, &overtime.Field{Raster: gap.write(t)}, partOf(t, 0, 0, 33, 27), Wanted{Unit: "m/s",
		Intervals: true})
	if err == nil || !strings.Contains(err.Error(), "interval 0 ends at 5 s, and the next one begins at 6 s") {
		t.Error(err)
	}
}

// TestAxis: in UTM, west of the central meridian and north of the equator, the x axis points to the north of east by
// the convergence, nearly the difference of longitudes times the sine of the latitude.
func TestAxis(t *testing.T) {
	file := nc{at: [2]float64{0, 100}, degrees: true, west: -10}
	of := new(config.Case)
	of.Time.End, of.CRS = 20, "EPSG:32632" // of which the central meridian is 9° east
	part := partOf(t, 250e3, 1.5e6, 280e3, 1.52e6)
	f, err := Open(of, &overtime.Field{Raster: file.write(t)}, part, Wanted{Unit: "mm"})
	if err != nil {
		t.Fatal(err)
	}
	if !f.Turned() {
		t.Error("the axes of the case are those of the file")
	}
	for i := range part.Owned {
		x, y := part.Centroid(i)
		longitude, latitude := f.place(x, y)
		east, north := f.AxisAt(i)
		want := (9 - longitude) * math.Pi / 180 * math.Sin(latitude*math.Pi/180)
		if got := math.Atan2(north, east); math.Abs(got-want) > .01*want {
			t.Fatalf("at (%g, %g): an angle of %g, want %g", longitude, latitude, got, want)
		}
	}
}
