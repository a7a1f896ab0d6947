package raster

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/formats/missing"
)

// readPRJ reads the coordinate reference system of a text file from the file .prj beside it, if there is one.
func (g *Grid) readPRJ(path string) {
	base := strings.TrimSuffix(path, filepath.Ext(path))
	for _, prj := range []string{base + ".prj", base + ".PRJ", path + ".prj"} {
		info, err := os.Stat(prj)
		if err != nil {
			continue
		}
		var s epsg.System
		text, err := []byte(nil), fmt.Errorf("it has %d bytes", info.Size())
		if info.Size() <= maxSidecar {
			text, err = os.ReadFile(prj)
		}
		if err == nil {
			s, err = epsg.ParsePRJ(string(text))
		}
		if err != nil {
			g.declared.notes = append(g.declared.notes, fmt.Sprintf("%s is not understood (%v), so that the coordinate "+
				"reference system of %s is not known", prj, err, g.name))
		}
		g.setSystem(s)
		return
	}
}

// looksLikeDegrees reports whether the coordinates of elevations in m may be degrees: they are in the range of
// longitudes and latitudes, and in m the relief of the cells that have been read would be higher than the raster is
// wide.
func (g *Grid) looksLikeDegrees() bool {
	east, north := g.West+float64(g.Columns)*g.Width, g.South+float64(g.Rows)*g.Height
	if g.West < -180 || east > 360 || east-g.West > 360 || g.South < -90 || north > 90 {
		return false
	}
	low, high := math.Inf(1), math.Inf(-1)
	add := func(v float64) {
		if v == v && !missing.IsMarker(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	for _, v := range g.values {
		add(v)
	}
	for _, v := range g.values32 {
		add(float64(v))
	}
	return high-low > max(east-g.West, north-g.South)
}
