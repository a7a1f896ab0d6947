// Package sizing has metrics that kernels can evaluate at any position: bilinear on a grid, as the product of sizes
// along the axes, or linear on the cells of a mesh. A Metric is for the plane, a SolidMetric for space.
package sizing

import (
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// Metric is a metric field over a rectangle that contains the mesh, or over a mesh (OnMesh). Outside of it, the value
// at the nearest position is used.
type Metric struct {
	Bounds Bounds
	Field  kernels.Field[float64]
}

// Bounds is the rectangle [X0, X1] × [Y0, Y1].
type Bounds struct{ X0, Y0, X1, Y1 float64 }

func (b Bounds) check() error {
	if !(b.X0 < b.X1) || !(b.Y0 < b.Y1) || math.IsInf(b.X1-b.X0, 0) || math.IsInf(b.Y1-b.Y0, 0) {
		return fmt.Errorf("the bounds [%g, %g] × [%g, %g] of a metric: want x0 < x1 and y0 < y1", b.X0, b.X1, b.Y0, b.Y1)
	}
	return nil
}

// MaxSamples is the largest number of nodes along a side of a discrete metric.
const MaxSamples = 1 << 13

// Discrete samples a metric at the nodes of a grid with n nodes along a side, a power of two. It is bilinear in
// between.
func Discrete(b Bounds, n int, at func(x, y float64) (m11, m12, m22 float64)) (*Metric, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	if n < 2 || n > MaxSamples || n&(n-1) != 0 {
		return nil, fmt.Errorf("a discrete metric of %d nodes a side: give a power of two from 2 to %d", n, MaxSamples)
	}
	f := kernels.Field[float64]{Kind: lookup.Grid, Scale: 1, X: b.X0, Y: b.Y0, Nx: int32(n - 1), Ny: int32(n - 1),
		PerX: float64(n-1) / (b.X1 - b.X0), PerY: float64(n-1) / (b.Y1 - b.Y0), Samples: make([]kernels.Sample[float64], 0,
			n*n)}
	for j := range n {
		y := node(b.Y0, b.Y1, j, n-1)
		for i := range n {
			x := node(b.X0, b.X1, i, n-1)
			var t kernels.Tensor[float64]
			t.M11, t.M12, t.M22 = at(x, y)
			if !Positive(t.M11, t.M12, t.M22) {
				return nil, fmt.Errorf("the metric at (%g, %g) is %s: m11 = %g, m12 = %g, m22 = %g", x, y,
					DescribePlane(t.M11, t.M12, t.M22), t.M11, t.M12, t.M22)
			}
			f.Samples = append(f.Samples, kernels.Sample[float64](t))
		}
	}
	return &Metric{b, f}, nil
}

// Discretised samples a metric at the nodes of a grid over the same rectangle.
func (m *Metric) Discretised(n int) (*Metric, error) {
	return Discrete(m.Bounds, n, m.At)
}

// Sizes is a metric for triangles with a width that depends on x and a height that depends on y. Each is given at the
// ends of equal pieces with its one-sided derivatives, and cubic in between: exact for polynomials of degree 3,
// otherwise with an error proportional to the fourth power of a piece's length.
func Sizes(b Bounds, width, height []Ends) (*Metric, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	if len(width) == 0 || len(height) == 0 || len(width) > math.MaxInt32 || len(height) > math.MaxInt32 {
		return nil, errors.New("sizes need at least one piece along each axis, and at most 2³¹-1")
	}
	f := kernels.Field[float64]{Kind: lookup.Product, Scale: 1, X: b.X0, Y: b.Y0, Nx: int32(len(width)),
		Ny:   int32(len(height)),
		PerX: float64(len(width)) / (b.X1 - b.X0), PerY: float64(len(height)) / (b.Y1 - b.Y0)}
	for axis, ends := range [][]Ends{width, height} {
		per := []float64{f.PerX, f.PerY}[axis]
		for k, e := range ends {
			if !(e.H0 > 0) || !(e.H1 > 0) || math.IsInf(e.H0+e.H1, 0) || e.D0-e.D0 != 0 || e.D1-e.D1 != 0 {
				return nil, fmt.Errorf("piece %d of the sizes along %c goes from %g to %g: sizes are positive, slopes finite", k,
					"xy"[axis], e.H0, e.H1)
			}
			piece := e.cubic(1 / per)
			if axis == 0 {
				f.SizesX = append(f.SizesX, piece)
			} else {
				f.SizesY = append(f.SizesY, piece)
			}
		}
	}
	return &Metric{b, f}, nil
}

// Ends are the sizes at both ends of a piece, and the derivatives there.
type Ends struct{ H0, H1, D0, D1 float64 }

// cubic is the Hermite interpolation across a piece of the given length. A straight line is represented exactly.
func (e Ends) cubic(length float64) lookup.Piece[float64] {
	rise, d0, d1 := e.H1-e.H0, e.D0*length, e.D1*length
	if d0 == d1 && math.Abs(rise-d0) <= 0x1p-50*(e.H0+e.H1) {
		return lookup.Piece[float64]{A: e.H0, B: rise}
	}
	return lookup.Piece[float64]{A: e.H0, B: d0, C: 3*rise - 2*d0 - d1, D: d0 + d1 - 2*rise}
}

// Linear is a metric for triangles whose width grows linearly from low at the left side of the rectangle to high at
// the right, and whose height does the same upward.
func Linear(b Bounds, low, high float64) (*Metric, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	w, h := (high-low)/(b.X1-b.X0), (high-low)/(b.Y1-b.Y0)
	return Sizes(b, []Ends{{low, high, w, w}}, []Ends{{low, high, h, h}})
}

// SinePieces returns the number of pieces of a sinusoidal metric along each axis: 1024 for one wave, so that the
// interpolation error is 1e-12 of the difference of the sizes.
func SinePieces(waves float64) int { return 1024 * max(1, int(math.Ceil(waves))) }

// Sinusoidal is a metric for triangles whose width varies between low and high as a sine with the given number of
// waves across the rectangle, and whose height does the same upward: h(x) = low + (high-low)(1 + sin 2πwx)/2, with x
// from 0 to 1.
func Sinusoidal(b Bounds, low, high, waves float64) (*Metric, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	if !(waves > 0) || waves > maxWaves {
		return nil, fmt.Errorf("a sinusoidal metric of %g waves: give a number up to %d", waves, maxWaves)
	}
	return Sizes(b, sinePieces(b.X1-b.X0, low, high, waves), sinePieces(b.Y1-b.Y0, low, high, waves))
}

const maxWaves = 1000

// sinePieces returns the sizes of a sinusoidal metric along a length.
func sinePieces(length, low, high, waves float64) (pieces []Ends) {
	n := SinePieces(waves)
	sizeAt := func(k int) (h, d float64) {
		s, c := math.Sincos(2 * math.Pi * waves * float64(k) / float64(n))
		return low + (high-low)*(1+s)/2, (high - low) * math.Pi * waves * c / length
	}
	for k := range n {
		var e Ends
		e.H0, e.D0 = sizeAt(k)
		e.H1, e.D1 = sizeAt(k + 1)
		pieces = append(pieces, e)
	}
	return pieces
}

// At returns the metric at a position.
func (m *Metric) At(x, y float64) (m11, m12, m22 float64) {
	t := m.Field.At(x, y)
	return t.M11, t.M12, t.M22
}

// Positive reports whether a tensor is finite and positive definite.
func Positive(m11, m12, m22 float64) bool {
	det := m11*m22 - m12*m12
	return m11 > 0 && m22 > 0 && det > 0 && !math.IsInf(m11+m22+det, 0)
}

// DescribePlane returns what is wrong with a tensor that is not Positive, as a part of a message.
func DescribePlane(m11, m12, m22 float64) string {
	return faults.DescribeMetric([]float64{m11, m12, m22}, func(m []float64) bool { return Positive(m[0], m[1], m[2]) })
}

// node is the k-th of n+1 positions that divide an interval evenly, with exact ends.
func node(from, to float64, k, n int) float64 {
	if k == n {
		return to
	}
	return from + (to-from)*(float64(k)/float64(n))
}

// InPrecision converts a field to the precision of a run. The result shares what does not change.
func InPrecision[F num.Float](f *kernels.Field[float64]) kernels.Field[F] {
	if same, ok := any(f).(*kernels.Field[F]); ok {
		return *same
	}
	return kernels.Field[F]{Kind: f.Kind, Nx: f.Nx, Ny: f.Ny, X: F(f.X), Y: F(f.Y), PerX: F(f.PerX), PerY: F(f.PerY),
		Scale: F(f.Scale), SizesX: piecesIn[F](f.SizesX), SizesY: piecesIn[F](f.SizesY),
		Samples: converted(f.Samples, func(t kernels.Sample[float64]) kernels.Sample[F] {
			return kernels.Sample[F]{M11: F(t.M11), M12: F(t.M12), M22: F(t.M22)}
		}),
		Nodes: converted(f.Nodes, func(n kernels.Node[float64]) kernels.Node[F] {
			return kernels.Node[F]{X: F(n.X), Y: F(n.Y), M11: F(n.M11), M12: F(n.M12), M22: F(n.M22)}
		}),
		Background: f.Background, Starts: f.Starts, Lists: f.Lists, Listed: f.Listed, Steps: f.Steps}
}

// converted returns f of each element.
func converted[S, T any](from []S, f func(S) T) []T {
	to := make([]T, len(from))
	for i, x := range from {
		to[i] = f(x)
	}
	return to
}

// piecesIn converts the sizes along an axis to the precision of a run.
func piecesIn[F num.Float](from []lookup.Piece[float64]) []lookup.Piece[F] {
	return converted(from, func(p lookup.Piece[float64]) lookup.Piece[F] {
		return lookup.Piece[F]{A: F(p.A), B: F(p.B), C: F(p.C), D: F(p.D)}
	})
}
