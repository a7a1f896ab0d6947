package geotiff

import (
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/formats/epsg"
)

// Keys of the GeoKeyDirectory, and some of their values.
const (
	modelTypeKey    = 1024
	isGeographic    = 2
	rasterTypeKey   = 1025
	isPoint         = 2
	geodeticKey     = 2048
	projectedKey    = 3072
	linearUnitKey   = 3076
	verticalKey     = 4096
	verticalUnitKey = 4099
	userDefined     = 32767
)

// lengthUnits are units of length by their EPSG codes.
var lengthUnits = map[int64]string{9001: "m", 9002: "foot", 9003: "US survey foot", 9036: "km"}

// readPosition reads the position of the raster, the size of cells and the coordinate system.
func (f *File) readPosition(d *directory) error {
	atCentres, err := f.readKeys(d)
	if err != nil {
		return err
	}
	if err := f.readTransformation(d); err != nil {
		return err
	}
	if atCentres { // the position is that of the first cell's centre
		f.West -= f.StepX / 2
		f.North -= f.StepY / 2
	}
	east, south := f.West+float64(f.Columns)*f.StepX, f.North+float64(f.Rows)*f.StepY
	if !(f.StepX > 0) || f.StepY == 0 || !(east > f.West) || south == f.North || east-east != 0 || south-south != 0 {
		return fmt.Errorf("cells of %g x %g from (%g, %g) on do not go from west to east, or are too small or too large: "+
			"gdalwarp converts the raster", f.StepX, f.StepY, f.West, f.North)
	}
	return nil
}

// readTransformation reads the position of the first cell and the size of cells.
func (f *File) readTransformation(d *directory) error {
	if m, err := d.numbers(modelTransformationTag); err != nil {
		return err
	} else if m != nil {
		if len(m) != 16 {
			return fmt.Errorf("tag %d has %d numbers, want 16", modelTransformationTag, len(m))
		}
		if m[1] != 0 || m[4] != 0 {
			return fmt.Errorf("tag %d: the raster is rotated or sheared: gdalwarp converts it", modelTransformationTag)
		}
		f.West, f.North, f.StepX, f.StepY = m[3], m[7], m[0], m[5]
		return nil
	}
	scale, err := d.numbers(modelPixelScaleTag)
	if err != nil {
		return err
	}
	tie, err := d.numbers(modelTiepointTag)
	if err != nil {
		return err
	}
	switch {
	case scale == nil && tie == nil:
		return errors.New("the file does not have the position of the raster: " +
			"gdal_translate -a_ullr WEST NORTH EAST SOUTH adds it")
	case len(scale) < 2 || len(tie) < 6:
		return fmt.Errorf("tags %d and %d: %d numbers for the size of cells and %d for the position of a cell, want 3 and "+
			"6: gdalwarp converts a raster with several tie points", modelPixelScaleTag, modelTiepointTag, len(scale),
			len(tie))
	case len(tie) > 6:
		return fmt.Errorf("tag %d: the raster has %d tie points, want 1: gdalwarp converts it", modelTiepointTag,
			len(tie)/6)
	}
	f.StepX, f.StepY = scale[0], -scale[1]
	f.West, f.North = tie[3]-tie[0]*f.StepX, tie[4]-tie[1]*f.StepY
	return nil
}

// readKeys reads the coordinate system. atCentres reports whether positions are those of the centres of cells.
func (f *File) readKeys(d *directory) (atCentres bool, err error) {
	list, err := d.integers(geoKeyDirectoryTag)
	if err != nil || list == nil {
		return false, err
	}
	if len(list) < 4 || list[3] > int64(len(list)-4)/4 {
		return false, fmt.Errorf("tag %d: %d numbers are too few for the number of keys", geoKeyDirectoryTag, len(list))
	}
	geodetic, projected, model, vertical, unit := int64(0), int64(0), int64(0), int64(0), ""
	for k := int64(1); k <= list[3]; k++ {
		key, valueTag, value := list[4*k], list[4*k+1], list[4*k+3]
		if valueTag != 0 { // the value is in another tag, since it is a floating-point number or text
			continue
		}
		switch key {
		case modelTypeKey:
			model = value
		case linearUnitKey:
			f.CoordinateUnit = lengthUnits[value]
		case verticalUnitKey:
			unit = lengthUnits[value]
		case verticalKey:
			vertical = value
		case rasterTypeKey:
			atCentres = value == isPoint
		case geodeticKey:
			geodetic = value
		case projectedKey:
			projected = value
		}
	}
	for _, code := range []int64{projected, geodetic} {
		if code > 0 && code < userDefined {
			f.EPSG = int(code)
			break
		}
		if code == userDefined {
			break // a user-defined system: the geodetic code would be that of its base system
		}
	}
	if vertical > 0 && vertical < userDefined {
		h := epsg.HeightOf(int(vertical))
		f.HeightUnit, f.Depths = h.Unit, h.Down
	}
	if unit != "" {
		f.HeightUnit = unit
	}
	if f.CoordinateUnit == "" {
		f.CoordinateUnit = epsg.Unit(f.EPSG)
	}
	if model == isGeographic {
		f.CoordinateUnit = "degree"
	}
	return atCentres, nil
}

// South returns the lower edge of the raster.
func (f *File) South() float64 { return math.Min(f.North, f.North+float64(f.Rows)*f.StepY) }

// East returns the right edge of the raster.
func (f *File) East() float64 { return f.West + float64(f.Columns)*f.StepX }
