package request

import (
	"slices"

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
	Curvature  float64 // least second derivative relative to the largest; smaller ones are raised to it; 0.003
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
func Decode(s *config.Section, fallback string) Metric {
	m := Metric{Waves: 1}
	m.decode(s, fallback)
	s.Read(config.Flag("rescale", &m.Rescale, true, "scale the metric so that it requires as many cells as the mesh has"))
	m.Samples = int(s.Integer("samples", m.defaultSamples(), 0, maxSamples))
	if n := m.Samples; n == 1 || n&(n-1) != 0 {
		s.Fail("samples", "%d is not a power of two from 2 on", n)
	}
	m.check(s)
	s.Finish()
	return m
}

// DecodeAdaptive reads the section of a solver that changes the number of cells. It has the keys size and target
// instead of samples and rescale.
func DecodeAdaptive(s *config.Section) Metric {
	m := Metric{Adapts: true, Waves: 1}
	m.decode(s, "implied")
	s.Know("size")
	m.Target = int(s.Integer("target", 0, 0, 1<<31-1))
	if m.Target > 0 && m.Complexity > 0 {
		s.Fail("target", "cannot be combined with complexity; give one of them")
	}
	m.check(s)
	s.Finish()
	return m
}

// decode reads the keys that both kinds of solvers have.
func (m *Metric) decode(s *config.Section, fallback string) {
	for _, k := range described {
		s.Read(config.Special(k, nil, func() any { return nil }))
	}
	m.Field = m.kind(s, fallback)
	m.decodeKind(s)
	m.decodeBounds(s)
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

// described are the keys of all kinds of metrics, with what they mean.
var described = []config.Key{
	{Name: "field", Kind: config.OneOf, Options: []string{"uniform", "implied", "linear", "sinusoidal", "ugawg-linear"},
		Doc: "a metric by its name", Default: "`implied`; to untangle `uniform`"},
	{Name: "low", Kind: config.Number, Bound: config.Positive, Doc: "of `linear` and `sinusoidal`: the size at one end, m",
		Default: with},
	{Name: "high", Kind: config.Number, Bound: config.Positive, Doc: "the size at the other end, m", Default: with},
	{Name: "waves", Kind: config.Number, Bound: config.Bound{AboveLeast: true, Most: 1000},
		Doc: "of `sinusoidal`: waves across the mesh", Default: "1"},
	{Name: "width", Kind: config.FieldOrSeries, Doc: "size along the first axis of the metric, m: an expression of the " +
		"position"},
	{Name: "height", Kind: config.FieldOrSeries, Doc: "size along the second axis, m"},
	{Name: "angle", Kind: config.FieldOrSeries, Doc: "degrees from the x axis to the first axis", Default: "0"},
	{Name: "depth", Kind: config.FieldOrSeries, Doc: "size along z, m, of tetrahedra"},
	{Name: "m11", Kind: config.FieldOrSeries, Doc: "a component of the tensor, m⁻²: an expression of the position"},
	{Name: "m12", Kind: config.FieldOrSeries, Doc: "see `m11`", Default: "0"},
	{Name: "m22", Kind: config.FieldOrSeries, Doc: "see `m11`"},
	{Name: "m13", Kind: config.FieldOrSeries, Doc: "of tetrahedra, see `m11`", Default: "0"},
	{Name: "m23", Kind: config.FieldOrSeries, Doc: "of tetrahedra, see `m11`", Default: "0"},
	{Name: "m33", Kind: config.FieldOrSeries, Doc: "of tetrahedra, see `m11`"},
	{Name: "solution", Kind: config.Text, Doc: "a Medit `.sol` or `.solb` of sizes or tensors at vertices"},
	{Name: "background", Kind: config.Text, Doc: "the mesh of `solution`", Default: "the mesh itself"},
	{Name: "hessian", Kind: config.FieldOrSeries, Doc: "a field, for whose linear interpolation the metric is optimal: " +
		"an expression, or `{ mesh = \"NAME\" }`"},
	{Name: "also", Kind: config.FieldOrSeries, Doc: "with `hessian`: a second field, with whose metric the first one is " +
		"intersected"},
	{Name: "norm", Kind: config.Number, Bound: config.Bound{Least: 1, Most: 1e6}, Doc: "with `hessian`: the p of the Lᵖ " +
		"norm of the interpolation error", Default: "2"},
	{Name: "complexity", Kind: config.Number, Bound: config.NonNegative, Doc: "with `hessian`: ∫√det M",
		Default: "that of the mesh"},
	{Name: "curvature", Kind: config.Number, Bound: config.Bound{Most: 1}, Doc: "with `hessian`: least second " +
		"derivative, relative to the largest", Default: "0.003"},
	{Name: "rounds", Kind: config.Integer, Bound: config.Bound{Least: 1, Most: 100}, Doc: "with `hessian`: recoveries " +
		"of second derivatives", Default: "3 for expressions, otherwise 1"},
	{Name: "hmin", Kind: config.Number, Bound: config.NonNegative, Doc: "least size, m; 0: no bound", Default: "0"},
	{Name: "hmax", Kind: config.Number, Bound: config.NonNegative, Doc: "largest size, m; 0: no bound", Default: "0"},
	{Name: "aspect", Kind: config.Number, Bound: config.NonNegative, Doc: "largest ratio of the sizes at a position, 1 " +
		"or more; 0: no bound", Default: "0"},
	{Name: "gradation", Kind: config.Number, Bound: config.NonNegative, Doc: "largest growth of sizes between vertices, " +
		"per unit of length, above 1; 0: no bound", Default: "0"},
	{Name: "samples", Kind: config.Integer, Bound: config.Bound{Most: maxSamples}, Doc: "nodes along a side of the grid " +
		"on which expressions are evaluated, a power of two; 0: they are evaluated at vertices",
		Default: "512, of tetrahedra 64; with `gradation` 0"},
}

const with = "required with these"

// decodeKind reads the keys of a kind of metric.
func (m *Metric) decodeKind(s *config.Section) {
	switch m.Field {
	case "size":
		m.Size = s.Number("size", config.Positive)
	case "sizes":
		m.Parts = []config.Field{s.Expression("width", config.Required), s.Expression("height", config.Required),
			s.Expression("angle", "0")}
		if s.Has("depth") {
			m.Parts = append(m.Parts, s.Expression("depth", config.Required))
		}
	case "tensor":
		m.Parts = []config.Field{s.Expression("m11", config.Required), s.Expression("m12", "0"),
			s.Expression("m22", config.Required)}
		if s.Has("m13") || s.Has("m23") || s.Has("m33") {
			m.Parts = append(m.Parts, s.Expression("m13", "0"), s.Expression("m23", "0"), s.Expression("m33", config.Required))
		}
	case "hessian":
		m.Parts = []config.Field{s.Field("hessian", config.Required, nil, "")}
		if s.Has("also") {
			m.Parts = append(m.Parts, s.Field("also", config.Required, nil, ""))
		}
		for _, f := range m.Parts {
			if f.Rasters != nil || f.Polygons != nil {
				s.Fail(f.Name, "must be an expression or { mesh = \"…\" }")
			}
		}
		m.Norm = s.Number("norm", config.Bound{Least: 1, Most: 1e6, Fallback: 2, Optional: true})
		m.Complexity = s.Number("complexity", config.NonNegative.Or(0))
		m.Curvature = s.Number("curvature", config.Bound{Most: 1, Fallback: 0.003, Optional: true})
		m.Rounds = m.decodeRounds(s)
	case "solution":
		m.Solution, m.Background = s.Text("solution", config.Required), s.Text("background", "")
	}
	if m.Field == "linear" || m.Field == "sinusoidal" {
		m.Low, m.High = s.Number("low", config.Positive), s.Number("high", config.Positive)
	}
	if m.Field == "sinusoidal" {
		m.Waves = s.Number("waves", config.Bound{Least: 0, AboveLeast: true, Most: 1000, Fallback: 1, Optional: true})
	}
}

// decodeBounds reads the bounds of sizes.
func (m *Metric) decodeBounds(s *config.Section) {
	m.HMin, m.HMax = s.Number("hmin", config.NonNegative.Or(0)), s.Number("hmax", config.NonNegative.Or(0))
	m.Aspect, m.Gradation = s.Number("aspect", config.NonNegative.Or(0)), s.Number("gradation", config.NonNegative.Or(0))
	if m.HMax > 0 && m.HMin > m.HMax {
		s.Fail("hmin", "%g is above hmax = %g", m.HMin, m.HMax)
	}
	if m.Aspect != 0 && m.Aspect < 1 {
		s.Fail("aspect", "%g must be 1 or more, or 0 for no bound", m.Aspect)
	}
	if m.Gradation != 0 && m.Gradation <= 1 {
		s.Fail("gradation", "%g must be above 1, or 0 for no bound", m.Gradation)
	}
}

// decodeRounds reads how often second derivatives are recovered: once for data at vertices, which cannot be evaluated
// at the positions to which vertices move.
func (m *Metric) decodeRounds(s *config.Section) int {
	most := int64(3)
	for k := range m.Parts {
		if m.Parts[k].Mesh != "" {
			most = 1
		}
	}
	rounds := s.Integer("rounds", most, 1, 100)
	if most == 1 && rounds > 1 {
		s.Fail("rounds", "%d: data at vertices are unknown where vertices move to; give 1, compute the data again on the "+
			"smoothed mesh, and smooth that mesh", rounds)
	}
	return int(rounds)
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
		return s.Choice("field", config.Required, "uniform", "implied", "linear", "sinusoidal", "ugawg-linear")
	}
	return kinds[0]
}

// check refuses keys that do not apply to the kind of metric.
func (m *Metric) check(s *config.Section) {
	if m.Field == "" {
		return
	}
	varies := m.Field == "linear" || m.Field == "sinusoidal"
	const bounded = "expressions, implied, solution and hessian"
	free := m.Field != "size" && m.Field != "uniform" && m.Field != "ugawg-linear" && !varies
	for _, k := range []struct {
		key     string
		belongs bool
		kind    string
	}{
		{"low", varies, "linear and sinusoidal"}, {"high", varies, "linear and sinusoidal"},
		{"waves", m.Field == "sinusoidal", "sinusoidal"}, {"background", m.Field == "solution", "solution"},
		{"also", m.Field == "hessian", "hessian"}, {"norm", m.Field == "hessian", "hessian"},
		{"complexity", m.Field == "hessian", "hessian"}, {"curvature", m.Field == "hessian", "hessian"},
		{"rounds", m.Field == "hessian", "hessian"},
		{"hmin", free, bounded}, {"hmax", free, bounded}, {"aspect", free, bounded},
		{"gradation", m.Nodal() || m.Adapts && free, "implied, solution, hessian, and expressions with samples = 0"},
		{"samples", len(m.Parts) > 0 && m.Field != "hessian" || !free, "expressions and named fields"},
	} {
		if s.Has(k.key) && !k.belongs {
			s.Fail(k.key, "does not belong to a metric of kind %s, but to %s", m.Field, k.kind)
		}
	}
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
	switch m.Field {
	case "uniform", "implied", "linear", "sinusoidal", "ugawg-linear":
		p.Pair("field", m.Field)
	case "solution":
		p.Pair("solution", m.Solution)
		if m.Background != "" {
			p.Pair("background", m.Background)
		}
	}
	if m.Low > 0 {
		p.Pair("low", m.Low)
		p.Pair("high", m.High)
	}
	if m.Field == "sinusoidal" {
		p.Pair("waves", m.Waves)
	}
	for _, f := range m.Parts {
		p.Pair(f.Name, f)
	}
	if m.Field == "hessian" {
		p.Pair("norm", m.Norm)
		p.Pair("complexity", m.Complexity)
		p.Pair("curvature", m.Curvature)
		p.Pair("rounds", m.Rounds)
	}
	for _, k := range []struct {
		key   string
		value float64
	}{{"hmin", m.HMin}, {"hmax", m.HMax}, {"aspect", m.Aspect}, {"gradation", m.Gradation}} {
		if k.value > 0 {
			p.Pair(k.key, k.value)
		}
	}
	if m.Adapts {
		if m.Size > 0 {
			p.Pair("size", m.Size)
		}
		p.Pair("target", m.Target)
		return
	}
	if m.Field != "solution" && m.Field != "hessian" {
		p.Pair("samples", m.Samples)
	}
	p.Pair("rescale", m.Rescale)
}
