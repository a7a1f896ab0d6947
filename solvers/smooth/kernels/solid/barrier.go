package solid

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/fit"
)

// The energy around a vertex is that of the plane, Σ (q₀/q)ᵖ, over its tetrahedra, or -Σ q/q₀, with p = -1. With
// q = 6⁴√2 V √det M F(x)/P³, x = P/6, G = F'/F and κ = G/6 - 3/P,
//
//	∇log q = ∇V/V + κ∇P + ¼(½M⁻¹ + κ Σ ee'/2|e|) : ∂M,
//
// and the Hessian is approximated by Σ a [|p| gg' + ∇V∇V'/V² + max(-G'/36 - 3/P², 0) ∇P∇P' + max(-κ, 0) ∇²P].

// localEnergy is the energy of the tetrahedra around a vertex at one position, its gradient and Hessian, and the
// minimum and the sum of their qualities. The terms of ∂M are added to the gradient at the end, by the tensor bend.
type localEnergy[F num.Float] struct {
	energy, least, sum F
	g                  Vector[F]
	h, bend            Tensor[F]
}

// localEnergyOf evaluates the tetrahedra around vertex i, at the beginning of a step.
func localEnergyOf[F num.Float](i int, s *step[F], c *Control[F], m *Mesh[F], field *Field[F],
	v []Vertex[F]) localEnergy[F] {
	own := v[i].metric()
	var b localEnergy[F]
	b.least = 2
	for k := m.Spans[i].FirstFace; k < m.Spans[i+1].FirstFace; k++ {
		f := &m.CavityFaces[k]
		b.add(s.p, &own, &v[f.A], &v[f.B], &v[f.C], c)
	}
	mx, my, mz := field.Gradient(s.p)
	b.g.X -= quarter * b.bend.contract(&mx)
	b.g.Y -= quarter * b.bend.contract(&my)
	b.g.Z -= quarter * b.bend.contract(&mz)
	return b
}

const (
	quarter = 1.0 / 4
	sixth   = 1.0 / 6
)

