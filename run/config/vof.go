package config

import (
	"regexp"
	"slices"
)

// VOF holds the sections of solver "vof": a body of fluid that a given velocity carries through a grid.
type VOF struct {
	Grid     Grid
	Initial  VOFInitial
	Exact    *VOFInitial // where the fluid should be at the end; nil for where it is at the start
	Velocity VOFVelocity
	Method   VOFMethod
}

// VOFInitial is the section [initial] of solver "vof".
type VOFInitial struct {
	Shape string // as VOFInitial.Body reads it
	// how volume fractions are found: quadrature, or divide by dividing cells; quadrature, of mixed STL divide
	Fractions string
	Levels    int    // of divide: how often a cell is divided, 0 to 12; 5, of STL 3
	Leaf      string // of divide: the smallest parts are cut by a plane, or decided by their centre; plane
}

// stlCall finds a body of a file among shapes.
var stlCall = regexp.MustCompile(`\bstl\s*\(`)

// mixesSTL tells that a body of a file is one of several shapes, which together have edges everywhere.
func (v *VOFInitial) mixesSTL() bool {
	name, _, isCall := call(v.Shape)
	return stlCall.MatchString(v.Shape) && !(isCall && name == "stl")
}

// maxDivisions bounds levels: a cell is then 4096 parts wide.
const maxDivisions = 12

func decodeVOF(root *section, c *Case) {
	w := &VOF{Grid: decodeGrid(root.section("grid"))}
	w.Initial = decodeVOFInitial(root.section("initial"), w.Grid.Dim)
	w.Exact = decodeVOFExact(root, w.Grid.Dim, w.Initial)
	w.Velocity = decodeVOFVelocity(root.section("velocity"), w.Grid.Dim)
	w.Method = decodeVOFMethod(root.section("method"), w.Grid.Dim)
	c.Sections = w
	c.Time = decodeTime(root.section("time"))
	c.Gauges = decodeGauges(root, w.Grid.Dim)
	output := root.section("output")
	c.Output = decodeOutput(output, c.Name, written{
		fields: []string{"f", "normal", "alpha", "curvature"}, usual: []string{"f"},
		formats: []string{"vti", "vtp", "plic", "stl"}, end: c.Time.End,
	})
	if slices.Contains(c.Output.Format, "stl") && w.Grid.Dim == 2 {
		output.fail("format", "stl holds triangles, of an interface in space; choose vtp in the plane")
	}
}

func decodeVOFInitial(s *section, dim int) VOFInitial {
	v := VOFInitial{Shape: s.text("shape", required)}
	usual, levels := "quadrature", int64(5)
	if stlCall.MatchString(v.Shape) {
		levels = 3
	}
	if v.mixesSTL() {
		usual = "divide"
	}
	v.Fractions = s.choice("fractions", usual, "quadrature", "divide")
	v.Levels = int(s.integer("levels", levels, 0, maxDivisions))
	v.Leaf = s.choice("leaf", "plane", "plane", "centre")
	if v.mixesSTL() && v.Fractions == "quadrature" {
		s.fail("fractions", "quadrature takes smooth bodies, or one of STL by itself; choose divide for an stl within "+
			"other shapes")
	}
	for _, key := range []string{"levels", "leaf"} {
		if s.has(key) && v.Fractions == "quadrature" {
			s.fail(key, `belongs to fractions = "divide"`)
		}
	}
	if v.Shape == "" && s.has("shape") {
		if _, isText := s.values["shape"].(string); isText {
			s.fail("shape", "is empty; give a shape, or an expression that is negative in the fluid")
		}
	} else if v.Shape != "" && dim > 0 {
		if _, _, err := v.Body(dim, nil); err != nil {
			s.fail("shape", "%v", err)
		}
	}
	s.finish()
	return v
}

// decodeVOFExact reads the section [exact], whose fractions are found as those of the start are.
func decodeVOFExact(root *section, dim int, v VOFInitial) *VOFInitial {
	s := root.section("exact")
	if !root.has("exact") {
		return nil
	}
	v.Shape = s.text("shape", required)
	if v.Shape != "" && dim > 0 {
		if _, _, err := v.Body(dim, nil); err != nil {
			s.fail("shape", "%v", err)
		}
	}
	if v.Fractions == "quadrature" && v.mixesSTL() {
		s.fail("shape", `quadrature takes smooth bodies, or one of STL by itself; choose [initial] fractions = "divide"`)
	}
	s.finish()
	return &v
}

func (w *VOF) print(p *printer) {
	w.Grid.print(p)
	i := w.Initial
	p.section("[initial]")
	p.pair("shape", i.Shape)
	p.pair("fractions", i.Fractions)
	if i.Fractions == "divide" {
		p.pair("levels", i.Levels)
		p.pair("leaf", i.Leaf)
	}
	if w.Exact != nil {
		p.section("[exact]")
		p.pair("shape", w.Exact.Shape)
	}
	v := w.Velocity
	p.section("[velocity]")
	if v.Field != "" {
		p.pair("field", v.Field)
	}
	for _, f := range slices.Concat(v.Psi, v.Potential, v.Parts) {
		p.pair(f.Name, f)
	}
	if v.Faces != "" {
		p.pair("faces", v.Faces)
	}
	p.pair("period", v.Period)
	if v.Factor.Program != nil {
		p.pair("factor", v.Factor)
	}
	if v.Checked() {
		p.pair("divergence", v.Divergence)
	}
	m := w.Method
	p.section("[method]")
	p.pair("normal", m.Normal)
	p.pair("advect", m.Advect)
	p.pair("cfl", m.CFL)
	p.pair("cfl_of", m.CFLOf)
	p.pair("adaptive", m.Adaptive)
	p.pair("exchange", m.Exchange)
	p.pair("sweep", m.Sweep)
	p.pair("precision", m.Precision)
}
