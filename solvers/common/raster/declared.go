package raster

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/formats/missing"
	"github.com/atoll-hpc/atoll/formats/units"
	"github.com/atoll-hpc/atoll/internal/parallel"
)

// declared is what a file says about its values and coordinates; "" if it says nothing.
type declared struct {
	variable       string   // name of the values
	unit           string   // of the values
	heightUnit     string   // of heights, by the vertical coordinate system
	positive       string   // direction in which values are positive, up or down,
	positiveBy     string   // and the attribute that says so
	coordinateUnit string   // m, degree, foot …
	advice         string   // command that declares a value as missing, with a verb for it
	notes          []string // about descriptions that are not understood, or that are not those of the format
}

// Wanted is what a case wants of rasters.
type Wanted struct {
	EPSG     int    // code of the coordinate reference system; 0 if it is not known
	Unit     string // of values; "" if it is not known
	Positive string // direction in which the case says that values are positive, up or down; "" for other fields
}

// Convert makes At return values in the wanted unit. It returns notes about conversions, and about what the files
// declare otherwise than the case: the direction of values, and coordinates that are not in m. Errors are about other
// coordinate reference systems, and units that cannot be converted.
func (s Stack) Convert(to Wanted) (notes []string, err error) {
	of := epsg.Unit(to.EPSG)
	for _, g := range s {
		d := &g.declared
		switch {
		case of == "degree" && g.EPSG == 0 && d.coordinateUnit != "" && d.coordinateUnit != of:
			return nil, fmt.Errorf("%s has coordinates in %s, the case longitudes and latitudes in EPSG:%d: convert it by "+
				"gdalwarp -t_srs EPSG:%[3]d", g.name, d.coordinateUnit, to.EPSG)
		case to.EPSG != 0 && g.EPSG != 0 && g.EPSG != to.EPSG,
			to.EPSG != 0 && g.EPSG == 0 && d.coordinateUnit == "degree" && epsg.Unit(to.EPSG) != "degree":
			from := fmt.Sprintf("EPSG:%d", g.EPSG)
			if g.EPSG == 0 {
				from = "degrees"
			}
			return nil, fmt.Errorf("%s has coordinates in %s, the case has EPSG:%d: convert it by gdalwarp -t_srs EPSG:%[3]d",
				g.name, from, to.EPSG)
		case d.coordinateUnit != "" && d.coordinateUnit != "m" && to.EPSG == 0:
			notes = append(notes, fmt.Sprintf("%s: the unit of its coordinates is %s, but they are taken as m: gdalwarp -t_srs "+
				"EPSG:CODE converts it to a system in m", g.name, d.coordinateUnit))
		case to.Positive != "" && to.EPSG == 0 && g.EPSG == 0 && d.coordinateUnit == "" && g.looksLikeDegrees():
			notes = append(notes, fmt.Sprintf("%s: its coordinates seem to be degrees, since its relief is higher than it is "+
				"wide, but they are taken as m: gdalwarp -s_srs EPSG:4326 -t_srs EPSG:CODE converts it to a system in m", g.name))
		}
		if !g.again {
			notes = append(notes, d.notes...)
		}
		what := g.name
		if d.variable != "" {
			what += ": " + d.variable
		}
		unit := d.unit
		if unit == "" && to.Unit == "m" {
			unit = d.heightUnit
		}
		scale, note, err := units.Convert(what, unit, to.Unit)
		if err != nil {
			return nil, err
		}
		g.scale = scale
		if note != "" && !g.again {
			notes = append(notes, note)
		}
		if !g.again && d.positive != "" && to.Positive != "" && d.positive != to.Positive {
			notes = append(notes, fmt.Sprintf("%s: the file says positive = %q (%s), but the case positive = %q, which is used",
				what, d.positive, d.positiveBy, to.Positive))
		}
	}
	return notes, nil
}

// findMissing replaces values that are too large for any field, and those equal to declared unless it is nil, by NaN.
// If it is nil, findMissing also finds out whether there are values that may mark missing ones.
func (g *Grid) findMissing(declared *float64) {
	var found atomic.Bool
	isMissing := func(v float64) bool {
		if declared != nil {
			return !(math.Abs(v) < missing.Huge) || missing.Matches(v, *declared)
		}
		if missing.IsMarker(v) {
			found.Store(true)
		}
		return !(math.Abs(v) < missing.Huge)
	}
	clean(g.values, isMissing)
	clean(g.values32, isMissing)
	g.hasMarkers = found.Load()
}

// cellsPerWorker is the least number of cells for which a goroutine is worth its start.
const cellsPerWorker = 1 << 16

func clean[F float32 | float64](values []F, isMissing func(float64) bool) {
	parallel.Ranges(len(values), parallel.Parts(len(values), cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if isMissing(float64(values[i])) {
				values[i] = F(math.NaN())
			}
		}
	})
}

// Marker is a value that commonly marks missing ones, but which the file does not declare.
type Marker struct {
	Raw    float64 // in the file
	Value  float64 // in the wanted unit
	X, Y   float64 // centre of its cell
	File   string
	Advice string // how to declare that it marks missing values
}

// HasMarkers reports whether a raster has a value that may mark missing ones.
func (s Stack) HasMarkers() bool {
	for _, g := range s {
		if g.hasMarkers {
			return true
		}
	}
	return false
}

// Marker returns the marker, if there is one, from which At interpolates at a point.
func (s Stack) Marker(x, y float64) (m Marker, ok bool) {
	for k := len(s) - 1; k >= 0; k-- {
		g := s[k]
		if _, err := g.At(x, y); err != nil {
			continue
		}
		column, right := g.cellAt((x-g.West)/g.Width, g.Columns)
		row, up := g.cellAt((y-g.South)/g.Height, g.Rows)
		for i := range 4 {
			c, r := column+i%2, row+i/2
			if !g.hasMarkers || i%2 == 1 && right == 0 || i/2 == 1 && up == 0 || !missing.IsMarker(g.value(c, r)) {
				continue
			}
			v := g.value(c, r)
			m = Marker{Raw: v, Value: v * g.scale, X: g.West + (float64(c)+.5)*g.Width, Y: g.South + (float64(r)+.5)*g.Height,
				File: g.name}
			if g.declared.advice != "" {
				m.Advice = fmt.Sprintf(g.declared.advice, v)
			}
			return m, true
		}
		return m, false
	}
	return m, false
}