// add adds the tetrahedron of vertices va, vb and vc with a corner at p, where the metric is own. The edges at p are a,
// b and c, and M times them f, g and h.
func (w *localEnergy[F]) add(p Vector[F], own *Tensor[F], va, vb, vc *Vertex[F], control *Control[F]) {
	m11, m12 := (own.M11+va.M11+vb.M11+vc.M11)*quarter, (own.M12+va.M12+vb.M12+vc.M12)*quarter
	m13, m22 := (own.M13+va.M13+vb.M13+vc.M13)*quarter, (own.M22+va.M22+vb.M22+vc.M22)*quarter
	m23, m33 := (own.M23+va.M23+vb.M23+vc.M23)*quarter, (own.M33+va.M33+vb.M33+vc.M33)*quarter
	ax, ay, az := va.X-p.X, va.Y-p.Y, va.Z-p.Z
	bx, by, bz := vb.X-p.X, vb.Y-p.Y, vb.Z-p.Z
	cx, cy, cz := vc.X-p.X, vc.Y-p.Y, vc.Z-p.Z
	fx, fy, fz := m11*ax+m12*ay+m13*az, m12*ax+m22*ay+m23*az, m13*ax+m23*ay+m33*az
	gx, gy, gz := m11*bx+m12*by+m13*bz, m12*bx+m22*by+m23*bz, m13*bx+m23*by+m33*bz
	hx, hy, hz := m11*cx+m12*cy+m13*cz, m12*cx+m22*cy+m23*cz, m13*cx+m23*cy+m33*cz
	ux, uy, uz := bx-ax, by-ay, bz-az
	vx, vy, vz := cx-ax, cy-ay, cz-az
	tx, ty, tz := cx-bx, cy-by, cz-bz
	la, lb, lc := num.Sqrt(ax*fx+ay*fy+az*fz), num.Sqrt(bx*gx+by*gy+bz*gz), num.Sqrt(cx*hx+cy*hy+cz*hz)
	lu := num.Sqrt(ux*(gx-fx) + uy*(gy-fy) + uz*(gz-fz))
	lv := num.Sqrt(vx*(hx-fx) + vy*(hy-fy) + vz*(hz-fz))
	lt := num.Sqrt(tx*(hx-gx) + ty*(hy-gy) + tz*(hz-gz))
	// Six times the volume, and its negative gradient.
	sx, sy, sz := uy*vz-uz*vy, uz*vx-ux*vz, ux*vy-uy*vx
	six := ax*sx + ay*sy + az*sz
	n11, n12, n13 := m22*m33-m23*m23, m13*m23-m12*m33, m12*m23-m13*m22
	det := m11*n11 + m12*n12 + m13*n13
	size, slope, bend, inverse := fit.ValueAndDerivatives((la + lb + lc + lu + lv + lt) * sixth)
	q := ideal / 1296 * six * num.Sqrt(det) * size * (inverse * inverse * inverse)
	kappa := slope*sixth - 0.5*inverse
	e, power := fit.Energy(control.Floor/q, control.Doublings)
	w.energy += e
	w.sum += q
	w.least = fit.Lower(w.least, q)
	e *= power
	ia, ib, ic := 1/la, 1/lb, 1/lc
	px, py, pz := -(fx*ia + gx*ib + hx*ic), -(fy*ia + gy*ib + hy*ic), -(fz*ia + gz*ib + hz*ic)
	flat := 1 / six
	sx, sy, sz = -sx*flat, -sy*flat, -sz*flat
	qx, qy, qz := sx+kappa*px, sy+kappa*py, sz+kappa*pz
	w.g.X, w.g.Y, w.g.Z = w.g.X-e*qx, w.g.Y-e*qy, w.g.Z-e*qz
	bow := e * num.Larger(-bend-3*inverse*inverse, 0) * (sixth * sixth)
	turn := e * num.Larger(-kappa, 0)
	ra, rb, rc := turn*ia*ia*ia, turn*ib*ib*ib, turn*ic*ic*ic
	turn *= ia + ib + ic
	ep := e * num.Abs(power)
	w.h.M11 += ep*qx*qx + e*sx*sx + bow*px*px + turn*m11 - (ra*fx*fx + rb*gx*gx + rc*hx*hx)
	w.h.M12 += ep*qx*qy + e*sx*sy + bow*px*py + turn*m12 - (ra*fx*fy + rb*gx*gy + rc*hx*hy)
	w.h.M13 += ep*qx*qz + e*sx*sz + bow*px*pz + turn*m13 - (ra*fx*fz + rb*gx*gz + rc*hx*hz)
	w.h.M22 += ep*qy*qy + e*sy*sy + bow*py*py + turn*m22 - (ra*fy*fy + rb*gy*gy + rc*hy*hy)
	w.h.M23 += ep*qy*qz + e*sy*sz + bow*py*pz + turn*m23 - (ra*fy*fz + rb*gy*gz + rc*hy*hz)
	w.h.M33 += ep*qz*qz + e*sz*sz + bow*pz*pz + turn*m33 - (ra*fz*fz + rb*gz*gz + rc*hz*hz)
	half, ek := 0.5*e/det, 0.5*e*kappa
	ia, ib, ic = ek*ia, ek*ib, ek*ic
	iu, iv, it := ek/lu, ek/lv, ek/lt
	w.bend.M11 += half*n11 + ia*ax*ax + ib*bx*bx + ic*cx*cx + iu*ux*ux + iv*vx*vx + it*tx*tx
	w.bend.M12 += half*n12 + ia*ax*ay + ib*bx*by + ic*cx*cy + iu*ux*uy + iv*vx*vy + it*tx*ty
	w.bend.M13 += half*n13 + ia*ax*az + ib*bx*bz + ic*cx*cz + iu*ux*uz + iv*vx*vz + it*tx*tz
	w.bend.M22 += half*(m11*m33-m13*m13) + ia*ay*ay + ib*by*by + ic*cy*cy + iu*uy*uy + iv*vy*vy + it*ty*ty
	w.bend.M23 += half*(m12*m13-m11*m23) + ia*ay*az + ib*by*bz + ic*cy*cz + iu*uy*uz + iv*vy*vz + it*ty*tz
	w.bend.M33 += half*(m11*m22-m12*m12) + ia*az*az + ib*bz*bz + ic*cz*cz + iu*uz*uz + iv*vz*vz + it*tz*tz
}

// trialEnergy returns the energy around vertex i at a trial position p, where the metric is given, the sum of the
// qualities, and whether all tetrahedra have at least the quality minQuality. It stops at the first one that does not.
func trialEnergy[F num.Float](i int, p Vector[F], metric *Tensor[F], minQuality F, c *Control[F], m *Mesh[F],
	v []Vertex[F]) (F, F, bool) {
	var energy, sum F
	for k := m.Spans[i].FirstFace; k < m.Spans[i+1].FirstFace; k++ {
		s := &m.CavityFaces[k]
		q := quality(p, metric, &v[s.A], &v[s.B], &v[s.C])
		if !(q >= minQuality) {
			return energy, sum, false
		}
		sum += q
		e, _ := fit.Energy(c.Floor/q, c.Doublings)
		energy += e
	}
	return energy, sum, true
}

