package geotiff

import (
	"errors"
	"fmt"
	"math"
)

// Keys of the GeoKeyDirectory, and values that they have.
const (
	rasterTypeKey = 1025
	isPoint       = 2
	geodeticKey   = 2048
	projectedKey  = 3072
	userDefined   = 32767
)

// place finds where the raster lies.
func (f *File) place(d *directory) error {
	point, err := f.keys(d)
	if err != nil {
		return err
	}
	if err := f.affine(d); err != nil {
		return err
	}
	if point { // what is given is the centre of the first cell
		f.West -= f.Width / 2
		f.North -= f.Height / 2
	}
	east, south := f.West+float64(f.Columns)*f.Width, f.North+float64(f.Rows)*f.Height
	if !(f.Width > 0) || f.Height == 0 || !(east > f.West) || south == f.North || east-east != 0 || south-south != 0 {
		return fmt.Errorf("cells of %g x %g at (%g, %g) are not placed from west to east, or too small or too large: "+
			"gdalwarp converts it", f.Width, f.Height, f.West, f.North)
	}
	return nil
}

// affine reads the corner and the size of cells.
func (f *File) affine(d *directory) error {
	if m, err := d.numbers(modelTransformationTag); err != nil {
		return err
	} else if m != nil {
		if len(m) != 16 {
			return fmt.Errorf("tag %d has %d numbers instead of 16", modelTransformationTag, len(m))
		}
		if m[1] != 0 || m[4] != 0 {
			return fmt.Errorf("tag %d: the raster is rotated or sheared: gdalwarp makes it straight", modelTransformationTag)
		}
		f.West, f.North, f.Width, f.Height = m[3], m[7], m[0], m[5]
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
		return errors.New("the raster does not tell where it lies: " +
			"gdal_translate -a_ullr WEST NORTH EAST SOUTH places it")
	case len(scale) < 2 || len(tie) < 6:
		return fmt.Errorf("tags %d and %d: %d numbers for the size of cells, and %d for the place of one; "+
			"3 and 6 are needed: gdalwarp converts a raster that lies by several points", modelPixelScaleTag,
			modelTiepointTag, len(scale), len(tie))
	case len(tie) > 6:
		return fmt.Errorf("tag %d: the raster is placed by %d points: gdalwarp makes it straight", modelTiepointTag,
			len(tie)/6)
	}
	f.Width, f.Height = scale[0], -scale[1]
	f.West, f.North = tie[3]-tie[0]*f.Width, tie[4]-tie[1]*f.Height
	return nil
}

// keys reads what the coordinates are, and whether positions are those of the centres of cells.
func (f *File) keys(d *directory) (point bool, err error) {
	list, err := d.integers(geoKeyDirectoryTag)
	if err != nil || list == nil {
		return false, err
	}
	if len(list) < 4 || list[3] > int64(len(list)-4)/4 {
		return false, fmt.Errorf("tag %d: %d numbers are too few for its keys", geoKeyDirectoryTag, len(list))
	}
	geodetic, projected := int64(0), int64(0)
	for k := int64(1); k <= list[3]; k++ {
		key, in, value := list[4*k], list[4*k+1], list[4*k+3]
		if in != 0 { // the value is elsewhere: a number or text
			continue
		}
		switch key {
		case rasterTypeKey:
			point = value == isPoint
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
			break // GDAL writes the system's parameters then, and that of its ellipsoid would say something else
		}
	}
	return point, nil
}

// South is the lower edge of the raster, and East its right one.
func (f *File) South() float64 { return math.Min(f.North, f.North+float64(f.Rows)*f.Height) }

// East is the right edge of the raster.
func (f *File) East() float64 { return f.West + float64(f.Columns)*f.Width }
