// Package problem makes a run of mesh smoothing from a case or from the arguments of the command atoll smooth: its
// sections, the mesh, its metric, and its output. It registers the kind "smooth".
package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// Sections are the sections of solver "smooth": a mesh whose vertices move to fit a metric.
type Sections struct {
	Mesh   config.Mesh // Order is the order of the vertices within a set
	Metric request.Metric
	Method Method
	Stop   Stop
}

// Method is the section [method] of solver "smooth", see smooth.Config. Defaults follow the semicolons.
type Method struct {
	Smoother  string  // barrier; see package solvers/smooth
	Sweeps    int     // largest number of sweeps; 200 for barrier, which ends by itself, 100 for others
	Relax     float64 // over-relaxation ω, in (0, 2); 0.5 for pain, 1 for others; 0 for the choice of barrier
	Guard     string  // none, halve or clip; halve
	Boundary  string  // slide or fixed; slide
	Ridge     float64 // slide on curved boundaries, except where they turn by more, in degrees; 0
	Colouring string  // jones-plassmann or first-fit; jones-plassmann
	Dedicated bool    // boundary vertices form sets of their own; false
	Deep      bool    // deep halo: one exchange serves a whole sweep; false
	Cull      bool    // visit only vertices with a neighbour that has moved; false
	Settled   float64 // length of a move, in the metric, below which it is ignored, in [0, 1); 0
	Gain      float64 // least gain of the worst quality for which a vertex is moved, in [0, 1); 1e-6
	Floor     float64 // hybrid optimises below this quality, in [0, 1]; 0 for the mean, of tetrahedra half of it
	Untangle  bool    // untangle inverted or flat triangles before the sweeps; false
	Precision string  // float32 or float64; float64
	Force     bool    // write the mesh even if it is worse than the input; false
}

// Stop is the section [stop] of solver "smooth": stopping rules. 0 disables a rule.
type Stop struct {
	Every   int     // sweeps between checks; 10
	Move    float64 // the longest move of a sweep, in the metric, is at most this
	Mean    float64 // the mean quality is at least this
	Worst   float64 // the worst quality is at least this
	Advance float64 // neither the mean nor the worst quality has risen by this since the last check
}

// vertexOrders are the orders of the vertices within a set.
var vertexOrders = []string{"hilbert", "natural", "random"}

// Decode reads a case of solver "smooth".
func Decode(root *config.Section, c *config.Case) {
	w := &Sections{Mesh: config.DecodeMeshOf(root.Sub("mesh"), vertexOrders, "rectangle", "delaunay", "box")}
	w.Method = decodeMethod(root.Sub("method"))
	fallback := "implied"
	if w.Method.Untangle { // sizes of a tangled mesh mean nothing
		fallback = "uniform"
	}
	w.Metric = request.Decode(root.Sub("metric"), fallback)
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
		Settled:   s.Number("settled", config.Bound{Most: 1, BelowMost: true, Optional: true}),
		Gain:      s.Number("gain", config.Bound{Most: 1, BelowMost: true, Fallback: 1e-6, Optional: true}),
		Floor:     s.Number("floor", config.Bound{Most: 1, Optional: true}),
		Untangle:  s.Boolean("untangle", false),
		Precision: s.Choice("precision", "float64", "float32", "float64"),
		Force:     s.Boolean("force", false),
	}
	m.Ridge = s.Number("ridge", config.Bound{Most: 90, Optional: true, Fallback: 0})
	if !m.slidesOnCurves() {
		m.Ridge = 0
	}
	sweeps := int64(100)
	if m.Smoother == "barrier" {
		sweeps = 200
	}
	m.Sweeps = int(s.Integer("sweeps", sweeps, 0, 10_000_000))
	relax := config.Bound{Least: 0, Most: 2, AboveLeast: true, BelowMost: true, Optional: true, Fallback: 1}
	switch m.Smoother {
	case "pain":
		relax.Fallback = 0.5
	case "barrier":
		relax.Fallback = 0
	}
	m.Relax = s.Number("relax", relax)
	for _, k := range m.keys() {
		if s.Has(k.key) && !k.effective {
			s.Fail(k.key, "has no effect with %s: it is for %s", k.setting, k.needs)
		}
	}
	s.Finish()
	return m
}

// methodKey says whether a key of [method] has an effect with the present values of other keys (`setting`), and
// with which values it has one (`needs`).
type methodKey struct {
	key            string
	effective      bool
	setting, needs string
}

// slidesOnCurves reports whether vertices may slide on curved boundaries.
func (m *Method) slidesOnCurves() bool {
	return m.Smoother == "barrier" && m.Boundary == "slide" && !m.Untangle
}

// keys are the keys that have an effect for some methods only.
func (m *Method) keys() []methodKey {
	smoother := "smoother = \"" + m.Smoother + "\""
	usesQuality := m.Smoother == "smart" || m.Smoother == "fjp" || m.Smoother == "hybrid"
	return []methodKey{
		{"relax", m.Smoother != "fjp", smoother, "all others"},
		{"guard", !usesQuality && m.Smoother != "barrier", smoother, "pain and pain-exact; the others invert no cell"},
		{"cull", m.Smoother != "barrier", smoother, "all others"},
		{"gain", usesQuality, smoother, "smart, fjp and hybrid"},
		{"floor", m.Smoother == "hybrid", smoother, "hybrid"},
		{"ridge", m.slidesOnCurves(), fmt.Sprintf("%s, boundary = %q and untangle = %v", smoother, m.Boundary, m.Untangle),
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
	omitted := map[string]bool{}
	for _, k := range a.keys() {
		omitted[k.key] = !k.effective
	}
	omitted["relax"] = omitted["relax"] || a.Relax == 0
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
		if !omitted[k.key] {
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
