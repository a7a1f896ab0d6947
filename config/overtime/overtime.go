// Package overtime has the keys of fields that change in time, such as rain that moves.
package overtime

import "github.com/atoll-hpc/atoll/config"

// Field tells where a field that changes in time comes from: a variable of a NetCDF file over time, or the rasters of
// a list.
type Field struct {
	Raster   string   // NetCDF file; "" for a list
	Variable string   // of it; "" for the only one
	List     string   // CSV file with a time and the name of a raster in each row; "" for a NetCDF file
	Unit     string   // of the values, instead of that which files declare; "" for that
	Stamp    string   // which time of its interval a value has, start or end; "" if the file has the intervals
	Missing  *float64 // value that marks missing ones, besides those that files declare; nil if not given
	Fill     *float64 // value, in Unit, where there is none; nil to refuse such rasters
}

// inline is the value in a case file.
func (f *Field) inline() config.Inline {
	table := config.Inline{{"raster", f.Raster}}
	if f.List != "" {
		table = config.Inline{{"list", f.List}}
	}
	add := func(key string, value any, given bool) {
		if given {
			table = append(table, config.Inline{{key, value}}...)
		}
	}
	add("variable", f.Variable, f.Variable != "")
	add("unit", f.Unit, f.Unit != "")
	add("stamp", f.Stamp, f.Stamp != "")
	if f.Missing != nil {
		add("nodata", *f.Missing, true)
	}
	if f.Fill != nil {
		add("fill", *f.Fill, true)
	}
	return table
}

// Optional declares a field over time, whose values hold in intervals; nil stands for a case without it.
func Optional(name, unit string, v **Field, doc string) *config.Spec {
	k := config.Key{Name: name, Unit: unit, Kind: config.OtherKind, Table: true, Doc: doc}
	return config.Special(k, func(s *config.Section) {
		if !s.Has(name) {
			return
		}
		sub, ok := s.Within(name)
		if !ok {
			s.Fail(name, `must be a table: { raster = "field.nc" } or { list = "rasters.csv" }`)
			return
		}
		f := read(sub)
		*v = &f
	}, func() any {
		if *v == nil {
			return nil
		}
		return (*v).inline()
	})
}

// read reads the table of a field over time.
func read(s *config.Section) (f Field) {
	s.Know("raster", "list", "variable", "nodata", "fill", "stamp")
	if s.Has("raster") == s.Has("list") {
		s.Fail("", "needs raster, a NetCDF file with a variable over time, or list, a CSV file with a time and a raster in "+
			"each row: one of them")
	}
	if s.Has("raster") {
		f.Raster = s.Text("raster", config.Required)
	} else if s.Has("list") {
		f.List = s.Text("list", config.Required)
	}
	if f.Variable = s.Text("variable", ""); f.Variable != "" && f.List != "" {
		s.Fail("variable", "is for NetCDF files: needs raster")
	}
	f.Unit = s.Text("unit", "")
	if s.Has("nodata") {
		v := s.Number("nodata", config.Any)
		f.Missing = &v
	}
	if s.Has("fill") {
		v := s.Number("fill", config.Any)
		f.Fill = &v
	}
	if s.Has("stamp") {
		f.Stamp = s.Choice("stamp", config.Required, "start", "end")
	}
	s.Finish()
	return f
}
