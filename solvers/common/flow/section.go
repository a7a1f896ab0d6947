package flow

import (
	"fmt"
	"slices"
	"strings"

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
	v.keys(0, p.Print)
}

// Decode reads the section on a grid of 2 or 3 dimensions.
func Decode(s *config.Section, dim int) Section {
	var v Section
	v.keys(dim, s.Read)
	if s.Has("times") && !s.Has("faces") {
		s.Fail("times", "belongs to faces")
	}
	s.Finish()
	return v
}

// keys declares the keys of the section. The velocity is read in the form that is given, with the first key.
func (v *Section) keys(dim int, key func(*config.Spec)) {
	form := func(s *config.Section) { v.decodeForm(s, dim) }
	key(config.Special(config.Key{Name: "field", Kind: config.OneOf, Options: Names, Doc: "a named flow: `rotation` " +
		"(`period` is the time of one rotation), `rider-kothe`, `reversed-vortex`, `deformation` in two dimensions; " +
		"`enright`, `shear` in three"}, form, func() any { return given(v.Field != "", v.Field) }))
	const potential = "a vector potential in three dimensions: the velocity is its curl, as differences along edges, " +
		"so that the discrete divergence is 0"
	const component = "velocity along %s, an expression, evaluated at the centres of faces"
	for _, k := range []struct{ name, unit, doc string }{
		{"psi", "m2/s", "a stream function of x and y: u = −∂ψ/∂y, v = ∂ψ/∂x as differences between corners, so that the " +
			"discrete divergence is 0"},
		{"ax", "m2/s", potential}, {"ay", "m2/s", "see `ax`"}, {"az", "m2/s", "see `ax`"},
		{"u", "m/s", fmt.Sprintf(component, "x")}, {"v", "m/s", fmt.Sprintf(component, "y")},
		{"w", "m/s", fmt.Sprintf(component, "z")},
	} {
		key(config.Special(config.Key{Name: k.name, Unit: k.unit, Kind: config.Expression, Doc: k.doc}, nil, func() any {
			for _, f := range slices.Concat(v.Psi, v.Potential, v.Components) {
				if f.Name == k.name {
					return f
				}
			}
			return nil
		}))
	}
	key(config.Special(config.Key{Name: "faces", Kind: config.TextOrTexts, Doc: "a file of `numpy.savez(file, u=u, " +
		"v=v, w=w)`, relative to the case file: the normal velocity of every face. In two dimensions u has the shape " +
		"(ny, nx+1) and v (ny+1, nx); in three dimensions u (nz, ny, nx+1), v (nz, ny+1, nx), w (nz+1, ny, nx). Or a " +
		"list of such files, with `times`"}, nil, func() any {
		if len(v.Faces) == 1 {
			return v.Faces[0]
		}
		return given(len(v.Faces) > 1, v.Faces)
	}))
	key(config.Special(config.Key{Name: "times", Unit: "s", Doc: "of several `faces`, which cover the run: `faces = " +
		"[\"a.npz\", \"b.npz\"]`, `times = [0, 2.5]`. The velocity is interpolated linearly in time and evaluated at the " +
		"middle of a step; the greatest velocity limits the length of steps"}, nil,
		func() any { return given(len(v.Faces) > 1, v.Times) }))
	key(config.Real("period", "s", &v.Period, config.NonNegative.Or(0), "the velocity is multiplied by cos(πt/period); "+
		"0: not"))
	key(config.Special(config.Key{Name: "factor", Kind: config.Expression, Doc: "an expression of t, whose absolute " +
		"value must be at most 1, by which the velocity is multiplied", Default: "1"}, v.readFactor,
		func() any { return given(v.Factor.Program != nil, v.Factor) }))
	key(config.Real("divergence", "", &v.Divergence, config.Bound{Most: 1}.Or(1e-10), "the largest allowed ratio of the "+
		"net inflow of a cell to the flow through it, of `u`, `v`, `w` and `faces`").When(v.MayHaveDivergence(),
		"belongs to u, v and w or faces; this velocity has none by construction"))
}

// given returns a value if a condition holds, otherwise nil.
func given(condition bool, value any) any {
	if !condition {
		return nil
	}
	return value
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
		s.Fail("", `needs field = "…", psi = "…", faces = "…", u, v and in space w, or ax, ay, az; choose from %s`,
			strings.Join(Names, ", "))
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

// readFactor reads the time factor.
func (v *Section) readFactor(s *config.Section) {
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
