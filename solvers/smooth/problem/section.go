package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
)

// Sections holds the sections of solver "smooth": a mesh whose vertices move toward what a metric asks for.
type Sections struct {
	Mesh   config.Mesh // Order is that of the vertices of a set
	Metric Metric
	Method Method
	Stop   Stop
}

// Method is the section [method] of solver "smooth".
type Method struct {
	Smoother  string  // barrier; package solvers/smooth tells what each does
	Sweeps    int     // the most that are made; 200 for barrier, which ends by itself, and 100 for others
	Relax     float64 // ω, in (0, 2); what the literature has: 0.5 for pain, 1 for others; 0 for what barrier chooses
	Guard     string  // none, halve or clip; halve
	Boundary  string  // slide or fixed; slide
	Ridge     float64 // degrees by which a boundary turns at ridges and corners, which stay; 45; 0: all are that turn
	Colouring string  // jones-plassmann or first-fit; jones-plassmann
	Dedicated bool    // vertices of the boundary form sets of their own; false
	Deep      bool    // ghosts that let a whole sweep go by with one exchange; false
	Cull      bool    // visit only vertices around which something has moved; false
	Settled   float64 // length of a move, in the metric, that counts as none, in [0, 1); 0
	Gain      float64 // least rise of the worst quality that is worth a move, in [0, 1); 1e-6
	Floor     float64 // hybrid optimises below this quality, in [0, 1]; 0 for the mean, of tetrahedra half of it
	Untangle  bool    // mend triangles that are inverted or flat before the sweeps; false
	Precision string  // float32 or float64; float64
	Force     bool    // write a mesh that is worse than the one that was read; false
}

// Stop is the section [stop] of solver "smooth": rules to end by before all sweeps are made. 0 switches one off.
type Stop struct {
	Every   int     // sweeps between two checks of the rules; 10
	Move    float64 // no vertex moves by more in a sweep, in the metric
	Mean    float64 // the mean quality is this or more
	Worst   float64 // the worst quality is
	Advance float64 // neither the mean nor the worst quality has risen by as much since the last check
}

// vertexOrders are those of the vertices within a set.
var vertexOrders = []string{"hilbert", "natural", "random"}

// Decode reads a case of solver "smooth".
func Decode(root *config.Section, c *config.Case) {
	w := &Sections{Mesh: config.DecodeMeshOf(root.Sub("mesh"), vertexOrders, "rectangle", "delaunay", "box")}
	w.Metric = decodeMetric(root.Sub("metric"))
	w.Method = decodeMethod(root.Sub("method"))
	w.Stop = decodeStop(root.Sub("stop"))
	c.Sections = w
	c.Output = config.DecodeOutput(root.Sub("output"), c.Name, config.Outputs{
		Fields: solvers.FieldNames(fields), Default: []string{"quality"},
		Formats: []string{"vtu"}, Sweeps: true, Mesh: true,
	})
}

func decodeMethod(s *config.Section) Method {
	m := Method{
		Smoother:  s.Choice("smoother", "barrier", "pain", "pain-exact", "smart", "fjp", "hybrid", "barrier"),
		Guard:     s.Choice("guard", "halve", "none", "halve", "clip"),
		Boundary:  s.Choice("boundary", "slide", "slide", "fixed"),
		Colouring: s.Choice("colouring", "jones-plassmann", "jones-plassmann", "first-fit"),
		Dedicated: s.Boolean("dedicated", false),
		Deep:      s.Boolean("deep", false),
		Cull:      s.Boolean("cull", false),
		Settled:   s.Number("settled", config.Bound{Most: 1, Under: true, Optional: true}),
		Gain:      s.Number("gain", config.Bound{Most: 1, Under: true, Fallback: 1e-6, Optional: true}),
		Floor:     s.Number("floor", config.Bound{Most: 1, Optional: true}),
		Untangle:  s.Boolean("untangle", false),
		Precision: s.Choice("precision", "float64", "float32", "float64"),
		Force:     s.Boolean("force", false),
	}
	m.Ridge = s.Number("ridge", config.Bound{Most: 90, Optional: true, Fallback: 45})
	if !m.bends() {
		m.Ridge = 0
	}
	sweeps := int64(100)
	if m.Smoother == "barrier" {
		sweeps = 200
	}
	m.Sweeps = int(s.Integer("sweeps", sweeps, 0, 10_000_000))
	relax := config.Bound{Least: 0, Most: 2, Open: true, Under: true, Optional: true, Fallback: 1}
	switch m.Smoother {
	case "pain":
		relax.Fallback = 0.5
	case "barrier":
		relax.Fallback = 0
	}
	m.Relax = s.Number("relax", relax)
	for _, k := range m.keys() {
		if s.Has(k.key) && !k.belongs {
			s.Fail(k.key, "does nothing with %s: it is for %s", k.with, k.of)
		}
	}
	s.Finish()
	return m
}

