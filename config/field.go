package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/config/expr"
)

// Field tells where the values of a quantity come from. One of Expr, Rasters, Polygons and Mesh is set.
type Field struct {
	Name      string   // key in the case file
	Expr      string   // number or expression
	Rasters   []string // files, relative to the case file; where several have data, the last one is used
	Variable  string   // of rasters that have several; "" for the only one
	Missing   *float64 // value that marks missing ones, besides those that files declare; nil if not given
	Polygons  []string // files of polygons with classes; where several contain a position, the last one is used
	Classes   Classes  // of rasters and polygons whose values are classes
	Mean      bool     // values of cells are means of rasters over the cell, and not those at the centroid
	Reach     float64  // where a raster has no data, the nearest value within this distance is used; 0 for none
	Crests    []string // files of lines, such as levees, that raise cells which they cross to their crest
	Mesh      string   // name of vertex or cell data of the mesh
	Unit      string   // of the values; that of a raster is converted to it. "" if it is not known
	Direction string   // direction in which the quantity is positive: "down" for depths, "up" for levels, "" for others
	Positive  string   // direction in which the raster's or mesh's values are positive: "up" or "down"; "" for others
	// Program is the compiled Expr, nil without one. After Section.Sorted its extra variables are the fields before
	// it in the list.
	Program *expr.Program
}

// Classes is a table of values of classes, such as those of land cover.
type Classes struct {
	Table    string // CSV file; "" for none
	Column   string // title of the column of values; that of the classes is class
	Property string // of polygons that is the class
}

// Sign returns the factor, 1 or -1, by which the values of the raster or mesh are multiplied.
func (f *Field) Sign() float64 {
	if f.Positive != f.Direction {
		return -1
	}
	return 1
}

// Field reads a field that does not depend on t. An expression may use the other fields in names. For quantities with
// a direction the case must give the direction of a raster's values.
func (s *Section) Field(key, fallback string, names []string, direction string) Field {
	f := s.TimeField(key, fallback, names, direction)
	if f.Program != nil && f.Program.Mentions("t") {
		s.Fail(key, "depends on t; write an expression over the position only")
	}
	return f
}

// TimeField reads a field that may depend on t.
func (s *Section) TimeField(key, fallback string, names []string, direction string) Field {
	f := Field{Name: key, Direction: direction, Unit: s.units[key]}
	v, ok := s.get(key, fallback == Required)
	s.declare(Key{Name: key, Kind: FieldOrSeries})
	if !ok {
		v = strings.TrimPrefix(fallback, Required)
	}
	switch v := s.converted(key, v).(type) {
	case string:
		f.Expr = v
	case int64:
		f.Expr = strconv.FormatInt(v, 10)
	case float64:
		f.Expr = strconv.FormatFloat(v, 'g', -1, 64)
	case map[string]any:
		s.source(key, &f)
		return f
	default:
		s.wrong(key, v, `a number, an expression, { raster = "…" }, { polygons = "…" } or { mesh = "…" }`)
		return f
	}
	if !ok && fallback == Required {
		return f
	}
	var err error
	variables := make([]string, len(names))
	for i, name := range names {
		variables[i] = variable(name)
	}
	if f.Program, err = expr.Compile(f.Expr, variables...); err != nil {
		s.Fail(key, "%v", err)
	}
	return f
}

// IsFile reports whether the values come from files, or data of the mesh.
func (f *Field) IsFile() bool { return f.Rasters != nil || f.Polygons != nil || f.Mesh != "" }

// Expression reads a field that is a number or an expression over the position.
func (s *Section) Expression(key, fallback string) Field {
	return s.Formula(key, s.Field(key, fallback, nil, ""))
}

// Formula refuses a field that is neither a number nor an expression.
func (s *Section) Formula(key string, f Field) Field {
	if f.IsFile() {
		s.Fail(key, "must be a number or an expression")
	}
	return f
}

// variable returns the name of a field in expressions. The field z is called surface there, since z is a coordinate.
func variable(field string) string {
	if field == "z" {
		return "surface"
	}
	return field
}

