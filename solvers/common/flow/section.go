package flow

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
)

// Section is the section [velocity] of a case: a given flow. One of Field, Psi, Potential, Components and Faces is set.
type Section struct {
	Field      string         // name of a test flow of this package
	Psi        []config.Field // a stream function of x and y: u = -∂ψ/∂y, v = ∂ψ/∂x
	Potential  []config.Field // ax, ay, az in space: the velocity is the curl of the potential
	Components []config.Field // velocities u, v and in space w, at the centres of faces
	Faces      []string       // archives with NumPy arrays u, v and in space w (see Faces), one for each of Times
	Times      []float64      // times of several Faces in s, ascending; in between the velocity is interpolated linearly
	// Period is in s, 0 for none. The velocity is multiplied by cos(πt/Period); of the flow rotation, it is the time of
	// one revolution.
	Period float64
	// Factor is an expression over t with magnitude at most 1, which multiplies the velocity; without Program it is 1.
	Factor config.Field

	// Divergence is the largest allowed ratio of the net flow out of a cell to the flow through it, for velocities
	// given by components or faces; 1e-10. A velocity with divergence does not conserve volume.
	Divergence float64
}

// MayHaveDivergence reports whether the velocity may have a divergence, so that the limit Divergence applies.
func (v *Section) MayHaveDivergence() bool { return len(v.Components) > 0 || len(v.Faces) > 0 }

// Print writes the section with all defaults.
func (v *Section) Print(p *config.Printer) {
	p.Section("[velocity]")
	if v.Field != "" {
		p.Pair("field", v.Field)
	}
	for _, f := range slices.Concat(v.Psi, v.Potential, v.Components) {
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
	if v.MayHaveDivergence() {
		p.Pair("divergence", v.Divergence)
	}
}

// Decode reads the section on a grid of 2 or 3 dimensions.
func Decode(s *config.Section, dim int) Section {
	s.Units(map[string]string{"period": "s"})
	v := Section{Divergence: s.Number("divergence", config.Bound{Most: 1, Fallback: 1e-10, Optional: true})}
	s.Know(slices.Concat([]string{"field", "psi", "faces", "times", "period", "factor"}, componentKeys, potentialKeys)...)
	v.decodeForm(s, dim)
	if s.Has("times") && !s.Has("faces") {
		s.Fail("times", "belongs to faces")
	}
	if s.Has("divergence") && !slices.ContainsFunc(componentKeys, s.Has) && !s.Has("faces") {
		s.Fail("divergence", "belongs to u, v and w or faces; this velocity has none by construction")
	}
	v.decodeFactor(s)
	s.Finish()
	return v
}

var componentKeys, potentialKeys = []string{"u", "v", "w"}, []string{"ax", "ay", "az"}

// forms are the alternative forms of a velocity, each with its keys; a section has the keys of one.
var forms = []struct {
	name   string // in errors
	keys   []string
	decode func(v *Section, s *config.Section, dim int)
}{
	// a test flow of this package
	{"field", []string{"field"}, (*Section).decodeField},
	// a stream function in the plane
	{"psi", []string{"psi"}, (*Section).decodePsi},
	// velocities at faces from files, for one or more times
	{"faces", []string{"faces"}, func(v *Section, s *config.Section, _ int) { v.decodeFaces(s) }},
	// a vector potential in space
	{"ax, ay, az", potentialKeys, (*Section).decodePotential},
	{"u, v and w", componentKeys, (*Section).decodeComponents},
}

// decodeForm reads the velocity in the form that is given.
func (v *Section) decodeForm(s *config.Section, dim int) {
	var given []int
	for k, form := range forms {
		if slices.ContainsFunc(form.keys, s.Has) {
			given = append(given, k)
		}
	}
	switch len(given) {
	case 0:
		s.Fail("", `needs field = "…", psi = "…", faces = "…", u, v and in space w, or ax, ay, az; %s`, config.Choose(Names))
	case 1:
		forms[given[0]].decode(v, s, dim)
	default:
		s.Fail("", "has %s and %s; leave one of them out", forms[given[0]].name, forms[given[1]].name)
	}
}

func (v *Section) decodeComponents(s *config.Section, dim int) {
	for _, key := range componentKeys[:max(2, dim)] {
		v.Components = append(v.Components, steadyField(s, key))
	}
	if dim == 2 && s.Has("w") {
		s.Fail("w", "the grid has no axis z")
	}
}

func (v *Section) decodePotential(s *config.Section, dim int) {
	for _, key := range potentialKeys {
		v.Potential = append(v.Potential, steadyField(s, key))
	}
	if dim == 2 {
		s.Fail("", "ax, ay, az are a vector potential in space; in the plane give psi")
	}
}

func (v *Section) decodePsi(s *config.Section, dim int) {
	v.Psi = []config.Field{steadyField(s, "psi")}
	if dim == 3 {
		s.Fail("psi", "a stream function is for the plane; give ax, ay, az, or u, v and w")
	}
}

func (v *Section) decodeField(s *config.Section, dim int) {
	v.Field = s.Choice("field", config.Required, Names...)
	spatial := v.Field == "enright" || v.Field == "shear"
	if dim > 0 && slices.Contains(Names, v.Field) && spatial != (dim == 3) {
		const bothDims = 2 + 3
		s.Fail("field", "%s is a flow of %d dimensions, the grid has %d", v.Field, bothDims-dim, dim)
	}
}

// decodeFactor reads the time factor or the period.
func (v *Section) decodeFactor(s *config.Section) {
	v.Period = s.Number("period", config.NonNegative.Or(0))
	if s.Has("factor") {
		v.Factor = s.Formula("factor", s.TimeField("factor", config.Required, nil, ""))
		if p := v.Factor.Program; p != nil && (p.Mentions("x") || p.Mentions("y") || p.Mentions("z")) {
			s.Fail("factor", "depends on the position; write an expression over t only, which multiplies the velocity "+
				"everywhere")
		}
		if v.Period > 0 && v.Field != "rotation" {
			s.Fail("factor", "cannot be combined with period, which gives the factor cos(pi*t/period)")
		}
	}
	if (v.Field == "rotation" || v.Field == "reversed-vortex") && v.Period == 0 {
		s.Fail("period", "%s needs a positive period", v.Field)
	}
}

// decodeFaces reads the names of files with velocities at faces, and their times if there are several.
func (v *Section) decodeFaces(s *config.Section) {
	v.Faces = s.Texts("faces")
	if slices.Contains(v.Faces, "") {
		s.Fail("faces", "is empty; give a file of numpy.savez with the arrays u, v and in space w")
	}
	if len(v.Faces) < 2 {
		if s.Has("times") {
			s.Fail("times", "belongs to a list of several faces, one time for each")
		}
		return
	}
	v.Times = s.Numbers("times", len(v.Faces))
	for i := 1; i < len(v.Times); i++ {
		if !(v.Times[i] > v.Times[i-1]) {
			s.Fail("times", "%g follows %g; times must ascend", v.Times[i], v.Times[i-1])
		}
	}
}

// steadyField reads an expression over the position, which must not depend on time.
func steadyField(s *config.Section, key string) config.Field {
	f := s.Formula(key, s.TimeField(key, config.Required, nil, ""))
	if f.Program != nil && f.Program.Mentions("t") {
		s.Fail(key, `depends on t; give factor = "…", an expression over t that multiplies the velocity everywhere`)
	}
	return f
}
