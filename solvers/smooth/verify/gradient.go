package verify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// gradients compares derivatives computed by the kernels with central differences, on random triangles of any size in
// random metrics: the derivatives of a metric field, and those of the quality of Vasilevskii and Lipnikov with a
// position-dependent metric. Differences are accurate to about the square root of round-off. It excludes positions
// near the kinks of a field, triangles of size 1, at which the third derivative of the quality jumps, and flat ones.
func gradients(_ context.Context, p *verify.Page) error {
	rng := rand.New(rand.NewPCG(1, 2))
	cases := 20_000
	if p.Options.Quick {
		cases = 2000
	}
	var fieldOff, qualityOff float64
	compared := 0
	for range cases {
		f := randomField(rng)
		size := math.Pow(10, -1.3+2*rng.Float64())
		var v [3]kernels.Vertex[float64]
		x0, y0 := .1+.3*rng.Float64(), .1+.3*rng.Float64() // in the first box of the field
		for k := range v {
			x, y := x0+size*rng.Float64()/50, y0+size*rng.Float64()/50
			at := f.At(x, y)
			v[k] = kernels.Vertex[float64]{X: x, Y: y, M11: at.M11, M12: at.M12, M22: at.M22}
		}
		x, y, h := v[0].X, v[0].Y, 1e-5*size/50
		trace := func(x, y float64) float64 { m := f.At(x, y); return m.M11 + 3*m.M12 + 2*m.M22 }
		mx, my := f.Gradient(x, y)
		scale := trace(x, y) + 100
		fieldOff = max(fieldOff,
			math.Abs(mx.M11+3*mx.M12+2*mx.M22-(trace(x+1e-4, y)-trace(x-1e-4, y))/2e-4)/scale,
			math.Abs(my.M11+3*my.M12+2*my.M22-(trace(x, y+1e-4)-trace(x, y-1e-4))/2e-4)/scale)
		quality := func(x, y float64) float64 {
			m := f.At(x, y)
			t := kernels.Measure(x, y, &m, &v[1], &v[2])
			return t.Quality()
		}
		q := quality(x, y)
		if math.Abs(q) < 0.02 {
			continue
		}
		m := f.At(x, y)
		tri := kernels.Measure(x, y, &m, &v[1], &v[2])
		gx, gy := tri.Gradient(x, y, &v[1], &v[2], &mx, &my)
		wx, wy := (quality(x+h, y)-quality(x-h, y))/(2*h), (quality(x, y+h)-quality(x, y-h))/(2*h)
		qualityOff = max(qualityOff, math.Hypot(gx-wx, gy-wy)/(math.Hypot(wx, wy)+math.Abs(q)*50/size))
		compared++
	}
	t := p.Table("largest relative deviation from central differences", "gradient", "cases", "deviation")
	t.Row(verify.AtMost(fieldOff, 1e-7), "of the metric", cases, fmt.Sprintf("%.2g", fieldOff))
	solidOff := solidMetricDeviation(rng, cases)
	t.Row(verify.AtMost(solidOff, 1e-7), "of a metric in space", cases, fmt.Sprintf("%.2g", solidOff))
	t.Row(verify.AtMost(qualityOff, 1e-6), "of the quality", compared, fmt.Sprintf("%.2g", qualityOff))
	t.Row(verify.AtLeast(float64(compared), float64(cases)/2), "cases", compared, "")
	solidQualityOff, solidCompared := solidQualityDeviation(rng, cases)
	t.Row(verify.AtMost(solidQualityOff, 1e-6), "of the quality in space", solidCompared, fmt.Sprintf("%.2g",
		solidQualityOff))
	t.Row(verify.AtLeast(float64(solidCompared), float64(cases)/5), "cases", solidCompared, "")
	t.Flush()
	return nil
}

