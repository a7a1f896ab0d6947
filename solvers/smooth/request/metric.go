package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
)

// Metric is the section [metric] of the solvers that fit a mesh to a metric. Defaults follow the semicolons.
type Metric struct {
	Field     string  // uniform, implied, linear, sinusoidal, ugawg-linear, sizes, tensor, solution or hessian
	Low, High float64 // of linear and sinusoidal: the sizes between which width and height vary
	Waves     float64 // of sinusoidal, across the mesh; 1

	// Parts are the expressions of sizes: width, height and angle, in degrees from the x axis to the direction of the
	// width, and in space depth, along z; or those of a tensor: m11, m12 and m22, and in space m13, m23 and m33; or
	// the field hessian, whose second derivatives the metric follows, and the field also, with whose metric it is
	// intersected: each an expression or vertex data of the mesh.
	Parts      []config.Field
	Solution   string  // a Medit file (.sol, .solb) of sizes or tensors at the vertices of Background
	Background string  // a mesh file; "" for the mesh that is smoothed
	Norm       float64 // p of the Lp norm of the interpolation error that a metric from second derivatives minimizes; 2
	Complexity float64 // ∫√det M of a metric from second derivatives; 0 for that of as many regular cells of edge 1
	Curvature  float64 // least second derivative relative to the largest; smaller ones are raised to it
	// number of recoveries of the second derivatives, each on the mesh of the previous round; 3 for expressions, else 1
	Rounds int

	HMin, HMax float64 // bounds of sizes; 0 for none
	Aspect     float64 // largest ratio of sizes at a position; 0 for no bound
	Gradation  float64 // largest growth factor of sizes per unit of length, above 1; 0 for no bound

	// For meshes whose number of cells stays:
	Samples int  // nodes along a side of a grid with bilinear interpolation, a power of two; 0 for no grid
	Rescale bool // scale the metric so that it requires as many cells as the mesh has; true

	// For meshes whose number of cells changes (Adapts):
	Adapts bool
	Size   float64 // of kind size: the size of all cells
	Target int     // the number of vertices for which the metric is scaled; 0 for sizes as given
}

// Nodal reports whether the metric is given at the vertices of a mesh.
func (m *Metric) Nodal() bool {
	switch m.Field {
	case "implied", "solution", "hessian":
		return true
	}
	return len(m.Parts) > 0 && m.Samples == 0
}

// Decode reads the section; fallback is the kind of metric if its keys do not tell.
func Decode(s *config.Section, fallback string) Metric { return decode(s, Metric{}, fallback) }

// DecodeAdaptive reads the section of a solver that changes the number of cells. It has the keys size and target
// instead of samples and rescale.
func DecodeAdaptive(s *config.Section) Metric { return decode(s, Metric{Adapts: true}, "implied") }

func decode(s *config.Section, m Metric, fallback string) Metric {
	if m.Field = m.kind(s, fallback); m.Field == "" {
		m.keys(s.Declare) // what they may be is not known
	} else {
		m.keys(s.Read)
	}
	s.Finish()
	return m
}

// named are the metrics that have a name.
var named = []string{"uniform", "implied", "linear", "sinusoidal", "ugawg-linear"}

// keys declares the keys of the section. The kind of metric is known.
func (m *Metric) keys(key func(*config.Spec)) {
	of := func(kinds string, applies bool, k *config.Spec) *config.Spec {
		return k.When(applies, fmt.Sprintf("does not belong to a metric of kind %s, but to %s", m.Field, kinds))
	}
	key(config.Special(config.Key{Name: "field", Kind: config.OneOf, Options: named, Doc: "a metric by its name",
		Default: "`implied`; to untangle `uniform`"}, nil, func() any {
		if slices.Contains(named, m.Field) {
			return m.Field
		}
		return nil
	}))
	isSolution, isHessian := m.Field == "solution", m.Field == "hessian"
	if isSolution {
		key(config.Phrase("solution", &m.Solution, config.Required, solution))
	} else {
		key(config.Phrase("solution", &m.Solution, "", solution).IfSet().Otherwise("none"))
	}
	key(of("solution", isSolution, config.Phrase("background", &m.Background, "", "the mesh of `solution`").IfSet().
		Otherwise("the mesh itself")))
	varies := m.Field == "linear" || m.Field == "sinusoidal"
	const with = "required with these"
	key(of("linear and sinusoidal", varies, config.Real("low", "m", &m.Low, config.Positive, "of `linear` and "+
		"`sinusoidal`: the size at one end").Otherwise(with)))
	key(of("linear and sinusoidal", varies, config.Real("high", "m", &m.High, config.Positive, "the size at the other "+
		"end").Otherwise(with)))
	key(of("sinusoidal", m.Field == "sinusoidal", config.Real("waves", "", &m.Waves, config.Bound{AboveLeast: true,
		Most: 1000}.Or(1), "of `sinusoidal`: waves across the mesh")))
	m.partKeys(key)
	m.hessianKeys(func(k *config.Spec) { key(of("hessian", isHessian, k)) })
	m.boundKeys(of, key)
	if m.Adapts {
		m.adaptiveKeys(key)
		return
	}
	key(of("expressions and named fields", !isSolution && !isHessian, config.Whole("samples", &m.Samples,
		m.defaultSamples(), 0, maxSamples, "nodes along a side of the grid on which expressions are evaluated, a power of "+
			"two; 0: they are evaluated at vertices").Otherwise("512, of tetrahedra 64; with `gradation` 0")).
		Check(m.checkSamples))
	key(config.Flag("rescale", &m.Rescale, true, "scale the metric so that it requires as many cells as the mesh has"))
}

