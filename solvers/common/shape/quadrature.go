package shape

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
)

// Fraction returns the volume fraction of the body in a cell; not of bodies from STL files. For analytic bodies and
// their combinations it is exact up to 1e-11. For expressions it is a quadrature of lengths along an axis along which
// no level set in the cell has an extremum, so that each has at most one root on a line (after Saye, SIAM J. Sci.
// Comput. 37, 2015). Where interval arithmetic finds no such axis the cell is divided into up to maxBoxes boxes. Smooth
// parts are exact up to 1e-9, also if they are thinner than the cell. Where many waves lie in a cell, boxes that are
// left after many lines take nine each, and after maxNine of those they are cut by planes. Overlooked counts cells
// whose fraction is not known so well.
func (b Body) Fraction(c Cell) float64 {
	if b.tree != nil {
		return b.tree.exactFraction(&c)
	}
	q := quadrature{tree: b.levels}
	f := q.fraction(&c)
	if q.overlooked > maxOverlooked {
		b.coarse.cells.Add(1)
	}
	return min(1, max(0, f))
}

// HasFractions reports whether [Fill] can compute volume fractions without recursive division.
func (b Body) HasFractions() bool { return b.tree != nil || b.levels != nil || b.polyhedron != nil }

// Overlooked returns the number of cells for which Fraction or Divided may have overlooked parts of the body that are
// much thinner than the cell.
func (b Body) Overlooked() (cells int64) {
	if b.coarse != nil {
		cells = b.coarse.cells.Load()
	}
	if b.mix != nil {
		for _, part := range b.mix.bodies {
			cells += part.Overlooked()
		}
	}
	return cells
}

const (
	maxBoxes      = 10_000  // into which a cell is divided
	maxLines      = 100_000 // in a cell: after them other boxes take nine lines each
	fewBoxes      = 400     // of more boxes, as in waves or along a rod, others take nine lines each
	fewLargeBoxes = 128     // the same if maxLinesWaves have been taken, of boxes of fewer than small halvings
	maxLinesWaves = 30_000
	small         = 6
	maxNine       = 20_000 // lines in boxes that take nine each: others after them are cut by planes
	maxHalving    = 40     // how often a part of it is divided
	maxEntering   = 3      // how often a box is divided because a surface enters it between corners
	maxOverlooked = 1e-6   // the part of a cell in which a thin part may have been overlooked, without a note
)

// quadrature computes the fraction of a cell.
type quadrature struct {
	tree       *levels
	boxes      []box   // parts of the cell, larger ones first
	lines      int     // so far, in boxes that take as many as they need
	nine       int     // in boxes that take nine each
	overlooked float64 // fraction of the cell in boxes cut short, or with one sign of two at all samples
	surfaces   []surfaceIn
}

// box is a part of a cell after some halvings.
type box struct {
	cell     Cell
	halvings int
}

// fraction returns the fraction of a cell.
func (q *quadrature) fraction(c *Cell) (sum float64) {
	q.boxes = append(q.boxes[:0], box{cell: *c})
	for n := 0; n < len(q.boxes); n++ {
		sum += q.fractionOf(&q.boxes[n]) * math.Ldexp(1, -q.boxes[n].halvings*c.Dim)
	}
	return sum
}

// fractionOf returns the fraction of a box; 0 if it has been divided instead.
func (q *quadrature) fractionOf(b *box) float64 {
	c := &b.cell
	ranges := c.box()
	tree, list := q.tree.within(c, &ranges, q.surfaces[:0])
	q.surfaces = list
	switch tree.op {
	case everything:
		return 1
	case nothing:
		return 0
	}
	isCut := q.nine >= maxNine // short
	canDivide := b.halvings < maxHalving && len(q.boxes) < maxBoxes && !isCut
	worst, entersBetween := .05, false
	if b.halvings < maxEntering || !canDivide {
		entersBetween = q.entersBetweenCorners(c)
	}
	if canDivide && entersBetween {
		worst = 1
	}
	axis, quality := bestAxis(list, c)
	switch {
	case !isCut && (quality > worst || quality > 0 && !canDivide):
		if entersBetween {
			q.overlooked += math.Ldexp(1, -b.halvings*c.Dim)
		}
		return q.integrated(c, &tree, axis, b.halvings)
	case !canDivide:
		if isCut { // the box may be larger than those of which samples are good enough
			q.overlooked += math.Ldexp(1, -b.halvings*c.Dim)
		}
		return q.sampled(c, &tree, b.halvings)
	}
	parts, halvings := *c, b.halvings+1
	for k := range 1 << c.Dim {
		q.boxes = append(q.boxes, box{parts.part(k), halvings})
	}
	return 0
}

