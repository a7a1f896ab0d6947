package metric

import (
	"fmt"
	"math"
)

// Tensor is a symmetric tensor in 2 or 3 dimensions: its lower triangle row by row, m11 m12 m22 m13 m23 m33, as in
// Medit files. In the plane the first three are used, and the others are 0.
type Tensor [6]float64

// Components returns the number of components of a symmetric tensor.
func Components(dim int) int { return dim * (dim + 1) / 2 }

func componentIndex(i, j int) int { return max(i, j)*(max(i, j)+1)/2 + min(i, j) }

// Get returns the component in row i and column j, from 0.
func (t *Tensor) Get(i, j int) float64 { return t[componentIndex(i, j)] }

// Scaled returns the tensor times a number.
func (t Tensor) Scaled(factor float64) Tensor {
	for k := range t {
		t[k] *= factor
	}
	return t
}

// Product is u'Mv.
func (t *Tensor) Product(dim int, u, v [3]float64) float64 {
	sum := 0.0
	for i := range dim {
		row := 0.0
		for j := range dim {
			row += t.Get(i, j) * v[j]
		}
		sum += u[i] * row
	}
	return sum
}

// Length is √(u'Mu).
func (t *Tensor) Length(dim int, u [3]float64) float64 { return math.Sqrt(t.Product(dim, u, u)) }

// Density is √det, and 0 for a tensor that is not positive definite.
func (t *Tensor) Density(dim int) float64 {
	p := t.pivots()
	out := 1.0
	for _, x := range p[:dim] {
		out *= math.Sqrt(max(0, x))
	}
	return out
}

// pivots are those of the Cholesky factorization: all are positive if and only if the tensor is positive definite.
// They distinguish thin tensors from singular ones where the determinant is lost in rounding. Those after one that is
// not positive are meaningless.
func (t *Tensor) pivots() [3]float64 {
	b, c := t[1]/t[0], t[3]/t[0]
	second := t[2] - t[1]*b
	d := t[4] - t[3]*b
	return [3]float64{t[0], second, t[5] - t[3]*c - d*d/second}
}

// Spectrum has eigenvalues in ascending order, and their unit eigenvectors.
type Spectrum struct {
	Values  [3]float64
	Vectors [3][3]float64
}

// maxJacobiSweeps is the largest number of sweeps of Jacobi's method, which converges quadratically, in about six.
const maxJacobiSweeps = 30

