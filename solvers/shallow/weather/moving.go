package weather

import (
	"context"
	"math"
	"sort"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/weather"
)

// Vectors is a vector field in the owned cells of a part, linear between times.
type Vectors interface {
	// Times are increasing times in s, at least two.
	Times() []float64
	// Vectors returns the vectors of time k.
	Vectors(k int) ([]air.Vector[float64], error)
}

// moving is a vector field over time on the device: its values at the last time, and the changes until the next two.
// The record after these is read while steps are taken.
type moving[F num.Float] struct {
	reader[air.Vector[F]]
	times   []float64
	cells   int
	at      int32                           // see air.Course
	courses [3]*engine.Array[air.Vector[F]] // of air.Course: First, Change and Next
	held    [3][]air.Vector[F]              // records first to first+2, record k at k modulo 3
	first   int                             // the record of First, -1 before the first load
}

// newMoving returns a field without arrays, nil for none. Its two prescribed numbers follow each other.
func newMoving[F num.Float](name string, from Vectors, cells int,
	prescribe func(name, unit string, rows []series.Row) int32) *moving[F] {
	if from == nil {
		return nil
	}
	m := &moving[F]{times: from.Times(), cells: cells, first: -1}
	m.at = prescribe(name+"_change", "1", series.Constant(0))
	prescribe(name+"_next_change", "1", series.Constant(0))
	m.reader = newReader(func(k int) ([]air.Vector[F], error) {
		values, err := from.Vectors(k)
		list := make([]air.Vector[F], len(values))
		for i, v := range values {
			list[i] = air.Vector[F]{X: F(v.X), Y: F(v.Y)}
		}
		return list, err
	})
	return m
}

// declare declares the arrays of a field in a number of cells.
func (m *moving[F]) declare(t *engine.Table, what string, cells int) {
	for k := range m.courses {
		m.courses[k] = engine.Add[air.Vector[F]](t, what, cells)
	}
}

// course returns what kernels read.
func (m *moving[F]) course() air.Course[F] {
	return air.Course[F]{First: m.courses[0].Data, Change: m.courses[1].Data, Next: m.courses[2].Data, At: m.at}
}

// load loads what steps from a time on need, unless it is loaded, and returns the time at which more is needed. All
// ranks call it.
func (m *moving[F]) load(ctx context.Context, comm dist.Comm, time float64) (until float64, changed bool, err error) {
	last := len(m.times) - 1
	first := max(0, min(last-1, sort.Search(len(m.times), func(k int) bool { return m.times[k] > time })-1))
	until = math.Inf(1)
	if first+1 < last {
		until = m.times[first+1]
	}
	if first == m.first {
		return until, false, nil
	}
	for k := first; k <= first+2 && k <= last; k++ {
		if m.first >= 0 && k >= m.first && k <= m.first+2 {
			continue
		}
		values, err := m.take(k)
		if err := solvers.Agree(ctx, comm, err); err != nil {
			return 0, true, err
		}
		m.held[k%len(m.held)] = values
	}
	m.first = first
	if first+3 <= last {
		m.begin(first + 3)
	}
	return until, true, m.upload()
}

// upload sets the arrays to the records that are held.
func (m *moving[F]) upload() error {
	of := func(k int) []air.Vector[F] { return m.held[min(k, len(m.times)-1)%len(m.held)] }
	for n, array := range m.courses {
		values := of(m.first)
		if n > 0 {
			values = changes(of(m.first+n-1), of(m.first+n))
		}
		if err := array.Set(values); err != nil {
			return err
		}
	}
	return nil
}

// changes returns what is to be added to vectors to give others.
func changes[F num.Float](from, to []air.Vector[F]) []air.Vector[F] {
	list := make([]air.Vector[F], len(from))
	for i := range list {
		list[i] = air.Vector[F]{X: to[i].X - from[i].X, Y: to[i].Y - from[i].Y}
	}
	return list
}

// present returns the times of what is on the device. A step that begins before the second one ends at the third at the
// latest, as long as it is not longer than the shortest interval.
func (m *moving[F]) present() weather.Course[F] {
	last := len(m.times) - 1
	c := weather.Course[F]{First: m.times[m.first], Second: m.times[m.first+1], Third: m.times[min(m.first+2, last)],
		Longest: F(math.Inf(1)), At: m.at}
	if last > 1 {
		c.Longest = F(.99 * shortest(m.times))
	}
	return c
}

// forget makes the next call of load load everything again.
func (m *moving[F]) forget() {
	m.wait()
	m.first = -1
}

// shortest returns the least difference between times that follow each other, s.
func shortest(times []float64) float64 {
	least := math.Inf(1)
	for k := range len(times) - 1 {
		least = min(least, times[k+1]-times[k])
	}
	return least
}