// entersBetweenCorners reports whether a level set has one sign at all corners of a box.
func (q *quadrature) entersBetweenCorners(c *Cell) bool {
	for n := range q.surfaces {
		count := 0
		for k := range 1 << c.Dim {
			at := c.corner(k)
			if q.surfaces[n].set.phi(&at) < 0 {
				count++
			}
		}
		if count == 0 || count == 1<<c.Dim {
			return true
		}
	}
	return false
}

// corner returns a corner of the cell; bit d of k is its position along axis d.
func (c *Cell) corner(k int) [3]float64 {
	at := c.Lo
	for d := range c.Dim {
		at[d] += float64(k>>d&1) * c.H[d]
	}
	return at
}

// bestAxis returns the axis for which the surfaces in a box are the least steep as graphs over the other axes. quality
// is the least share of the derivative along it in all derivatives, 0 if a level set may have an extremum along each
// axis. A level set that does not depend on the axis needs to be a graph along another one.
func bestAxis(list []surfaceIn, c *Cell) (axis int, quality float64) {
	for d := range c.Dim {
		least := 1.0
		for n := range list {
			share := list[n].share(d, c)
			if list[n].slope[d] == (expr.Interval{}) {
				for e := range c.Dim {
					share = max(share, list[n].share(e, c)/2)
				}
			}
			least = min(least, share)
		}
		if least > quality {
			axis, quality = d, least
		}
	}
	return axis, quality
}

// share is the least derivative along an axis as a share of the largest ones along all, weighted with the sides of the
// box; 0 if the derivative may have both signs.
func (s *surfaceIn) share(axis int, c *Cell) float64 {
	along, all := math.Max(s.slope[axis].Lo, -s.slope[axis].Hi)*c.H[axis], 0.0
	for d := range c.Dim {
		all += s.slope[d].Size() * c.H[d]
	}
	switch v := along / all; {
	case v > 0:
		return v
	case along == 0 && all > 0:
		return 1e-9 // a derivative of one sign, which may be 0
	}
	return 0 // also NaN
}

// sampled estimates the fraction of a box that cannot be divided further, from the values at its corners.
func (q *quadrature) sampled(c *Cell, tree *local, halvings int) float64 {
	value := func(at [3]float64) float64 {
		if len(q.surfaces) == 1 && tree.op == single {
			return q.surfaces[0].set.phi(&at)
		}
		if tree.inside(func(n int) bool { return q.surfaces[n].set.phi(&at) < 0 }) {
			return -1
		}
		return 1
	}
	middle, count, mean := value(c.middle()) < 0, 0, 0.0
	var gradient [3]float64
	for k := range 1 << c.Dim {
		v := value(c.corner(k))
		if v < 0 {
			count++
		}
		mean += v
		for d := range c.Dim {
			gradient[d] += float64(2*(k>>d&1)-1) * v
		}
	}
	switch all := 1 << c.Dim; {
	case middle && count == all, !middle && count == 0:
		q.overlooked += math.Ldexp(1, -halvings*c.Dim)
		return float64(count / all)
	case gradient == [3]float64{}:
		return .5
	default:
		sum := gradient[0] + gradient[1] + gradient[2]
		return geom.Volume(gradient[0], gradient[1], gradient[2], sum/2-mean/2)
	}
}

// graph integrates the lengths inside a body of lines along the first of some axes of a box.
type graph struct {
	cell      *Cell
	tree      *local
	surfaces  []surfaceIn
	axes      [3]int
	at        [3]float64
	tolerance float64
	lines     *int // of all boxes so far
	byNine    bool
	isUnsure  bool      // an interval was not halved because of a limit
	ends      []lineEnd // of the line at `at`, for each surface
	sorted    []float64
}

// lineEnd says where on a line a level set is negative: up to a position, or from there on. slope is its derivative at
// the last position on a line, 0 before the first.
type lineEnd struct {
	position, slope float64
	isBelow         bool
}

