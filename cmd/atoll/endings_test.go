package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// endingCase is one layer that runs over dry ground, with what is largest as rasters, and two gauges.
const endingCase = `
solver = "shallow-water"
crs = "EPSG:25832"
[mesh]
generate = "rectangle"
bounds = [-5, -5, 5, 5]
cells = 1800
[physics]
layers = 1
[initial]
depth = "-0.2*x"
h = "x < -2 ? 1 : 0"
[time]
end = 0.5
epoch = 2026-01-31T12:00:00Z
[output]
dir = "out"
format = []
fields = ["h", "depth", "max_h", "arrival"]
raster = 0.5
[[gauge]]
name = "shore"
at = [-3, 0.2]
[[gauge]]
name = "land"
at = [0.1, 0.2]
every = 0.1
`

// readByGDAL prints the size, the code, and a pixel of each raster.
const readByGDAL = `
import sys
from osgeo import gdal
gdal.UseExceptions()
def complain(kind, number, text):
    print("GDAL complains:", text)
gdal.PushErrorHandler(complain)
for name in sys.argv[1:]:
    d = gdal.Open(name)
    a = d.ReadAsArray()
    print(d.RasterXSize, d.RasterYSize, d.GetSpatialRef().GetAuthorityCode(None), d.GetGeoTransform(),
          d.GetRasterBand(1).GetUnitType(), "%g %g" % (a[0, 0], a[-1, -1]))
`

// readGauges prints what xarray makes of the file of gauges.
const readGauges = `
import sys, warnings
warnings.simplefilter("error")
import xarray
d = xarray.open_dataset(sys.argv[1])
print(d.station_name.values.astype(str).tolist(), str(d.time.values[0])[:19], d.sizes["time"] > 10)
print(d.x_at.values.tolist(), d.y_at.values.tolist(), "%.3g" % d.h[0, 0], int(d.h[1].notnull().sum()))
`

// TestEndings: the rasters of the end and the file of gauges are the same on any ranks, and GDAL and xarray read them
// without a complaint.
func TestEndings(t *testing.T) {
	var want [][]byte
	files := []string{"raster/max_h.tif", "raster/depth.tif", "raster/arrival.tif", "gauges.nc"}
	var dir string
	for _, ranks := range []string{"1", "3"} {
		dir = caseFile(t, endingCase)
		c := atoll(t, dir, nil, "run", "case.toml", "-q", "--ranks", ranks)
		if code := c.code(t); code != exitDone {
			t.Fatalf("exit code %d, stderr\n%s", code, c.stderr.String())
		}
		for k, name := range files {
			text, err := os.ReadFile(filepath.Join(dir, "out", name))
			if err != nil {
				t.Fatal(err)
			}
			if len(want) < len(files) {
				want = append(want, text)
			} else if string(want[k]) != string(text) {
				t.Errorf("%s is another one on %s ranks", name, ranks)
			}
		}
	}
	path := func(name string) string { return filepath.Join(dir, "out", name) }
	out, err := exec.Command(needs.GDAL(t), "-c", readByGDAL, path(files[0]), path(files[1])).CombinedOutput()
	if want := "20 20 25832 (-5.0, 0.5, 0.0, 5.0, 0.0, -0.5) m 1.29376 0\n20 20 25832 "; err != nil ||
		!strings.HasPrefix(string(out), want) || strings.Contains(string(out), "complains") {
		t.Errorf("GDAL says %v\n%s, want\n%s", err, out, want)
	}
	out, err = exec.Command(needs.Xarray(t), "-c", readGauges, path("gauges.nc")).CombinedOutput()
	const found = "['shore', 'land'] 2026-01-31T12:00:00 True\n[-3.0, 0.1] [0.2, 0.2] 1 6\n"
	if err != nil || string(out) != found {
		t.Errorf("xarray says %v\n%s, want\n%s", err, out, found)
	}
}
