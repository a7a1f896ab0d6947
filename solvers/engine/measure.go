package engine

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
)

// Measures are the measurements of a state: a program that may be queued between steps, its results, and the quantities
// that follow from those of all ranks.
type Measures struct {
	// Program makes the program that measures the state before step k of the cycle. Row tells that it is for a row of a
	// table, which may lack quantities that are no column, and not for Measure.
	Program func(p *Program, k int, row bool)
	// Quantities makes the list of quantities; all ranks call it.
	Quantities func(ctx context.Context, o *Observation) ([]solvers.Quantity, error)

	engine   *Engine
	programs [2][]*Program // of each step of the cycle: for Measure, and for rows
	cells    []cell
	counts   []*int64   // on the host
	numbers  []*float64 // likewise
	buffers  solvers.ObservationBuffers[Observation]
}

// Observation is a measurement of a state.
type Observation struct {
	Steps    int  // up to the state
	Row      bool // it is for a row of a table: see Measures.Program
	read     []backend.Readback
	own, all [][]int64 // the words of each result, of this rank and of all ranks
	counts   []int64
	numbers  []float64
}

// cell is a result on the device.
type cell interface {
	bytes() []byte
	clear() error
	parts() []resultPart
}

// resultPart is a field of a result: how ranks combine it, and its first word.
type resultPart struct {
	by   reduction
	word int
}

type reduction uint8

const (
	sum reduction = iota
	most
	mostKey  // of atomics.Most and atomics.Least
	exactSum // of package exact
)

// Result is a struct on the device in which loops count, add up, or find extremes: ranks add up its integers of 64
// bits, except those in which a maximum is found, and exact sums (arrays of a multiple of exact.Words: see SumOf); and
// they take the largest of unsigned ones, which are ordered bits of numbers such as atomics.Most and atomics.Least.
type Result[T any] struct {
	*Array[T]
	index  int // among the results; of another cell than those of Measures -1
	fields []resultPart
	zero   []T
}

// NewResult declares a result that is cleared before each measurement, or with keep one that steps count up. most are
// the names of integers in which a maximum is found.
func NewResult[T any](t *Table, what string, keep bool, most ...string) *Result[T] {
	r := &Result[T]{Array: Add[T](t, what, 1), index: -1, fields: partsOf(reflect.TypeFor[T](), most)}
	if !keep {
		r.zero = make([]T, 1)
	}
	return r
}

func partsOf(t reflect.Type, names []string) []resultPart { return appendParts(nil, t, 0, names) }

// appendParts appends the parts of a struct that begins with a word.
func appendParts(parts []resultPart, t reflect.Type, first int, names []string) []resultPart {
	for k := range t.NumField() {
		f := t.Field(k)
		kind, n, at := f.Type.Kind(), 1, first+int(f.Offset/8)
		if kind == reflect.Struct {
			parts = appendParts(parts, f.Type, at, names)
			continue
		}
		if kind == reflect.Array {
			kind, n = f.Type.Elem().Kind(), f.Type.Len()
		}
		by, step := sum, 1
		switch {
		case kind == reflect.Uint64:
			by = mostKey
		case kind != reflect.Int64:
			panic("engine: a result has a field that is neither of integers of 64 bits nor an exact sum: " + f.Name)
		case slices.Contains(names, f.Name):
			by = most
		case n%exact.Words == 0:
			by, step = exactSum, exact.Words
		}
		for word := 0; word < n; word += step {
			parts = append(parts, resultPart{by, at + word})
		}
	}
	return parts
}

// SumOf returns the number nearest to an exact sum.
func SumOf(words [exact.Words]int64) float64 {
	var a dist.Accumulator
	a.AddWords(&words)
	return a.Float64()
}

func (r *Result[T]) parts() []resultPart { return r.fields }

// Words returns the result as kernels add to it if they number its words.
func (r *Result[T]) Words() []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(r.At())), len(r.bytes())/8)
}

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

// Number adds a number of the host that is the same on all ranks, and returns its index.
func (m *Measures) Number(v *float64) int {
	m.numbers = append(m.numbers, v)
	return len(m.numbers) - 1
}

// Number returns a number of the host as it was when the state was measured.
func (o *Observation) Number(k int) float64 { return o.numbers[k] }

// prepare makes the programs and the buffers.
func (m *Measures) prepare(ctx context.Context, e *Engine) error {
	if m.engine = e; e.def.Measured == nil {
		return nil
	}
	e.def.Measured(m)
	for row := range m.programs {
		for k := range e.def.Cycle {
			p := e.program(ctx, func(p *Program) { m.Program(p, k, row == 1) })
			if p.err != nil {
				return p.err
			}
			m.programs[row] = append(m.programs[row], p)
		}
	}
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
func (m *Measures) observe(ctx context.Context, o *Observation, row bool) (err error) {
	programs := m.programs[0]
	if row {
		programs = m.programs[1]
	}
	for _, c := range m.cells {
		err = errors.Join(err, c.clear())
	}
	if err == nil {
		err = m.engine.player.play(ctx, programs[m.engine.now.Steps%len(programs)].ops)
	}
	o.Steps, o.Row, o.counts, o.numbers = m.engine.now.Steps, row, o.counts[:0], o.numbers[:0]
	for _, n := range m.counts {
		o.counts = append(o.counts, *n)
	}
	for _, v := range m.numbers {
		o.numbers = append(o.numbers, *v)
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
		combine(c.parts(), o.all[k], to)
	}
	to.SumInt64(o.counts)
	return func(ctx context.Context) ([]solvers.Quantity, error) { return m.Quantities(ctx, o) }, nil
}

// combine adds the reductions of a result's words, which change when they are made.
func combine(parts []resultPart, words []int64, to *dist.Joint) {
	for _, part := range parts {
		word := words[part.word : part.word+1]
		switch part.by {
		case sum:
			to.SumInt64(word)
		case most:
			to.MaxInt64(word)
		case mostKey:
			to.MaxUint64(unsafe.Slice((*uint64)(unsafe.Pointer(&word[0])), 1))
		case exactSum:
			to.SumWords((*[exact.Words]int64)(words[part.word:]))
		}
	}
}

// now measures the present state, and waits for it.
func (m *Measures) now(ctx context.Context) ([]solvers.Quantity, error) {
	o := m.buffers.Now()
	if err := m.observe(ctx, o, false); err != nil {
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
	Sum  bool           // each rank has a part of it; always so of a result
	Get  func() float64 // in place of Host: returns a number that is the same on all ranks
	Put  func(v float64)
	cell cell
	word int
}

// SavesNumber returns the scalar of a number of the host that is the same on all ranks.
func SavesNumber(name string, v *float64) Scalar {
	return Scalar{Name: name, Get: func() float64 { return *v }, Put: func(x float64) { *v = x }}
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
