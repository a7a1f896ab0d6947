package flow

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
)

// Section is the section [velocity] of a case: a given flow. One of Field, Psi, Potential, Parts and Faces is
// set.
type Section struct {
	Field     string         // one of package flow's
	Psi       []config.Field // a stream function of x and y: u = -∂ψ/∂y, v = ∂ψ/∂x
	Potential []config.Field // ax, ay, az in space: the velocity is its rotation
	Parts     []config.Field // u, v and in space w, at the middle of faces
	Faces     []string       // archives of NumPy arrays u, v and in space w, as Faces reads them; of each of Times
	Times     []float64      // s, ascending, of several Faces; between them the velocity is linear
	Period    float64        // s; the velocity is multiplied with cos(πt/Period); of rotation: of a turn; 0 for none
	Factor    config.Field   // an expression over t, at most 1 in size, by which all is multiplied; without Program none

	// Divergence is the most that the flow out of a cell may be, as a part of the flow through it, where the velocity is
	// given by its parts or faces; 1e-10. Volume is conserved where it is 0.
	Divergence float64
}

// Checked tells that nothing but Divergence keeps the velocity from having one.
func (v *Section) Checked() bool { return len(v.Parts) > 0 || len(v.Faces) > 0 }

// Print writes the section with all defaults.
func (v *Section) Print(p *config.Printer) {
	p.Section("[velocity]")
	if v.Field != "" {
		p.Pair("field", v.Field)
	}
	for _, f := range slices.Concat(v.Psi, v.Potential, v.Parts) {
		p.Pair(f.Name, f)
	}
	if len(v.Faces) == 1 {
		p.Pair("faces", v.Faces[0])
	} else if len(v.Faces) > 1 {
		p.Pair("faces", v.Faces)
		p.Pair("times", v.Times)
	}
	p.Pair("period", v.Period)
	if v.Factor.Program != nil {
		p.Pair("factor", v.Factor)
	}
	if v.Checked() {
		p.Pair("divergence", v.Divergence)
	}
}

// Decode reads the section on a grid of 2 or 3 dimensions.
func Decode(s *config.Section, dim int) Section {
	v := Section{Divergence: s.Number("divergence", config.Bound{Most: 1, Fallback: 1e-10, Optional: true})}
	s.Know(slices.Concat([]string{"field", "psi", "faces", "times", "period", "factor"}, parts, potential)...)
	v.decodeWay(s, dim)
	if s.Has("times") && !s.Has("faces") {
		s.Fail("times", "belongs to faces")
	}
	if s.Has("divergence") && !slices.ContainsFunc(parts, s.Has) && !s.Has("faces") {
		s.Fail("divergence", "belongs to u, v and w or faces; this velocity has none by construction")
	}
	v.decodeFactor(s)
	s.Finish()
	return v
}

var parts, potential = []string{"u", "v", "w"}, []string{"ax", "ay", "az"}

// ways are how a velocity may be given, each by keys of its own, of which a section has those of one.
var ways = []struct {
	name   string // as errors have it
	keys   []string
	decode func(v *Section, s *config.Section, dim int)
}{
	{"field", []string{"field"}, (*Section).decodeField},
	// a flow of this package, by its name
	{"psi", []string{"psi"}, (*Section).decodeStream},
	// a stream function, in the plane
	{"faces", []string{"faces"}, func(v *Section, s *config.Section, _ int) { v.series(s) }}, // files, of some times
	{"ax, ay, az", potential, (*Section).decodePotential},                                    // a potential, in space
	{"u, v and w", parts, (*Section).decodeParts},                                            // components
}

// decodeWay reads the velocity by the one way in which it is given.
func (v *Section) decodeWay(s *config.Section, dim int) {
	var given []int
	for k, way := range ways {
		if slices.ContainsFunc(way.keys, s.Has) {
			given = append(given, k)
		}
	}
	switch len(given) {
	case 0:
		s.Fail("", `needs field = "…", psi = "…", faces = "…", u, v and in space w, or ax, ay, az; %s`, config.Choose(Names))
	case 1:
		ways[given[0]].decode(v, s, dim)
	default:
		s.Fail("", "has %s and %s; leave one of them out", ways[given[0]].name, ways[given[1]].name)
	}
}

func (v *Section) decodeParts(s *config.Section, dim int) {
	for _, key := range parts[:max(2, dim)] {
		v.Parts = append(v.Parts, steady(s, key))
	}
	if dim == 2 && s.Has("w") {
		s.Fail("w", "the grid has no axis z")
	}
}

func (v *Section) decodePotential(s *config.Section, dim int) {
	for _, key := range potential {
		v.Potential = append(v.Potential, steady(s, key))
	}
	if dim == 2 {
		s.Fail("", "ax, ay, az are a potential of space; in the plane give psi")
	}
}

func (v *Section) decodeStream(s *config.Section, dim int) {
	v.Psi = []config.Field{steady(s, "psi")}
	if dim == 3 {
		s.Fail("psi", "a stream function is for the plane; give ax, ay, az, or u, v and w")
	}
}

func (v *Section) decodeField(s *config.Section, dim int) {
	v.Field = s.Choice("field", config.Required, Names...)
	spatial := v.Field == "enright" || v.Field == "shear"
	if dim > 0 && slices.Contains(Names, v.Field) && spatial != (dim == 3) {
		s.Fail("field", "%s is a flow of %d dimensions, the grid has %d", v.Field, 5-dim, dim)
	}
}

// decodeFactor reads by what the velocity is multiplied in the course of time.
func (v *Section) decodeFactor(s *config.Section) {
	v.Period = s.Number("period", config.NonNegative.Or(0))
	if s.Has("factor") {
		v.Factor = s.Formula("factor", s.TimeField("factor", config.Required, nil, ""))
		if p := v.Factor.Program; p != nil && (p.Mentions("x") || p.Mentions("y") || p.Mentions("z")) {
			s.Fail("factor", "depends on the place; it is an expression over t, by which the velocity everywhere is multiplied")
		}
		if v.Period > 0 && v.Field != "rotation" {
			s.Fail("factor", "cannot be with period, which gives the factor cos(pi*t/period)")
		}
	}
	if (v.Field == "rotation" || v.Field == "reversed-vortex") && v.Period == 0 {
		s.Fail("period", "%s needs one, above 0", v.Field)
	}
}

// series reads the files of faces, and their times where there are several.
func (v *Section) series(s *config.Section) {
	v.Faces = s.Texts("faces")
	if slices.Contains(v.Faces, "") {
		s.Fail("faces", "is empty; give a file of numpy.savez with the arrays u, v and in space w")
	}
	if len(v.Faces) < 2 {
		if s.Has("times") {
			s.Fail("times", "belongs to a list of several faces, a time each")
		}
		return
	}
	v.Times = s.Numbers("times", len(v.Faces))
	for i := 1; i < len(v.Times); i++ {
		if !(v.Times[i] > v.Times[i-1]) {
			s.Fail("times", "%g follows %g; times ascend", v.Times[i], v.Times[i-1])
		}
	}
}

// steady is an expression over the position alone.
func steady(s *config.Section, key string) config.Field {
	f := s.Formula(key, s.TimeField(key, config.Required, nil, ""))
	if f.Program != nil && f.Program.Mentions("t") {
		s.Fail(key, `depends on t; give factor = "…", an expression over t by which the velocity everywhere is multiplied`)
	}
	return f
}