// randomField returns a field of 2 × 2 boxes over the unit square, with aspect ratios up to 30.
func randomField(rng *rand.Rand) *kernels.Field[float64] {
	f := &kernels.Field[float64]{Nx: 2, Ny: 2, PerX: 2, PerY: 2, Scale: 2500 * (.5 + rng.Float64())}
	for range 9 {
		a := math.Exp(rng.NormFloat64())
		b := a * math.Pow(30, 2*rng.Float64())
		s, c := math.Sincos(math.Pi * rng.Float64())
		f.Samples = append(f.Samples, kernels.Sample[float64]{M11: a*c*c + b*s*s, M12: (a - b) * s * c,
			M22: a*s*s + b*c*c})
	}
	return f
}

// solidMetricDeviation returns the largest relative deviation of the derivatives of random metrics in three
// dimensions, trilinear in one box, from central differences.
func solidMetricDeviation(rng *rand.Rand, cases int) (off float64) {
	const h = 1e-4
	for range cases {
		f := randomSolidField(rng, .5+rng.Float64())
		sum := func(m solid.Tensor[float64]) float64 {
			return m.M11 + 2*m.M12 + 3*m.M13 + 4*m.M22 + 5*m.M23 + 6*m.M33
		}
		at := [3]float64{.1 + .8*rng.Float64(), .1 + .8*rng.Float64(), .1 + .8*rng.Float64()}
		mx, my, mz := f.Gradient(solid.Vector[float64]{X: at[0], Y: at[1], Z: at[2]})
		for k, slope := range []solid.Tensor[float64]{mx, my, mz} {
			more, less := at, at
			more[k] += h
			less[k] -= h
			difference := sum(f.At(solid.Vector[float64]{X: more[0], Y: more[1], Z: more[2]})) -
				sum(f.At(solid.Vector[float64]{X: less[0], Y: less[1], Z: less[2]}))
			off = max(off, math.Abs(sum(slope)-difference/(2*h))/10)
		}
	}
	return off
}

// randomSolidField returns a field that is trilinear in one box, the unit cube.
func randomSolidField(rng *rand.Rand, scale float64) *solid.Field[float64] {
	f := &solid.Field[float64]{Nx: 1, Ny: 1, Nz: 1, PerX: 1, PerY: 1, PerZ: 1, Scale: scale}
	for range 8 {
		f.Samples = append(f.Samples, solid.Sample[float64]{M11: 1 + rng.Float64(), M12: rng.Float64() - .5,
			M13: rng.Float64() - .5, M22: 1 + rng.Float64(), M23: rng.Float64() - .5, M33: 1 + rng.Float64()})
	}
	return f
}

// solidQualityDeviation returns the largest relative deviation of the gradients of the quality of random
// tetrahedra, with a position-dependent metric, from central differences, and the number of tetrahedra that were
// neither flat nor of size 1.
func solidQualityDeviation(rng *rand.Rand, cases int) (off float64, compared int) {
	for range cases {
		size := .03 * math.Pow(10, rng.Float64())
		f := randomSolidField(rng, math.Pow(10, 3*rng.Float64()-1)/(size*size))
		low := [3]float64{.1 + .5*rng.Float64(), .1 + .5*rng.Float64(), .1 + .5*rng.Float64()}
		var v [4]solid.Vertex[float64]
		for k := range v {
			v[k].X, v[k].Y, v[k].Z = low[0]+size*rng.Float64(), low[1]+size*rng.Float64(), low[2]+size*rng.Float64()
			m := f.At(solid.Vector[float64]{X: v[k].X, Y: v[k].Y, Z: v[k].Z})
			v[k].M11, v[k].M12, v[k].M13, v[k].M22, v[k].M23, v[k].M33 = m.M11, m.M12, m.M13, m.M22, m.M23, m.M33
		}
		measure := func(x [3]float64) *solid.Tetrahedron[float64] {
			p := solid.Vector[float64]{X: x[0], Y: x[1], Z: x[2]}
			m := f.At(p)
			t := solid.Measure(p, &m, &v[1], &v[2], &v[3])
			return &t
		}
		at := [3]float64{v[0].X, v[0].Y, v[0].Z}
		tet := measure(at)
		q := tet.Quality()
		if math.Abs(q) < .02 {
			continue
		}
		compared++
		mx, my, mz := f.Gradient(solid.Vector[float64]{X: at[0], Y: at[1], Z: at[2]})
		g := tet.Gradient(&mx, &my, &mz)
		h, wrong := 2e-5*size, 0.0
		scale := math.Abs(q)/size + math.Sqrt(g.X*g.X+g.Y*g.Y+g.Z*g.Z)
		for k, got := range [3]float64{g.X, g.Y, g.Z} {
			more, less := at, at
			more[k] += h
			less[k] -= h
			wrong = max(wrong, math.Abs(got-(measure(more).Quality()-measure(less).Quality())/(2*h)))
		}
		off = max(off, wrong/scale)
	}
	return off, compared
}

