package engine

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
)

// Measures are the measurements of a state: a program that may be queued between steps, its results, and the quantities
// that follow from those of all ranks.
type Measures struct {
	engine  *Engine
	program *Program
	cells   []cell
	counts  []*int64 // on the host
	buffers solvers.ObservationBuffers[Observation]
	// Quantities makes the list of quantities; all ranks call it.
	Quantities func(ctx context.Context, o *Observation) ([]solvers.Quantity, error)
}

// Observation is a measurement of a state.
type Observation struct {
	Steps    int // up to the state
	read     []backend.Readback
	own, all [][]int64 // the words of each result, of this rank and of all ranks
	counts   []int64
}

// cell is a result on the device.
type cell interface {
	bytes() []byte
	clear() error
	reductions() []reduction
}

// reduction is how ranks combine a word of a result.
type reduction uint8

const (
	sum reduction = iota
	most
	mostKey // of atomics.Most and atomics.Least
)

// Result is a struct on the device in which loops count, add up, or find extremes: ranks add up its integers of 64
// bits, except those in which a maximum is found, and combine atomics.Most and atomics.Least.
type Result[T any] struct {
	*Array[T]
	index int // among the results; of another cell than those of Measures -1
	words []reduction
	zero  []T
}

// NewResult declares a result that is cleared before each measurement, or with keep one that steps count up. most are
// the names of integers in which a maximum is found.
func NewResult[T any](t *Table, what string, keep bool, most ...string) *Result[T] {
	r := &Result[T]{Array: Add[T](t, what, 1), index: -1, words: reductionsOf(reflect.TypeFor[T](), most)}
	if !keep {
		r.zero = make([]T, 1)
	}
	return r
}

func reductionsOf(t reflect.Type, names []string) (words []reduction) {
	for k := range t.NumField() {
		switch f := t.Field(k); {
		case f.Type.Kind() == reflect.Uint64:
			words = append(words, mostKey)
		case f.Type.Kind() == reflect.Int64 && slices.Contains(names, f.Name):
			words = append(words, most)
		case f.Type.Kind() == reflect.Int64:
			words = append(words, sum)
		default:
			panic("engine: a result has a field that is no integer of 64 bits: " + f.Name)
		}
	}
	return words
}

func (r *Result[T]) reductions() []reduction { return r.words }

func (r *Result[T]) clear() error {
	if r.zero == nil {
		return nil
	}
	return r.Set(r.zero)
}

func (r *Result[T]) valueOf(words []int64) T {
	return *(*T)(unsafe.Pointer(unsafe.SliceData(words)))
}

// All returns the result of all ranks, and Own that of this rank.
func (r *Result[T]) All(o *Observation) T { return r.valueOf(o.all[r.index]) }
func (r *Result[T]) Own(o *Observation) T { return r.valueOf(o.own[r.index]) }

// Measured adds a result to the measurements.
func Measured[T any](m *Measures, r *Result[T]) *Result[T] {
	r.index = len(m.cells)
	m.cells = append(m.cells, r)
	return r
}

// Count adds a number of the host, which ranks add up, and returns its index.
func (m *Measures) Count(n *int64) int {
	m.counts = append(m.counts, n)
	return len(m.counts) - 1
}

// Count returns the sum of a number of the host.
func (o *Observation) Count(k int) int64 { return o.counts[k] }

func (m *Measures) prepare() error {
	for _, o := range m.buffers.All() {
		for _, c := range m.cells {
			r, err := backend.NewReadback(m.engine.env.Device, len(c.bytes()))
			if err != nil {
				return err
			}
			m.engine.table.arrays.Owns(r)
			o.read = append(o.read, r)
		}
	}
	return nil
}

// observe queues a measurement of the present state.
func (m *Measures) observe(ctx context.Context, o *Observation) (err error) {
	for _, c := range m.cells {
		err = errors.Join(err, c.clear())
	}
	if err == nil {
		m.engine.player.last = time.Now()
		err = m.engine.player.play(ctx, m.program.ops)
	}
	o.Steps, o.counts = m.engine.now.Steps, o.counts[:0]
	for _, n := range m.counts {
		o.counts = append(o.counts, *n)
	}
	for k, c := range m.cells {
		if err == nil {
			err = o.read[k].Start(c.bytes())
		}
	}
	return err
}

// result reads a measurement of this rank, and adds what ranks reduce of it.
func (m *Measures) result(o *Observation, to *dist.Joint) (dist.Result[[]solvers.Quantity], error) {
	o.own, o.all = make([][]int64, len(m.cells)), make([][]int64, len(m.cells))
	for k, c := range m.cells {
		bytes, err := o.read[k].Read()
		if err != nil {
			return nil, err
		}
		words := unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(bytes))), len(bytes)/8)
		o.own[k], o.all[k] = slices.Clone(words), slices.Clone(words)
		for n, r := range c.reductions() {
			switch word := o.all[k][n : n+1]; r {
			case sum:
				to.SumInt64(word)
			case most:
				to.MaxInt64(word)
			case mostKey:
				word[0] ^= math.MinInt64 // so that keys have the order of signed integers
				to.MaxInt64(word)
			}
		}
	}
	to.SumInt64(o.counts)
	return func(ctx context.Context) ([]solvers.Quantity, error) {
		for k, c := range m.cells {
			for n, r := range c.reductions() {
				if r == mostKey {
					o.all[k][n] ^= math.MinInt64
				}
			}
		}
		return m.Quantities(ctx, o)
	}, nil
}

// now measures the present state, and waits for it.
func (m *Measures) now(ctx context.Context) ([]solvers.Quantity, error) {
	o := m.buffers.Now()
	if err := m.observe(ctx, o); err != nil {
		return nil, err
	}
	return dist.ReduceFor(ctx, m.engine.env.Comm, func(to *dist.Joint) (dist.Result[[]solvers.Quantity], error) {
		return m.result(o, to)
	})
}

// Scalar is a number besides the fields that a restart needs: on the host, or an integer of a result.
type Scalar struct {
	Name string
	Host *int64
	Sum  bool // each rank has a part of it; always so of a result
	cell cell
	word int
}

// Saves returns the scalar of an integer of a result.
func Saves[T any](name string, r *Result[T], field string) Scalar {
	f, ok := reflect.TypeFor[T]().FieldByName(field)
	if !ok {
		panic("engine: a result has no field " + field)
	}
	return Scalar{Name: name, Sum: true, cell: r, word: int(f.Offset / 8)}
}

func (e *Engine) readScalar(s *Scalar) (int64, error) {
	if s.cell == nil {
		return *s.Host, nil
	}
	words := make([]int64, len(s.cell.bytes())/8)
	err := backend.Download(e.env.Device, solvers.BytesOf(words), s.cell.bytes())
	return words[s.word], err
}

func (e *Engine) writeScalar(s *Scalar, v int64) error {
	if s.Sum && e.env.Comm.Rank() != 0 {
		v = 0
	}
	if s.cell == nil {
		*s.Host = v
		return nil
	}
	words := []int64{v}
	at := s.cell.bytes()[8*s.word : 8*s.word+8]
	return backend.Upload(e.env.Device, at, solvers.BytesOf(words))
}