const solution = "a Medit `.sol` or `.solb` of sizes or tensors at vertices"

// part declares an expression of the metric, which is read if the metric is of its kind and the case has one of the
// keys given, if there are any.
func (m *Metric) part(kind, name, unit, fallback, doc string, given ...string) *config.Spec {
	k := config.Key{Name: name, Unit: unit, Kind: config.Expression, Doc: doc, Default: strings.TrimPrefix(fallback,
		config.Required)}
	return m.partSpec(k, func(s *config.Section) {
		if m.Field == kind && (given == nil || slices.ContainsFunc(given, s.Has)) {
			m.Parts = append(m.Parts, s.Expression(name, fallback))
		}
	})
}

// partSpec declares a part that a function reads.
func (m *Metric) partSpec(k config.Key, read func(s *config.Section)) *config.Spec {
	return config.Special(k, read, func() any {
		for _, f := range m.Parts {
			if f.Name == k.Name {
				return f
			}
		}
		return nil
	})
}

// data declares a field that is an expression or data of the mesh.
func (m *Metric) data(name, doc string) *config.Spec {
	f := config.Field{Name: name}
	keys := func(key func(*config.Spec)) {
		key(config.Phrase("mesh", &f.Mesh, config.Required, "name of vertex or cell data of the mesh"))
	}
	return m.partSpec(config.Key{Name: name, Kind: config.Expression, Doc: doc}, func(s *config.Section) {
		if !s.Has(name) {
			return
		}
		if !s.Table(name, keys) {
			f = s.Expression(name, config.Required)
		}
		m.Parts = append(m.Parts, f)
	}).Within(keys)
}

// partKeys declares the keys of expressions: sizes, or a tensor.
func (m *Metric) partKeys(key func(*config.Spec)) {
	key(m.part("sizes", "width", "m", config.Required, "size along the first axis of the metric: an expression of the "+
		"position"))
	key(m.part("sizes", "height", "m", config.Required, "size along the second axis"))
	key(m.part("sizes", "angle", "degree", "0", "angle from the x axis to the first axis"))
	key(m.part("sizes", "depth", "m", config.Required, "size along z, of tetrahedra", "depth"))
	key(m.part("tensor", "m11", "", config.Required, "a component of the tensor, m⁻²: an expression of the position"))
	key(m.part("tensor", "m12", "", "0", "see `m11`"))
	key(m.part("tensor", "m22", "", config.Required, "see `m11`"))
	space := []string{"m13", "m23", "m33"}
	key(m.part("tensor", "m13", "", "0", "of tetrahedra, see `m11`", space...))
	key(m.part("tensor", "m23", "", "0", "of tetrahedra, see `m11`", space...))
	key(m.part("tensor", "m33", "", config.Required, "of tetrahedra, see `m11`", space...))
}

// hessianKeys declares the keys of a metric from second derivatives.
func (m *Metric) hessianKeys(key func(*config.Spec)) {
	key(m.data("hessian", "a field, for whose linear interpolation the metric is optimal: an expression, or `{ mesh = "+
		"\"NAME\" }`"))
	key(m.data("also", "with `hessian`: a second field, with whose metric the first one is intersected"))
	key(config.Real("norm", "", &m.Norm, config.Bound{Least: 1, Most: 1e6}.Or(2), "with `hessian`: the p of the Lᵖ norm "+
		"of the interpolation error"))
	key(config.Real("complexity", "", &m.Complexity, config.NonNegative.Or(0), "with `hessian`: ∫√det M").
		Otherwise("that of the mesh"))
	key(config.Real("curvature", "", &m.Curvature, config.Bound{Most: 1}.Or(m.defaultCurvature()), "with `hessian`: "+
		"least second derivative, relative to the largest"))
	rounds := int64(0)
	if m.Field == "hessian" {
		// Data at vertices cannot be evaluated at the positions to which vertices move.
		if rounds = 3; slices.ContainsFunc(m.Parts, func(f config.Field) bool { return f.Mesh != "" }) {
			rounds = 1
		}
	}
	key(config.Whole("rounds", &m.Rounds, rounds, 1, 100, "with `hessian`: recoveries of second derivatives").
		Otherwise("3 for expressions, otherwise 1").Check(func(s *config.Section) {
		if rounds == 1 && m.Rounds > 1 {
			s.Fail("rounds", "%d: data at vertices are unknown where vertices move to; give 1, compute the data again on "+
				"the smoothed mesh, and smooth that mesh", m.Rounds)
		}
	}))
}

// defaultCurvature is the default of curvature. Where cells come and go they may be as large as a field allows; where
// they only change their shapes, much larger ones would be bad.
func (m *Metric) defaultCurvature() float64 {
	if m.Adapts {
		return 1e-5
	}
	return 0.003
}

