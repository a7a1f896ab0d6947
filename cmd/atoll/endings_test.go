package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// endingCase is a flow of one layer over dry ground, with files written at the end: rasters of extremes, two gauges
// and a transect.
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
measured = "land.csv"
[[transect]]
name = "shore"
line = [[-2, -5], [-2, 5]]
every = 0.1
`

// landRecord is the measured series of the gauge "land".
const landRecord = "time,h\n2026-01-31T12:00:00.05Z,0.01\n2026-01-31T12:00:00.2Z,0.02\n"

// readByGDAL prints size, EPSG code, geotransform, unit and two pixels of each raster.
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

// readOutlines prints what GDAL reads from the outlines.
const readOutlines = `
import sys
from osgeo import gdal
gdal.UseExceptions()
d = gdal.OpenEx(sys.argv[1], gdal.OF_VECTOR)
layer = d.GetLayer(0)
print(layer.GetSpatialRef().GetAuthorityCode(None))
for f in layer:
    g = f.GetGeometryRef()
    print(f.GetField("name"), g.GetGeometryName(), g.IsValid(), g.GetArea() > 5)
`

// readGauges prints what xarray reads from the files of gauges and transects.
const readGauges = `
import sys, warnings
warnings.simplefilter("error")
import xarray
d = xarray.open_dataset(sys.argv[1])
print(d.station_name.values.astype(str).tolist(), str(d.time.values[0])[:19], d.sizes["time"] > 10)
print(d.x_at.values.tolist(), d.y_at.values.tolist(), "%.3g" % d.h[0, 0], int(d.h[1].notnull().sum()))
print(d.h_measured[1].dropna("time").values.tolist(), int(d.h_measured[0].notnull().sum()))
t = xarray.open_dataset(sys.argv[2])
print(t.transect_name.values.astype(str).tolist(), t.discharge.units, t.discharge.geometry, t.corners.values.tolist(),
      t.corner_y.values.tolist(), bool(t.discharge[0, 3] > 1))
`

// endingFolder writes the case and its measured series into a new folder.
func endingFolder(t *testing.T) string {
	t.Helper()
	dir := caseFile(t, endingCase)
	if err := os.WriteFile(filepath.Join(dir, "land.csv"), []byte(landRecord), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestEndings: the files written at the end of a run are the same on one and three ranks, and GDAL and xarray read
// them without warnings.
func TestEndings(t *testing.T) {
	var want [][]byte
	files := []string{"raster/max_h.tif", "raster/depth.tif", "raster/arrival.tif", "gauges.nc", "transects.nc",
		"outlines.geojson"}
	var dir string
	for _, ranks := range []string{"1", "3"} {
		dir = endingFolder(t)
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
				t.Errorf("%s differs on %s ranks", name, ranks)
			}
		}
	}
	path := func(name string) string { return filepath.Join(dir, "out", name) }
	out, err := exec.Command(needs.GDAL(t), "-c", readByGDAL, path(files[0]), path(files[1])).CombinedOutput()
	if want := "20 20 25832 (-5.0, 0.5, 0.0, 5.0, 0.0, -0.5) m 1.29437 0\n20 20 25832 "; err != nil ||
		!strings.HasPrefix(string(out), want) || strings.Contains(string(out), "complains") {
		t.Errorf("GDAL says %v\n%s, want\n%s", err, out, want)
	}
	out, err = exec.Command(needs.GDAL(t), "-c", readOutlines, path("outlines.geojson")).CombinedOutput()
	const outlined = "25832\nwet MULTIPOLYGON True True\nflooded MULTIPOLYGON True True\n"
	if err != nil || string(out) != outlined {
		t.Errorf("GDAL says %v\n%s, want\n%s", err, out, outlined)
	}
	out, err = exec.Command(needs.Xarray(t), "-c", readGauges, path("gauges.nc"), path("transects.nc")).CombinedOutput()
	const found = "['shore', 'land'] 2026-01-31T12:00:00 True\n[-3.0, 0.1] [0.2, 0.2] 1 6\n[0.01, 0.02] 0\n" +
		"['shore'] m3/s lines [2] [-5.0, 5.0] True\n"
	if err != nil || string(out) != found {
		t.Errorf("xarray says %v\n%s, want\n%s", err, out, found)
	}
}
