package weather

import (
	"fmt"
	"sort"

	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// Field is a field over time in the cells of a part.
type Field interface {
	// Times are the increasing ends in s of intervals, in each of which the field is constant in time.
	Times() []float64
	// Values returns the values of interval k in all cells of the part, ghosts included.
	Values(k int) ([]float64, error)
}

// course is a field over time on the device: the values of the present interval and the next one, of interval k in slot
// k modulo 2. Those of the interval after these are read while steps are taken.
type course[T any] struct {
	reader[T]
	times   []float64
	weights [slots]int32 // of slots, among the prescribed numbers
	slots   [slots]*engine.Array[T]
	first   int        // the present interval; -1 before the first load
	held    [slots]int // the interval of each slot, -1 for none
}

// slots is how many intervals a step and the next two may touch.
const slots = 2

// newCourse returns a course without arrays. prescribe adds the weight of a slot.
func newCourse[T any](name string, f Field, prescribe func(name, unit string, rows []series.Row) int32,
	read func(k int) ([]T, error)) *course[T] {
	c := &course[T]{reader: newReader(read), times: f.Times(), first: -1}
	for s := range slots {
		var rows []series.Row
		for k := range c.intervals() {
			weight := 0.0
			if k%slots == s {
				weight = 1
			}
			rows = append(rows, series.Row{T: c.times[k], Value: weight}, series.Row{T: c.times[k+1], Value: weight})
		}
		c.weights[s], c.held[s] = prescribe(fmt.Sprintf("%s_%d", name, s), "1", rows), -1
	}
	return c
}

// intervals returns their number.
func (c *course[T]) intervals() int { return len(c.times) - 1 }

// at returns the interval that contains a time; at its end the next one, if there is one.
func (c *course[T]) at(time float64) int {
	return max(0, min(c.intervals()-1, sort.Search(len(c.times), func(k int) bool { return c.times[k] > time })-1))
}

// advance loads what steps from a time on need, and calls loaded with each interval that is new, or the error of
// reading it. It returns the time at which more is needed, 0 for never.
func (c *course[T]) advance(time float64, loaded func(k int, values []T, err error) error) (next float64, err error) {
	c.first = c.at(time)
	last := min(c.first+slots, c.intervals()) - 1
	for k := c.first; k <= last; k++ {
		if slot := k % slots; c.held[slot] != k {
			values, err := c.take(k)
			if err == nil {
				err = c.slots[slot].Set(values)
			}
			if err := loaded(k, values, err); err != nil {
				return 0, err
			}
			c.held[slot] = k
		}
	}
	if last+1 >= c.intervals() {
		return 0, nil
	}
	c.begin(last + 1)
	return c.times[c.first+1], nil
}

// forget makes the next call of advance load everything again.
func (c *course[T]) forget() {
	c.wait()
	for s := range c.held {
		c.held[s] = -1
	}
}
