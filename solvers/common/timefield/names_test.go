package timefield

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/overtime"
	"github.com/atoll-hpc/atoll/formats/geotiff"
)

// radar writes GeoTIFF files of 4 x 3 cells to a folder, and returns it and a case of a run of 15 minutes.
func radar(t *testing.T, names ...string) (c *config.Case, dir string) {
	t.Helper()
	dir = t.TempDir()
	for k, name := range names {
		values := slices.Repeat([]float64{float64(k + 1)}, 12)
		m := &geotiff.Image{Columns: 4, Rows: 3, West: -5, North: 28, Width: 10, Height: 10, Values: values}
		if err := geotiff.Write(filepath.Join(dir, name), m); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(dir, "readme.txt"), "no raster")
	c, err := config.Parse("c.toml", []byte("solver = 'x'\n"), nil, map[string]config.Decoder{"x": func(_ *config.Section,
		_ *config.Case) {
	}})
	if err != nil {
		t.Fatal(err)
	}
	c.Time.End, c.Time.Epoch = 900, "2026-02-28T23:55:00Z"
	return c, dir
}

// TestNamesWithDates: GeoTIFF files are found by a pattern of their names, in the order of their dates, also across the
// end of a month; a gap is noted.
func TestNamesWithDates(t *testing.T) {
	part := partOf(t, 0, 0, 30, 25)
	c, dir := radar(t, "r-20260301_0005.tif", "r-20260228_2355.tif", "r-20260301_0000.tif", "r-20260301_0020.tif",
		"s-20260301_0010.tif", "r-20260301_0025.tif")
	f, err := Open(c, &overtime.Field{List: filepath.Join(dir, "r-%Y%m%d_%H%M.tif"), Unit: "mm/h", Stamp: "start"}, part,
		Wanted{Unit: "mm/h", Intervals: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.Times()); got != "[0 300 600 1500 1800 2100]" || len(c.Inputs()) != 5 {
		t.Errorf("times %s", got)
	}
	for k, want := range []float64{2, 3, 1, 4} {
		if values, err := f.Values(k); err != nil || values[0] != want {
			t.Errorf("record %d has %v, %v, want %g", k, values[0], err, want)
		}
	}
	if notes := fmt.Sprint(c.Notes()); !strings.Contains(notes, "1 of 5 intervals are longer than the usual 300 s, such "+
		"as that from 600 s to 1500 s") {
		t.Errorf("notes %s", notes)
	}
}

// TestNamesThatDoNotFit: what does not name one raster for each date is refused.
func TestNamesThatDoNotFit(t *testing.T) {
	part := partOf(t, 0, 0, 30, 25)
	for pattern, want := range map[string]string{
		"r-%Y%m%d_%H%M.asc": "no file of the folder has such a name", "r-%Y%m.tif": "a date needs %Y, %m and %d",
		"r-%Y%m%d_%j.tif": "after % comes one of Y, m, d, H, M and S", "r-%Y%m%d%Y.tif": "each once",
		"%Y/%m%d.tif": "not that of its folder", "r-%Y%m%d_0005x%H.tif": "no file",
		"b-%Y%m%d.tif": "b-20261301.tif: by b-%Y%m%d.tif",
	} {
		c, dir := radar(t, "r-20260301_0005.tif", "r-20260228_2355.tif", "b-20261301.tif")
		_, err := Open(c, &overtime.Field{List: filepath.Join(dir, pattern), Unit: "mm/h", Stamp: "start"}, part,
			Wanted{Unit: "mm/h", Intervals: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", pattern, err, want)
		}
	}
	c, dir := radar(t, "r-20260301.tif", "r-20260228.tif")
	c.Time.Epoch = ""
	_, err := Open(c, &overtime.Field{List: filepath.Join(dir, "r-%Y%m%d.tif"), Unit: "mm/h", Stamp: "start"}, part,
		Wanted{Unit: "mm/h", Intervals: true})
	if err == nil || !strings.Contains(err.Error(), "give [time] epoch") {
		t.Errorf("without epoch: %v", err)
	}
}