// boundKeys declares the bounds of sizes.
func (m *Metric) boundKeys(of func(kinds string, applies bool, k *config.Spec) *config.Spec, key func(*config.Spec)) {
	free := !slices.Contains([]string{"size", "uniform", "ugawg-linear", "linear", "sinusoidal"}, m.Field)
	const bounded = "expressions, implied, solution and hessian"
	size := config.NonNegative.Or(0)
	key(of(bounded, free, config.Real("hmin", "m", &m.HMin, size, "least size; 0: no bound").IfSet()))
	key(of(bounded, free, config.Real("hmax", "m", &m.HMax, size, "largest size; 0: no bound").IfSet()).
		Check(func(s *config.Section) {
			if m.HMax > 0 && m.HMin > m.HMax {
				s.Fail("hmin", "%g is above hmax = %g", m.HMin, m.HMax)
			}
		}))
	key(of(bounded, free, config.Real("aspect", "", &m.Aspect, size, "largest ratio of the sizes at a position, 1 or "+
		"more; 0: no bound").IfSet()).Check(func(s *config.Section) {
		if m.Aspect != 0 && m.Aspect < 1 {
			s.Fail("aspect", "%g must be 1 or more, or 0 for no bound", m.Aspect)
		}
	}))
	key(of("implied, solution, hessian, and expressions with samples = 0", free, config.Real("gradation", "",
		&m.Gradation, size, "largest growth of sizes between vertices, per unit of length, above 1; 0: no bound").
		IfSet()).Check(func(s *config.Section) {
		if m.Gradation != 0 && m.Gradation <= 1 {
			s.Fail("gradation", "%g must be above 1, or 0 for no bound", m.Gradation)
		}
	}))
}

// adaptiveKeys declares the keys of solvers that change the number of cells.
func (m *Metric) adaptiveKeys(key func(*config.Spec)) {
	size := config.Positive.Or(0)
	if m.Field == "size" {
		size = config.Positive
	}
	key(config.Real("size", "m", &m.Size, size, "of all cells").IfSet())
	key(config.Whole("target", &m.Target, 0, 0, 1<<31-1, "number of vertices; 0: sizes are as given").
		Check(func(s *config.Section) {
			if m.Target > 0 && m.Complexity > 0 {
				s.Fail("target", "cannot be combined with complexity; give one of them")
			}
		}))
}

// defaultSamples is the default of samples: 0 for sizes at vertices.
func (m *Metric) defaultSamples() int64 {
	switch {
	case m.Gradation > 0 || m.Field != "sizes" && m.Field != "tensor":
		return 0
	case m.Space():
		return 64
	}
	return 512
}

// checkSamples refuses numbers of nodes that the metric cannot have.
func (m *Metric) checkSamples(s *config.Section) {
	n := m.Samples
	switch {
	case n == 1 || n&(n-1) != 0:
		s.Fail("samples", "%d is not a power of two from 2 on", n)
	case n > 0 && m.Field == "implied":
		s.Fail("samples", "%d: an implied metric is given at vertices, so that there is no grid", n)
	case m.Gradation > 0 && !m.Nodal():
		s.Fail("gradation", "needs sizes at vertices: samples = 0, not %d", n)
	}
}

// kind returns the kind of a metric from its keys: fallback if they determine none, "" if they determine several.
func (m *Metric) kind(s *config.Section, fallback string) string {
	kinds := []string{}
	for _, k := range []struct {
		kind string
		keys []string
	}{
		{"field", []string{"field"}}, {"sizes", []string{"width", "height", "angle", "depth"}},
		{"tensor", []string{"m11", "m12", "m22", "m13", "m23", "m33"}}, {"solution", []string{"solution"}},
		{"hessian", []string{"hessian"}}, {"size", []string{"size"}},
	} {
		if i := slices.IndexFunc(k.keys, s.Has); i >= 0 && (m.Adapts || k.kind != "size") {
			if kinds = append(kinds, k.kind); len(kinds) == 2 {
				s.Fail(k.keys[i], "cannot be combined with the keys of %s; give one kind of metric", kinds[0])
			}
		}
	}
	switch {
	case len(kinds) == 0:
		return fallback
	case len(kinds) > 1:
		return ""
	case kinds[0] == "field":
		return s.Choice("field", config.Required, named...)
	}
	return kinds[0]
}

// maxSamples is the largest number of nodes along a side of the solver's grids.
const maxSamples = 1 << 13

// Space reports whether expressions give a metric in space.
func (m *Metric) Space() bool { return (m.Field == "sizes" || m.Field == "tensor") && len(m.Parts) > 3 }

// Eval returns the metric's expressions at a position.
func (m *Metric) Eval(x, y, z float64) (v [6]float64, err error) {
	for i := range m.Parts {
		if v[i], err = m.Parts[i].Program.Eval(x, y, z, 0); err != nil {
			return v, err
		}
	}
	return v, nil
}

func (m *Metric) Print(p *config.Printer) {
	p.Section("[metric]")
	m.keys(p.Print)
}
