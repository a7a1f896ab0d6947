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

	Samples int  // nodes along a side of a grid with bilinear interpolation, a power of two; 0 for no grid
	Rescale bool // scale the metric so that it requires as many cells as the mesh has; true
}

// Nodal reports whether the metric is given at the vertices of a mesh.
func (m *Metric) Nodal() bool {
	switch m.Field {
	case "implied", "solution", "hessian":
		return true
	}
	return len(m.Parts) > 0 && m.Samples == 0
}

// Decode reads
//
//	field                  implied (the default; for untangling uniform), uniform, linear, sinusoidal or ugawg-linear;
//	                       other kinds are recognised by their keys
//	low, high, waves       of linear and sinusoidal
//	width, height, angle   expressions over x and y, and over z in space, with depth
//	m11, m12, m22          the same, with m13, m23 and m33
//	solution, background   files
//	hessian, also, norm, complexity, curvature, rounds
//	hmin, hmax, aspect     bounds of implied, solution, hessian and expressions
//	gradation              of metrics at vertices: implied, solution, hessian, and expressions without samples
//	samples, rescale
func Decode(s *config.Section, fallback string) Metric {
	m := Metric{Rescale: s.Boolean("rescale", true), Waves: 1}
	s.Know("field", "low", "high", "waves", "width", "height", "angle", "depth", "m11", "m12", "m22",
		"m13", "m23", "m33", "solution", "background",
		"hessian", "also", "norm", "complexity", "curvature", "rounds", "hmin", "hmax", "aspect", "gradation", "samples")
	m.Field = metricKind(s, fallback)
	samples := m.decodeKind(s)
	m.decodeBounds(s)
	if m.Gradation > 0 { // of sizes at vertices
		samples = 0
	}
	m.Samples = int(s.Integer("samples", samples, 0, maxSamples))
	if n := m.Samples; n == 1 || n&(n-1) != 0 {
		s.Fail("samples", "%d is not a power of two from 2 on", n)
	}
	metricKeys(s, &m)
	s.Finish()
	return m
}

// decodeKind reads the keys of a kind of metric, and returns the default of samples.
func (m *Metric) decodeKind(s *config.Section) (fallback int64) {
	switch m.Field {
	case "sizes":
		fallback = 512
		m.Parts = []config.Field{s.Expression("width", config.Required), s.Expression("height", config.Required),
			s.Expression("angle", "0")}
		if s.Has("depth") {
			fallback = 64
			m.Parts = append(m.Parts, s.Expression("depth", config.Required))
		}
	case "tensor":
		fallback = 512
		m.Parts = []config.Field{s.Expression("m11", config.Required), s.Expression("m12", "0"),
			s.Expression("m22", config.Required)}
		if s.Has("m13") || s.Has("m23") || s.Has("m33") {
			fallback = 64
			m.Parts = append(m.Parts, s.Expression("m13", "0"), s.Expression("m23", "0"), s.Expression("m33", config.Required))
		}
	case "hessian":
		m.Parts = []config.Field{s.Field("hessian", config.Required, nil, "")}
		if s.Has("also") {
			m.Parts = append(m.Parts, s.Field("also", config.Required, nil, ""))
		}
		for _, f := range m.Parts {
			if f.Rasters != nil {
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
	return fallback
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

// metricKind returns the kind of a metric from its keys: fallback if they determine none, "" if they determine several.
func metricKind(s *config.Section, fallback string) string {
	kinds := []string{}
	for _, k := range []struct {
		kind string
		keys []string
	}{
		{"field", []string{"field"}}, {"sizes", []string{"width", "height", "angle", "depth"}},
		{"tensor", []string{"m11", "m12", "m22", "m13", "m23", "m33"}}, {"solution", []string{"solution"}},
		{"hessian", []string{"hessian"}},
	} {
		if i := slices.IndexFunc(k.keys, s.Has); i >= 0 {
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

// metricKeys refuses keys that do not apply to a kind of metric.
func metricKeys(s *config.Section, m *Metric) {
	if m.Field == "" {
		return
	}
	varies := m.Field == "linear" || m.Field == "sinusoidal"
	const bounded = "expressions, implied, solution and hessian"
	free := m.Field != "uniform" && m.Field != "ugawg-linear" && !varies
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
		{"gradation", m.Nodal(), "implied, solution, hessian, and expressions with samples = 0"},
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
	if m.Field != "solution" && m.Field != "hessian" {
		p.Pair("samples", m.Samples)
	}
	p.Pair("rescale", m.Rescale)
}
