// Package portable replaces functions of package math whose last bits depend on the processor by functions that give
// the same bits on all processors.
//
// math.Exp uses fused multiply-adds on arm64, and on amd64 if the processor has them; so do math.Pow, Sinh, Cosh and
// Tanh, which call it. For numbers below 2⁻¹⁰²² math.Log uses another method on amd64 than on other processors. The
// other functions of math that Atoll calls give the same bits on amd64 and arm64 if the compiler does not fuse
// multiplications and additions.
package portable

import "math"

// Exp returns e^x by the method of FreeBSD's e_exp.c: x = k ln 2 + r with |r| ≤ ln 2 / 2, and a rational function of r.
// Its error is below one unit in the last place.
func Exp(x float64) float64 {
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

// expReduced returns e^(hi-lo) 2^k for |hi - lo| ≤ ln 2 / 2. The conversions to float64 keep the compiler from fusing
// products and sums.
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

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	const minNormal, shift = 0x1p-1022, 54 // scaling by 2^54 makes subnormal numbers normal
	if x > 0 && x < minNormal {
		return math.Log(x*(1<<shift)) - shift*math.Ln2
	}
	return math.Log(x)
}

// Pow returns x^y. It calls math.Pow for special cases, for integer y, which needs only multiplications, and for y of
// 1/2 or -1/2, which needs a square root.
func Pow(x, y float64) float64 {
	integer, fraction := math.Modf(math.Abs(y))
	if fraction == 0 || fraction == 0.5 && integer == 0 || !(x > 0) || math.IsInf(x, 0) || math.IsInf(y, 0) ||
		math.IsNaN(y) {
		return math.Pow(x, y)
	}
	v := Exp(float64(fraction*Log(x))) * math.Pow(x, integer)
	if y < 0 {
		return 1 / v
	}
	return v
}

// expLimit is a number up to which e^x does not overflow: it does from 709.8 on.
const expLimit = 700

// Sinh returns the hyperbolic sine of x.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	if !(a > 0.5) { // there math.Sinh does not call math.Exp
		return math.Sinh(x)
	}
	if a > expLimit {
		return math.Copysign(halfExp(a), x)
	}
	e := Exp(a)
	return math.Copysign((e-1/e)/2, x)
}

// Cosh returns the hyperbolic cosine of x.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	if a > expLimit {
		return halfExp(a)
	}
	e := Exp(a)
	return (e + 1/e) / 2
}

// halfExp returns e^x / 2, also if e^x overflows.
func halfExp(x float64) float64 {
	root := Exp(x / 2)
	return root / 2 * root
}

// Tanh returns the hyperbolic tangent of x.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	if !(a >= 0.625) { // there math.Tanh does not call math.Exp
		return math.Tanh(x)
	}
	return math.Copysign(1-2/(Exp(2*a)+1), x)
}
