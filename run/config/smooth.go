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
	Relax     float64 // ω, in (0, 2); what the literature has: 0.5 for pain, 1 for others
	Guard     string  // none, halve or clip; halve
	Boundary  string  // slide or fixed; slide
	Colouring string  // jones-plassmann, first-fit or two-level; jones-plassmann
	Dedicated bool    // vertices of the boundary form sets of their own; false
	Deep      bool    // ghosts that let a whole sweep go by with one exchange; false
	Cull      bool    // visit only vertices around which something has moved; false
	Settled   float64 // length of a move, in the metric, that counts as none, in [0, 1); 0
	Gain      float64 // least rise of the worst quality that is worth a move, in [0, 1); 1e-6
	Floor     float64 // hybrid optimises below this quality, in [0, 1]; 0 for the mean, of tetrahedra half of it
	Untangle  bool    // mend triangles that are turned over or flat before the sweeps; false
	Precision string  // float32 or float64; float64
}

// SmoothStop is the section [stop] of solver "smooth": rules to end by before all sweeps are made. 0 switches one off.
type SmoothStop struct {
	Every   int     // sweeps between two looks at the rules; 10
	Move    float64 // no vertex moves by more in a sweep, in the metric
	Mean    float64 // the mean quality is this or more
	Worst   float64 // the worst quality is
	Advance float64 // neither the mean nor the worst quality has risen by as much since the last look
}

// vertexOrders are those of the vertices within a set.
var vertexOrders = []string{"hilbert", "natural", "random"}

func decodeSmooth(root *section, c *Case) {
	w := &Smooth{Mesh: decodeMeshOf(root.section("mesh"), vertexOrders, "rectangle", "delaunay", "box")}
	w.Metric = decodeMetric(root.section("metric"))
	w.Method = decodeSmoothMethod(root.section("method"))
	w.Stop = decodeSmoothStop(root.section("stop"))
	c.Sections = w
	c.Output = decodeOutput(root.section("output"), c.Name, written{
		fields: []string{"quality", "area", "volume"}, usual: []string{"quality"},
		formats: []string{"vtu"}, sweeps: true, mesh: true,
	})
}

func decodeSmoothMethod(s *section) SmoothMethod {
	m := SmoothMethod{
		Smoother: s.choice("smoother", "pain-exact", "laplacian", "pain", "pain-newton", "pain-exact", "smart", "fjp",
			"hybrid"),
		Sweeps:    int(s.integer("sweeps", 100, 0, 10_000_000)),
		Guard:     s.choice("guard", "halve", "none", "halve", "clip"),
		Boundary:  s.choice("boundary", "slide", "slide", "fixed"),
		Colouring: s.choice("colouring", "jones-plassmann", "jones-plassmann", "first-fit", "two-level"),
		Dedicated: s.boolean("dedicated", false),
		Deep:      s.boolean("deep", false),
		Cull:      s.boolean("cull", false),
		Settled:   s.number("settled", bound{most: 1, under: true, optional: true}),
		Gain:      s.number("gain", bound{most: 1, under: true, fallback: 1e-6, optional: true}),
		Floor:     s.number("floor", bound{most: 1, optional: true}),
		Untangle:  s.boolean("untangle", false),
		Precision: s.choice("precision", "float64", "float32", "float64"),
	}
	relax := bound{least: 0, most: 2, open: true, under: true, optional: true, fallback: 1}
	if m.Smoother == "pain" {
		relax.fallback = 0.5
	}
	m.Relax = s.number("relax", relax)
	for _, k := range m.keys() {
		if s.has(k.key) && !k.belongs {
			s.fail(k.key, "does nothing with %s: it is for %s", k.with, k.of)
		}
	}
	s.finish()
	return m
}

// methodKey tells whether a key of [method] counts for the method that the others make, and for which it does.
type methodKey struct {
	key      string
	belongs  bool
	with, of string
}

// keys are those that count for some methods only.
func (m *SmoothMethod) keys() []methodKey {
	smoother := "smoother = \"" + m.Smoother + "\""
	looks := m.Smoother == "smart" || m.Smoother == "fjp" || m.Smoother == "hybrid"
	return []methodKey{
		{"relax", m.Smoother != "fjp", smoother, "all others"},
		{"guard", !looks, smoother, "laplacian and those of pain; smart, fjp and hybrid turn nothing over"},
		{"gain", looks, smoother, "smart, fjp and hybrid"},
		{"floor", m.Smoother == "hybrid", smoother, "hybrid"},
		{"settled", m.Cull, "cull = false", "cull = true"},
	}
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

func (w *Smooth) print(p *printer) {
	w.Mesh.print(p)
	w.Metric.print(p)
	a := w.Method
	p.section("[method]")
	idle := map[string]bool{}
	for _, k := range a.keys() {
		idle[k.key] = !k.belongs
	}
	for _, k := range []struct {
		key   string
		value any
	}{
		{"smoother", a.Smoother}, {"sweeps", a.Sweeps}, {"relax", a.Relax}, {"guard", a.Guard}, {"boundary", a.Boundary},
		{"colouring", a.Colouring}, {"dedicated", a.Dedicated}, {"deep", a.Deep}, {"cull", a.Cull},
		{"settled", a.Settled}, {"gain", a.Gain}, {"floor", a.Floor}, {"untangle", a.Untangle}, {"precision", a.Precision},
	} {
		if !idle[k.key] {
			p.pair(k.key, k.value)
		}
	}
	p.section("[stop]")
	p.pair("every", w.Stop.Every)
	p.pair("move", w.Stop.Move)
	p.pair("mean", w.Stop.Mean)
	p.pair("worst", w.Stop.Worst)
	p.pair("advance", w.Stop.Advance)
}
