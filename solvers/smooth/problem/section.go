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

// Method is the section [method] of solver "smooth", see smooth.Config.
type Method struct {
	Smoother  string  // see package solvers/smooth
	Sweeps    int     // largest number of sweeps
	Relax     float64 // over-relaxation ω; 0 for the choice of barrier
	Guard     string  // none, halve or clip
	Boundary  string  // slide or fixed
	Ridge     float64 // slide on curved boundaries, except where they turn by more, in degrees
	Colouring string  // jones-plassmann or first-fit
	Dedicated bool    // boundary vertices form sets of their own
	Deep      bool    // deep halo: one exchange serves a whole sweep
	Cull      bool    // visit only vertices with a neighbour that has moved
	Settled   float64 // length of a move, in the metric, below which it is ignored
	Gain      float64 // least gain of the worst quality for which a vertex is moved
	Floor     float64 // hybrid optimises below this quality; 0 for the mean, of tetrahedra half of it
	Untangle  bool    // untangle inverted or flat triangles before the sweeps
	Precision string  // float32 or float64
	Force     bool    // write the mesh even if it is worse than the input
}

// Stop is the section [stop] of solver "smooth": stopping rules. 0 disables a rule.
type Stop struct {
	Every   int     // sweeps between checks
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
	w.Method.decode(root.Sub("method"))
	fallback := "implied"
	if w.Method.Untangle { // sizes of a tangled mesh mean nothing
		fallback = "uniform"
	}
	w.Metric = request.Decode(root.Sub("metric"), fallback)
	root.Fill("stop", w.Stop.keys)
	c.Sections = w
	c.Output = config.DecodeOutput(root.Sub("output"), c.Name, config.Outputs{
		Fields: solvers.FieldNames(fields), Default: []string{"quality"},
		Formats: []string{"vtu"}, Sweeps: true, Mesh: true,
	})
}

func (m *Method) decode(s *config.Section) {
	m.Untangle = s.Boolean("untangle", false) // ridge depends on it
	m.keys(s.Read)
	s.Finish()
}

// slidesOnCurves reports whether vertices may slide on curved boundaries.
func (m *Method) slidesOnCurves() bool {
	return m.Smoother == "barrier" && m.Boundary == "slide" && !m.Untangle
}

