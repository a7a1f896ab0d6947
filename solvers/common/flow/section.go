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
	parts, potential := []string{"u", "v", "w"}, []string{"ax", "ay", "az"}
	s.Know(slices.Concat([]string{"field", "psi", "faces", "times", "period", "factor"}, parts, potential)...)
	byParts, byPotential := slices.ContainsFunc(parts, s.Has), slices.ContainsFunc(potential, s.Has)
	var given []string
	for _, way := range []struct {
		name string
		has  bool
	}{{"field", s.Has("field")}, {"psi", s.Has("psi")}, {"faces", s.Has("faces")}, {"ax, ay, az", byPotential},
		{"u, v and w", byParts}} {
		if way.has {
			given = append(given, way.name)
		}
	}
	switch {
	case len(given) == 0:
		s.Fail("", `needs field = "…", psi = "…", faces = "…", u, v and in space w, or ax, ay, az; %s`, config.Choose(Names))
	case len(given) > 1:
		s.Fail("", "has %s and %s; leave one of them out", given[0], given[1])
	case byParts:
		for _, key := range parts[:max(2, dim)] {
			v.Parts = append(v.Parts, steady(s, key))
		}
		if dim == 2 && s.Has("w") {
			s.Fail("w", "the grid has no axis z")
		}
	case byPotential:
		for _, key := range potential {
			v.Potential = append(v.Potential, steady(s, key))
		}
		if dim == 2 {
			s.Fail("", "ax, ay, az are a potential of space; in the plane give psi")
		}
	case s.Has("psi"):
		v.Psi = []config.Field{steady(s, "psi")}
		if dim == 3 {
			s.Fail("psi", "a stream function is for the plane; give ax, ay, az, or u, v and w")
		}
	case s.Has("faces"):
		v.series(s)
	default:
		v.Field = s.Choice("field", config.Required, Names...)
		spatial := v.Field == "enright" || v.Field == "shear"
		if dim > 0 && slices.Contains(Names, v.Field) && spatial != (dim == 3) {
			s.Fail("field", "%s is a flow of %d dimensions, the grid has %d", v.Field, 5-dim, dim)
		}
	}
	if s.Has("times") && !s.Has("faces") {
		s.Fail("times", "belongs to faces")
	}
	if s.Has("divergence") && !byParts && !s.Has("faces") {
		s.Fail("divergence", "belongs to u, v and w or faces; this velocity has none by construction")
	}
	v.Period = s.Number("period", config.NonNegative.Or(0))
	if s.Has("factor") {
		v.Factor = s.Formula("factor", s.Changing("factor", config.Required, nil, ""))
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
	s.Finish()
	return v
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

// steady is an expression over the place alone.
func steady(s *config.Section, key string) config.Field {
	f := s.Formula(key, s.Changing(key, config.Required, nil, ""))
	if f.Program != nil && f.Program.Mentions("t") {
		s.Fail(key, `depends on t; give factor = "…", an expression over t by which the velocity everywhere is multiplied`)
	}
	return f
}
