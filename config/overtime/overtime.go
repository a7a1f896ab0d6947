// Package overtime has the keys of fields that change in time, such as rain that moves.
package overtime

import "github.com/atoll-hpc/atoll/config"

// Field tells where a field that changes in time comes from: a variable of a NetCDF file over time, or the rasters of
// a list.
type Field struct {
	Raster   string   // NetCDF file; "" for a list
	Variable string   // of it; "" for the only one
	List     string   // CSV file with a time and the name of a raster in each row, or pattern of names; "" for NetCDF
	Unit     string   // of the values, instead of that which files declare; "" for that
	Stamp    string   // which time of its interval a value has, start or end; "" if the file has the intervals
	Missing  *float64 // value that marks missing ones, besides those that files declare; nil if not given
	Fill     *float64 // value, in Unit, where there is none; nil to refuse such rasters
}

// Optional declares a field over time, whose values hold in intervals; nil stands for a case without it.
func Optional(name string, v **Field, doc string) *config.Spec {
	return config.OptionalTable(name, v, (*Field).keys, `{ raster = "field.nc" } or { list = "rasters.csv" }`, doc)
}

// OptionalAtTimes declares a field over time, whose values are those at times and are linear between them; nil stands
// for a case without it.
func OptionalAtTimes(name string, v **Field, doc string) *config.Spec {
	return config.OptionalTable(name, v, (*Field).keysAtTimes, `{ raster = "field.nc" } or { list = "rasters.csv" }`, doc)
}

// keys declares the keys of a table of values in intervals.
func (f *Field) keys(key func(*config.Spec)) {
	f.source(key)
	key(config.Phrase("unit", &f.Unit, "", "of the values, instead of that which the file declares: a rate such as "+
		"`\"mm/h\"`, or the amount in an interval such as `\"mm\"` or `\"kg m-2\"`").IfSet().Otherwise("that of the file"))
	key(config.OneWord("stamp", &f.Stamp, "", []string{"start", "end"}, "`\"end\"` if the time of a value is the end of "+
		"its interval, as in ERA5 and most composites of radars, or `\"start\"`").IfSet().
		Otherwise("the intervals of the file (CF `bounds`)"))
	f.gaps(key)
}

// keysAtTimes declares the keys of a table of values at times.
func (f *Field) keysAtTimes(key func(*config.Spec)) {
	f.source(key)
	key(config.Phrase("unit", &f.Unit, "", "of the values, instead of that which the file declares, such as `\"knots\"` "+
		"or `\"hPa\"`").IfSet().Otherwise("that of the file"))
	f.gaps(key)
}

// source declares where the values are.
func (f *Field) source(key func(*config.Spec)) {
	key(config.Phrase("raster", &f.Raster, "", "a NetCDF file with a variable over time and two coordinates").IfSet().
		Otherwise("this or `list`"))
	key(config.Phrase("list", &f.List, "", "a CSV file whose first two columns are a time, as in [series](#boundary), "+
		"and the name of a raster (GeoTIFF, ASCII and others), relative to the case file; or a pattern of their names, such "+
		"as `radar/rain_%Y%m%d%H%M.tif`, with the date in UTC. All rasters have the same cells").
		IfSet().Otherwise("this or `raster`").Check(func(s *config.Section) {
		if s.Has("raster") == s.Has("list") {
			s.Fail("", "needs raster, a NetCDF file with a variable over time, or list, a CSV file with a time and a raster "+
				"in each row, or a pattern of names: one of them")
		}
	}))
	key(config.Phrase("variable", &f.Variable, "", "of a NetCDF file with several").IfSet().Otherwise("the only one").
		When(f.List == "", "is for NetCDF files: needs raster"))
}

// gaps declares what stands where there is no value.
func (f *Field) gaps(key func(*config.Spec)) {
	key(config.OptionalReal("nodata", "", &f.Missing, config.Any, "a value that marks missing ones, besides those that "+
		"the file declares"))
	key(config.OptionalReal("fill", "", &f.Fill, config.Any, "the value where there is none; without it a missing value "+
		"ends the run"))
}
