package adapt

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// functions of the check "interpolation".
var functions = []struct {
	name string
	at   func(x, y float64) float64
	mmg  float64 // error times vertices of Mmg 5.8.0, after three passes with 2,000 vertices asked for; 0: not measured
}{
	{"tanh 20(x - .5 + .2 sin 4y)", func(x, y float64) float64 {
		return math.Tanh(20 * (x - .5 + .2*math.Sin(4*y)))
	}, .849},
	{"sin 6x cos 5y + xy/2", func(x, y float64) float64 { return math.Sin(6*x)*math.Cos(5*y) + .5*x*y }, 2.09},
	{"tanh 50(y - .3 - .3x) + .1 sin 10xy", func(x, y float64) float64 {
		return math.Tanh(50*(y-.3-.3*x)) + .1*math.Sin(10*x*y)
	}, .997},
	{"exp -800r²", func(x, y float64) float64 { return math.Exp(-800 * ((x-.5)*(x-.5) + (y-.5)*(y-.5))) }, 0},
}

// interpolation adapts a square to the metrics of least error of linear interpolation, for different numbers of
// vertices. The product of the L2 error and the number of vertices is constant for order 2. Second derivatives are
// those of the function, as for Mmg, or recovered from values at vertices, five times, each on the last mesh.
func interpolation(ctx context.Context, p *verify.Page) error {
	t := p.Table("error of interpolation times vertices", "function", "second derivatives", "vertices", "L2 error",
		"times vertices", "Mmg")
	counts := []float64{500, 2000, 4000}
	tried := functions
	if p.Options.Quick {
		counts, tried = counts[:2], tried[:1]
	}
	for _, f := range tried {
		for _, recovered := range []bool{false, true} {
			last, name := 0.0, "exact"
			if recovered {
				name = "recovered"
			}
			for _, n := range counts {
				p.Progress("%s, %g vertices", f.name, n)
				e, vertices, err := interpolated(ctx, f.at, n, recovered)
				if err != nil {
					return err
				}
				product, v, theirs := e*float64(vertices), verify.Verdict{}, "–"
				if n == 2000 && f.mmg > 0 && !recovered {
					v, theirs = verify.AtMost(product, 1.05*f.mmg), fmt.Sprint(f.mmg)
				} else if last > 0 {
					v = verify.Between(product/last, .8, 1.2)
				}
				t.Row(v, f.name, name, vertices, e, product, theirs)
				last = product
			}
		}
	}
	t.Flush()
	return nil
}

// interpolated returns the error of a function on a mesh of about n vertices.
func interpolated(ctx context.Context, f func(x, y float64) float64, n float64, recovered bool) (e float64,
	vertices int, err error) {
	a, err := adapt.Triangles(square(20), adapt.Options{Ridge: 45, Probe: .02})
	if err != nil {
		return 0, 0, err
	}
	if !recovered {
		err = a.Run(ctx, leastError(f, n))
	}
	for range 5 {
		if !recovered || err != nil {
			break
		}
		var field adapt.Field
		if field, err = recoveredField(a.Mesh(), f, n); err == nil {
			err = a.Run(ctx, field)
		}
	}
	m := a.Mesh()
	return errorOn(m, f), len(m.X), err
}

// perComplexity is the number of vertices for each unit of ∫√det M, with triangles whose edges have length 1.
const perComplexity = 2 / 1.7320508075688772

// leastCurvature is the share of the largest second derivative to which smaller ones are raised.
const leastCurvature = .003

// recoveredField is the metric of least L2 error for n vertices, from values at the vertices of a mesh.
func recoveredField(m *mesh.Mesh, f func(x, y float64) float64, n float64) (adapt.Field, error) {
	on := metric.FromTriangles(m)
	values := make([]float64, len(m.X))
	for v := range values {
		values[v] = f(m.X[v], m.Y[v])
	}
	second, err := metric.Recovered(on, values)
	if err != nil {
		return nil, err
	}
	tensors, _, err := metric.FromHessian(on, second, metric.HessianOptions{Norm: 2, Complexity: n / perComplexity,
		Floor: leastCurvature})
	if err != nil {
		return nil, err
	}
	between, err := (&request.Nodal{Mesh: *on, Tensors: tensors}).Between()
	return func(x measure.Vector) measure.Tensor { return measure.Tensor(between.At(x)) }, err
}