// source reads a field from a table that names a raster, polygons or data of the mesh.
func (s *Section) source(key string, f *Field) {
	sub, _ := s.Within(key)
	f.Mesh = sub.Text("mesh", "")
	if sub.Know("raster"); sub.Has("raster") {
		f.Rasters = sub.Texts("raster")
	}
	if sub.Know("polygons"); sub.Has("polygons") {
		f.Polygons = sub.Texts("polygons")
	}
	sources := 0
	for _, given := range []bool{f.Mesh != "", f.Rasters != nil && !slices.Contains(f.Rasters, ""),
		f.Polygons != nil && !slices.Contains(f.Polygons, "")} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		sub.Fail("", "needs one of raster, polygons and mesh")
	}
	if f.Variable = sub.Text("variable", ""); f.Variable != "" && f.Rasters == nil {
		sub.Fail("variable", "needs raster")
	}
	if sub.Know("nodata"); sub.Has("nodata") {
		v := sub.Number("nodata", Any)
		if f.Missing = &v; f.Polygons != nil {
			sub.Fail("nodata", "needs raster or mesh")
		}
	}
	sub.sampling(f)
	switch {
	case f.Direction != "":
		f.Positive = sub.Choice("positive", Required, "up", "down")
	case sub.Has("positive"):
		sub.Know("positive")
		sub.Fail("positive", "is for depths and levels only")
	}
	sub.Finish()
}

// sampling reads how cells get values from rasters and polygons.
func (s *Section) sampling(f *Field) {
	isBed := f.Direction == "down"
	f.Classes.Table = s.Text("table", "")
	switch {
	case f.Classes.Table != "" && f.Mesh != "":
		s.Fail("table", "needs raster or polygons")
	case f.Classes.Table != "" && f.Direction != "":
		s.Fail("table", "is not for depths and levels")
	case f.Classes.Table == "" && f.Polygons != nil:
		s.Fail("polygons", "needs table, a CSV file with the values of their classes")
	}
	if s.Know("column", "class"); f.Classes.Table != "" {
		f.Classes.Column = s.Text("column", f.Name)
		if f.Polygons != nil {
			f.Classes.Property = s.Text("class", "class")
		}
	}
	s.Know("sample", "reach")
	if f.Rasters != nil && f.Classes.Table == "" {
		fallback := "centroid"
		if isBed {
			fallback = "mean"
		}
		f.Mean = s.Choice("sample", fallback, "mean", "centroid") == "mean"
	} else if s.Has("sample") {
		s.Fail("sample", "is for rasters without table")
	}
	if f.Rasters != nil {
		f.Reach = s.Number("reach", NonNegative.Or(0))
	} else if s.Has("reach") {
		s.Fail("reach", "is for rasters")
	}
	if s.Know("lines"); s.Has("lines") {
		if f.Crests = s.Texts("lines"); !isBed {
			s.Fail("lines", "is for depths only")
		}
	}
}

// Sorted orders fields so that each comes after those that its expression uses, keeping the given order otherwise,
// and compiles each expression with the fields before it as variables.
func (s *Section) Sorted(fields []Field) []Field {
	uses := make(map[string][]string)
	for _, f := range fields {
		if f.Program != nil {
			uses[f.Name] = f.Program.Uses()
		}
	}
	var ordered []string
	result := make([]Field, 0, len(fields))
	for len(fields) > 0 {
		next := slices.IndexFunc(fields, func(f Field) bool {
			return !slices.ContainsFunc(uses[f.Name], func(u string) bool { return !slices.Contains(ordered, u) })
		})
		if next < 0 {
			name := fields[0].Name
			s.Fail(name, "the expressions depend on each other: this needs %s, which needs %s",
				strings.Join(uses[name], ", "), variable(name))
			return append(result, fields...)
		}
		f := fields[next]
		fields = slices.Delete(fields, next, next+1)
		if f.Program != nil {
			var err error
			if f.Program, err = expr.Compile(f.Expr, ordered...); err != nil {
				s.Fail(f.Name, "%v", err)
			}
		}
		ordered = append(ordered, variable(f.Name))
		result = append(result, f)
	}
	return result
}