// Eigen solves the symmetric eigenproblem by Jacobi's cyclic method, which finds small eigenvalues of well-scaled
// positive definite tensors to as many digits as large ones (Demmel and Veselić, 1992). The tensor must be finite.
func (t Tensor) Eigen(dim int) Spectrum {
	s := Spectrum{Vectors: [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	for range maxJacobiSweeps {
		rotated := false
		for p := range dim {
			for q := p + 1; q < dim; q++ {
				rotated = t.rotate(&s, p, q, dim) || rotated
			}
		}
		if !rotated {
			break
		}
	}
	for i := range dim {
		s.Values[i] = t.Get(i, i)
	}
	for i := range dim { // insertion sort
		for k := i; k > 0 && s.Values[k] < s.Values[k-1]; k-- {
			s.Values[k], s.Values[k-1] = s.Values[k-1], s.Values[k]
			s.Vectors[k], s.Vectors[k-1] = s.Vectors[k-1], s.Vectors[k]
		}
	}
	return s
}

// rotate rotates in the plane of axes p and q, so that the component between them vanishes. It returns false,
// without a rotation, if that component is below round-off.
func (t *Tensor) rotate(s *Spectrum, p, q, dim int) bool {
	off, a, b := t.Get(p, q), t.Get(p, p), t.Get(q, q)
	if math.Abs(off) <= 0x1p-54*math.Sqrt(math.Abs(a))*math.Sqrt(math.Abs(b)) || off == 0 {
		return false
	}
	theta := (b - a) / (2 * off)
	tan := 1 / (math.Abs(theta) + math.Hypot(1, theta))
	if theta < 0 {
		tan = -tan
	}
	c := 1 / math.Hypot(1, tan)
	sn := tan * c
	t[componentIndex(p, p)], t[componentIndex(q, q)], t[componentIndex(p, q)] = a-tan*off, b+tan*off, 0
	for k := range dim {
		if k != p && k != q {
			x, y := t.Get(k, p), t.Get(k, q)
			t[componentIndex(k, p)], t[componentIndex(k, q)] = c*x-sn*y, sn*x+c*y
		}
	}
	for k := range dim {
		x, y := s.Vectors[p][k], s.Vectors[q][k]
		s.Vectors[p][k], s.Vectors[q][k] = c*x-sn*y, sn*x+c*y
	}
	return true
}

// Tensor returns the tensor of a spectrum.
func (s *Spectrum) Tensor(dim int) Tensor {
	var t Tensor
	for i := range dim {
		for j := range i + 1 {
			for k := range dim {
				t[componentIndex(i, j)] += s.Values[k] * s.Vectors[k][i] * s.Vectors[k][j]
			}
		}
	}
	return t
}

// withEigenvalues returns the tensor whose eigenvalues are f of those of t.
func (t Tensor) withEigenvalues(dim int, f func(float64) float64) Tensor {
	s := t.Eigen(dim)
	for k := range dim {
		s.Values[k] = f(s.Values[k])
	}
	return s.Tensor(dim)
}

// InverseRoot is the tensor M^-½, whose eigenvalues are the sizes.
func (t Tensor) InverseRoot(dim int) Tensor {
	return t.withEigenvalues(dim, func(x float64) float64 { return 1 / math.Sqrt(x) })
}

// OfSize is the isotropic metric of size h.
func OfSize(dim int, h float64) Tensor {
	var t Tensor
	for i := range dim {
		t[componentIndex(i, i)] = 1 / (h * h)
	}
	return t
}

// Check returns an error for a tensor that is not finite and positive definite.
func (t Tensor) Check(dim int) error {
	n := Components(dim)
	for _, x := range t[:n] {
		if x-x != 0 {
			return fmt.Errorf("the metric %v is not finite", t[:n])
		}
	}
	p := t.pivots()
	for _, x := range p[:dim] {
		if !(x > 0) {
			return fmt.Errorf("the metric %v is not positive definite", t[:n])
		}
	}
	return nil
}

// Bounds limit the sizes of a metric. 0 means no bound.
type Bounds struct {
	Min, Max float64 // sizes
	Aspect   float64 // largest ratio of sizes at a position; larger sizes are reduced to satisfy it
}

// Check returns an error for contradictory bounds.
func (b Bounds) Check() error {
	if !(b.Min >= 0) || !(b.Max >= 0) || b.Max > 0 && b.Min > b.Max || math.IsInf(b.Min+b.Max, 0) {
		return fmt.Errorf("sizes from %g to %g: give 0 < least ≤ largest, or 0 for no bound", b.Min, b.Max)
	}
	if b.Aspect != 0 && !(b.Aspect >= 1) {
		return fmt.Errorf("an aspect ratio of at most %g: give one from 1 on, or 0 for no bound", b.Aspect)
	}
	return nil
}

// Within returns the metric limited by bounds.
func (t Tensor) Within(dim int, b Bounds) Tensor {
	s := t.Eigen(dim)
	original := s.Values
	b.limit(s.Values[:dim])
	if s.Values == original {
		return t
	}
	return s.Tensor(dim)
}

// limit limits ascending eigenvalues.
func (b Bounds) limit(values []float64) {
	for k := range values {
		if b.Max > 0 {
			values[k] = max(values[k], 1/(b.Max*b.Max))
		}
		if b.Min > 0 {
			values[k] = min(values[k], 1/(b.Min*b.Min))
		}
	}
	if b.Aspect > 0 {
		for k := range values {
			values[k] = max(values[k], values[len(values)-1]/(b.Aspect*b.Aspect))
		}
	}
}

// Intersection is the metric of the largest ellipsoid inside those of both metrics that has their common conjugate
// directions, by simultaneous reduction (Alauzet, doi:10.1016/j.finel.2009.06.028): no size is larger than in either.
func Intersection(dim int, a, b Tensor) Tensor {
	both, _ := intersection(dim, a, b, 0)
	return both
}

// intersection also reports whether b has a size that is smaller than a's by more than the relative amount
// tolerance.
func intersection(dim int, a, b Tensor, tolerance float64) (both Tensor, smaller bool) {
	// In the frame of a's square root R, a is the unit tensor, and b has the eigenvectors v of R⁻¹bR⁻¹. Where b has a
	// smaller size, the difference is added to a, which so keeps its digits.
	root := a.withEigenvalues(dim, math.Sqrt)
	bInFrame := b.congruent(dim, a.InverseRoot(dim))
	s := bInFrame.Eigen(dim)
	for k := range dim {
		more := s.Values[k] - 1
		if !(more > tolerance) {
			continue
		}
		smaller = true
		var w [3]float64
		for i := range dim {
			for j := range dim {
				w[i] += root.Get(i, j) * s.Vectors[k][j]
			}
		}
		for i := range dim {
			for j := range i + 1 {
				a[componentIndex(i, j)] += more * w[i] * w[j]
			}
		}
	}
	return a, smaller
}

// Stretch is the largest difference of lengths in two metrics, relative to the smaller length.
func Stretch(dim int, a, b Tensor) float64 {
	bInFrame := b.congruent(dim, a.InverseRoot(dim))
	s := bInFrame.Eigen(dim) // squares of the ratios of lengths
	least := max(s.Values[0], 0x1p-100)
	return max(math.Sqrt(s.Values[dim-1]), 1/math.Sqrt(least)) - 1
}

// congruent is RMR for a symmetric R.
func (t *Tensor) congruent(dim int, r Tensor) Tensor {
	var out Tensor
	for i := range dim {
		for j := range i + 1 {
			var u, v [3]float64
			for k := range dim {
				u[k], v[k] = r.Get(k, i), r.Get(k, j)
			}
			out[componentIndex(i, j)] = t.Product(dim, u, v)
		}
	}
	return out
}
