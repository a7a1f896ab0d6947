package adaptation

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// given is the metric of a round, and what is wrong with it at positions at which it was evaluated.
type given struct {
	at    func(x measure.Vector) (metric.Tensor, error)
	sizes *kernels.Field[float64] // as in request.Between; nil for another, or in space
	nodal *request.Nodal          // from which it is interpolated, until the other ranks have it; nil for another
	scale float64                 // of the metric

	lock  sync.Mutex
	where measure.Vector // of the error: the first position, in lexicographic order
	err   error
}

// interpolate makes the metric one that is given at vertices.
func (g *given) interpolate(n *request.Nodal) error {
	between, err := n.Between()
	if err != nil {
		return err
	}
	g.sizes = between.Sizes
	g.at = func(x measure.Vector) (metric.Tensor, error) { return between.At(x), nil }
	return nil
}

// field returns the metric as the adapter needs it. Where it is not valid it is that of size 1, and the error is kept.
func (g *given) field(dim int) adapt.Field {
	return func(x measure.Vector) measure.Tensor {
		t, err := g.at(x)
		if err == nil {
			err = t.Check(dim)
		}
		if err != nil {
			g.fail(x, err)
			return measure.Tensor(metric.OfSize(dim, 1))
		}
		return measure.Tensor(t.Scaled(g.scale))
	}
}

func (g *given) fail(x measure.Vector, err error) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.err == nil || slices.Compare(x[:], g.where[:]) < 0 {
		g.where, g.err = x, err
	}
}

// failed returns the error of the first position where the metric is not valid.
func (g *given) failed() error {
	if g.err == nil {
		return nil
	}
	return fmt.Errorf("[metric] at (%.10g, %.10g, %.10g): %w", g.where[0], g.where[1], g.where[2], g.err)
}

// domain is what a metric may depend on of the mesh that was read.
type domain struct {
	Dim       int
	Low, High [3]float64 // of the box around it
	Size      float64    // of regular cells of which it has room for as many as it has
}

// direct returns the metric of a case that is known at every position, nil for one that is given at vertices.
func (d *domain) direct(w *request.Metric) (func(x measure.Vector) (metric.Tensor, error), error) {
	limits := request.BoundsOf(w)
	switch w.Field {
	case "size", "uniform":
		size := w.Size
		if w.Field == "uniform" {
			size = d.Size
		}
		t := metric.OfSize(d.Dim, size)
		return func(measure.Vector) (metric.Tensor, error) { return t, nil }, nil
	case "sizes", "tensor":
		return func(x measure.Vector) (metric.Tensor, error) {
			t, err := request.TensorAt(w, x[0], x[1], x[2])
			if err == nil && limits != (metric.Bounds{}) {
				if err = t.Check(d.Dim); err == nil {
					t = t.Within(d.Dim, limits)
				}
			}
			return t, err
		}, nil
	case "linear", "sinusoidal":
		return d.alongAxes(w)
	case "ugawg-linear":
		return nil, errors.New("[metric] field ugawg-linear is for smoothing; give its sizes as expressions")
	}
	return nil, nil
}

// alongAxes is a metric whose sizes along the axes vary across the mesh.
func (d *domain) alongAxes(w *request.Metric) (func(x measure.Vector) (metric.Tensor, error), error) {
	if d.Dim == 3 {
		b := sizing.Box{Low: d.Low, High: d.High}
		m, err := sizing.SolidLinear(b, w.Low, w.High)
		if w.Field == "sinusoidal" {
			m, err = sizing.SolidSinusoidal(b, w.Low, w.High, w.Waves)
		}
		return func(x measure.Vector) (metric.Tensor, error) {
			t := m.At(x[0], x[1], x[2])
			return metric.Tensor{t[0], t[1], t[3], t[2], t[4], t[5]}, nil
		}, err
	}
	b := sizing.Bounds{X0: d.Low[0], Y0: d.Low[1], X1: d.High[0], Y1: d.High[1]}
	m, err := sizing.Linear(b, w.Low, w.High)
	if w.Field == "sinusoidal" {
		m, err = sizing.Sinusoidal(b, w.Low, w.High, w.Waves)
	}
	return func(x measure.Vector) (metric.Tensor, error) {
		m11, m12, m22 := m.At(x[0], x[1])
		return metric.Tensor{m11, m12, m22}, nil
	}, err
}

// domainOf returns the domain of a mesh.
func domainOf(n request.Nodes) (d domain) {
	d.Dim = n.Dim
	for k := range d.Dim {
		d.Low[k], d.High[k] = slices.Min(n.X[k]), slices.Max(n.X[k])
	}
	volume, cells := 0.0, len(n.Cells)/(d.Dim+1)
	for c := range cells {
		volume += n.Volume(c)
	}
	each := volume / float64(cells) / measure.RegularVolume[d.Dim]
	if d.Size = math.Sqrt(each); d.Dim == 3 {
		d.Size = math.Cbrt(each)
	}
	return d
}

func (d *domain) diagonal() (length float64) {
	for k := range d.Dim {
		length = math.Hypot(length, d.High[k]-d.Low[k])
	}
	return length
}
