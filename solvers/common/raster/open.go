package raster

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/formats/geotiff"
)

// Options are how a raster is read.
type Options struct {
	Variable string   // one of several; "" is for files with one
	Missing  *float64 // value of cells without data, besides the one that the file declares; nil for none
	Box      Box      // bounds the points at which values are needed
	// Longitudes tells that x is a longitude in degrees, the same up to whole circles, so that rasters from 0° to 360° and
	// from -180° to 180° are found alike. For OpenAll.
	Longitudes bool
	// Record is the number of a time, from 1 on, of a variable of a NetCDF file over time, and Records of how many times
	// values are read: see Grid.Record. 0 is for a variable without time.
	Record, Records int
}

// Open loads the cells of a raster that are needed. The format is recognized by the first bytes of the file, XYZ by its
// extension .xyz, .csv or .txt. Text files have their coordinate reference system in a file .prj beside them.
func Open(path string, o Options) (*Grid, error) {
	g, err := open(path, o)
	if err != nil {
		return nil, err
	}
	g.findMissing(o.Missing)
	return g, nil
}

func open(path string, o Options) (*Grid, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("raster: %w", err)
	}
	defer f.Close()
	var magic [4]byte
	n, err := f.ReadAt(magic[:], 0)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("raster: %w", err)
	}
	begins := string(magic[:n])
	if o.Variable != "" && begins[:min(3, n)] != "CDF" && begins != "\x89HDF" {
		return nil, fmt.Errorf("%s: only NetCDF files have variables, and this is another format: leave out variable = %q",
			path, o.Variable)
	}
	switch {
	case strings.HasPrefix(begins, "II") || strings.HasPrefix(begins, "MM"):
		return fromGeoTIFF(path, o.Box)
	case strings.HasPrefix(begins, "CDF") || begins == "\x89HDF":
		return fromNetCDF(path, o)
	}
	decode := Decode
	switch strings.ToLower(filepath.Ext(path)) {
	case ".xyz", ".csv", ".txt":
		decode = DecodeXYZ
	}
	g, err := decode(f, path)
	if err == nil {
		g.readPRJ(path)
		err = g.readSidecar(path, false)
	}
	return g, err
}

func fromGeoTIFF(path string, b Box) (*Grid, error) {
	f, err := geotiff.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g := newGrid(path)
	g.Columns, g.Rows, g.West, g.South, g.Width, g.Height = f.Columns, f.Rows, f.West, f.South(), f.StepX, f.StepY
	g.EPSG = f.EPSG
	g.declared = declared{unit: f.Unit, heightUnit: f.HeightUnit, coordinateUnit: f.CoordinateUnit,
		advice: "gdal_edit.py -a_nodata %g " + path}
	if f.Depths {
		g.declared.positive, g.declared.positiveBy = "down", "vertical system of depths"
	}
	upward := f.StepY > 0
	if !upward {
		g.Height = -f.StepY
	}
	if g.setWindow(b); g.window.columns == 0 {
		return g, nil
	}
	w := geotiff.Window{Column: g.window.column, Row: g.window.row, Columns: g.window.columns, Rows: g.window.rows}
	if upward {
		w.Row = g.Rows - w.Row - w.Rows
	}
	if f.IsFloat32() {
		g.values32, err = f.ReadFloat32(w)
	} else {
		g.values, err = f.Read(w)
	}
	if upward {
		reverseRows(g.values32, w.Columns)
		reverseRows(g.values, w.Columns)
	}
	if err == nil {
		err = g.readSidecar(path, f.IsScaled())
	}
	return g, err
}

// reverseRows reverses the order of the rows.
func reverseRows[F any](values []F, columns int) {
	for lo, hi := 0, len(values)-columns; lo < hi; lo, hi = lo+columns, hi-columns {
		for k := range columns {
			values[lo+k], values[hi+k] = values[hi+k], values[lo+k]
		}
	}
}