// affine smooths an irregular mesh in a constant metric, and its image under a map L in the metric L⁻ᵀML⁻¹. Steps
// that depend on the metric only are mapped too; the printed Pain step, whose diagonal depends on the axes, is not.
func affine(ctx context.Context, p *verify.Page) error {
	m, err := mesh.Rectangle(0, 0, 1, 1, 800, 4)
	if err != nil {
		return err
	}
	const a, b, c, d = 2.0, 1.0, -0.5, 1.5
	const det = a*d - b*c
	image := *m
	image.X, image.Y = make([]float64, len(m.X)), make([]float64, len(m.X))
	for v := range m.X {
		image.X[v], image.Y[v] = a*m.X[v]+b*m.Y[v], c*m.X[v]+d*m.Y[v]
	}
	one, err := uniformMetric(9, 2, 4)
	if err != nil {
		return err
	}
	// L⁻ᵀML⁻¹ with L⁻¹ = [d -b; -c a]/det.
	other, err := uniformMetric((9*d*d-2*2*c*d+4*c*c)/(det*det), (-9*d*b+2*(a*d+b*c)-4*a*c)/(det*det),
		(9*b*b-2*2*a*b+4*a*a)/(det*det))
	if err != nil {
		return err
	}
	t := p.Table("after 5 sweeps, largest distance of a vertex of one mesh from the image of the same vertex of "+
		"the other", "smoother", "distance")
	for _, smoother := range []string{"pain-exact", "smart", "fjp", "pain"} {
		p.Progress("%s", smoother)
		var x, y [2][]float64
		for k, side := range []struct {
			of *mesh.Mesh
			in *sizing.Metric
		}{{m, one}, {&image, other}} {
			if x[k], y[k], err = sweptPositions(ctx, p, side.of, side.in, smoother); err != nil {
				return err
			}
		}
		off := 0.0
		for v := range x[0] {
			off = max(off, math.Hypot(a*x[0][v]+b*y[0][v]-x[1][v], c*x[0][v]+d*y[0][v]-y[1][v]))
		}
		switch smoother {
		case "pain":
			t.Row(verify.AtLeast(off, 1e-4), smoother, off)
		default:
			t.Row(verify.AtMost(off, 1e-11), smoother, off)
		}
	}
	t.Flush()
	return nil
}

// uniformMetric returns a metric with the same tensor everywhere.
func uniformMetric(m11, m12, m22 float64) (*sizing.Metric, error) {
	return sizing.Discrete(sizing.Bounds{X0: -5, Y0: -5, X1: 5, Y1: 5}, 2,
		func(_, _ float64) (float64, float64, float64) { return m11, m12, m22 })
}

// sweptPositions returns the positions of vertices after five sweeps.
func sweptPositions(ctx context.Context, p *verify.Page, m *mesh.Mesh, in *sizing.Metric, smoother string) (
	x, y []float64, err error) {
	cfg := smooth.Config{Smoother: smoother, Guard: "halve", Rescale: true, Gain: 1e-6}
	err = smoothing(ctx, p, m, in, cfg, func(part *layout.Part, s *smooth.Solver) error {
		if _, err := s.Sweep(ctx, 5); err != nil {
			return err
		}
		x, y, err = coordinates(part, s)
		return err
	})
	return x, y, err
}
