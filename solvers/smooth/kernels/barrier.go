package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/fit"
)

// The energy around a vertex is Σ (q₀/q)ᵖ over its triangles, with their qualities q and that of the worst triangle
// of the mesh, q₀, which keeps the powers in range. It is unbounded as a triangle becomes flat, and the larger p is
// the more the worst triangle dominates. With q = 12√3 V √det M F(x)/P², x = P/3, G = F'/F and κ = G/3 - 2/P,
//
//	∇log q = ∇V/V + κ∇P + ⅓(½M⁻¹ + κ Σ ee'/2|e|) : ∂M,
//
// where the sum is over the triangle's edges e, and ∂M is the derivative of the metric at the vertex, which enters the
// triangle's metric by a third. With a = p(q₀/q)ᵖ and g = ∇V/V + κ∇P the Hessian is approximated by
//
//	Σ a [p gg' + ∇V∇V'/V² + max(-G'/9 - 2/P², 0) ∇P∇P' + max(-κ, 0) ∇²P],
//
// whose terms are all positive semidefinite: the omitted terms are negative, or derivatives of the metric.

// localEnergy is the energy of the triangles around a vertex at one position, its gradient and Hessian, and the minimum
// and the sum of their qualities.
type localEnergy[F num.Float] struct{ energy, gx, gy, h11, h12, h22, least, sum F }

// localEnergyOf evaluates the triangles around vertex i, at the beginning of a step.
func localEnergyOf[F num.Float](i int, s *step[F], c *Control[F], m *Mesh[F], field *Field[F],
	v []Vertex[F]) localEnergy[F] {
	p11, p12, p22 := v[i].M11, v[i].M12, v[i].M22
	var energy, gx, gy, h11, h12, h22, b11, b12, b22, sum F
	least, power := F(2), F(int32(1)<<c.Doublings)
	first := m.next(i, 0)
	a := &v[first]
	ax, ay, a11, a12, a22 := a.X-s.x, a.Y-s.y, p11+a.M11, p12+a.M12, p22+a.M22
	for k := 1; ; k++ {
		j := m.corner(i, k, first, !s.slides)
		if j < 0 {
			break
		}
		b := &v[j]
		bx, by := b.X-s.x, b.Y-s.y
		m11, m12, m22 := (a11+b.M11)*third, (a12+b.M12)*third, (a22+b.M22)*third
		double, det := ax*by-bx*ay, m11*m22-m12*m12
		fx, fy := metricTimes(m11, m12, m22, ax, ay)
		ux, uy := metricTimes(m11, m12, m22, bx, by)
		cx, cy := bx-ax, by-ay
		wx, wy := metricTimes(m11, m12, m22, cx, cy)
		la, lb, lc := num.Sqrt(ax*fx+ay*fy), num.Sqrt(bx*ux+by*uy), num.Sqrt(cx*wx+cy*wy)
		size, slope, bend, inverse := fit.ValueAndDerivatives((la + lb + lc) * third)
		q := twelveRoots / 18 * double * num.Sqrt(det) * size * inverse * inverse
		kappa := slope*third - 2*third*inverse
		ia, ib, ic := 1/la, 1/lb, 1/lc
		px, py := -(fx*ia + ux*ib), -(fy*ia + uy*ib) // ∇P
		flat := 1 / double
		nx, ny := -cy*flat, cx*flat // ∇V/V
		qx, qy := nx+kappa*px, ny+kappa*py
		e := fit.Power(c.Floor/q, c.Doublings)
		energy += e
		e *= power
		gx, gy = gx-e*qx, gy-e*qy
		bow := num.Larger(-bend-2*inverse*inverse, 0) * (third * third)
		// M - ww'/|u|² for w = Mu is det M/|u|² times the square of u, turned by a right angle.
		turn := num.Larger(-kappa, 0) * det
		ta, tb := turn*ia*ia*ia, turn*ib*ib*ib
		h11 += e * (power*qx*qx + nx*nx + bow*px*px + ta*ay*ay + tb*by*by)
		h12 += e * (power*qx*qy + nx*ny + bow*px*py - ta*ax*ay - tb*bx*by)
		h22 += e * (power*qy*qy + ny*ny + bow*py*py + ta*ax*ax + tb*bx*bx)
		half, ek := 0.5*e/det, 0.5*e*kappa
		ia, ib, ic = ek*ia, ek*ib, ek*ic
		b11 += half*m22 + ia*ax*ax + ib*bx*bx + ic*cx*cx
		b12 += ia*ax*ay + ib*bx*by + ic*cx*cy - half*m12
		b22 += half*m11 + ia*ay*ay + ib*by*by + ic*cy*cy
		sum += q
		least = fit.Lower(least, q)
		if j == first {
			break
		}
		ax, ay, a11, a12, a22 = bx, by, p11+b.M11, p12+b.M12, p22+b.M22
	}
	mx, my := field.Gradient(s.x, s.y)
	gx -= third * (b11*mx.M11 + 2*b12*mx.M12 + b22*mx.M22)
	gy -= third * (b11*my.M11 + 2*b12*my.M12 + b22*my.M22)
	return localEnergy[F]{energy, gx, gy, h11, h12, h22, least, sum}
}

const (
	third    = 1.0 / 3
	twoRoots = 3.4641016151377545871 // 2√3
)

