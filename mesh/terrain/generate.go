package terrain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/constrained"
)

const (
	mostTriangles = 200_000_000
	// The tolerance is the sum of three: what lines lose of their vertices, how near vertices of lines are merged, and how
	// far adaptation may move lines.
	simplifiedShare = 0.3
	mergedShare     = 0.1
	adaptedShare    = 0.6
	closeEnough     = 0.02 // relative difference of the number of triangles from the one wanted
	adaptations     = 3
	// excess is how many triangles adaptation makes for each that the sizes ask for.
	excess = 0.98
	// crowding is the largest ratio of the size at a vertex of a line to the distance of the nearest other line or vertex.
	crowding = 1.0
)

// Generate makes a mesh. It returns early with the error of ctx.
func Generate(ctx context.Context, o Options) (*mesh.Mesh, *Report, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	if o.Scale == nil {
		o.Scale = func(float64) float64 { return 1 }
	}
	least := o.leastScale()
	tolerance := least * o.Tolerance
	f := &fitter{o: &o, lines: simplified(o.Lines, simplifiedShare*tolerance), tolerance: tolerance}
	outside, err := f.triangulate()
	if err != nil {
		return nil, nil, err
	}
	r := &Report{Outside: outside / least}
	if err := f.prepare(r); err != nil {
		return nil, nil, err
	}
	m, err := f.adapt(ctx)
	if err != nil {
		return nil, nil, err
	}
	r.Triangles, r.Vertices = len(m.Cells), len(m.X)
	r.angles(m)
	f.measure(m, r)
	r.Off = off(m, o.Lines, tolerance) / least
	return m, r, nil
}

// leastScale is the least scale at a position of a line.
func (o *Options) leastScale() float64 {
	least := math.Inf(1)
	for _, l := range o.Lines {
		for _, x := range l.X {
			least = min(least, o.Scale(x[1]))
		}
	}
	return least
}

func (o *Options) check() error {
	switch {
	case o.Triangles < 2 || o.Triangles > mostTriangles:
		return fmt.Errorf("%d triangles: want 2 to %d", o.Triangles, mostTriangles)
	case !(o.Growth > 1 && o.Growth <= 10):
		return fmt.Errorf("growth %g: want more than 1, and at most 10", o.Growth)
	case !(o.Tolerance > 0):
		return fmt.Errorf("tolerance %g: want more than 0", o.Tolerance)
	case o.Least < 0 || o.Most < 0 || o.Most > 0 && o.Least > o.Most:
		return fmt.Errorf("sizes from %g to %g: want positive ones, the smaller first", o.Least, o.Most)
	case !(o.Slope >= 0):
		return fmt.Errorf("weight of slopes %g: want 0 or more", o.Slope)
	}
	for _, a := range o.Along {
		if !(a.Size > 0) {
			return fmt.Errorf("size %g along a line: want more than 0", a.Size)
		}
	}
	for _, z := range o.Zones {
		if !(z.Size > 0) {
			return fmt.Errorf("size %g in a zone: want more than 0", z.Size)
		}
	}
	return nil
}

// Mean is the length of edges of as many equilateral triangles as are wanted in an area.
func (o *Options) Mean(area float64) float64 {
	return math.Sqrt(4 / math.Sqrt(3) * area / float64(o.Triangles))
}

// fitter fits sizes to the number of triangles that is wanted.
type fitter struct {
	o         *Options
	lines     []constrained.Line // simplified
	coarse    *mesh.Mesh
	tolerance float64 // on the map

	area, mean  float64 // of the region; of sizes, if all were alike
	least, most float64
	growth      float64 // by which sizes grow with the distance
	roughness   []float64
	fixed       []float64 // sizes of zones, lines and distances between lines, on the map
	*sizes
	crowd *crowd
}

