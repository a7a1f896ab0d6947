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
// The outer roots come from Newton's method, which is monotone from |d| + √(c1+c2) inwards since p is convex there;
// the estimate exact to first order in d saves iterations. The inner roots follow from the sum and the product.
func eigenvalues[F Float](u1, u2, c1, c2, r, tol F) Eigenvalues[F] {
	mean, d := (u1+u2)/2, (u2-u1)/2
	sum, prod := c1+c2, (1-r)*(c1*c2)
	dd := d * d
	a, b, e := 2*dd+sum, 2*d*(c1-c2), dd*(dd-sum)+prod

	shift := -b / (2 * sum)
	speed := sqrt((sum + sqrt(larger(sum*sum-4*prod, 0))) / 2)
	x1, x4 := shift-speed, shift+speed
	p1, p4 := (4*x1*x1-2*a)*x1+b, (4*x4*x4-2*a)*x4+b
	least := sum * speed / 64 // under it the estimate is too near the turning point: take the rigorous bound
	if -p1 < least || p4 < least {
		bound := abs(d) + sqrt(sum)
		x1, x4 = -bound, bound
		p1, p4 = (4*x1*x1-2*a)*x1+b, (4*x4*x4-2*a)*x4+b
	}
	for i := 0; i < 40; i++ {
		xx1, xx4 := x1*x1, x4*x4
		s1 := ((xx1-a)*xx1 + (b*x1 + e)) / p1
		s4 := ((xx4-a)*xx4 + (b*x4 + e)) / p4
		x1 -= s1
		x4 -= s4
		p1, p4 = (4*x1*x1-2*a)*x1+b, (4*x4*x4-2*a)*x4+b
		if abs(s1)+abs(s4) <= tol*(x4-x1) {
			break
		}
	}

	pair := -(x1 + x4)
	q := e / (x1 * x4)
	disc := pair*pair - 4*q
	ev := Eigenvalues[F]{L1: mean + x1, L4: mean + x4}
	if disc < 0 {
		ev.L2 = mean + pair/2
		ev.L3 = ev.L2
		ev.Complex = true
		return ev
	}
	// The root of larger magnitude first: the other by the product keeps its digits.
	root := sqrt(disc)
	var big F
	if pair < 0 {
		big = (pair - root) / 2
	} else {
		big = (pair + root) / 2
	}
	small := F(0)
	if big != 0 {
		small = q / big
	}
	ev.L2 = mean + smaller(big, small)
	ev.L3 = mean + larger(big, small)
	return ev
}
