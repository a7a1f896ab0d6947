package adapt

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/verify"
)

// task is a mesh and a metric to adapt it to.
type task struct {
	name      string
	plane     func() (*mesh.Mesh, error)  // the mesh, of triangles, or
	solid     func() (*mesh.Solid, error) // of tetrahedra
	metric    adapt.Field
	hausdorff float64
	probe     float64

	passes int    // of Mmg
	mmg    result // of Mmg 5.8.0 after them
}

// result is what is compared: vertices, share of the edges with lengths from 1/√2 to √2, the quality that 99% of the
// cells have, the worst, and µs a vertex.
type result struct {
	vertices            int64
	inRange, low, worst float64
	microseconds        float64
}

// planeTasks are those in the plane. Mmg's figures are those after the last of its passes, each with the metric
// evaluated at the vertices of the mesh of the one before, without gradation:
//
//	mmg2d_O3 -in in.mesh -sol in.sol -out out.mesh -hgrad -1 -hgradreq -1 [-hausd 1e-3]     (mmg3d_O3 in space)
//
// They are as this check printed them, of the same meshes, with Mmg of mmgpy 0.17 installed. Times are CPU seconds of
// all passes on one core, with files.
var planeTasks = []task{
	{name: "square, 0.02", plane: structured(10), metric: uniform(2, .02), passes: 2,
		mmg: result{3058, .999, .894, .793, 42}},
	{name: "square, 0.0237", plane: structured(10), metric: uniform(2, .0237), passes: 2,
		mmg: result{2187, .998, .888, .783, 36}},
	{name: "square, sizes 1:50", plane: structured(20), metric: circle, probe: .02, passes: 3,
		mmg: result{8928, .965, .820, .693, 76}},
	{name: "square, curved shock 1:100", plane: structured(20), metric: curvedShock, probe: .01, passes: 4,
		mmg: result{2586, .939, .665, .387, 124}},
	{name: "square, shock 1:1000", plane: structured(20), metric: thinShock, probe: .01, passes: 5,
		mmg: result{3659, .942, .692, .303, 199}},
	{name: "ring, sizes 1:10", plane: ofMesh(annulus), metric: ringSizes, hausdorff: 1e-3, passes: 3,
		mmg: result{1799, .980, .831, .640, 48}},
	{name: "disc in a square, 0.05", plane: ofMesh(inclusion), metric: uniform(2, .05), hausdorff: 1e-3},
	{name: "L, 0.06", plane: ofMesh(corner), metric: uniform(2, .06), passes: 2,
		mmg: result{1043, .997, .887, .817, 40}},
	{name: "irregular, 0.03", plane: irregular, metric: uniform(2, .03)},
}

// spaceTasks are those in space.
var spaceTasks = []task{
	{name: "cube, 0.1", solid: cubeOf(5, 0), metric: uniform(3, .1), passes: 1,
		mmg: result{2523, .916, .510, .390, 405}},
	{name: "irregular cube, 0.12", solid: cubeOf(8, .16), metric: uniform(3, .12)},
	{name: "cube, shell 1:10", solid: cubeOf(5, 0), metric: shell, probe: .1, passes: 3,
		mmg: result{5640, .940, .543, .387, 533}},
	{name: "cube, shock 1:50", solid: cubeOf(8, 0), metric: spaceShock, probe: .05, passes: 4,
		mmg: result{4171, .895, .060, .006, 2124}},
}

func structured(n int) func() (*mesh.Mesh, error) {
	return ofMesh(func() *mesh.Mesh { return square(n) })
}

func ofMesh(make func() *mesh.Mesh) func() (*mesh.Mesh, error) {
	return func() (*mesh.Mesh, error) { return make(), nil }
}

func cubeOf(n int, shift float64) func() (*mesh.Solid, error) {
	return func() (*mesh.Solid, error) {
		s, err := cube(n, shift)
		if err == nil {
			s.Faces, s.Groups = nil, nil
		}
		return s, err
	}
}

// adapter returns the adapter of a task's mesh.
func (k *task) adapter(threads int) (*adapt.Adapter, error) {
	o := adapt.Options{Ridge: 45, Hausdorff: k.hausdorff, Probe: k.probe, Threads: threads}
	if k.solid != nil {
		s, err := k.solid()
		if err != nil {
			return nil, err
		}
		return adapt.Tetrahedra(s, o)
	}
	m, err := k.plane()
	if err != nil {
		return nil, err
	}
	return adapt.Triangles(m, o)
}

// run adapts a task's mesh on one thread, and once more its result, and returns both with the processor time in µs a
// vertex.
func (k *task) run(ctx context.Context) (first result, s adapt.Statistics, again float64, err error) {
	a, err := k.adapter(1)
	if err != nil {
		return first, s, 0, err
	}
	begin := summary.ProcessorTime()
	if err := a.Run(ctx, k.metric); err != nil {
		return first, s, 0, err
	}
	seconds := (summary.ProcessorTime() - begin).Seconds()
	s = a.Measure(k.metric)
	first = resultOf(&s, seconds)
	begin = summary.ProcessorTime()
	if err := a.Run(ctx, k.metric); err != nil {
		return first, s, 0, err
	}
	return first, s, 1e6 * (summary.ProcessorTime() - begin).Seconds() / float64(a.Vertices()), nil
}

func resultOf(s *adapt.Statistics, seconds float64) result {
	return result{s.Vertices, float64(s.InRange) / float64(s.Edges), s.QualityLow, s.QualityWorst,
		1e6 * seconds / float64(s.Vertices)}
}