// integrated returns the fraction of a box in which each level set has at most one root on each line along an axis.
func (q *quadrature) integrated(c *Cell, tree *local, axis, halvings int) float64 {
	boxes := len(q.boxes)
	byNine := c.Dim == 3 && (boxes > fewBoxes || boxes > fewLargeBoxes && q.lines > maxLinesWaves && halvings < small)
	lines := &q.lines
	if byNine {
		lines = &q.nine
	}
	g := graph{byNine: byNine, lines: lines, cell: c, tree: tree, surfaces: q.surfaces, at: c.Lo,
		ends: make([]lineEnd, len(q.surfaces)), tolerance: math.Ldexp(1e-9, halvings)}
	g.axes[0] = axis
	n := 1
	for d := range c.Dim {
		if d != axis {
			g.axes[n] = d
			n++
		}
	}
	f := g.part(c.Dim - 1)
	if g.isUnsure {
		q.overlooked += math.Ldexp(1, -halvings*c.Dim)
	}
	return f
}

// part returns the fraction inside the body of the line, rectangle or box that the first n+1 axes span at g.at.
func (g *graph) part(n int) float64 {
	if n == 0 {
		return g.length()
	}
	axis := g.axes[n]
	fractionAt := func(x float64) float64 {
		g.at[axis] = g.cell.Lo[axis] + x*g.cell.H[axis]
		return g.part(n - 1)
	}
	if g.byNine || *g.lines >= maxLines {
		g.isUnsure = true
		const far = .387298334620741688517926539978240 // √(3/5)/2: the Gauss rule of three points
		return (5*fractionAt(.5-far) + 8*fractionAt(.5) + 5*fractionAt(.5+far)) / 18
	}
	cuts := append(make([]float64, 0, 8), 0, 1)
	for edge := range 1 << n { // edges along this axis
		for d := range n {
			a := g.axes[d]
			g.at[a] = g.cell.Lo[a] + float64(edge>>d&1)*g.cell.H[a]
		}
		for k := range g.surfaces {
			cuts = g.roots(k, axis, cuts)
		}
	}
	slices.Sort(cuts)
	sum := 0.0
	for k := 1; k < len(cuts); k++ {
		if cuts[k]-cuts[k-1] > 1e-14 {
			sum += g.integral(fractionAt, cuts[k-1], cuts[k], 20)
		}
	}
	return sum
}

// length returns the fraction inside the body of the line along the first axis.
func (g *graph) length() float64 {
	*g.lines++
	axis := g.axes[0]
	cuts := append(g.sorted[:0], 0, 1)
	for n := range g.surfaces {
		if g.findEnd(n, axis); g.ends[n].position < 1 {
			cuts = append(cuts, g.ends[n].position)
		}
	}
	g.sorted = cuts
	if len(g.surfaces) == 1 {
		switch e := g.ends[0]; {
		case e.isBelow:
			return min(1, e.position)
		default:
			return max(0, 1-e.position)
		}
	}
	slices.Sort(cuts)
	sum := 0.0
	for k := 1; k < len(cuts); k++ {
		x := (cuts[k-1] + cuts[k]) / 2
		if g.tree.inside(func(n int) bool { return x < g.ends[n].position == g.ends[n].isBelow }) {
			sum += cuts[k] - cuts[k-1]
		}
	}
	return sum
}

// findEnd finds where a level set is negative on the line along the axis: by the secant method from the end on the last
// line, or if that fails by the values at both sides of the box.
func (g *graph) findEnd(n, axis int) {
	e := &g.ends[n]
	if slope := e.slope; slope != 0 {
		x, v := e.position, g.phi(n, axis, e.position)
		for range 6 {
			next := x - v/slope
			if !(next > 0 && next < 1) {
				break
			}
			if math.Abs(next-x) < 1e-9 { // the error is of the order of the product of the last two steps
				e.position = next
				return
			}
			w := g.phi(n, axis, next)
			slope = (w - v) / (next - x)
			x, v = next, w
		}
		e.slope = 0
	}
	v0, v1 := g.phi(n, axis, 0), g.phi(n, axis, 1)
	e.isBelow = v0 < 0
	if v0 < 0 == (v1 < 0) {
		e.position = 2 // beyond the line
		return
	}
	e.position = g.root(n, axis, 0, 1, v0, v1)
	const step = 1e-3
	if x := e.position; x < .5 {
		e.slope = g.phi(n, axis, x+step) / step
	} else {
		e.slope = -g.phi(n, axis, x-step) / step
	}
	if e.slope > 0 != e.isBelow {
		e.slope = 0 // round-off
	}
}

// phi is a level set at fraction x along the axis.
func (g *graph) phi(n, axis int, x float64) float64 {
	g.at[axis] = g.cell.Lo[axis] + x*g.cell.H[axis]
	return g.surfaces[n].set.phi(&g.at)
}

