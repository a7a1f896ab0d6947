package config

import "slices"

// Metric is the section [metric] of solver "smooth".
type Metric struct {
	Field     string  // uniform, linear, sinusoidal, ugawg-linear, sizes, tensor, solution or hessian
	Low, High float64 // of linear and sinusoidal: the sizes between which width and height vary
	Waves     float64 // of sinusoidal, across the mesh; 1

	// Parts are the expressions of sizes, width, height and angle, in degrees from the x axis to the direction of the
	// width, and in space depth, along z; those of tensor, m11, m12 and m22, and in space m13, m23 and m33; or the
	// field of hessian, whose second derivatives the metric follows, and that of also, with whose metric it is
	// intersected: an expression or vertex data of the mesh.
	Parts      []Field
	Solution   string  // a Medit file (.sol, .solb) of sizes or tensors at the vertices of Background
	Background string  // a mesh file; "" for the mesh that is smoothed
	Norm       float64 // p of the Lp norm whose interpolation error the metric of a hessian makes least; 2
	Complexity float64 // ∫√det M of the metric of a hessian; 0 for what the mesh's triangles make

	HMin, HMax float64 // bounds of sizes; 0 for none
	Aspect     float64 // largest by least size at a place; 0 for no bound
	Gradation  float64 // most growth of sizes along a unit of length, above 1; 0 for no bound

	Samples int  // nodes a side of a grid between which the metric is bilinear, a power of two; 0 for none
	Rescale bool // scale the metric so that the mesh has as many triangles as it asks for; true
}

// Nodal tells whether the metric is given at the vertices of a mesh.
func (m *Metric) Nodal() bool {
	switch m.Field {
	case "solution", "hessian":
		return true
	}
	return len(m.Parts) > 0 && m.Samples == 0
}

// decodeMetric reads
//
//	field                  uniform, linear, sinusoidal or ugawg-linear; other kinds are told by their keys
//	low, high, waves       of linear and sinusoidal
//	width, height, angle   expressions over x and y, and over z in space, with depth
//	m11, m12, m22          the same, with m13, m23 and m33
//	solution, background   files
//	hessian, also, norm, complexity
//	hmin, hmax, aspect     bounds of solution, hessian and expressions
//	gradation              of metrics at vertices: solution, hessian, and expressions without samples
//	samples, rescale
func decodeMetric(s *section) Metric {
	m := Metric{Rescale: s.boolean("rescale", true), Waves: 1}
	s.know("field", "low", "high", "waves", "width", "height", "angle", "depth", "m11", "m12", "m22",
		"m13", "m23", "m33", "solution", "background",
		"hessian", "also", "norm", "complexity", "hmin", "hmax", "aspect", "gradation", "samples")
	m.Field = s.metricKind()
	fallback := int64(0)
	switch m.Field {
	case "sizes":
		fallback = 512
		m.Parts = []Field{s.expression("width", required), s.expression("height", required), s.expression("angle", "0")}
		if s.has("depth") {
			fallback = 64
			m.Parts = append(m.Parts, s.expression("depth", required))
		}
	case "tensor":
		fallback = 512
		m.Parts = []Field{s.expression("m11", required), s.expression("m12", "0"), s.expression("m22", required)}
		if s.has("m13") || s.has("m23") || s.has("m33") {
			fallback = 64
			m.Parts = append(m.Parts, s.expression("m13", "0"), s.expression("m23", "0"), s.expression("m33", required))
		}
	case "hessian":
		m.Parts = []Field{s.field("hessian", required, nil, false)}
		if s.has("also") {
			m.Parts = append(m.Parts, s.field("also", required, nil, false))
		}
		for _, f := range m.Parts {
			if f.Raster != "" {
				s.fail(f.Name, "must be an expression or { mesh = \"…\" }")
			}
		}
		m.Norm = s.number("norm", bound{least: 1, most: 1e6, fallback: 2, optional: true})
		m.Complexity = s.number("complexity", nonNegative.or(0))
	case "solution":
		m.Solution, m.Background = s.text("solution", required), s.text("background", "")
	}
	if m.Field == "linear" || m.Field == "sinusoidal" {
		m.Low, m.High = s.number("low", positive), s.number("high", positive)
	}
	if m.Field == "sinusoidal" {
		m.Waves = s.number("waves", bound{least: 0, open: true, most: 1000, fallback: 1, optional: true})
	}
	m.HMin, m.HMax = s.number("hmin", nonNegative.or(0)), s.number("hmax", nonNegative.or(0))
	m.Aspect, m.Gradation = s.number("aspect", nonNegative.or(0)), s.number("gradation", nonNegative.or(0))
	if m.HMax > 0 && m.HMin > m.HMax {
		s.fail("hmin", "%g is above hmax = %g", m.HMin, m.HMax)
	}
	if m.Aspect != 0 && m.Aspect < 1 {
		s.fail("aspect", "%g must be 1 or more, or 0 for no bound", m.Aspect)
	}
	if m.Gradation != 0 && m.Gradation <= 1 {
		s.fail("gradation", "%g must be above 1, or 0 for no bound", m.Gradation)
	}
	m.Samples = int(s.integer("samples", fallback, 0, maxSamples))
	if n := m.Samples; n == 1 || n&(n-1) != 0 {
		s.fail("samples", "%d is not a power of two from 2 on", n)
	}
	s.metricKeys(&m)
	s.finish()
	return m
}

