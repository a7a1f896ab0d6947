package kernels

// Eigenvalues are those of the Roe matrix of an edge, λ1 ≤ λ2 ≤ λ3 ≤ λ4. L1 and L4 belong to the external waves and
// are always real. Where the internal pair is complex, L2 = L3 is its real part and Complex is true.
type Eigenvalues[F Float] struct {
	L1, L2, L3, L4 F
	Complex        bool
}

// eigenvalues solves ((λ-u1)² - c1)((λ-u2)² - c2) = r c1 c2 with c = g h > 0.
//
// In x = λ - (u1+u2)/2 the quartic has no cubic term and holds 1-r explicitly, so nothing cancels as r → 1:
//
//	p(x) = x⁴ - a x² + b x + e,  d = (u2-u1)/2,
//	a = 2d² + c1 + c2,  b = 2d (c1-c2),  e = d⁴ - d² (c1+c2) + (1-r) c1 c2.
//
// The outer roots come from Chebyshev's iteration, of third order, started from the roots for b = 0 with their change
// to second order in b: one iteration as a rule.
// The inner roots follow from the sum and the product of all four.
func eigenvalues[F Float](u1, u2, c1, c2, r, tol F) Eigenvalues[F] {
	mean, d := (u1+u2)/2, (u2-u1)/2
	sum := c1 + c2
	dd := d * d
	a, b, e := 2*dd+sum, 2*d*(c1-c2), dd*(dd-sum)+(1-r)*(c1*c2)

	root := sqrt(larger(a*a-4*e, 0))
	speed := sqrt((a + root) / 2)
	inv := 1 / (2 * speed * root)
	shift := -b * speed * inv
	stretch := shift * shift * (2*a + root) * inv
	x1, x4 := shift-speed+stretch, shift+speed-stretch
	p1, p4 := (4*x1*x1-2*a)*x1+b, (4*x4*x4-2*a)*x4+b
	// Beyond the last turning point and inflection, where p is convex, the iteration cannot miss. Where that is in
	// doubt start at a rigorous bound of the roots.
	if !(abs(shift)+stretch <= speed/8 && -p1 >= speed*root && p4 >= speed*root) {
		speed = abs(d) + sqrt(sum)
		x1, x4 = -speed, speed
		p1, p4 = (4*x1*x1-2*a)*x1+b, (4*x4*x4-2*a)*x4+b
	}
	for i := 0; i < 40; i++ {
		xx1, xx4 := x1*x1, x4*x4
		w1, w4 := 1/p1, 1/p4
		s1 := ((xx1-a)*xx1 + (b*x1 + e)) * w1
		s4 := ((xx4-a)*xx4 + (b*x4 + e)) * w4
		x1 -= s1 + s1*s1*w1*(6*xx1-a)
		x4 -= s4 + s4*s4*w4*(6*xx4-a)
		if abs(s1)+abs(s4) <= tol*speed {
			break
		}
		p1, p4 = (4*x1*x1-2*a)*x1+b, (4*x4*x4-2*a)*x4+b
	}

	pair := -(x1 + x4)
	disc := pair*pair - 4*(e/(x1*x4))
	center := mean + pair/2
	half := sqrt(larger(disc, 0)) / 2
	return Eigenvalues[F]{mean + x1, center - half, center + half, mean + x4, disc < 0}
}
