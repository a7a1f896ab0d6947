package config

// Smooth holds the sections of solver "smooth": a mesh whose vertices move toward what a metric asks for.
type Smooth struct {
	Mesh   Mesh // Order is that of the vertices of a set
	Metric Metric
	Method SmoothMethod
	Stop   SmoothStop
}

// SmoothMethod is the section [method] of solver "smooth".
type SmoothMethod struct {
	Smoother  string  // pain-exact; package solvers/smooth tells what each does
	Sweeps    int     // the most that are made; 100
	Relax     float64 // ω, in (0, 2); 0, which is what the literature has for the smoother
	Guard     string  // none, halve or clip; halve
	Boundary  string  // slide or fixed; slide
	Colouring string  // jones-plassmann or first-fit; jones-plassmann
	Dedicated bool    // vertices of the boundary form sets of their own; false
	Deep      bool    // ghosts that let a whole sweep go by with one exchange; false
	Cull      bool    // visit only vertices around which something has moved; false
	Settled   float64 // length of a move, in the metric, that counts as none, in [0, 1); 0
	Gain      float64 // least rise of the worst quality that is worth a move, in [0, 1); 1e-6
	Floor     float64 // hybrid optimises below this quality, in [0, 1]; 0 for the mean
	Precision string  // float32 or float64; float64
}

// SmoothStop is the section [stop] of solver "smooth": rules to end by before all sweeps are made. 0 switches one off.
type SmoothStop struct {
	Every   int     // sweeps between two looks at the rules; 10
	Move    float64 // no vertex moves by more in a sweep, in the metric
	Mean    float64 // the mean quality is this or more
	Worst   float64 // the worst quality is
	Advance float64 // the mean quality has risen by less since the last look
}

// Metric is the section [metric] of solver "smooth".
type Metric struct {
	Field     string  // uniform, linear, sinusoidal, sizes or tensor
	Low, High float64 // of linear and sinusoidal: the sizes between which width and height vary
	Waves     float64 // of sinusoidal, across the mesh; 1

	// Parts are the expressions of sizes, width, height and angle, in degrees from the x axis to the direction of the
	// width, or those of tensor, m11, m12 and m22.
	Parts []Field

	Samples int  // nodes a side of a grid between which the metric is bilinear, a power of two; 0 for none
	Rescale bool // scale the metric so that the mesh has as many triangles as it asks for; true
}

// vertexOrders are those of the vertices within a set.
var vertexOrders = []string{"hilbert", "natural", "random"}

func decodeSmooth(root *section, c *Case) {
	w := &Smooth{Mesh: decodeMeshOf(root.section("mesh"), vertexOrders)}
	w.Metric = decodeMetric(root.section("metric"))
	w.Method = decodeSmoothMethod(root.section("method"))
	w.Stop = decodeSmoothStop(root.section("stop"))
	c.Sections = w
	c.Output = decodeOutput(root.section("output"), c.Name, written{
		fields: []string{"quality", "area"}, usual: []string{"quality"}, formats: []string{"vtu"}, sweeps: true,
	})
}

// decodeMetric reads
//
//	field     uniform, linear, sinusoidal; or sizes or tensor, by the keys below
//	low, high of linear and sinusoidal
//	waves     of sinusoidal
//	width, height, angle   expressions over x and y
//	m11, m12, m22          the same
//	samples, rescale
func decodeMetric(s *section) Metric {
	m := Metric{Rescale: s.boolean("rescale", true), Waves: 1}
	sizes, tensor := s.has("width") || s.has("height") || s.has("angle"), s.has("m11") || s.has("m12") || s.has("m22")
	kinds := []string{"uniform", "linear", "sinusoidal"}
	s.know("field", "low", "high", "waves", "samples", "width", "height", "angle", "m11", "m12", "m22")
	fallback := int64(0)
	switch {
	case sizes && tensor:
		s.fail("m11", "cannot be with width, height and angle; give sizes or a tensor, not both")
	case (sizes || tensor) && s.has("field"):
		s.fail("field", "cannot be with expressions; leave one of them out")
	case sizes:
		m.Field, fallback = "sizes", 512
		m.Parts = []Field{s.field("width", required, nil, false), s.field("height", required, nil, false),
			s.field("angle", "0", nil, false)}
	case tensor:
		m.Field, fallback = "tensor", 512
		m.Parts = []Field{s.field("m11", required, nil, false), s.field("m12", "0", nil, false),
			s.field("m22", required, nil, false)}
	case !s.has("field"):
		s.fail("", `needs field = "uniform", "linear" or "sinusoidal", or expressions: width and height, or m11, m12 and m22`)
	default:
		m.Field = s.choice("field", required, kinds...)
	}
	for _, f := range m.Parts {
		if f.Program == nil && (f.Raster != "" || f.Mesh != "") {
			s.fail(f.Name, "must be a number or an expression")
		}
	}
	varies := m.Field == "linear" || m.Field == "sinusoidal"
	if varies {
		m.Low, m.High = s.number("low", positive), s.number("high", positive)
	}
	if m.Field == "sinusoidal" {
		m.Waves = s.number("waves", bound{least: 0, open: true, most: 1000, fallback: 1, optional: true})
	}
	for _, key := range []string{"low", "high", "waves"} {
		if belongs := varies && (key != "waves" || m.Field == "sinusoidal"); s.has(key) && !belongs && m.Field != "" {
			s.fail(key, "does not belong to a metric of kind %s", m.Field)
		}
	}
	m.Samples = int(s.integer("samples", fallback, 0, maxSamples))
	if n := m.Samples; n == 1 || n&(n-1) != 0 {
		s.fail("samples", "%d is not a power of two from 2 on", n)
	}
	if n := m.Samples; n == 0 && len(m.Parts) > 0 {
		s.fail("samples", "0 is for metrics without expressions; these are sampled")
	}
	s.finish()
	return m
}

