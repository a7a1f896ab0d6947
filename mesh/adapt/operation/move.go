package operation

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// moves are those of vertices of tetrahedra.
type moves struct{ *Rules }

// Trials of a move: the step of Newton's method, and shorter ones.
var stepLengths = [...]float64{1, 0.4, 0.16}

// move is Rules.Move.
func (op moves) move(w *Worker, v int32) bool {
	w.ordered = append(w.ordered[:0], op.Ball(v)...)
	op.InOrder(w.ordered)
	s := op.derivatives(w.ordered, v)
	switch {
	case op.Freedom[v] == uint8(op.Dim):
		d, ok := measure.NewtonStep(op.Dim, &s.hessian, &s.gradient)
		return ok && op.tryMoves(w, v, &s, &d)
	case op.Freedom[v] == 1:
		return op.moveAlong(w, v, &s)
	}
	d, ok := op.stepInPlane(w.ordered, v, &s)
	return ok && op.tryMoves(w, v, &s, &d)
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
// derivatives are q⁻ᵖ (p hh' + (d/2)(∇∇N/N - ∇N∇N'/N²) + ∇V∇V'/V²).
func (op moves) derivatives(cells []int32, v int32) (s local) {
	s.worst = 1
	const d = 1.5
	for _, k := range cells {
		c := &op.Cells[k]
		i := c.Find(3, v)
		x, m := op.Corners(c, nil, nil)
		mean := measure.MeanMetric(&m)
		n, dn := measure.SumOfSquares(&x, &mean, i)
		vol, dv := measure.Volume(3, &x), measure.VolumeGradient(&x, i)
		a, b := measure.Scaled(1/n, &dn), measure.Scaled(1/vol, &dv)
		h := measure.Vector{d*a[0] - b[0], d*a[1] - b[1], d*a[2] - b[2]}
		p, weight := 1.0, 1/c.Quality
		if op.Sharp {
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
func (op moves) stepInPlane(cells []int32, v int32, s *local) (d measure.Vector, ok bool) {
	n, flat := op.normalAt(cells, v)
	if s.curved = !flat; s.curved {
		if op.Skin == nil {
			return d, false
		}
		s.kind = mutable.KindAround(op.Mesh, v)
		_, n, _ = op.Skin.Nearest(&op.X[v], s.kind)
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
func (op moves) normalAt(cells []int32, v int32) (normal measure.Vector, flat bool) {
	first := true
	for _, k := range cells {
		c := &op.Cells[k]
		for i := range c.V {
			if c.Tag[i] == 0 || c.V[i] == v {
				continue
			}
			n := op.faceNormal(c, i)
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

// tryMoves moves a vertex along a Newton step d if that is accepted. Steps that the derivatives predict to reduce the
// sum by less than a quarter of what is accepted are not tried: one in thousands would be.
func (op moves) tryMoves(w *Worker, v int32, s *local, d *measure.Vector) bool {
	power := 1.0 // of Σ q⁻ᵖ/p, of which s has the gradient
	if op.Sharp {
		power = 4
	}
	worthwhile := 0.25 * op.Gain * s.sum
	decrease := -0.5 * power * measure.Dot(&s.gradient, d) // of the whole step
	if s.curved && decrease >= worthwhile {
		s.misfit, _ = mutable.Misfit(op.Mesh, op.Skin, op.around(w, v), v)
		s.misfit = max(s.misfit, op.Hausdorff*op.Hausdorff)
	}
	from := op.X[v]
	for _, step := range stepLengths {
		if !(decrease*step*(2-step) >= worthwhile) {
			return false
		}
		to := from
		for k := range op.Dim {
			to[k] += step * d[k]
		}
		if s.curved {
			to, _, _ = op.Skin.Nearest(&to, s.kind)
		}
		if op.tryMove(w, v, s, &to) {
			return true
		}
	}
	return false
}

// moveAlong moves a vertex of a line along the line, toward either neighbour by at most 0.6 of the way.
func (op moves) moveAlong(w *Worker, v int32, s *local) bool {
	ends := op.Line(v)
	a, b := ends[0], ends[1]
	if op.ID[b.To] < op.ID[a.To] {
		a, b = b, a
	}
	c := &op.Curves
	t := c.Tangent(a.Curve, a.S)
	h := measure.Square(op.Dim, &s.hessian, &t)
	if !(h > 0) {
		return false
	}
	from, until := op.Parameter(v, &a), op.Parameter(v, &b)
	low, high := 0.6*(from-a.S), 0.6*(until-a.S)
	if low > high {
		low, high = high, low
	}
	d := min(high, max(low, -measure.Dot(&s.gradient, &t)/h))
	for _, step := range stepLengths {
		to := a.S + step*d
		x := c.At(a.Curve, to)
		if c.Near(a.Curve, from, to, &op.X[a.To], &x, op.Hausdorff) &&
			c.Near(a.Curve, to, until, &x, &op.X[b.To], op.Hausdorff) && op.tryMove(w, v, s, &x) {
			for i := range ends {
				ends[i].S = to
			}
			return true
		}
	}
	return false
}

// tryMove moves a vertex to a position, and back unless that is accepted. w.ordered are the cells around it.
func (op moves) tryMove(w *Worker, v int32, s *local, to *measure.Vector) bool {
	x, m, want := op.X[v], op.M[v], op.Want[v]
	op.X[v] = *to
	op.Want[v] = op.Field(*to)
	op.M[v] = op.Soften(&op.Want[v])
	if !op.improves(w, v, s) {
		op.X[v], op.M[v], op.Want[v] = x, m, want
		return false
	}
	for i, k := range w.ordered {
		op.Cells[k].Quality = w.quality[i]
	}
	return true
}

// improves reports whether the position of a vertex is better than that before, and sets w.quality to the qualities of
// the cells around it.
func (op moves) improves(w *Worker, v int32, s *local) bool {
	w.quality = w.quality[:0]
	sum, limit := 0.0, s.sum*(1-op.Gain)
	for _, k := range w.ordered {
		q := op.QualityOf(&op.Cells[k])
		f := 1 / q
		if op.Sharp {
			f = (f * f) * (f * f)
		}
		if sum += f; !(q >= s.worst) || !(q > 0) || !(sum < limit) {
			return false
		}
		w.quality = append(w.quality, q)
	}
	if s.curved {
		d, aligned := mutable.Misfit(op.Mesh, op.Skin, op.around(w, v), v)
		return d <= s.misfit && aligned
	}
	return true
}