// trialEnergy returns the energy around vertex i at a trial position (x, y) with the given metric, the sum of the
// qualities, and whether all triangles are upright and have at least the quality minQuality and the shape p.Shape. It
// stops at the first one that does not. The shape does not depend on the metric: 4√3 times the area divided by the sum
// of the squares of the sides, which is 1 for the equilateral triangle (mesh.Quality).
func trialEnergy[F num.Float](i int, closed bool, x, y F, metric *Tensor[F], minQuality F, p *Params[F], c *Control[F],
	m *Mesh[F], v []Vertex[F]) (F, F, bool) {
	p11, p12, p22 := metric.M11, metric.M12, metric.M22
	var energy, sum F
	first := m.next(i, 0)
	a := &v[first]
	ax, ay, a11, a12, a22 := a.X-x, a.Y-y, p11+a.M11, p12+a.M12, p22+a.M22
	for k := 1; ; k++ {
		j := m.corner(i, k, first, closed)
		if j < 0 {
			return energy, sum, true
		}
		b := &v[j]
		bx, by := b.X-x, b.Y-y
		m11, m12, m22 := (a11+b.M11)*third, (a12+b.M12)*third, (a22+b.M22)*third
		one, other := ax*by, bx*ay
		double, det := one-other, m11*m22-m12*m12
		cx, cy := bx-ax, by-ay
		la, lb := ax*(m11*ax+2*m12*ay)+m22*ay*ay, bx*(m11*bx+2*m12*by)+m22*by*by
		lc := cx*(m11*cx+2*m12*cy) + m22*cy*cy
		size, inverse := fit.Value((num.Sqrt(la) + num.Sqrt(lb) + num.Sqrt(lc)) * third)
		q := twelveRoots / 18 * double * num.Sqrt(det) * size * inverse * inverse
		squares := ax*ax + ay*ay + bx*bx + by*by + cx*cx + cy*cy
		if !(q >= minQuality && double > p.Flat*(num.Abs(one)+num.Abs(other)) && twoRoots*double >= p.Shape*squares) {
			return energy, sum, false
		}
		sum += q
		energy += fit.Power(c.Floor/q, c.Doublings)
		if j == first {
			return energy, sum, true
		}
		ax, ay, a11, a12, a22 = bx, by, p11+b.M11, p12+b.M12, p22+b.M22
	}
}

// descend computes Newton's step toward the least energy, or beyond it for ω > 1. A multiple of the metric at the
// vertex is added to the Hessian, which may be singular where all triangles are slivers.
func (b *localEnergy[F]) descend(s *step[F], relax F, p *Vertex[F]) {
	stiffening := fit.Stiffening * num.Larger(b.h11/p.M11, b.h22/p.M22)
	var h Tensor[F]
	h.M11, h.M12, h.M22 = b.h11+stiffening*p.M11, b.h12+stiffening*p.M12, b.h22+stiffening*p.M22
	s.newton(&h, -b.gx, -b.gy, relax)
	if s.slides {
		s.limitToRail()
	}
}

// Barrier moves vertex i by Newton's step toward the least energy around it, or by the step halved up to four times.
// The move must decrease the energy, and must not make a triangle worse than the floor, or than the worst one before if
// that is below the floor; then the worst must improve by more than round-off. No triangle gets a shape below p.Shape,
// which all have before the first sweep. It returns the square of the move in the metric.
//
//atoll:kernel lanes wide max grain=128
func Barrier[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	var s step[F]
	s.begin(i, set, m, v)
	b := localEnergyOf(i, &s, c, m, field, v)
	b.descend(&s, p.Relax, &v[i])
	minQuality := num.Smaller(b.least, c.Floor) + p.Margin
	share := F(1)
	for try := 0; try < 5; try++ {
		x, y := s.at(share)
		moveSquare := distanceSquare(&v[i], x, y)
		if !(moveSquare > p.Shortest*p.Shortest) || x-x != 0 || y-y != 0 {
			break
		}
		metric := field.At(x, y)
		energy, sum, sound := trialEnergy(i, !s.slides, x, y, &metric, minQuality, p, c, m, v)
		if sound && energy < b.energy && (!c.Rising || sum > b.sum+p.Margin) {
			if share < 1 && i < int(set.Owned) {
				atomic.AddInt64(&n.Limited, 1)
			}
			v[i].X, v[i].Y, v[i].S = x, y, s.s+share*s.ds
			v[i].M11, v[i].M12, v[i].M22 = metric.M11, metric.M12, metric.M22
			return moveSquare
		}
		share /= 2
	}
	if i < int(set.Owned) {
		atomic.AddInt64(&n.Refused, 1)
	}
	return 0
}

// distanceSquare is the square of the distance of a position from a vertex, in its metric.
func distanceSquare[F num.Float](p *Vertex[F], x, y F) F {
	dx, dy := x-p.X, y-p.Y
	return dx*(p.M11*dx+2*p.M12*dy) + dy*p.M22*dy
}

// RateCell returns the quality of triangle i, for the minimum over all.
//
//atoll:kernel lanes min
func RateCell[F num.Float](i int, cells []Cell, v []Vertex[F]) F {
	c := &cells[i]
	p := &v[c.At[0]]
	var m Tensor[F]
	m.M11, m.M12, m.M22 = p.M11, p.M12, p.M22
	t := Measure(p.X, p.Y, &m, &v[c.At[1]], &v[c.At[2]])
	return t.Quality()
}
