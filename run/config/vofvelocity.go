package config

import (
	"slices"

	"github.com/atoll-hpc/atoll/solvers/vof/flow"
)

// VOFVelocity is the section [velocity] of solver "vof". One of Field, Psi, Potential, Parts and Faces is set.
type VOFVelocity struct {
	Field     string  // one of package flow's
	Psi       []Field // a stream function of x and y: u = -∂ψ/∂y, v = ∂ψ/∂x
	Potential []Field // ax, ay, az in space: the velocity is its rotation
	Parts     []Field // u, v and in space w, at the middle of faces
	Faces     string  // an archive of NumPy arrays u, v and in space w, as flow.Faces reads it
	Period    float64 // s; the velocity is multiplied with cos(πt/Period); of rotation the time of a turn; 0 for none
	Factor    Field   // an expression over t that the velocity is multiplied with, at most 1 in size; without Program none

	// Divergence is the most that the flow out of a cell may be, as a part of the flow through it, where the velocity is
	// given by its parts or faces; 1e-10. Volume is conserved where it is 0.
	Divergence float64
}

// Checked tells that nothing but Divergence keeps the velocity from having one.
func (v *VOFVelocity) Checked() bool { return len(v.Parts) > 0 || v.Faces != "" }

func decodeVOFVelocity(s *section, dim int) VOFVelocity {
	v := VOFVelocity{Divergence: s.number("divergence", bound{most: 1, fallback: 1e-10, optional: true})}
	parts, potential := []string{"u", "v", "w"}, []string{"ax", "ay", "az"}
	s.know(slices.Concat([]string{"field", "psi", "faces", "period", "factor"}, parts, potential)...)
	byParts, byPotential := slices.ContainsFunc(parts, s.has), slices.ContainsFunc(potential, s.has)
	var given []string
	for _, way := range []struct {
		name string
		has  bool
	}{{"field", s.has("field")}, {"psi", s.has("psi")}, {"faces", s.has("faces")}, {"ax, ay, az", byPotential},
		{"u, v and w", byParts}} {
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
			v.Parts = append(v.Parts, s.steady(key))
		}
		if dim == 2 && s.has("w") {
			s.fail("w", "the grid has no axis z")
		}
	case byPotential:
		for _, key := range potential {
			v.Potential = append(v.Potential, s.steady(key))
		}
		if dim == 2 {
			s.fail("", "ax, ay, az are a potential of space; in the plane give psi")
		}
	case s.has("psi"):
		v.Psi = []Field{s.steady("psi")}
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
	if s.has("factor") {
		v.Factor = s.formula("factor", s.changing("factor", required, nil, false))
		if p := v.Factor.Program; p != nil && (p.Mentions("x") || p.Mentions("y") || p.Mentions("z")) {
			s.fail("factor", "depends on the place; it is an expression over t, by which the velocity everywhere is multiplied")
		}
		if v.Period > 0 && v.Field != "rotation" {
			s.fail("factor", "cannot be with period, which gives the factor cos(pi*t/period)")
		}
	}
	if (v.Field == "rotation" || v.Field == "reversed-vortex") && v.Period == 0 {
		s.fail("period", "%s needs one, above 0", v.Field)
	}
	s.finish()
	return v
}

// steady is an expression over the place alone.
func (s *section) steady(key string) Field {
	f := s.formula(key, s.changing(key, required, nil, false))
	if f.Program != nil && f.Program.Mentions("t") {
		s.fail(key, `depends on t; give factor = "…", an expression over t by which the velocity everywhere is multiplied`)
	}
	return f
}
