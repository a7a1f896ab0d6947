// Package weather has rain, wind and pressure that are fields over time: what they add in each step, how long steps may
// be, and the volume of rain that has fallen.
package weather

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/weather"
)

// Setting is what weather acts on: a part of a mesh and its bed.
type Setting struct {
	Part               *mesh.Part
	Depth              []float64 // of the bed below the datum, m
	Gravity, CFL, Time float64   // the latter of the start, s
	// Prescribe adds a prescribed number, of which steps use the mean, and returns its index among all.
	Prescribe func(name, unit string, rows []series.Row) int32
}

// Fields are the fields over time of a case; nil for none.
type Fields struct {
	Rain     Field   // m/s
	Wind     Vectors // velocity of the air, m/s
	Pressure Pressure
}

// Pressure is the pressure of the air over the density of the lower layer. Vectors are its gradients, m/s².
type Pressure interface {
	Vectors
	// Values returns those of time k in all cells of the part, ghosts included, m²/s².
	Values(k int) ([]float64, error)
}

// Any reports whether there are any.
func (f *Fields) Any() bool { return f.Rain != nil || f.Wind != nil || f.Pressure != nil }

// pressing returns the gradients of the pressure, nil for none.
func (f *Fields) pressing() Vectors {
	if f.Pressure == nil {
		return nil
	}
	return f.Pressure
}

// Layout is what the host knows of fields over time, nil for none.
type Layout[F num.Float] struct {
	rain           *rain[F]
	wind, pressure *moving[F]
	rise           *moving[F] // of levels at boundary edges, m, in X
	raised         []weather.Raised
}

// moving returns the vector fields.
func (l *Layout[F]) moving() (list []*moving[F]) {
	for _, m := range []*moving[F]{l.wind, l.pressure, l.rise} {
		if m != nil {
			list = append(list, m)
		}
	}
	return list
}

// rain is rain in intervals of time, m/s.
type rain[F num.Float] struct {
	course[F]
	on    int32     // index of the prescribed number by which it is multiplied: 0 while there is none
	area  []float64 // of owned cells, m²
	reach []float64 // of owned cells: the square of the way that a wave may go in a step over gravity, m s²
	onDry []float64 // of owned cells: the longest step in rain on the dry cell, s

	total  [slots]float64 // of the intervals in slots: ∫r dA, m³/s
	began  float64        // time since which the volume is counted, s
	before float64        // volume until the present interval, m³
	bounds [3]weather.Bound[F]
}

// New returns the fields over time of a case. on is the index of the prescribed number that tells whether there is
// rain.
func New[F num.Float](from Fields, on int32, at *Setting) Layout[F] {
	return Layout[F]{rain: newRain[F](from.Rain, on, at),
		wind:     newMoving[F]("wind", from.Wind, at.Part.Owned, at.Prescribe),
		pressure: newMoving[F]("pressure", from.pressing(), at.Part.Owned, at.Prescribe)}
}

func newRain[F num.Float](rainfall Field, on int32, at *Setting) *rain[F] {
	if rainfall == nil {
		return nil
	}
	p := at.Part
	r := &rain[F]{on: on, began: at.Time}
	for i := range p.Owned {
		area := float64(F(p.Area(i)))
		way := 2 * at.CFL * area / p.Perimeter(i) // that a wave may go in a step
		slopeX, slopeY := domain.Gradient(p, i, at.Depth)
		r.area, r.reach = append(r.area, area), append(r.reach, way*way/at.Gravity)
		r.onDry = append(r.onDry, math.Sqrt(2*way/(at.Gravity*math.Hypot(slopeX, slopeY))))
	}
	r.course = *newCourse("rain", rainfall, at.Prescribe, func(k int) ([]F, error) {
		values, err := rainfall.Values(k)
		if err != nil {
			return nil, err
		}
		return domain.OwnedValues[F](values, p), nil
	})
	// So that the interval after the present one is all that a step and the next two may touch: see
	// kernels.EvaluateSeries.
	r.bounds[0] = weather.Bound[F]{Weight: -1, Length: F(shortest(r.times) / 7)}
	return r
}

// Works are fields over time on a device.
type Works[F num.Float] struct {
	Layout[F]
	dev     backend.Device
	comm    dist.Comm
	bounds  *engine.Array[weather.Bound[F]]
	courses *engine.Array[weather.Course[F]] // of vector fields
	edges   []weather.Raised
	out     Outputs[F]
	loaded  float64 // time until which what is loaded is enough, s; 0 before the first load
}

