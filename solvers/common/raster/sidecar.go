package raster

import (
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/formats/missing"
)

// maxSidecar bounds the size in bytes of the files beside a raster that are read.
const maxSidecar = 1 << 20

// sidecar is the file .aux.xml beside a raster, in which GDAL writes what the format of the raster cannot hold.
type sidecar struct {
	SRS  string `xml:"SRS"` // coordinate reference system in WKT
	Band []struct {
		Number      int     `xml:"band,attr"`
		NoDataValue *string `xml:"NoDataValue"`
		Scale       *string `xml:"Scale"`
		Offset      *string `xml:"Offset"`
		UnitType    string  `xml:"UnitType"`
	} `xml:"PAMRasterBand"`
}

// readSidecar applies what the file .aux.xml beside a raster says and the raster does not: the value that means no
// data, scale and offset unless the raster is scaled, the unit, and the coordinate reference system. A file .msk, which
// masks cells, is refused.
func (g *Grid) readSidecar(path string, scaled bool) error {
	if _, err := os.Stat(path + ".msk"); err == nil {
		return fmt.Errorf("%s.msk: masks are not supported: gdalwarp -dstnodata -9999 %s OUT.tif converts the raster", path,
			filepath.Base(path))
	}
	name := path + ".aux.xml"
	info, err := os.Stat(name)
	if err != nil {
		return nil
	}
	if info.Size() > maxSidecar { // statistics and histograms of many bands
		g.declared.notes = append(g.declared.notes, fmt.Sprintf("%s has %d bytes and is not read", name, info.Size()))
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var s sidecar
	if err := xml.Unmarshal(text, &s); err != nil {
		g.declared.notes = append(g.declared.notes, fmt.Sprintf("%s is not understood: %v", name, err))
		return nil
	}
	for _, b := range s.Band {
		if b.Number > 1 {
			continue
		}
		if b.UnitType != "" && g.declared.unit == "" {
			g.declared.unit = strings.TrimSpace(b.UnitType)
		}
		if err := g.applyBand(b.NoDataValue, b.Scale, b.Offset, scaled); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if g.EPSG == 0 && g.declared.coordinateUnit == "" && strings.TrimSpace(s.SRS) != "" {
		if system, err := epsg.ParsePRJ(s.SRS); err == nil {
			g.setSystem(system)
		}
	}
	return nil
}

// applyBand applies the texts of numbers of a band; nil for none.
func (g *Grid) applyBand(noData, scale, offset *string, scaled bool) error {
	numbers := [3]float64{math.NaN(), 1, 0}
	for k, text := range []*string{noData, scale, offset} {
		if text == nil {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(*text), 64)
		if err != nil && !math.IsInf(v, 0) || k > 0 && v-v != 0 {
			return fmt.Errorf("%.40q is not a number", *text)
		}
		numbers[k] = v
	}
	if numbers[0] == numbers[0] {
		isMissing := func(v float64) bool { return missing.Matches(v, numbers[0]) }
		clean(g.values, isMissing)
		clean(g.values32, isMissing)
	}
	if scaled || numbers[1] == 1 && numbers[2] == 0 {
		return nil
	}
	if g.values32 != nil {
		g.values = make([]float64, len(g.values32))
		for i, v := range g.values32 {
			g.values[i] = float64(v)
		}
		g.values32 = nil
	}
	for i := range g.values {
		g.values[i] = g.values[i]*numbers[1] + numbers[2]
	}
	return nil
}

// setSystem sets the coordinate reference system, and what its vertical part says about heights.
func (g *Grid) setSystem(s epsg.System) {
	d := &g.declared
	g.EPSG, d.coordinateUnit = s.Code, s.Unit
	d.heightUnit = s.Height.Unit
	if s.Height.Down && d.positive == "" {
		d.positive, d.positiveBy = "down", "vertical system of depths"
	}
}
