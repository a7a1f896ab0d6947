package raster

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/formats/geotiff"
)

// Open loads the cells of a raster that are needed for points in a box. variable selects one of several variables; ""
// is for files with one. The format is recognized by the first bytes of the file, XYZ by its extension .xyz, .csv or
// .txt.
func Open(path, variable string, b Box) (*Grid, error) {
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
	if variable != "" && begins[:min(3, n)] != "CDF" && begins != "\x89HDF" {
		return nil, fmt.Errorf("%s: only NetCDF files have variables, and this is another format: leave out variable = %q",
			path, variable)
	}
	switch {
	case strings.HasPrefix(begins, "II") || strings.HasPrefix(begins, "MM"):
		return fromGeoTIFF(path, b)
	case strings.HasPrefix(begins, "CDF") || begins == "\x89HDF":
		return fromNetCDF(path, variable, b)
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".xyz", ".csv", ".txt":
		return DecodeXYZ(f, path)
	}
	return Decode(f, path)
}

func fromGeoTIFF(path string, b Box) (*Grid, error) {
	f, err := geotiff.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g := &Grid{Columns: f.Columns, Rows: f.Rows, West: f.West, South: f.South(), Width: f.StepX, Height: f.StepY,
		EPSG: f.EPSG, name: path}
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
