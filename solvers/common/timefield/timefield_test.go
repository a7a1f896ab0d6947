package timefield

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/overtime"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// partOf returns a mesh of a rectangle as one part.
func partOf(t *testing.T, west, south, east, north float64) *mesh.Part {
	t.Helper()
	m, err := mesh.Rectangle(west, south, east, north, 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := decompose.New(m, decompose.Options{Ranks: 1, Order: partition.RCM, Method: partition.HilbertCut})
	if err != nil {
		t.Fatal(err)
	}
	var part *mesh.Part
	if err := d.Each(func(_ int, p *mesh.Part, _ *halo.Plan) error {
		part = p
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return part
}

// value is that of a cell of the rasters of a test.
func value(column, row, k int) float64 { return float64(1 + 3*column + row*row + 10*k) }

// write writes a list of rasters of 4 x 3 cells of 10 m from (-5, -2) on, and returns the case of a run of 20 s, and
// the path of the list.
func write(t *testing.T, header string, times ...string) (c *config.Case, path string) {
	t.Helper()
	dir := t.TempDir()
	list := "time,file\n"
	for k, at := range times {
		text := "ncols 4\nnrows 3\nxllcorner -5\nyllcorner -2\ncellsize 10\n" + header
		for row := 2; row >= 0; row-- {
			for column := range 4 {
				text += fmt.Sprintf("%g ", value(column, row, k))
			}
		}
		name := fmt.Sprintf("r%d.asc", k)
		put(t, filepath.Join(dir, name), text)
		list += at + "," + filepath.Join(dir, name) + "\n"
	}
	put(t, filepath.Join(dir, "list.csv"), list)
	c = new(config.Case)
	c.Time.End = 20
	return c, filepath.Join(dir, "list.csv")
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAmountsAreConserved: of amounts in intervals, the sum over cells of rate, area and length of the interval is the
// integral of the raster over the mesh, whose sides cut cells of the raster.
func TestAmountsAreConserved(t *testing.T) {
	part := partOf(t, 0, 0, 33, 27)
	c, path := write(t, "", "5", "15", "25")
	f, err := Open(c, &overtime.Field{List: path, Unit: "mm", Stamp: "end"}, part, Wanted{Unit: "m/s",
		Intervals: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.Times()); got != "[-5 5 15 25]" {
		t.Errorf("the intervals end at %s", got)
	}
	overlap := func(from float64, low, high float64) float64 { return max(0, min(from+10, high)-max(from, low)) }
	for k := range 3 {
		values, err := f.Values(k)
		if err != nil {
			t.Fatal(err)
		}
		sum, want := 0.0, 0.0
		for i, v := range values {
			sum += v * part.Area(i) * 10
		}
		for row := range 3 {
			for column := range 4 {
				want += 1e-3 * value(column, row, k) * overlap(float64(10*column-5), 0, 33) * overlap(float64(10*row-2), 0, 27)
			}
		}
		if math.Abs(sum-want) > 1e-12*want {
			t.Errorf("record %d: %v m³, want %v", k, sum, want)
		}
	}
}

// TestValuesOfTimesAreInterpolated: a field that is linear in space has its values at centroids.
func TestValuesOfTimesAreInterpolated(t *testing.T) {
	part := partOf(t, 1, 4, 29, 22) // between the centres of cells
	c, path := write(t, "", "0", "20")
	f, err := Open(c, &overtime.Field{List: path}, part, Wanted{Unit: "Pa"})
	if err != nil {
		t.Fatal(err)
	}
	values, err := f.Values(1)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		x, y := part.Centroid(i)
		u, row := x/10, (y-3)/10
		low := math.Floor(row)
		want := 11 + 3*u + low*low + (row-low)*(2*low+1)
		if math.Abs(v-want) > 1e-12*want {
			t.Errorf("at (%g, %g): %v, want %v", x, y, v, want)
		}
	}
}

// TestRefusals: what is not there, or not known, is refused.
func TestRefusals(t *testing.T) {
	zero := 0.0
	rain := Wanted{Unit: "m/s", Intervals: true}
	for _, c := range []struct {
		times  []string
		header string
		from   overtime.Field
		east   float64
		want   string
	}{
		{[]string{"5", "15", "25"}, "", overtime.Field{Unit: "mm"}, 30, "the file does not tell the interval of each value"},
		{[]string{"5", "15", "25"}, "", overtime.Field{Stamp: "end"}, 30, "the file does not tell the unit"},
		{[]string{"5", "15", "25"}, "", overtime.Field{Stamp: "end", Unit: "Pa"}, 30, "neither a rate, such as mm/h, nor"},
		{[]string{"5", "15", "25"}, "", overtime.Field{Stamp: "end", Unit: "rods"}, 30, `the unit "rods" is not known`},
		{[]string{"5", "15", "25"}, "", overtime.Field{Stamp: "end", Unit: "mm"}, 36, "does not cover cell"},
		{[]string{"5"}, "", overtime.Field{Stamp: "end", Unit: "mm"}, 30, "there is one time"},
		{[]string{"5", "15"}, "", overtime.Field{Stamp: "end", Unit: "mm"}, 30, "its times are from -5 s to 15 s, the run"},
		{[]string{"5", "15"}, "", overtime.Field{Stamp: "start", Unit: "mm"}, 30, "its times are from 5 s to 25 s, the run"},
		{[]string{"5", "5"}, "", overtime.Field{Stamp: "end", Unit: "mm"}, 30, "list.csv:3: time 5 s follows 5 s"},
		{[]string{"5", "15", "25"}, "NODATA_value 4\n", overtime.Field{Stamp: "end", Unit: "mm"}, 30, "no value at ("},
		{[]string{"5", "15", "25"}, "NODATA_value 4\n", overtime.Field{Stamp: "end", Unit: "mm", Fill: &zero}, 30, ""},
	} {
		of, path := write(t, c.header, c.times...)
		c.from.List = path
		f, err := Open(of, &c.from, partOf(t, 0, 0, c.east, 27), rain)
		if err == nil {
			_, err = f.Values(0)
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v of %v: %v, want %q", c.from, c.times, err, c.want)
		}
	}
}

// TestCellsOfRastersStay: the cells of all rasters of a list must be the same.
func TestCellsOfRastersStay(t *testing.T) {
	c, path := write(t, "", "5", "15", "25")
	put(t, filepath.Join(filepath.Dir(path), "r1.asc"),
		"ncols 2\nnrows 2\nxllcorner -5\nyllcorner -2\ncellsize 20\n1 2 3 4\n")
	f, err := Open(c, &overtime.Field{List: path, Unit: "mm", Stamp: "end"}, partOf(t, 0, 0, 30, 27),
		Wanted{Unit: "m/s", Intervals: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Values(1); err == nil || !strings.Contains(err.Error(), "its cells are others than those of") {
		t.Error(err)
	}
}