// verdict compares a result with the least values that are asked for, the worst quality also with Mmg's, and the number
// of vertices with mostVertices.
func (k *task) verdict(r *result, least result, theirs *result) verify.Verdict {
	worst, bound := least.worst, ""
	ok := r.inRange >= least.inRange && r.low >= least.low
	if theirs.vertices > 0 {
		worst = max(worst, theirs.worst)
		most := k.mostVertices(theirs)
		ok = ok && r.vertices <= most
		bound = fmt.Sprintf(", ≤ %d", most)
	}
	return verify.VerdictOf(ok && r.worst >= worst, fmt.Sprintf("≥ %.0f%%, %.2f, %.2f%s", 100*least.inRange, least.low,
		worst, bound))
}

// mostVertices is a tenth more than Mmg's, and more in proportion where fewer of Mmg's edges are short enough: its mesh
// is then coarser than the metric.
func (k *task) mostVertices(theirs *result) int64 {
	share := 1.1
	if theirs.inRange < .97 {
		share = 1.2
	}
	return int64(share * float64(theirs.vertices))
}

// compare runs tasks and prints them beside Mmg's figures, and those of an installed Mmg.
func compare(ctx context.Context, p *verify.Page, title string, tasks []task, least result) error {
	t := p.Table(title, "mesh, metric", "vertices", "Mmg", "edges in range", "Mmg", "1% quality", "Mmg", "worst", "Mmg",
		"CPU µs a vertex", "again", "Mmg")
	for i := range tasks {
		k := &tasks[i]
		if p.Options.Quick && i > 1 {
			break
		}
		p.Progress("%s", k.name)
		r, s, again, err := k.run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		theirs := k.mmg
		if other := findMmg(k.dim()); other != nil && !p.Options.Quick && k.passes > 0 {
			if theirs, err = other.passes(ctx, k); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
		shown := func(format string, x any) string {
			if theirs.vertices == 0 {
				return "–"
			}
			return fmt.Sprintf(format, x)
		}
		bound := k.hausdorff
		if bound == 0 {
			bound = 1e-12
		}
		v := k.verdict(&r, least, &theirs).And(verify.AtMost(s.Deviation, bound), "boundary")
		t.Row(v, k.name, r.vertices, shown("%d", theirs.vertices), percent(r.inRange), shown("%s", percent(theirs.inRange)),
			fmt.Sprintf("%.3f", r.low), shown("%.3f", theirs.low), fmt.Sprintf("%.3f", r.worst), shown("%.3f", theirs.worst),
			fmt.Sprintf("%.0f", r.microseconds), fmt.Sprintf("%.0f", again), shown("%.0f", theirs.microseconds))
	}
	t.Flush()
	return nil
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

func (k *task) dim() int {
	if k.solid != nil {
		return 3
	}
	return 2
}

func plane(ctx context.Context, p *verify.Page) error {
	return compare(ctx, p, "in the plane, beside Mmg after its last pass", planeTasks,
		result{inRange: .96, low: .8, worst: .6})
}

func space(ctx context.Context, p *verify.Page) error {
	return compare(ctx, p, "in space, beside Mmg after its last pass", spaceTasks,
		result{inRange: .95, low: .6, worst: .45})
}

// Metrics of the tasks.

func uniform(dim int, h float64) adapt.Field {
	t := isotropic(dim, h)
	return func(measure.Vector) measure.Tensor { return t }
}

func isotropic(dim int, h float64) measure.Tensor {
	t := 1 / (h * h)
	if dim == 2 {
		return measure.Tensor{t, 0, t}
	}
	return measure.Tensor{t, 0, t, 0, 0, t}
}

// layered is the metric with the size h along the unit vector n, and k across.
func layered(dim int, n measure.Vector, h, k float64) measure.Tensor {
	b := 1 / (k * k)
	c := 1/(h*h) - b
	t := measure.Tensor{b + c*n[0]*n[0], c * n[0] * n[1], b + c*n[1]*n[1]}
	if dim == 3 {
		t[3], t[4], t[5] = c*n[0]*n[2], c*n[1]*n[2], b+c*n[2]*n[2]
	}
	return t
}

func circle(p measure.Vector) measure.Tensor {
	return isotropic(2, min(.1, .002+.2*math.Abs(math.Hypot(p[0]-.5, p[1]-.5)-.3)))
}

func curvedShock(p measure.Vector) measure.Tensor {
	x, y := p[0]+.6, p[1]+.5
	r := math.Hypot(x, y)
	return layered(2, measure.Vector{x / r, y / r}, min(.05, 5e-4+.1*math.Abs(r-1.5)), .05)
}

func thinShock(p measure.Vector) measure.Tensor {
	d := math.Abs(.8*(p[0]-.5) + .6*(p[1]-.5))
	return layered(2, measure.Vector{.8, .6}, min(.05, 5e-5+.1*d), .05)
}

func ringSizes(p measure.Vector) measure.Tensor {
	return isotropic(2, min(.1, .01+.15*math.Abs(math.Hypot(p[0], p[1])-.3)))
}

func shell(p measure.Vector) measure.Tensor {
	x, y, z := p[0]-.5, p[1]-.5, p[2]-.5
	return isotropic(3, 1.5*min(.2, .02+.3*math.Abs(math.Sqrt(x*x+y*y+z*z)-.35)))
}

func spaceShock(p measure.Vector) measure.Tensor {
	d := math.Abs(.8*(p[0]-.5) + .6*(p[1]-.5))
	return layered(3, measure.Vector{.8, .6}, 1.5*min(.1, .002+.15*d), .15)
}