// methodKey tells whether a key of [method] counts for the method that the others make, and for which it does.
type methodKey struct {
	key      string
	belongs  bool
	with, of string
}

// bends tells whether vertices may slide on curved boundaries.
func (m *Method) bends() bool { return m.Smoother == "barrier" && m.Boundary == "slide" && !m.Untangle }

// keys are those that count for some methods only.
func (m *Method) keys() []methodKey {
	smoother := "smoother = \"" + m.Smoother + "\""
	looks := m.Smoother == "smart" || m.Smoother == "fjp" || m.Smoother == "hybrid"
	return []methodKey{
		{"relax", m.Smoother != "fjp", smoother, "all others"},
		{"guard", !looks && m.Smoother != "barrier", smoother, "pain and pain-exact; the others turn nothing over"},
		{"cull", m.Smoother != "barrier", smoother, "all others"},
		{"gain", looks, smoother, "smart, fjp and hybrid"},
		{"floor", m.Smoother == "hybrid", smoother, "hybrid"},
		{"ridge", m.bends(), fmt.Sprintf("%s, boundary = %q and untangle = %v", smoother, m.Boundary, m.Untangle),
			"barrier, slide and false"},
		{"settled", m.Cull, "cull = false", "cull = true"},
	}
}

func decodeStop(s *config.Section) Stop {
	quality := config.Bound{Least: 0, Most: 1, Optional: true}
	r := Stop{
		Every: int(s.Integer("every", 10, 1, 1<<30)), Move: s.Number("move", config.NonNegative.Or(0)),
		Mean: s.Number("mean", quality), Worst: s.Number("worst", quality), Advance: s.Number("advance", quality),
	}
	s.Finish()
	return r
}

func (w *Sections) Print(p *config.Printer) {
	w.Mesh.Print(p)
	w.Metric.Print(p)
	a := w.Method
	p.Section("[method]")
	idle := map[string]bool{}
	for _, k := range a.keys() {
		idle[k.key] = !k.belongs
	}
	idle["relax"] = idle["relax"] || a.Relax == 0
	for _, k := range []struct {
		key   string
		value any
	}{
		{"smoother", a.Smoother}, {"sweeps", a.Sweeps}, {"relax", a.Relax}, {"guard", a.Guard}, {"boundary", a.Boundary},
		{"ridge", a.Ridge},
		{"colouring", a.Colouring}, {"dedicated", a.Dedicated}, {"deep", a.Deep}, {"cull", a.Cull},
		{"settled", a.Settled}, {"gain", a.Gain}, {"floor", a.Floor}, {"untangle", a.Untangle}, {"precision", a.Precision},
		{"force", a.Force},
	} {
		if !idle[k.key] {
			p.Pair(k.key, k.value)
		}
	}
	p.Section("[stop]")
	p.Pair("every", w.Stop.Every)
	p.Pair("move", w.Stop.Move)
	p.Pair("mean", w.Stop.Mean)
	p.Pair("worst", w.Stop.Worst)
	p.Pair("advance", w.Stop.Advance)
}