// metricKind tells the kind of a metric from its keys, "" if they say none or several.
func (s *section) metricKind() string {
	kinds := []string{}
	for _, k := range []struct {
		kind string
		keys []string
	}{
		{"field", []string{"field"}}, {"sizes", []string{"width", "height", "angle", "depth"}},
		{"tensor", []string{"m11", "m12", "m22", "m13", "m23", "m33"}}, {"solution", []string{"solution"}},
		{"hessian", []string{"hessian"}},
	} {
		if i := slices.IndexFunc(k.keys, s.has); i >= 0 {
			if kinds = append(kinds, k.kind); len(kinds) == 2 {
				s.fail(k.keys[i], "cannot be with the keys of %s; give one kind of metric", kinds[0])
			}
		}
	}
	switch {
	case len(kinds) == 0:
		s.fail("", `needs field = "uniform", "linear", "sinusoidal" or "ugawg-linear", expressions (width and height, and `+
			`in space depth; or m11, m12 and m22, and in space m13, m23 and m33), `+
			`solution = "….sol" or hessian = "…"`)
		return ""
	case len(kinds) > 1:
		return ""
	case kinds[0] == "field":
		return s.choice("field", required, "uniform", "linear", "sinusoidal", "ugawg-linear")
	}
	return kinds[0]
}

// metricKeys refuses keys that do not belong to a kind of metric.
func (s *section) metricKeys(m *Metric) {
	if m.Field == "" {
		return
	}
	varies := m.Field == "linear" || m.Field == "sinusoidal"
	free := m.Field != "uniform" && m.Field != "ugawg-linear" && !varies
	for _, k := range []struct {
		key     string
		belongs bool
		to      string
	}{
		{"low", varies, "linear and sinusoidal"}, {"high", varies, "linear and sinusoidal"},
		{"waves", m.Field == "sinusoidal", "sinusoidal"}, {"background", m.Field == "solution", "solution"},
		{"also", m.Field == "hessian", "hessian"}, {"norm", m.Field == "hessian", "hessian"},
		{"complexity", m.Field == "hessian", "hessian"},
		{"hmin", free, "expressions, solution and hessian"}, {"hmax", free, "expressions, solution and hessian"},
		{"aspect", free, "expressions, solution and hessian"},
		{"gradation", m.Nodal(), "solution, hessian, and expressions with samples = 0"},
		{"samples", m.Field != "solution" && m.Field != "hessian", "expressions and named fields"},
	} {
		if s.has(k.key) && !k.belongs {
			s.fail(k.key, "does not belong to a metric of kind %s, but to %s", m.Field, k.to)
		}
	}
}

// maxSamples is how many nodes a side the solver's grids may have.
const maxSamples = 1 << 13

// Space tells whether expressions are of a metric in space.
func (m *Metric) Space() bool { return (m.Field == "sizes" || m.Field == "tensor") && len(m.Parts) > 3 }

// Eval returns the metric's expressions at a place.
func (m *Metric) Eval(x, y, z float64) (v [6]float64, err error) {
	for i := range m.Parts {
		if v[i], err = m.Parts[i].Program.Eval(x, y, z, 0); err != nil {
			return v, err
		}
	}
	return v, nil
}

func (m *Metric) print(p *printer) {
	p.section("[metric]")
	switch m.Field {
	case "uniform", "linear", "sinusoidal", "ugawg-linear":
		p.pair("field", m.Field)
	case "solution":
		p.pair("solution", m.Solution)
		if m.Background != "" {
			p.pair("background", m.Background)
		}
	}
	if m.Low > 0 {
		p.pair("low", m.Low)
		p.pair("high", m.High)
	}
	if m.Field == "sinusoidal" {
		p.pair("waves", m.Waves)
	}
	for _, f := range m.Parts {
		p.pair(f.Name, f)
	}
	if m.Field == "hessian" {
		p.pair("norm", m.Norm)
		p.pair("complexity", m.Complexity)
	}
	for _, k := range []struct {
		key   string
		value float64
	}{{"hmin", m.HMin}, {"hmax", m.HMax}, {"aspect", m.Aspect}, {"gradation", m.Gradation}} {
		if k.value > 0 {
			p.pair(k.key, k.value)
		}
	}
	if m.Field != "solution" && m.Field != "hessian" {
		p.pair("samples", m.Samples)
	}
	p.pair("rescale", m.Rescale)
}
