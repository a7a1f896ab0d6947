package sizing

import (
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// SolidMetric is a metric field over a box that contains the mesh, or over a mesh (OnSolid). Outside of it, the value
// at the nearest position is used.
type SolidMetric struct{ Field solid.Field[float64] }

// Box is [Low[0], High[0]] × [Low[1], High[1]] × [Low[2], High[2]].
type Box struct{ Low, High [3]float64 }

func (b Box) check() error {
	for k := range 3 {
		if !(b.Low[k] < b.High[k]) || math.IsInf(b.High[k]-b.Low[k], 0) {
			return fmt.Errorf("the bounds %v and %v of a metric: want low < high along each axis", b.Low, b.High)
		}
	}
	return nil
}

// Six are the components of a symmetric tensor: m11, m12, m13, m22, m23, m33.
type Six [6]float64

// Positive reports whether a tensor is finite and positive definite.
func (m Six) Positive() bool {
	t := solid.Tensor[float64]{M11: m[0], M12: m[1], M13: m[2], M22: m[3], M23: m[4], M33: m[5]}
	minor := t.M11*t.M22 - t.M12*t.M12
	det := t.M11*(t.M22*t.M33-t.M23*t.M23) - t.M12*(t.M12*t.M33-t.M23*t.M13) + t.M13*(t.M12*t.M23-t.M22*t.M13)
	return t.M11 > 0 && minor > 0 && t.M33 > 0 && det > 0 && !math.IsInf(t.M11+t.M22+t.M33+minor+det, 0)
}

// Describe returns what is wrong with a tensor that is not Positive, as a part of a message.
func (m Six) Describe() string {
	return faults.DescribeMetric(m[:], func(scaled []float64) bool { return Six(scaled).Positive() })
}

// MaxSolidSamples is the largest number of nodes along a side of a discrete metric in space.
const MaxSolidSamples = 256

// SolidDiscrete samples a metric at the nodes of a grid with n nodes along a side, a power of two. It is trilinear in
// between.
func SolidDiscrete(b Box, n int, at func(x, y, z float64) Six) (*SolidMetric, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	if n < 2 || n > MaxSolidSamples || n&(n-1) != 0 {
		return nil, fmt.Errorf("a discrete metric of %d nodes a side: give a power of two from 2 to %d", n, MaxSolidSamples)
	}
	f := newSolidField(b, lookup.Grid, [3]int{n - 1, n - 1, n - 1})
	f.Samples = make([]solid.Sample[float64], 0, n*n*n)
	for k := range n {
		z := node(b.Low[2], b.High[2], k, n-1)
		for j := range n {
			y := node(b.Low[1], b.High[1], j, n-1)
			for i := range n {
				x := node(b.Low[0], b.High[0], i, n-1)
				m := at(x, y, z)
				if !m.Positive() {
					return nil, fmt.Errorf("the metric at (%g, %g, %g) is %s: m11, m12, m13, m22, m23, m33 = %v", x, y, z,
						m.Describe(), m)
				}
				f.Samples = append(f.Samples, solid.Sample[float64]{M11: m[0], M12: m[1], M13: m[2], M22: m[3], M23: m[4],
					M33: m[5]})
			}
		}
	}
	return &SolidMetric{f}, nil
}

// SolidSizes is a metric for tetrahedra with sizes along x, y and z that each depend on that coordinate, given as in
// Sizes.
func SolidSizes(b Box, sizes [3][]Ends) (*SolidMetric, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	var pieces [3][]lookup.Piece[float64]
	for axis, ends := range sizes {
		if len(ends) == 0 || len(ends) > math.MaxInt32 {
			return nil, errors.New("sizes need at least one piece along each axis, and at most 2³¹-1")
		}
		length := (b.High[axis] - b.Low[axis]) / float64(len(ends))
		for k, e := range ends {
			if !(e.H0 > 0) || !(e.H1 > 0) || math.IsInf(e.H0+e.H1, 0) || e.D0-e.D0 != 0 || e.D1-e.D1 != 0 {
				return nil, fmt.Errorf("piece %d of the sizes along %c goes from %g to %g: sizes are positive, slopes finite", k,
					"xyz"[axis], e.H0, e.H1)
			}
			pieces[axis] = append(pieces[axis], e.cubic(length))
		}
	}
	f := newSolidField(b, lookup.Product, [3]int{len(pieces[0]), len(pieces[1]), len(pieces[2])})
	f.SizesX, f.SizesY, f.SizesZ = pieces[0], pieces[1], pieces[2]
	return &SolidMetric{f}, nil
}

// SolidLinear is a metric for tetrahedra whose sizes along each axis grow linearly along it, from low to high.
func SolidLinear(b Box, low, high float64) (*SolidMetric, error) {
	var sizes [3][]Ends
	for axis := range sizes {
		slope := (high - low) / (b.High[axis] - b.Low[axis])
		sizes[axis] = []Ends{{low, high, slope, slope}}
	}
	return SolidSizes(b, sizes)
}

// SolidSinusoidal is a metric for tetrahedra whose sizes along each axis follow a sine along it, as in Sinusoidal.
func SolidSinusoidal(b Box, low, high, waves float64) (*SolidMetric, error) {
	if !(waves > 0) || waves > maxWaves {
		return nil, fmt.Errorf("a sinusoidal metric of %g waves: give a number up to %d", waves, maxWaves)
	}
	var sizes [3][]Ends
	for axis := range sizes {
		sizes[axis] = sinePieces(b.High[axis]-b.Low[axis], low, high, waves)
	}
	return SolidSizes(b, sizes)
}

// UGAWGLinear is the metric "linear" of the benchmark of the Unstructured Grid Adaptation Working Group on the unit
// cube: sizes of 0.1 along x and y, and along z from 0.001 in the middle to 0.1 at both ends.
func UGAWGLinear(b Box) (*SolidMetric, error) {
	flat, slope := []Ends{{.1, .1, 0, 0}}, .198/(b.High[2]-b.Low[2])
	return SolidSizes(b, [3][]Ends{flat, flat, {{.1, .001, -slope, -slope}, {.001, .1, slope, slope}}})
}

// newSolidField returns a field over a box, divided into n[axis] grid cells, boxes or pieces along each axis,
// without their values.
func newSolidField(b Box, kind int32, n [3]int) solid.Field[float64] {
	return solid.Field[float64]{Kind: kind, Scale: 1, X: b.Low[0], Y: b.Low[1], Z: b.Low[2],
		Nx: int32(n[0]), Ny: int32(n[1]), Nz: int32(n[2]), PerX: float64(n[0]) / (b.High[0] - b.Low[0]),
		PerY: float64(n[1]) / (b.High[1] - b.Low[1]), PerZ: float64(n[2]) / (b.High[2] - b.Low[2])}
}

// At returns the metric at a position.
func (m *SolidMetric) At(x, y, z float64) Six {
	t := m.Field.At(solid.Vector[float64]{X: x, Y: y, Z: z})
	return Six{t.M11, t.M12, t.M13, t.M22, t.M23, t.M33}
}

// SolidInPrecision converts a field to the precision of a run.
func SolidInPrecision[F num.Float](f *solid.Field[float64]) solid.Field[F] {
	if same, ok := any(f).(*solid.Field[F]); ok {
		return *same
	}
	return solid.Field[F]{Kind: f.Kind, Nx: f.Nx, Ny: f.Ny, Nz: f.Nz, X: F(f.X), Y: F(f.Y), Z: F(f.Z), PerX: F(f.PerX),
		PerY: F(f.PerY), PerZ: F(f.PerZ), Scale: F(f.Scale),
		SizesX: piecesIn[F](f.SizesX), SizesY: piecesIn[F](f.SizesY), SizesZ: piecesIn[F](f.SizesZ),
		Samples: converted(f.Samples, func(t solid.Sample[float64]) solid.Sample[F] {
			return solid.Sample[F]{M11: F(t.M11), M12: F(t.M12), M13: F(t.M13), M22: F(t.M22), M23: F(t.M23), M33: F(t.M33)}
		}),
		Nodes: converted(f.Nodes, func(n solid.Node[float64]) solid.Node[F] {
			return solid.Node[F]{X: F(n.X), Y: F(n.Y), Z: F(n.Z), M11: F(n.M11), M12: F(n.M12), M13: F(n.M13), M22: F(n.M22),
				M23: F(n.M23), M33: F(n.M33)}
		}),
		Background: f.Background, Starts: f.Starts, Lists: f.Lists, Listed: f.Listed, Steps: f.Steps}
}