// Outputs are the arrays in which steps find what fields over time are in them.
type Outputs[F num.Float] struct {
	Prescribed, Ahead []F // the prescribed numbers, and the largest to be expected
	Rain              []F // of owned cells, m/s
}

// Cells are the numbers of cells with fields over time, 0 for none.
type Cells struct{ Rain, Wind, Pressure int }

// Declare declares the arrays of fields over time in numbers of cells. A table that only counts needs no layout.
func Declare[F num.Float](t *engine.Table, n Cells, l Layout[F], out Outputs[F]) *Works[F] {
	w := &Works[F]{Layout: l, out: out}
	if l.rain != nil {
		n.Rain = len(l.rain.area) // a rank may have no cells
	}
	if l.rain != nil || n.Rain > 0 {
		rates := [slots]*engine.Array[F]{engine.Add[F](t, "rain", n.Rain), engine.Add[F](t, "rain", n.Rain)}
		w.bounds = engine.Add[weather.Bound[F]](t, "rain", len(new(rain[F]).bounds))
		if l.rain != nil {
			w.rain.slots = rates
		}
	}
	fields := []struct {
		what  string
		cells int
		to    *moving[F]
	}{{"wind", n.Wind, l.wind}, {"pressure of the air", n.Pressure, l.pressure}}
	for _, f := range fields {
		switch {
		case f.to != nil:
			f.to.declare(t, f.what, f.to.cells)
		case f.cells > 0:
			new(moving[F]).declare(t, f.what, f.cells)
		}
	}
	if l.rise != nil {
		l.rise.declare(t, "boundary", l.rise.cells)
	}
	w.edges = engine.Input(t, "boundary", len(l.raised), func() []weather.Raised { return l.raised }).Data
	w.courses = engine.Add[weather.Course[F]](t, "weather", len(l.moving()))
	return w
}

// Connect sets the device, and the ranks, of the arrays.
func (w *Works[F]) Connect(env solvers.Env) { w.dev, w.comm = env.Device, env.Comm }

// Blow sets what kernels read of wind and pressure that are fields over time.
func (w *Works[F]) Blow(to *air.Air[F]) {
	if w.wind != nil {
		to.Moving = w.wind.course()
	}
	if w.pressure != nil {
		to.Pressure = w.pressure.course()
	}
}

// Rains reports whether there is rain that is a field over time.
func (w *Works[F]) Rains() bool { return w.rain != nil }

func (w *Works[F]) any() bool { return w.rain != nil || len(w.moving()) > 0 }

// Evaluate computes the rain and the shares of vector fields in a step, and bounds the length of the next one.
func (w *Works[F]) Evaluate(p *engine.Program, clock *kernels.Clock[F], limit, next *atomics.Least[F]) {
	if r := w.rain; r != nil {
		weights := weather.Weights{First: r.weights[0], Second: r.weights[1]}
		p.Run(engine.Whole(weather.NewRainLoop(weights, w.out.Prescribed, r.slots[0].Data, r.slots[1].Data, w.out.Rain),
			len(r.area)))
		p.Run(engine.Whole(weather.NewLimitLoop(w.bounds.Data, w.out.Ahead, clock, limit, next), len(r.bounds)))
	}
	p.Run(engine.Whole(weather.NewShareLoop(w.courses.Data, clock, limit, w.out.Prescribed, next), len(w.courses.Data)))
}

// RaiseLevels adds what the pressure of the air raises the levels at boundary edges by in a stage, whose series and
// shares are known.
func (w *Works[F]) RaiseLevels(p *engine.Program) {
	if w.rise == nil {
		return
	}
	c := w.rise.course()
	p.Run(engine.Whole(weather.NewRaiseLoop(w.edges, c.At, c.First, c.Change, c.Next, w.out.Prescribed, w.out.Ahead),
		len(w.edges)))
}

// Due reports whether Load would load something at a time.
func (w *Works[F]) Due(time float64) bool { return w.any() && !(time < w.loaded) }

// Load loads what steps from a time on need, and returns the time until which that is enough, 0 for ever. changed tells
// that something was loaded. All ranks call it.
func (w *Works[F]) Load(ctx context.Context, time float64) (until float64, changed bool, err error) {
	if w.Due(time) {
		w.loaded = math.Inf(1)
		if changed, err = w.loadVectors(ctx, time); err == nil && w.rain != nil {
			var rained bool
			rained, err = w.loadRain(ctx, time)
			changed = changed || rained
		}
	}
	if math.IsInf(w.loaded, 1) {
		return 0, changed, err
	}
	return w.loaded, changed, err
}