// roots appends the positions where a level set changes its sign along an edge, from samples at five positions and near
// extrema between them. They are only where integrands may be less smooth.
func (g *graph) roots(n, axis int, cuts []float64) []float64 {
	const parts = 4
	var v [parts + 1]float64
	for k := range v {
		v[k] = g.phi(n, axis, float64(k)/parts)
		if k == 0 {
			continue
		}
		x0, x1 := float64(k-1)/parts, float64(k)/parts
		if v[k-1] < 0 != (v[k] < 0) {
			cuts = append(cuts, g.root(n, axis, x0, x1, v[k-1], v[k]))
		} else if k > 1 && v[k-2] < 0 == (v[k] < 0) {
			if a, b, c := math.Abs(v[k-2]), math.Abs(v[k-1]), math.Abs(v[k]); b <= a && b <= c {
				cuts = g.rootsAround(n, axis, [3]float64{x0 - 1./parts, x0, x1}, [3]float64{v[k-2], v[k-1], v[k]}, cuts)
			}
		}
	}
	return cuts
}

// rootsAround appends the two roots between three positions at which a level set has one sign, if it changes its sign
// at an extremum, which is found by parabolas.
func (g *graph) rootsAround(n, axis int, x, v [3]float64, cuts []float64) []float64 {
	for range 4 {
		p, q := (x[1]-x[0])*(v[1]-v[2]), (x[1]-x[2])*(v[1]-v[0])
		best := x[1] - ((x[1]-x[0])*p-(x[1]-x[2])*q)/(p-q)/2
		if !(best > x[0] && best < x[2]) || best == x[1] {
			return cuts
		}
		w := g.phi(n, axis, best)
		switch {
		case w < 0 != (v[1] < 0):
			return append(cuts, g.root(n, axis, x[0], best, v[0], w), g.root(n, axis, best, x[2], w, v[2]))
		case math.Abs(w) > math.Abs(v[1]):
			return cuts
		case best < x[1]:
			x[2], v[2] = x[1], v[1]
		default:
			x[0], v[0] = x[1], v[1]
		}
		x[1], v[1] = best, w
	}
	return cuts
}

// root returns the sign change between x0 and x1 by the Illinois method (modified false position).
func (g *graph) root(n, axis int, x0, x1, v0, v1 float64) float64 {
	last := 0
	for range 60 {
		x := x0 - v0*(x1-x0)/(v1-v0)
		if !(x > x0 && x < x1) || x1-x0 < 1e-15 {
			return min(x1, max(x0, x))
		}
		v := g.phi(n, axis, x)
		if v < 0 == (v0 < 0) {
			if x-x0 < 1e-16 {
				return x
			}
			x0, v0 = x, v
			if last < 0 {
				v1 /= 2
			}
			last = -1
		} else {
			x1, v1 = x, v
			if last > 0 {
				v0 /= 2
			}
			last = 1
		}
	}
	return (x0 + x1) / 2
}

// Nodes and weights of the 15-point Kronrod rule, and weights of the embedded 7-point Gauss rule.
var (
	kronrodNode = [8]float64{0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
		0.864864423359769072789712788640926, 0.741531185599394439863864773280788, 0.586087235467691130294144691693840,
		0.405845151377397166906606412076961, 0.207784955007898467600689403773245, 0}
	kronrodWeight = [8]float64{0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
		0.104790010322250183839876322541518, 0.140653259715525918745189590510238, 0.169004726639267902826583426598550,
		0.190350578064785409913256402421014, 0.204432940075298892414161999234649, 0.209482141084727828012999174891714}
	gaussWeight = [8]float64{0, 0.129484966168869693270611432679082, 0, 0.279705391489276667901467771423780,
		0, 0.381830050505118944950369775488975, 0, 0.417959183673469387755102040816327}
)

// integral halves [a, b] until the two rules agree to the tolerance, at most depth times, and not after maxLines. The
// error is much smaller than the tolerance for smooth integrands.
func (g *graph) integral(f func(float64) float64, a, b float64, depth int) float64 {
	middle, half := (a+b)/2, (b-a)/2
	v := f(middle)
	kronrod, gauss := kronrodWeight[7]*v, gaussWeight[7]*v
	for k := range 7 {
		v := f(middle-half*kronrodNode[k]) + f(middle+half*kronrodNode[k])
		kronrod += kronrodWeight[k] * v
		gauss += gaussWeight[k] * v
	}
	switch {
	case depth == 0 || math.Abs(kronrod-gauss)*half <= g.tolerance:
		return kronrod * half
	case *g.lines >= maxLines:
		g.isUnsure = true
		return kronrod * half
	}
	return g.integral(f, a, middle, depth-1) + g.integral(f, middle, b, depth-1)
}
