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
	Sample    string   // of rasters: values of cells are means over the cell ("mean"), or those at the "centroid"
	Reach     float64  // where a raster has no data, the nearest value within this distance is used; 0 for none
	Crests    []string // files of lines, such as levees, that raise cells which they cross to their crest
	Mesh      string   // name of vertex or cell data of the mesh, or of File
	File      string   // frames of a run on the mesh, whose cells have the data Mesh; "" for the mesh of the case
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
	s.declare(Key{Name: key, Kind: Expression})
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
		s.Table(key, f.keys)
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
	if f.Program, err = expr.Compile(f.Expr, variables...); err != nil && expr.IsVariable(f.Expr) {
		s.Fail(key, "%v; data of the mesh are { mesh = %q }", err, f.Expr)
	} else if err != nil {
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

// keys declares the keys of a table that names a raster, polygons or data of the mesh.
func (f *Field) keys(key func(*Spec)) {
	isBed := f.Direction == "down"
	key(Phrase("mesh", &f.Mesh, "", "name of vertex or cell data of the mesh").IfSet().Otherwise("one of these three"))
	key(Phrase("file", &f.File, "", "of `mesh`: frames of another run on the same mesh, `.pvd`, `.vtu` or `.nc`, "+
		"that have the data; the last frame of several").IfSet().Otherwise("the mesh of the case").
		When(f.Mesh != "", "needs mesh"))
	key(Files("raster", &f.Rasters, "a file or a list of files; where several have data, the last one is used").
		Otherwise("one of these three"))
	key(Files("polygons", &f.Polygons, "a file or a list of files of polygons with classes").
		Otherwise("one of these three").Check(f.checkSource))
	key(Phrase("variable", &f.Variable, "", "of a raster with several").IfSet().Otherwise("the only one").
		When(f.Rasters != nil, "needs raster"))
	key(OptionalReal("nodata", "", &f.Missing, Any, "value that marks missing ones").
		When(f.Polygons == nil, "needs raster or mesh"))
	key(OneWord("positive", &f.Positive, Required, []string{"up", "down"}, "of depths and levels: the direction in which "+
		"the values of the file are positive").When(f.Direction != "", "is for depths and levels only"))
	key(Phrase("table", &f.Classes.Table, "", "CSV file with the values of classes").IfSet().
		When(f.Mesh == "", "needs raster or polygons").When(f.Direction == "", "is not for depths and levels").
		Check(func(s *Section) {
			if f.Classes.Table == "" && f.Polygons != nil {
				s.Fail("polygons", "needs table, a CSV file with the values of their classes")
			}
		}))
	classes, property, sample := f.Classes.Table != "", "", ""
	if classes && f.Polygons != nil {
		property = "class"
	}
	key(Phrase("column", &f.Classes.Column, f.Name, "of `table`: title of the column").Otherwise("the name of the key").
		When(classes, "needs table"))
	key(Phrase("class", &f.Classes.Property, property, "of `polygons`: the property that is the class").Otherwise("class").
		When(property != "", "needs polygons and table"))
	switch {
	case f.Rasters == nil || classes:
	case isBed:
		sample = "mean"
	default:
		sample = "centroid"
	}
	from := OneWord("sample", &f.Sample, sample, []string{"mean", "centroid"}, "values of cells: that of the raster at "+
		"the centroid, or its mean over the cell").Otherwise("`centroid`; of depths `mean`").
		When(sample != "", "is for rasters without table")
	if !isBed {
		from.IfSet()
	}
	key(from)
	key(Real("reach", "m", &f.Reach, NonNegative.Or(0), "distance within which the nearest value is used where a raster "+
		"has no data").IfSet().When(f.Rasters != nil, "is for rasters"))
	key(Files("lines", &f.Crests, "of depths: a file or a list of files of lines that raise cells to their crest").
		When(isBed, "is for depths only"))
}

// checkSource refuses a table that names none of raster, polygons and mesh, or several.
func (f *Field) checkSource(s *Section) {
	sources := 0
	for _, given := range []bool{f.Mesh != "", f.Rasters != nil && !slices.Contains(f.Rasters, ""),
		f.Polygons != nil && !slices.Contains(f.Polygons, "")} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		s.Fail("", "needs one of raster, polygons and mesh")
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