// descend computes Newton's step toward the least energy, or beyond it for ω > 1. A multiple of the metric at the
// vertex is added to the Hessian, which may be singular where all tetrahedra are slivers.
func (b *localEnergy[F]) descend(s *step[F], relax F, p *Vertex[F]) {
	stiffening := fit.Stiffening * num.Larger(num.Larger(b.h.M11/p.M11, b.h.M22/p.M22), b.h.M33/p.M33)
	own := p.metric()
	own = scaled(&own, stiffening)
	h := b.h
	h.M11, h.M12, h.M13 = h.M11+own.M11, h.M12+own.M12, h.M13+own.M13
	h.M22, h.M23, h.M33 = h.M22+own.M22, h.M23+own.M23, h.M33+own.M33
	var g Vector[F]
	g.X, g.Y, g.Z = -b.g.X, -b.g.Y, -b.g.Z
	s.newton(&h, g, relax)
	if s.bound {
		s.limitToFrame()
	}
}

// Barrier moves vertex i by Newton's step toward the least energy around it, or by the step halved up to four
// times. The move must decrease the energy, and must not make a tetrahedron worse than the floor, or than the worst
// one before if that is below the floor; then the worst must improve by more than round-off. No tetrahedron gets a
// shape below p.Shape, which all have before the first sweep. It returns the square of the move in the metric.
//
//atoll:kernel max grain=32
func Barrier[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	var s step[F]
	s.begin(i, set, m, v)
	b := localEnergyOf(i, &s, c, m, field, v)
	b.descend(&s, p.Relax, &v[i])
	own := v[i].metric()
	minQuality := num.Smaller(b.least, c.Floor) + p.Margin
	share := F(1)
	for try := 0; try < 5; try++ {
		q := s.at(share)
		u := minus(q, s.p)
		moveSquare := own.product(u, u)
		if !(moveSquare > p.Shortest*p.Shortest) || q.X-q.X != 0 || q.Y-q.Y != 0 || q.Z-q.Z != 0 {
			break
		}
		metric := field.At(q)
		energy, sum, sound := trialEnergy(i, q, &metric, minQuality, c, m, v)
		if sound && energy < b.energy && (!c.Rising || sum > b.sum+p.Margin) && upright(i, q, p.Flat, m, v) &&
			(p.Shape == 0 || shapely(i, q, p.Shape, m, v)) {
			if share < 1 && i < int(set.Owned) {
				atomic.AddInt64(&n.Limited, 1)
			}
			v[i].X, v[i].Y, v[i].Z, v[i].A, v[i].B = q.X, q.Y, q.Z, s.a+share*s.d.X, s.b+share*s.d.Y
			v[i].M11, v[i].M12, v[i].M13 = metric.M11, metric.M12, metric.M13
			v[i].M22, v[i].M23, v[i].M33 = metric.M22, metric.M23, metric.M33
			return moveSquare
		}
		share /= 2
	}
	if i < int(set.Owned) {
		atomic.AddInt64(&n.Refused, 1)
	}
	return 0
}

// shapely reports whether all tetrahedra around vertex i have at least a shape at a trial position p of the vertex. The
// shape does not depend on the metric: with the volume V, edges e and areas S of the faces it is 18 V/√(Σe² ΣS²), which
// is 1 for the regular tetrahedron (mesh.Quality).
func shapely[F num.Float](i int, p Vector[F], shape F, m *Mesh[F], v []Vertex[F]) bool {
	for k := m.Spans[i].FirstFace; k < m.Spans[i+1].FirstFace; k++ {
		s := &m.CavityFaces[k]
		a, b, c := v[s.A].from(p), v[s.B].from(p), v[s.C].from(p)
		ab, bc, ca := cross(a, b), cross(b, c), cross(c, a)
		var all Vector[F]
		all.X, all.Y, all.Z = ab.X+bc.X+ca.X, ab.Y+bc.Y+ca.Y, ab.Z+bc.Z+ca.Z
		u, w, t := minus(b, a), minus(c, b), minus(a, c)
		edges := dot(a, a) + dot(b, b) + dot(c, c) + dot(u, u) + dot(w, w) + dot(t, t)
		faces := dot(ab, ab) + dot(bc, bc) + dot(ca, ca) + dot(all, all) // 4 ΣS²
		if !(6*dot(a, bc) >= shape*num.Sqrt(edges)*num.Sqrt(faces)) {
			return false
		}
	}
	return true
}

// RateCell returns the quality of tetrahedron i, for the minimum over all.
//
//atoll:kernel min
func RateCell[F num.Float](i int, cells []Cell, v []Vertex[F]) F {
	c := &cells[i]
	a := &v[c.At[0]]
	var p Vector[F]
	p.X, p.Y, p.Z = a.X, a.Y, a.Z
	m := a.metric()
	return quality(p, &m, &v[c.At[1]], &v[c.At[2]], &v[c.At[3]])
}