// loadVectors loads the vector fields.
func (w *Works[F]) loadVectors(ctx context.Context, time float64) (changed bool, err error) {
	var present []weather.Course[F]
	for _, m := range w.moving() {
		until, loaded, err := m.load(ctx, w.comm, time)
		if err != nil {
			return true, err
		}
		w.loaded, changed = min(w.loaded, until), changed || loaded
		present = append(present, m.present())
	}
	if !changed {
		return false, nil
	}
	return true, w.courses.Set(present)
}

// loadRain loads the rain.
func (w *Works[F]) loadRain(ctx context.Context, time float64) (changed bool, err error) {
	r := w.rain
	if r.first >= 0 {
		for ; r.first < r.at(time); r.first++ {
			r.before += r.fallenIn(r.first, math.Inf(1))
		}
	}
	until, err := r.advance(time, func(k int, values []F, err error) error {
		changed = true
		if err := solvers.Agree(ctx, w.comm, err); err != nil {
			return err
		}
		return w.weigh(ctx, k, values)
	})
	if until > 0 {
		w.loaded = min(w.loaded, until)
	}
	if !changed || err != nil {
		return changed, err
	}
	raining := F(0)
	if r.total[0] > 0 || r.total[1] > 0 {
		raining = 1
	}
	for _, numbers := range [][]F{w.out.Prescribed, w.out.Ahead} {
		if err := backend.Upload(w.dev, numbers[r.on:r.on+1], []F{raining}); err != nil {
			return true, err
		}
	}
	return true, w.bounds.Set(r.bounds[:])
}

// weigh finds what the rain in an interval brings, and how long steps in it may be: those of all ranks.
func (w *Works[F]) weigh(ctx context.Context, k int, values []F) error {
	r := w.rain
	var sum dist.Accumulator
	longest := []float64{math.Inf(1)}
	for i, v := range values {
		if v > 0 {
			sum.Add(float64(v) * r.area[i])
			longest[0] = min(longest[0], math.Cbrt(r.reach[i]/float64(v)), r.onDry[i])
		}
	}
	if err := dist.AllreduceSum(ctx, w.comm, &sum); err != nil {
		return err
	}
	if err := w.comm.AllreduceFloat64(ctx, dist.Min, longest); err != nil {
		return err
	}
	r.total[k%2] = sum.Float64()
	r.bounds[1+k%2] = weather.Bound[F]{Weight: r.weights[k%2], Length: F(longest[0])}
	return nil
}

// fallenIn returns what has fallen in an interval, which is loaded, until a time, m³.
func (r *rain[F]) fallenIn(k int, time float64) float64 {
	if k >= r.intervals() {
		return 0
	}
	return r.total[k%2] * max(0, min(time, r.times[k+1])-max(r.began, r.times[k]))
}

// Fallen returns the volume of rain until a time in m³.
func (w *Works[F]) Fallen(time float64) float64 {
	r := w.rain
	return r.before + r.fallenIn(r.first, time) + r.fallenIn(r.first+1, time)
}

// Saved are the numbers that checkpoints have.
func (w *Works[F]) Saved() []engine.Scalar {
	r := w.rain
	if r == nil {
		return nil
	}
	return []engine.Scalar{engine.SavesNumber("rain_began", &r.began), engine.SavesNumber("rain_before", &r.before),
		{Name: "rain_interval", Get: func() float64 { return float64(r.first) }, Put: func(x float64) { r.first = int(x) }}}
}

// Restore loads what steps from a time on need, at which the state was saved: of rain the interval that was present.
// All ranks call it.
func (w *Works[F]) Restore(ctx context.Context, time float64) error {
	w.loaded = math.Inf(1)
	for _, m := range w.moving() {
		m.forget()
	}
	if _, err := w.loadVectors(ctx, time); err != nil || w.rain == nil {
		return err
	}
	w.rain.forget()
	_, err := w.loadRain(ctx, w.rain.times[w.rain.first])
	return err
}

// Close waits until nothing is being read.
func (w *Works[F]) Close() error {
	if w.rain != nil {
		w.rain.wait()
	}
	for _, m := range w.moving() {
		m.wait()
	}
	return nil
}