// maxSamples is how many nodes a side the solver's grids may have.
const maxSamples = 1 << 13

func decodeSmoothMethod(s *section) SmoothMethod {
	below1 := bound{least: 0, most: 1, optional: true}
	m := SmoothMethod{
		Smoother: s.choice("smoother", "pain-exact", "laplacian", "pain", "pain-newton", "pain-exact", "smart", "fjp",
			"hybrid"),
		Sweeps:    int(s.integer("sweeps", 100, 0, 10_000_000)),
		Relax:     s.number("relax", bound{least: 0, most: 2, optional: true}),
		Guard:     s.choice("guard", "halve", "none", "halve", "clip"),
		Boundary:  s.choice("boundary", "slide", "slide", "fixed"),
		Colouring: s.choice("colouring", "jones-plassmann", "jones-plassmann", "first-fit"),
		Dedicated: s.boolean("dedicated", false),
		Deep:      s.boolean("deep", false),
		Cull:      s.boolean("cull", false),
		Settled:   s.number("settled", below1),
		Gain:      s.number("gain", bound{least: 0, most: 1, fallback: 1e-6, optional: true}),
		Floor:     s.number("floor", below1),
		Precision: s.choice("precision", "float64", "float32", "float64"),
	}
	for _, v := range []struct {
		key         string
		value, most float64
	}{{"relax", m.Relax, 2}, {"settled", m.Settled, 1}, {"gain", m.Gain, 1}} {
		if v.value == v.most {
			s.fail(v.key, "%g must be below %[1]g", v.value)
		}
	}
	s.finish()
	return m
}

func decodeSmoothStop(s *section) SmoothStop {
	quality := bound{least: 0, most: 1, optional: true}
	r := SmoothStop{
		Every: int(s.integer("every", 10, 1, 1<<30)), Move: s.number("move", nonNegative.or(0)),
		Mean: s.number("mean", quality), Worst: s.number("worst", quality), Advance: s.number("advance", quality),
	}
	s.finish()
	return r
}

// Eval returns the metric's expressions at a place.
func (m *Metric) Eval(x, y float64) (v [3]float64, err error) {
	for i := range m.Parts {
		if v[i], err = m.Parts[i].Program.Eval(x, y, 0, 0); err != nil {
			return v, err
		}
	}
	return v, nil
}

func (w *Smooth) print(p *printer) {
	w.Mesh.print(p)
	m := w.Metric
	p.section("[metric]")
	if len(m.Parts) == 0 {
		p.pair("field", m.Field)
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
	p.pair("samples", m.Samples)
	p.pair("rescale", m.Rescale)
	a := w.Method
	p.section("[method]")
	p.pair("smoother", a.Smoother)
	p.pair("sweeps", a.Sweeps)
	p.pair("relax", a.Relax)
	p.pair("guard", a.Guard)
	p.pair("boundary", a.Boundary)
	p.pair("colouring", a.Colouring)
	p.pair("dedicated", a.Dedicated)
	p.pair("deep", a.Deep)
	p.pair("cull", a.Cull)
	p.pair("settled", a.Settled)
	p.pair("gain", a.Gain)
	p.pair("floor", a.Floor)
	p.pair("precision", a.Precision)
	p.section("[stop]")
	p.pair("every", w.Stop.Every)
	p.pair("move", w.Stop.Move)
	p.pair("mean", w.Stop.Mean)
	p.pair("worst", w.Stop.Worst)
	p.pair("advance", w.Stop.Advance)
}