// prepare makes the grid of sizes.
func (f *fitter) prepare(r *Report) error {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for c := range f.coarse.Cells {
		_, y := f.coarse.Centroid(c)
		f.area += f.coarse.Area(c) / (f.o.Scale(y) * f.o.Scale(y))
	}
	for v := range f.coarse.X {
		low = [2]float64{min(low[0], f.coarse.X[v]), min(low[1], f.coarse.Y[v])}
		high = [2]float64{max(high[0], f.coarse.X[v]), max(high[1], f.coarse.Y[v])}
	}
	f.mean = f.o.Mean(f.area)
	f.least, f.most, f.growth = f.o.Least, f.o.Most, f.o.Growth-1
	if f.least == 0 {
		f.least = min(f.mean/3, max(f.most, f.mean)/3)
	}
	if f.most == 0 {
		f.most = max(4*f.mean, f.least)
	}
	smallest := f.least
	for _, a := range f.o.Along {
		smallest = min(smallest, a.Size)
	}
	for _, z := range f.o.Zones {
		smallest = min(smallest, z.Size)
	}
	f.sizes = newSizes(low, high, smallest/2, f.o.Scale)
	var outline [][][2]float64
	for _, l := range f.o.Lines {
		if l.Bound {
			outline = append(outline, l.X)
		}
	}
	f.fill(outline, func(k int) {
		f.inside[k] = true
		f.region++
	})
	if f.region == 0 {
		return errors.New("the region is too narrow for a grid of sizes: it has parts that are far from each other")
	}
	if err := f.fix(r); err != nil {
		return err
	}
	if f.o.Height != nil {
		f.roughness = f.ground(f.o.Height, f.mean, f.o.Slope)
	}
	return f.fit(r)
}

// fix sets the sizes that do not depend on the ground.
func (f *fitter) fix(r *Report) error {
	for k := range f.size {
		f.size[k] = math.Inf(1)
	}
	f.lowerFor(func(string) bool { return true })
	if err := f.divideAtGaps(); err != nil {
		return err
	}
	f.crowd = newCrowd(f.step, f.growth)
	distance, angle := spaces(f.coarse)
	r.InputAngle = angle
	f.lowerBetween(distance)
	f.fixed = f.size
	f.size = make([]float64, len(f.fixed))
	return nil
}

// triangulate makes the coarse triangulation of the lines.
func (f *fitter) triangulate() (outside float64, err error) {
	f.coarse, outside, err = constrained.Triangulate(f.lines, f.o.Groups, mergedShare*f.tolerance)
	return outside, err
}

// divideAtGaps divides lines where others end or turn within a step of the grid of sizes: adaptation does not look for
// a short size inside of a long edge. Dividing an edge shows which vertices its parts are near to.
func (f *fitter) divideAtGaps() error {
	for {
		bridges := gaps(f.coarse, f.step)
		if len(bridges) == 0 {
			return nil
		}
		f.lines = append(f.lines, bridges...)
		if _, err := f.triangulate(); err != nil {
			return err
		}
	}
}

// lowerFor lowers the sizes to those of the zones and lines of some inputs.
func (f *fitter) lowerFor(wanted func(from string) bool) {
	for _, z := range f.o.Zones {
		if wanted(z.From) {
			f.fill(z.Rings, func(k int) { f.size[k] = min(f.size[k], z.Size*f.scale[k/f.columns]) })
		}
	}
	for i := range f.o.Along {
		if a := &f.o.Along[i]; wanted(a.From) {
			f.lowerAlong(a, f.growth, f.o.Scale)
		}
	}
}

// lowerBetween lowers the sizes to the distances of the vertices of lines from others.
func (f *fitter) lowerBetween(distance []float64) {
	for v, d := range distance {
		if d < f.most*f.o.Scale(f.coarse.Y[v]) {
			f.lower(f.coarse.X[v], f.coarse.Y[v], crowding*d, 0, f.growth)
		}
		if crowding*d < f.step {
			f.crowd.add(f.coarse.X[v], f.coarse.Y[v], crowding*d)
		}
	}
}

// set sets the sizes with those of the ground multiplied by a factor.
func (f *fitter) set(factor float64) {
	for k, fixed := range f.fixed {
		h := factor
		if f.roughness != nil {
			h = f.most
			if q := f.roughness[k]; q > 0 {
				h = factor / math.Sqrt(q)
			}
		}
		f.size[k] = min(fixed, max(f.least, min(f.most, h))*f.scale[k/f.columns])
	}
	f.grade(f.growth)
}

// fit finds the factor for the number of triangles that is wanted, by bisection of its logarithm.
func (f *fitter) fit(r *Report) error {
	wanted := float64(f.o.Triangles) / excess
	f.set(math.Inf(1))
	if n := f.triangles(); n > wanted*(1+closeEnough) {
		return f.tooMany(n)
	}
	f.set(0)
	if n := f.triangles(); n < wanted*(1-closeEnough) {
		return fmt.Errorf("%d triangles are more than the %.0f that sizes of at least %.4g allow: allow smaller ones",
			f.o.Triangles, n, f.least)
	}
	low, high := 1e-9*f.mean, 1e9*f.mean
	for range 48 {
		middle := math.Sqrt(low) * math.Sqrt(high)
		f.set(middle)
		n := f.triangles()
		if math.Abs(n/wanted-1) < closeEnough/10 {
			break
		}
		if n > wanted {
			low = middle
		} else {
			high = middle
		}
	}
	r.Least, r.Most = math.Inf(1), 0
	for k, h := range f.size {
		if h /= f.scale[k/f.columns]; f.inside[k] {
			r.Least, r.Most = min(r.Least, h), max(r.Most, h)
		}
	}
	return nil
}

