// Package meteo makes the fields over time of package weather: from files, and from the tracks of storms.
package meteo

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/timefield"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
	"github.com/atoll-hpc/atoll/solvers/shallow/weather"
)

// File is a field over time in the cells of a part, from files. Its name begins errors.
type File struct {
	*timefield.Field
	Part *mesh.Part
	Name string
}

// Values returns record k.
func (f File) Values(k int) ([]float64, error) {
	values, err := f.Field.Values(k)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.Name, err)
	}
	return values, err
}

// rain is rain over time without negative values.
type rain struct{ File }

// leastRain is up to which values below 0 count as 0, m/s: packed numbers, such as those of ERA5, have an error.
const leastRain = -1e-9

// Rain returns rain in m/s, of which values a little below 0 count as 0.
func Rain(f File) weather.Field { return rain{f} }

// Values implements weather.Field.
func (r rain) Values(k int) ([]float64, error) {
	values, err := r.File.Values(k)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if v < leastRain {
			x, y := r.Part.Centroid(i)
			return nil, fmt.Errorf("%s: in the interval from %g s to %g s the rain at (%g, %g) is %g m/s: it must not be "+
				"negative", r.Name, r.Times()[k], r.Times()[k+1], x, y, v)
		}
		values[i] = max(0, v)
	}
	return values, nil
}

// wind is the velocity of the air over time.
type wind struct {
	x, y File
	axis []air.Vector[float64] // direction of the x axis of the case in that of the files; nil if they are the same
}

// Wind returns the wind with two components in m/s, which are those to the east and the north if the coordinates of the
// files are longitudes and latitudes.
func Wind(x, y File) (weather.Vectors, error) {
	if !slices.Equal(x.Times(), y.Times()) {
		return nil, errors.New(y.Name + ": its times are others than those of the other component")
	}
	w := wind{x: x, y: y}
	if x.Turned() {
		for i := range x.Part.Owned {
			east, north := x.AxisAt(i)
			w.axis = append(w.axis, air.Vector[float64]{X: east, Y: north})
		}
	}
	return w, nil
}

// Times implements weather.Vectors.
func (w wind) Times() []float64 { return w.x.Times() }

// Vectors implements weather.Vectors.
func (w wind) Vectors(k int) ([]air.Vector[float64], error) {
	x, err := w.x.Values(k)
	if err != nil {
		return nil, err
	}
	y, err := w.y.Values(k)
	if err != nil {
		return nil, err
	}
	list := make([]air.Vector[float64], w.x.Part.Owned)
	for i := range list {
		list[i] = air.Vector[float64]{X: x[i], Y: y[i]}
		if w.axis != nil {
			a := w.axis[i]
			list[i] = air.Vector[float64]{X: a.X*x[i] + a.Y*y[i], Y: a.X*y[i] - a.Y*x[i]}
		}
	}
	return list, nil
}

// pressure is the pressure of the air over a density.
type pressure struct {
	File
	density float64
	// Two fields may read the same record, at the same time: the last one is kept.
	lock sync.Mutex
	last int // -1 before the first
	kept []float64
}

// Pressure returns a pressure in Pa over a density in kg/m³.
func Pressure(f File, density float64) weather.Pressure {
	return &pressure{File: f, density: density, last: -1}
}

// Values implements weather.Pressure.
func (p *pressure) Values(k int) ([]float64, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.last != k {
		values, err := p.File.Values(k)
		if err != nil {
			return nil, err
		}
		p.last, p.kept = k, over(values, p.density)
	}
	return slices.Clone(p.kept), nil
}

// Vectors implements weather.Vectors.
func (p *pressure) Vectors(k int) ([]air.Vector[float64], error) {
	values, err := p.Values(k)
	if err != nil {
		return nil, err
	}
	return gradients(p.Part, values), nil
}

// over divides values by a density.
func over(values []float64, density float64) []float64 {
	for i := range values {
		values[i] /= density
	}
	return values
}

// gradients returns those of values in all cells of a part, in the owned ones.
func gradients(part *mesh.Part, values []float64) []air.Vector[float64] {
	list := make([]air.Vector[float64], part.Owned)
	for i := range list {
		list[i].X, list[i].Y = domain.Gradient(part, i, values)
	}
	return list
}
