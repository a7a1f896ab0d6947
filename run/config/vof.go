package config

import (
	"regexp"
	"slices"

	"github.com/atoll-hpc/atoll/solvers/vof"
	"github.com/atoll-hpc/atoll/solvers/vof/flow"
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
	Shape     string // as VOFInitial.Body reads it
	Fractions string // how volume fractions are found: quadrature, or divide by dividing cells; quadrature, of mixed STL divide
	Levels    int    // of divide: how often a cell is divided, 0 to 12; 5, of STL 3
	Leaf      string // of divide: the smallest parts are cut by a plane, or decided by their centre; plane
}

// VOFVelocity is the section [velocity] of solver "vof". One of Field, Psi, Potential, Parts and Faces is set.
type VOFVelocity struct {
	Field     string  // one of package flow's
	Psi       []Field // a stream function of x and y: u = -∂ψ/∂y, v = ∂ψ/∂x
	Potential []Field // ax, ay, az in space: the velocity is its rotation
	Parts     []Field // u, v and in space w, at the middle of faces
	Faces     string  // an archive of NumPy arrays u, v and in space w, as flow.Faces reads it
	Period    float64 // s; the velocity is multiplied with cos(πt/Period); of rotation the time of a turn; 0 for none

	// Divergence is the most that the flow out of a cell may be, as a part of the flow through it, where the velocity is
	// given by its parts or faces; 1e-10. Volume is conserved where it is 0.
	Divergence float64
}

// Checked tells that nothing but Divergence keeps the velocity from having one.
func (v *VOFVelocity) Checked() bool { return len(v.Parts) > 0 || v.Faces != "" }

// VOFMethod is the section [method] of solver "vof"; package solvers/vof tells what each does.
type VOFMethod struct {
	Normal    string  // youngs, myc, elvira, lvira or height; myc
	Advect    string  // weymouth-yue or ei-le; weymouth-yue
	CFL       float64 // 0.5, the most that keeps bounds with weymouth-yue
	CFLOf     string  // what CFL bounds in a cell: the sum of the axes' numbers, or that of each axis; sum
	Adaptive  bool    // steps as long as the velocity of the moment allows; false
	Exchange  string  // when ghosts are exchanged: auto, before each sweep, or once a step; auto
	Sweep     string  // auto, cells or tiles; auto
	Precision string  // float32 or float64; float64
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
		fields: []string{"f", "normal", "alpha", "curvature"}, usual: []string{"f"}, formats: []string{"vti", "vtp", "plic", "stl"},
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
		s.fail("fractions", "quadrature takes smooth bodies, or one of STL by itself; choose divide for an stl within other shapes")
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

func decodeVOFVelocity(s *section, dim int) VOFVelocity {
	v := VOFVelocity{Divergence: s.number("divergence", bound{most: 1, fallback: 1e-10, optional: true})}
	parts, potential := []string{"u", "v", "w"}, []string{"ax", "ay", "az"}
	s.know(slices.Concat([]string{"field", "psi", "faces", "period"}, parts, potential)...)
	byParts, byPotential := slices.ContainsFunc(parts, s.has), slices.ContainsFunc(potential, s.has)
	var given []string
	for _, way := range []struct {
		name string
		has  bool
	}{{"field", s.has("field")}, {"psi", s.has("psi")}, {"faces", s.has("faces")}, {"ax, ay, az", byPotential}, {"u, v and w", byParts}} {
		if way.has {
			given = append(given, way.name)
		}
	}
	switch {
	case len(given) == 0:
		s.fail("", `needs field = "…", psi = "…", faces = "…", u, v and in space w, or ax, ay, az; %s`, choose(flow.Names))
	case len(given) > 1:
		s.fail("", "has %s and %s; leave one of them out", given[0], given[1])
	case byParts:
		for _, key := range parts[:max(2, dim)] {
			v.Parts = append(v.Parts, s.expression(key, required))
		}
		if dim == 2 && s.has("w") {
			s.fail("w", "the grid has no axis z")
		}
	case byPotential:
		for _, key := range potential {
			v.Potential = append(v.Potential, s.expression(key, required))
		}
		if dim == 2 {
			s.fail("", "ax, ay, az are a potential of space; in the plane give psi")
		}
	case s.has("psi"):
		v.Psi = []Field{s.expression("psi", required)}
		if dim == 3 {
			s.fail("psi", "a stream function is for the plane; give ax, ay, az, or u, v and w")
		}
	case s.has("faces"):
		if v.Faces = s.text("faces", required); v.Faces == "" {
			s.fail("faces", "is empty; give a file of numpy.savez with the arrays u, v and in space w")
		}
	default:
		v.Field = s.choice("field", required, flow.Names...)
		spatial := v.Field == "enright" || v.Field == "shear"
		if dim > 0 && slices.Contains(flow.Names, v.Field) && spatial != (dim == 3) {
			s.fail("field", "%s is a flow of %d dimensions, the grid has %d", v.Field, 5-dim, dim)
		}
	}
	if s.has("divergence") && !byParts && !s.has("faces") {
		s.fail("divergence", "belongs to u, v and w or faces; this velocity has none by construction")
	}
	v.Period = s.number("period", nonNegative.or(0))
	if (v.Field == "rotation" || v.Field == "reversed-vortex") && v.Period == 0 {
		s.fail("period", "%s needs one, above 0", v.Field)
	}
	s.finish()
	return v
}

func decodeVOFMethod(s *section, dim int) VOFMethod {
	m := VOFMethod{
		Normal:    s.choice("normal", "myc", vof.Normals...),
		Advect:    s.choice("advect", "weymouth-yue", vof.Advections...),
		CFL:       s.number("cfl", bound{most: 1, open: true, fallback: 0.5, optional: true}),
		CFLOf:     s.choice("cfl_of", "sum", "sum", "axis"),
		Adaptive:  s.boolean("adaptive", false),
		Exchange:  s.choice("exchange", "auto", "auto", "sweep", "step"),
		Sweep:     s.choice("sweep", "auto", "auto", "cells", "tiles"),
		Precision: s.choice("precision", "float64", "float32", "float64"),
	}
	if m.Advect == "ei-le" && dim == 3 {
		s.fail("advect", "ei-le conserves volume in the plane only; choose weymouth-yue")
	}
	switch {
	case m.Sweep == "tiles" && dim == 3:
		s.fail("sweep", "tiles are for the plane; choose cells or auto")
	case m.Sweep == "tiles" && m.Normal == "height":
		s.fail("sweep", "heights reach too far for tiles; choose cells or auto")
	}
	most := 0.5
	if m.Advect == "ei-le" {
		most = 0.999
	}
	if m.CFL > most && m.CFL <= 1 {
		s.fail("cfl", "%g is more than %g, up to which %s keeps volume fractions in [0, 1]", m.CFL, most, m.Advect)
	}
	s.finish()
	return m
}

// Config is what the solver takes.
func (m VOFMethod) Config() vof.Config {
	return vof.Config{Normal: m.Normal, Advect: m.Advect, CFL: m.CFL, PerAxis: m.CFLOf == "axis", Adaptive: m.Adaptive,
		Exchange: m.Exchange, Sweep: m.Sweep}
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