// keys declares the keys of the section.
func (m *Method) keys(key func(*config.Spec)) {
	key(config.OneWord("smoother", &m.Smoother, "barrier",
		[]string{"pain", "pain-exact", "smart", "fjp", "hybrid", "barrier"}, "`barrier`, `pain`, `pain-exact`, `smart`, "+
			"`fjp`, `hybrid`: see `go doc ./solvers/smooth`"))
	sweeps, relax := int64(100), 1.0
	switch m.Smoother {
	case "pain":
		relax = 0.5
	case "barrier":
		sweeps, relax = 200, 0
	}
	quality := m.Smoother == "smart" || m.Smoother == "fjp" || m.Smoother == "hybrid"
	of := func(k *config.Spec, applies bool, smoothers string) {
		key(k.When(applies, fmt.Sprintf("has no effect with smoother = %q: it is for %s", m.Smoother, smoothers)))
	}
	key(config.Whole("sweeps", &m.Sweeps, sweeps, 0, 10_000_000, "largest number of sweeps").
		Otherwise("200; for other smoothers 100").Range(" "))
	relaxation := config.Real("relax", "", &m.Relax, config.Bound{Most: 2, AboveLeast: true, BelowMost: true}.Or(relax),
		"relaxation ω, of all smoothers except `fjp`: a vertex moves by ω times the computed step; 1.5 to 1.9 makes "+
			"`pain-exact` many times faster").Otherwise("for `barrier` depends on the mesh; `pain` 0.5; others 1")
	if relax == 0 {
		relaxation.IfSet() // the choice of barrier has no number
	}
	of(relaxation, m.Smoother != "fjp", "all others")
	of(config.OneWord("guard", &m.Guard, "halve", []string{"none", "halve", "clip"}, "how `pain` and `pain-exact` avoid "+
		"inverted triangles: `none`, `halve` the step, or `clip` it"), !quality && m.Smoother != "barrier",
		"pain and pain-exact; the others invert no cell")
	key(config.OneWord("boundary", &m.Boundary, "slide", []string{"slide", "fixed"}, "`slide`: boundary vertices move "+
		"along the boundary; `fixed`: they do not move"))
	key(config.Real("ridge", "degree", &m.Ridge, config.Bound{Most: 90}.Or(0), "for `barrier`: vertices slide on curved "+
		"boundaries, except at corners (in three dimensions also edges) where these turn by more than this angle, such as "+
		"45; `--ar` as in Mmg. This changes areas by up to 0.0015 of them. With 0, and with other smoothers, vertices slide "+
		"only where the boundary is straight").When(m.slidesOnCurves(), fmt.Sprintf("has no effect with smoother = %q, "+
		"boundary = %q and untangle = %v: it is for barrier, slide and false", m.Smoother, m.Boundary, m.Untangle)))
	key(config.OneWord("colouring", &m.Colouring, "jones-plassmann", []string{"jones-plassmann", "first-fit"},
		"`jones-plassmann`; `first-fit`, with the result of a serial loop over ids"))
	key(config.Flag("dedicated", &m.Dedicated, false, "boundary vertices form sets of their own (only in case files)"))
	key(config.Flag("deep", &m.Deep, false, "ranks exchange vertices once per sweep, as GPUs always do (or "+
		"[once in eight](#cases-ranks-pictures)), and not after each set (only in case files)"))
	of(config.Flag("cull", &m.Cull, false, "visit only vertices around which something has moved; not for `barrier` "+
		"(only in case files)"), m.Smoother != "barrier", "all others")
	share := config.Bound{Most: 1, BelowMost: true}
	key(config.Real("settled", "", &m.Settled, share.Or(0), "with `cull`: the length of a move, in the metric, below "+
		"which it is ignored (only in case files)").When(m.Cull, "has no effect with cull = false: it is for cull = true"))
	of(config.Real("gain", "", &m.Gain, share.Or(1e-6), "for `smart`, `fjp` and `hybrid`: a vertex moves only if the "+
		"worst quality around it increases by this value (only in case files)"), quality, "smart, fjp and hybrid")
	of(config.Real("floor", "", &m.Floor, config.Bound{Most: 1}.Or(0), "quality below which `hybrid` optimises").
		Otherwise("the mean; of tetrahedra half of it"), m.Smoother == "hybrid", "hybrid")
	key(config.Flag("untangle", &m.Untangle, false, "untangle inverted and flat triangles before the sweeps").
		Otherwise("false: they are an error"))
	key(config.Precision(&m.Precision, "of the state"))
	key(config.Flag("force", &m.Force, false, "write the mesh even if it is worse than the input"))
}

// keys declares the keys of the section.
func (r *Stop) keys(key func(*config.Spec)) {
	quality := config.Bound{Most: 1}.Or(0)
	key(config.Whole("every", &r.Every, 10, 1, 1<<30, "sweeps between two checks of the rules"))
	key(config.Real("move", "", &r.Move, config.NonNegative.Or(0), "stop when no vertex moves by more than this, in the "+
		"metric; 0: never"))
	key(config.Real("mean", "", &r.Mean, quality, "stop when the mean quality is at least this; 0: never"))
	key(config.Real("worst", "", &r.Worst, quality, "stop when the worst quality is at least this; 0: never"))
	key(config.Real("advance", "", &r.Advance, quality, "stop when neither the mean nor the worst quality has increased "+
		"by this since the last check; 0: never"))
}

func (w *Sections) Print(p *config.Printer) {
	w.Mesh.Print(p)
	w.Metric.Print(p)
	p.Section("[method]")
	w.Method.keys(p.Print)
	p.Section("[stop]")
	w.Stop.keys(p.Print)
}
