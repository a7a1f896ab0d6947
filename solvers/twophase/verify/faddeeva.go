package verify

import (
	"math"
	"math/cmplx"
)

// faddeeva is the function w(z) = exp(-z²) erfc(-iz), by the rational functions of Weideman, SIAM J. Numer. Anal. 31,
// 1994: with 40 of them the error is about 1e-13.
func faddeeva(z complex128) complex128 {
	if imag(z) < 0 {
		return 2*cmplx.Exp(-z*z) - faddeeva(-z)
	}
	l := complex(weidemanLength, 0)
	below := l - 1i*z
	ratio, sum := (l+1i*z)/below, complex128(0)
	for n := weidemanTerms - 1; n >= 0; n-- {
		sum = sum*ratio + complex(weideman[n], 0)
	}
	return 2*sum/(below*below) + complex(1/math.Sqrt(math.Pi), 0)/below
}

const weidemanTerms = 40

var (
	weidemanLength = math.Sqrt(weidemanTerms / math.Sqrt2)
	weideman       = weidemanCoefficients()
)

// weidemanCoefficients are the Fourier coefficients of (L² + t²) exp(-t²) with t = L tan(θ/2).
func weidemanCoefficients() (a [weidemanTerms]float64) {
	const m = 2 * weidemanTerms
	l := weidemanLength
	for n := range a {
		for k := 1 - m; k < m; k++ {
			theta := float64(k) * math.Pi / m
			t := l * math.Tan(theta/2)
			a[n] += math.Exp(-t*t) * (l*l + t*t) * math.Cos(float64(n+1)*theta) / (2 * m)
		}
	}
	return a
}

// dampedWave is the amplitude, over that at the start, of a standing wave of small amplitude between two fluids of the
// same kinematic viscosity, without gravity (Prosperetti, Phys. Fluids 24, 1981).
type dampedWave struct {
	decay, frequency float64 // n = νk², ω0
	start            float64 // factor of erfc
	roots            [4]complex128
	weights          [4]complex128
}

func newDampedWave(tension, density1, density2, viscosity, wavenumber float64) *dampedWave {
	b := density1 * density2 / ((density1 + density2) * (density1 + density2))
	w := &dampedWave{decay: viscosity * wavenumber * wavenumber}
	square := tension * wavenumber * wavenumber * wavenumber / (density1 + density2)
	n := w.decay
	w.frequency = math.Sqrt(square)
	w.start = 4 * (1 - 4*b) * n * n / (8*(1-4*b)*n*n + square)
	w.roots = quartic([4]float64{-4 * b * math.Sqrt(n), 2 * (1 - 6*b) * n, 4 * (1 - 3*b) * n * math.Sqrt(n),
		(1-4*b)*n*n + square})
	for i, z := range w.roots {
		product := complex128(1)
		for j, y := range w.roots {
			if j != i {
				product *= y - z
			}
		}
		w.weights[i] = z / product * complex(square, 0) / (z*z - complex(n, 0))
	}
	return w
}

// at returns the amplitude at a time.
func (w *dampedWave) at(t float64) float64 {
	sum := complex(w.start*math.Erfc(math.Sqrt(w.decay*t)), 0)
	for i, z := range w.roots {
		sum += w.weights[i] * complex(math.Exp(-w.decay*t), 0) * faddeeva(1i*z*complex(math.Sqrt(t), 0))
	}
	return real(sum)
}

// quartic returns the roots of z⁴ + c₀z³ + c₁z² + c₂z + c₃, by the iteration of Durand and Kerner.
func quartic(c [4]float64) (z [4]complex128) {
	size := 1.0
	for _, v := range c {
		size = max(size, math.Abs(v))
	}
	for i := range z {
		z[i] = cmplx.Pow(complex(.4, .9), complex(float64(i), 0)) * complex(math.Sqrt(math.Sqrt(size)), 0)
	}
	for range 500 {
		for i := range z {
			value, product := complex128(1), complex128(1)
			for _, v := range c {
				value = value*z[i] + complex(v, 0)
			}
			for j := range z {
				if j != i {
					product *= z[i] - z[j]
				}
			}
			z[i] -= value / product
		}
	}
	return z
}
