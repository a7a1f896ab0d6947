// Package portable has the functions of package math whose last bits depend on the processor, so that they do not.
//
// On amd64 math.Exp multiplies and adds in one rounding where the processor can, and on arm64 always; and so what calls
// it: math.Pow, Sinh, Cosh and Tanh. On amd64 math.Log is another method than elsewhere for numbers below 2⁻¹⁰²². The
// other functions of math that Atoll calls give the same bits on amd64 and arm64, as long as the compiler fuses
// nothing.
package portable

import "math"

// Exp is e^x by the method of FreeBSD's e_exp.c: x = k ln 2 + r with |r| ≤ ln 2 / 2, and a rational function of r.
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

// Log is the natural logarithm.
func Log(x float64) float64 {
	const least, shift = 0x1p-1022, 54 // of numbers of full precision
	if x > 0 && x < least {
		return math.Log(x*(1<<shift)) - shift*math.Ln2
	}
	return math.Log(x)
}

// Pow is x^y. Where math.Pow has special rules, or needs multiplications only, it is used.
func Pow(x, y float64) float64 {
	whole, part := math.Modf(math.Abs(y))
	if part == 0 || part == 0.5 && whole == 0 || !(x > 0) || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsNaN(y) {
		return math.Pow(x, y)
	}
	v := Exp(float64(part*Log(x))) * math.Pow(x, whole)
	if y < 0 {
		return 1 / v
	}
	return v
}

// Sinh is the hyperbolic sine.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	if !(a > 0.5) {
		return math.Sinh(x)
	}
	if a > 700 {
		return math.Copysign(halfExp(a), x)
	}
	e := Exp(a)
	return math.Copysign((e-1/e)/2, x)
}

// Cosh is the hyperbolic cosine.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	if a > 700 {
		return halfExp(a)
	}
	e := Exp(a)
	return (e + 1/e) / 2
}

// halfExp is e^x / 2, also where e^x alone overflows.
func halfExp(x float64) float64 {
	root := Exp(x / 2)
	return root / 2 * root
}

// Tanh is the hyperbolic tangent.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	if !(a >= 0.625) {
		return math.Tanh(x)
	}
	return math.Copysign(1-2/(Exp(2*a)+1), x)
}
