package expr

import "math"

// On amd64 math.Exp multiplies and adds in one rounding where the processor can, so that its last bit depends on the
// machine. The functions here and those of math that do not lead to math.Exp give the same bits on all.

// exp is e^x by the method of FreeBSD's e_exp.c: x = k ln 2 + r with |r| ≤ ln 2 / 2, and a rational function of r.
// Its error is below one unit in the last place.
func exp(x float64) float64 {
	const (
		ln2Hi     = 6.93147180369123816490e-01
		ln2Lo     = 1.90821492927058770002e-10
		overflow  = 7.09782712893383973096e+02
		underflow = -7.45133219101941108420e+02
	)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	return expReduced(x-float64(k*ln2Hi), k*ln2Lo, int(k))
}

// expReduced is e^(hi-lo) 2^k for |hi - lo| ≤ ln 2 / 2. The conversions keep each product a rounding of its own.
func expReduced(hi, lo float64, k int) float64 {
	const (
		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	r := hi - lo
	s := float64(r * r)
	c := r - float64(s*(p1+float64(s*(p2+float64(s*(p3+float64(s*(p4+float64(s*p5)))))))))
	return math.Ldexp(1-((lo-float64(r*c)/(2-c))-hi), k)
}

// pow is x^y. Where math.Pow has special rules, or needs multiplications only, it is used.
func pow(x, y float64) float64 {
	whole, part := math.Modf(math.Abs(y))
	if part == 0 || part == 0.5 && whole == 0 || !(x > 0) || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsNaN(y) {
		return math.Pow(x, y)
	}
	v := exp(float64(part*math.Log(x))) * math.Pow(x, whole)
	if y < 0 {
		return 1 / v
	}
	return v
}

func sinh(x float64) float64 {
	a := math.Abs(x)
	if !(a > 0.5) {
		return math.Sinh(x)
	}
	if a > 700 {
		return math.Copysign(halfExp(a), x)
	}
	e := exp(a)
	return math.Copysign((e-1/e)/2, x)
}

func cosh(x float64) float64 {
	a := math.Abs(x)
	if a > 700 {
		return halfExp(a)
	}
	e := exp(a)
	return (e + 1/e) / 2
}

// halfExp is e^x / 2, also where e^x alone overflows.
func halfExp(x float64) float64 {
	root := exp(x / 2)
	return root / 2 * root
}

func tanh(x float64) float64 {
	a := math.Abs(x)
	if !(a >= 0.625) {
		return math.Tanh(x)
	}
	return math.Copysign(1-2/(exp(2*a)+1), x)
}