// TooMany is the error that lines and zones need more triangles than are wanted.
type TooMany struct {
	Needed   float64 // triangles, about
	Wanted   int
	From     string  // the input that needs the most; "" for the distances between lines and their vertices
	Alone    float64 // triangles that it would need alone
	Distance float64 // least distance between lines or their vertices, at X, Y
	X, Y     float64
}

func (e *TooMany) Error() string {
	text := fmt.Sprintf("zones, lines and the distances between them need about %s triangles, more than the %d that are "+
		"wanted", words.Rounded(e.Needed, 3), e.Wanted)
	if e.From != "" {
		return fmt.Sprintf("%s: %s alone needs %s", text, e.From, words.Rounded(e.Alone, 3))
	}
	return fmt.Sprintf("%s: most of them the distances between lines and their vertices, the least of which is %s, at "+
		"(%.10g, %.10g)", text, words.Rounded(e.Distance, 3), e.X, e.Y)
}

// tooMany returns the error that n triangles are needed. It overwrites the sizes.
func (f *fitter) tooMany(n float64) error {
	e := &TooMany{Needed: n, Wanted: f.o.Triangles, Distance: math.Inf(1)}
	distance, _ := spaces(f.coarse)
	for v, d := range distance {
		if d /= f.o.Scale(f.coarse.Y[v]); d < e.Distance {
			e.Distance, e.X, e.Y = d, f.coarse.X[v], f.coarse.Y[v]
		}
	}
	alone := func(lower func()) float64 {
		for k := range f.size {
			f.size[k] = f.most * f.scale[k/f.columns]
		}
		lower()
		f.grade(f.growth)
		return f.triangles()
	}
	e.Alone = alone(func() { f.lowerBetween(distance) })
	for _, from := range f.inputs() {
		if n := alone(func() { f.lowerFor(func(other string) bool { return other == from }) }); n > e.Alone {
			e.From, e.Alone = from, n
		}
	}
	return e
}

// inputs lists the inputs with sizes, each once.
func (f *fitter) inputs() (list []string) {
	for _, z := range f.o.Zones {
		list = append(list, z.From)
	}
	for i := range f.o.Along {
		list = append(list, f.o.Along[i].From)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// adapt adapts the coarse triangulation to the sizes, and again with all sizes multiplied by a factor if there are too
// few or too many triangles.
func (f *fitter) adapt(ctx context.Context) (*mesh.Mesh, error) {
	a, err := adapt.Triangles(f.coarse, adapt.Options{Hausdorff: adaptedShare * f.tolerance, Ridge: 45,
		Threads: f.o.Threads, Progress: f.o.Progress, Probe: f.most * f.o.leastScale()})
	if err != nil {
		return nil, err
	}
	scale := 1.0
	for k := range adaptations {
		if err := a.Run(ctx, f.field(scale)); err != nil {
			return nil, err
		}
		m := a.Mesh()
		ratio := float64(len(m.Cells)) / float64(f.o.Triangles)
		if math.Abs(ratio-1) <= closeEnough || k == adaptations-1 {
			return m, nil
		}
		scale *= math.Sqrt(ratio)
	}
	return nil, nil
}

// field is the metric in which edges of the sizes times a factor have length 1.
func (f *fitter) field(scale float64) adapt.Field {
	return func(x measure.Vector) measure.Tensor {
		h := min(scale*f.at(x[0], x[1]), f.crowd.at(x[0], x[1]))
		return measure.Tensor{1 / (h * h), 0, 1 / (h * h)}
	}
}

// measure compares the lengths of edges with the sizes.
func (f *fitter) measure(m *mesh.Mesh, r *Report) {
	edges, within := 0, 0
	for c, v := range m.Cells {
		_, y := m.Centroid(c)
		r.Area += m.Area(c) / (f.o.Scale(y) * f.o.Scale(y))
		for k := range v { // an edge inside counts twice
			a, b := v[k], v[(k+1)%3]
			l := math.Hypot(m.X[a]-m.X[b], m.Y[a]-m.Y[b]) / f.at((m.X[a]+m.X[b])/2, (m.Y[a]+m.Y[b])/2)
			if edges++; l <= 1.5 && l >= 1/1.5 {
				within++
			}
		}
	}
	r.Within = float64(within) / float64(edges)
}