// leastError is the same from second derivatives of the function, by central differences.
func leastError(f func(x, y float64) float64, n float64) adapt.Field {
	const h, samples = 1e-4, 256
	hessian := func(x, y float64) metric.Tensor {
		c := f(x, y)
		return metric.Tensor{(f(x+h, y) - 2*c + f(x-h, y)) / (h * h),
			(f(x+h, y+h) - f(x+h, y-h) - f(x-h, y+h) + f(x-h, y-h)) / (4 * h * h), (f(x, y+h) - 2*c + f(x, y-h)) / (h * h)}
	}
	each := func(visit func(t metric.Tensor)) {
		for i := range samples {
			for j := range samples {
				visit(hessian((float64(i)+.5)/samples, (float64(j)+.5)/samples))
			}
		}
	}
	most, complexity := 0.0, 0.0
	each(func(t metric.Tensor) { most = max(most, math.Abs(t[0]), math.Abs(t[1]), math.Abs(t[2])) })
	absolute := func(t metric.Tensor) metric.Tensor {
		s := t.Eigen(2)
		for k := range 2 {
			s.Values[k] = max(math.Abs(s.Values[k]), leastCurvature*most)
		}
		return s.Tensor(2)
	}
	root := func(t metric.Tensor) float64 { return math.Cbrt(t.Density(2)) } // det^(1/6)
	each(func(t metric.Tensor) {
		r := root(absolute(t))
		complexity += r * r / (samples * samples)
	})
	scale := n / perComplexity / complexity
	return func(x measure.Vector) measure.Tensor {
		t := absolute(hessian(x[0], x[1]))
		return measure.Tensor(t.Scaled(scale / root(t)))
	}
}

// errorOn is the L2 error of linear interpolation, by the midpoints of 36 sub-triangles of each triangle.
func errorOn(m *mesh.Mesh, f func(x, y float64) float64) float64 {
	sum := 0.0
	const n = 8
	for c, v := range m.Cells {
		var u [3]float64
		for i, k := range v {
			u[i] = f(m.X[k], m.Y[k])
		}
		squares, points := 0.0, 0
		for i := range n {
			for j := range n - i {
				a, b := (float64(i)+1./3)/n, (float64(j)+1./3)/n
				d := 1 - a - b
				x := a*m.X[v[0]] + b*m.X[v[1]] + d*m.X[v[2]]
				y := a*m.Y[v[0]] + b*m.Y[v[1]] + d*m.Y[v[2]]
				e := f(x, y) - (a*u[0] + b*u[1] + d*u[2])
				squares += e * e
				points++
			}
		}
		sum += m.Area(c) * squares / float64(points)
	}
	return math.Sqrt(sum)
}

// same adapts meshes with different numbers of threads, and requires the same bits.
func same(ctx context.Context, p *verify.Page) error {
	t := p.Table("one mesh for any number of threads", "mesh, metric", "vertices", "different")
	for _, k := range []*task{&planeTasks[1], &planeTasks[3], &planeTasks[5], &spaceTasks[1]} {
		first := ""
		different, vertices := 0, 0
		for _, threads := range []int{1, 2, 5} {
			a, err := k.adapter(threads)
			if err != nil {
				return err
			}
			if err := a.Run(ctx, k.metric); err != nil {
				return err
			}
			hash := a.Hash()
			if first == "" {
				first = hash
			}
			if first != hash {
				different++
			}
			vertices = a.Vertices()
		}
		t.Row(verify.Exactly(float64(different), 0), k.name, vertices, different)
	}
	t.Flush()
	return nil
}
