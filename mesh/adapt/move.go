package adapt

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// Trials of a move: the step of Newton's method, and shorter ones.
var stepLengths = [...]float64{1, 0.4, 0.16}

// move moves a vertex by a Newton step that reduces Σ 1/q over the cells around it (at last Σ q⁻⁴), with the metric
// frozen for the derivatives, if the sum falls by the relative amount e.gain and the worst quality does not fall. The
// vertex stays on its line, or in the plane of its surface.
func (e *engine) move(w *worker, v int32) bool {
	if e.Freedom[v] == 0 || e.o.KeepBoundary && e.Freedom[v] < int8(e.Dim) {
		return false
	}
	w.ordered = append(w.ordered[:0], e.Ball.Of(v)...)
	e.InOrder(w.ordered)
	var s local
	if e.Dim == 2 {
		w.star = starOf(e.Mesh, w.ordered, v, w.star)
		s = w.star.derivatives(e.sharp)
	} else {
		s = e.derivatives(w.ordered, v)
	}
	switch {
	case e.Freedom[v] == int8(e.Dim):
		d, ok := measure.NewtonStep(e.Dim, &s.hessian, &s.gradient)
		return ok && e.tryMoves(w, v, &s, &d)
	case e.Freedom[v] == 1:
		return e.moveAlong(w, v, &s)
	}
	d, ok := e.stepInPlane(w.ordered, v, &s)
	return ok && e.tryMoves(w, v, &s, &d)
}

// local is the sum that a move reduces, with its derivatives, and the worst quality.
type local struct {
	sum, worst float64
	gradient   measure.Vector
	hessian    measure.Tensor

	curved bool  // the vertex is on a curved surface,
	kind   int32 // of which the faces have this kind,
	misfit float64
}

// derivatives returns the sum around a vertex in space. With N = Σ l² over the edges of a cell and its volume V, 1/q is
// proportional to N^(d/2)/V, so that with h = (d/2) ∇N/N - ∇V/V the gradient of q⁻ᵖ/p is q⁻ᵖ h, and the second
// derivatives are q⁻ᵖ (p hh' + (d/2)(∇∇N/N - ∇N∇N'/N²) + ∇V∇V'/V²). star.derivatives is that in the plane.
func (e *engine) derivatives(cells []int32, v int32) (s local) {
	s.worst = 1
	const d = 1.5
	for _, k := range cells {
		c := &e.Cells[k]
		i := c.Find(3, v)
		x, m := e.Corners(c, nil, nil)
		mean := measure.MeanMetric(&m)
		n, dn := measure.SumOfSquares(&x, &mean, i)
		vol, dv := measure.Volume(3, &x), measure.VolumeGradient(&x, i)
		a, b := measure.Scaled(1/n, &dn), measure.Scaled(1/vol, &dv)
		h := measure.Vector{d*a[0] - b[0], d*a[1] - b[1], d*a[2] - b[2]}
		p, weight := 1.0, 1/c.Quality
		if e.sharp {
			p, weight = 4, (weight*weight)*(weight*weight)
		}
		curvature := 2 * d * (3 / n)
		for col := range 3 {
			s.gradient[col] += weight * h[col]
			for row := range col + 1 {
				z := measure.Entry[col][row]
				s.hessian[z] += weight * (p*h[row]*h[col] + curvature*mean[z] - d*a[row]*a[col] + b[row]*b[col])
			}
		}
		s.sum += weight
		s.worst = min(s.worst, c.Quality)
	}
	return s
}

// stepInPlane is the Newton step in the tangent plane of the surface at a vertex.
func (e *engine) stepInPlane(cells []int32, v int32, s *local) (d measure.Vector, ok bool) {
	n, flat := e.normalAt(cells, v)
	if s.curved = !flat; s.curved {
		if e.skin == nil {
			return d, false
		}
		s.kind = mutable.KindAround(e.Mesh, v)
		_, n, _ = e.skin.Nearest(&e.X[v], s.kind)
	}
	least := 0
	for k := range n {
		if math.Abs(n[k]) < math.Abs(n[least]) {
			least = k
		}
	}
	var axis measure.Vector
	axis[least] = 1
	p := measure.Cross(&n, &axis)
	l := math.Sqrt(measure.Dot(&p, &p))
	p = measure.Vector{p[0] / l, p[1] / l, p[2] / l}
	q := measure.Cross(&n, &p)
	hp, hq := measure.Product(&s.hessian, &p), measure.Product(&s.hessian, &q)
	h := measure.Tensor{measure.Dot(&p, &hp), measure.Dot(&p, &hq), measure.Dot(&q, &hq)}
	g := measure.Vector{measure.Dot(&s.gradient, &p), measure.Dot(&s.gradient, &q)}
	step, ok := measure.NewtonStep(2, &h, &g)
	for k := range d {
		d[k] = step[0]*p[k] + step[1]*q[k]
	}
	return d, ok
}

// normalAt returns the unit normal of the faces at a vertex of a surface, and whether they are coplanar.
func (e *engine) normalAt(cells []int32, v int32) (normal measure.Vector, flat bool) {
	first := true
	for _, k := range cells {
		c := &e.Cells[k]
		for i := range c.V {
			if c.Tag[i] == 0 || c.V[i] == v {
				continue
			}
			n := e.faceNormal(c, i)
			l := math.Sqrt(measure.Dot(&n, &n))
			n = measure.Vector{n[0] / l, n[1] / l, n[2] / l}
			if first {
				normal, first = n, false
			} else if math.Abs(measure.Dot(&n, &normal)) < 1-1e-9 {
				return normal, false
			}
		}
	}
	return normal, !first
}

// faceNormal is a normal of the face of a cell opposite to vertex i, as long as twice its area.
func (e *engine) faceNormal(c *mutable.Cell, i int) measure.Vector {
	f := &measure.Opposite[i]
	p, q := measure.Sub(&e.X[c.V[f[1]]], &e.X[c.V[f[0]]]), measure.Sub(&e.X[c.V[f[2]]], &e.X[c.V[f[0]]])
	return measure.Cross(&p, &q)
}

// tryMoves moves a vertex along a Newton step d if that is accepted. Steps that the derivatives predict to reduce the
// sum by less than a quarter of what is accepted are not tried: one in thousands would be.
func (e *engine) tryMoves(w *worker, v int32, s *local, d *measure.Vector) bool {
	power := 1.0 // of Σ q⁻ᵖ/p, of which s has the gradient
	if e.sharp {
		power = 4
	}
	worthwhile := 0.25 * e.gain * s.sum
	decrease := -0.5 * power * measure.Dot(&s.gradient, d) // of the whole step
	if s.curved && decrease >= worthwhile {
		s.misfit, _ = mutable.Misfit(e.Mesh, e.skin, e.around(w, v), v)
		s.misfit = max(s.misfit, e.o.Hausdorff*e.o.Hausdorff)
	}
	from := e.X[v]
	for _, step := range stepLengths {
		if !(decrease*step*(2-step) >= worthwhile) {
			return false
		}
		to := from
		for k := range e.Dim {
			to[k] += step * d[k]
		}
		if s.curved {
			to, _, _ = e.skin.Nearest(&to, s.kind)
		}
		if e.tryMove(w, v, s, &to) {
			return true
		}
	}
	return false
}

// moveAlong moves a vertex of a line along the line, toward either neighbour by at most 0.6 of the way.
func (e *engine) moveAlong(w *worker, v int32, s *local) bool {
	a, b := e.Line[v][0], e.Line[v][1]
	if e.ID[b.To] < e.ID[a.To] {
		a, b = b, a
	}
	c := &e.Curves[a.Curve]
	t := c.Tangent(a.S)
	h := measure.Square(e.Dim, &s.hessian, &t)
	if !(h > 0) {
		return false
	}
	from, until := e.Parameter(v, &a), e.Parameter(v, &b)
	low, high := 0.6*(from-a.S), 0.6*(until-a.S)
	if low > high {
		low, high = high, low
	}
	d := min(high, max(low, -measure.Dot(&s.gradient, &t)/h))
	for _, step := range stepLengths {
		to := a.S + step*d
		x := c.At(to)
		if c.Near(from, to, &e.X[a.To], &x, e.o.Hausdorff) && c.Near(to, until, &x, &e.X[b.To], e.o.Hausdorff) &&
			e.tryMove(w, v, s, &x) {
			for i := range e.Line[v] {
				e.Line[v][i].S = to
			}
			return true
		}
	}
	return false
}

// tryMove moves a vertex to a position, and back unless that is accepted. w.ordered are the cells around it, and in the
// plane w.star.
func (e *engine) tryMove(w *worker, v int32, s *local, to *measure.Vector) bool {
	x, m, want := e.X[v], e.M[v], e.Want[v]
	e.X[v] = *to
	e.Want[v] = e.field(*to)
	e.M[v] = e.soften(&e.Want[v])
	if !e.improves(w, v, s) {
		e.X[v], e.M[v], e.Want[v] = x, m, want
		return false
	}
	for i, k := range w.ordered {
		e.Cells[k].Quality = w.quality[i]
	}
	return true
}

// improves reports whether the position of a vertex is better than that before, and sets w.quality to the qualities of
// the cells around it.
func (e *engine) improves(w *worker, v int32, s *local) bool {
	w.quality = w.quality[:0]
	sum, limit := 0.0, s.sum*(1-e.gain)
	for i, k := range w.ordered {
		var q float64
		if e.Dim == 2 {
			q = w.star[i].qualityAfter(&e.X[v], &e.M[v])
		} else {
			q = e.QualityOf(&e.Cells[k])
		}
		f := 1 / q
		if e.sharp {
			f = (f * f) * (f * f)
		}
		if sum += f; !(q >= s.worst) || !(q > 0) || !(sum < limit) {
			return false
		}
		w.quality = append(w.quality, q)
	}
	if s.curved {
		d, aligned := mutable.Misfit(e.Mesh, e.skin, e.around(w, v), v)
		return d <= s.misfit && aligned
	}
	return true
}
