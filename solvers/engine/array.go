package engine

import (
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
)

// Table holds all arrays of a rank. A table without a device only counts bytes: the declarations that allocate the
// arrays of a case also estimate its memory.
type Table struct {
	arrays  backend.Arrays
	counted int64 // bytes of arrays of fixed length, if there is no device
	growing []*Growing
}

// NewTable returns a table of arrays on a device, or one that only counts if dev is nil.
func NewTable(dev backend.Device) *Table { return &Table{arrays: backend.Arrays{Device: dev}} }

// Counts reports whether the table only counts bytes.
func (t *Table) Counts() bool { return t.arrays.Device == nil }

// Err returns the first error, with the name of its array.
func (t *Table) Err() error { return t.arrays.Err() }

// Bytes returns the size of all arrays at present.
func (t *Table) Bytes() int64 {
	n := t.arrays.Bytes() + t.counted
	for _, g := range t.growing {
		n += g.bytes()
	}
	return n
}

func (t *Table) free() {
	for _, g := range t.growing {
		g.free()
	}
	t.arrays.Free()
}

// Separate reports whether the arrays are in separate memory, which the host cannot access: that of a GPU.
func (t *Table) Separate() bool {
	_, separate := t.arrays.Device.(backend.Memory)
	return separate
}

// Array is an array in the memory of the device.
type Array[T any] struct {
	Data  []T // where kernels access it; nil in a table that only counts
	table *Table
	host  []T // of a device with separate memory: the copy of Host
}

// Add declares an array of n zeroed elements.
func Add[T any](t *Table, what string, n int) *Array[T] {
	a := &Array[T]{table: t}
	if t.Counts() {
		t.counted += int64(n) * int64(a.elementBytes())
		return a
	}
	a.Data = backend.Fresh[T](&t.arrays, n, what)
	return a
}

// Input declares an array of n elements that the host computes. A table that only counts does not call fill.
func Input[T any](t *Table, what string, n int, fill func() []T) *Array[T] {
	a := &Array[T]{table: t}
	if t.Counts() {
		t.counted += int64(n) * int64(a.elementBytes())
		return a
	}
	a.Data = backend.Uploaded(&t.arrays, fill(), what)
	return a
}

// Of returns an array that something else has allocated, on the device of a table.
func Of[T any](t *Table, data []T) *Array[T] { return &Array[T]{Data: data, table: t} }

// At returns where kernels find the first element.
func (a *Array[T]) At() *T { return unsafe.SliceData(a.Data) }

// Set uploads the elements.
func (a *Array[T]) Set(src []T) error { return backend.Upload(a.table.arrays.Device, a.Data, src) }

// SetPart is Set for the first elements.
func (a *Array[T]) SetPart(src []T) error {
	return backend.Upload(a.table.arrays.Device, a.Data[:len(src)], src)
}

// Copy queues a copy of another array of the same length.
func (a *Array[T]) Copy(from *Array[T]) error {
	return backend.Copy(a.table.arrays.Device, a.Data, from.Data)
}

// Host returns the elements in memory that the host can read, until the next call.
func (a *Array[T]) Host() ([]T, error) { return a.HostPart(len(a.Data)) }

// HostPart is Host for the first n elements.
func (a *Array[T]) HostPart(n int) ([]T, error) {
	if !a.table.Separate() {
		return a.Data[:n], nil
	}
	if len(a.host) < n {
		a.host = make([]T, len(a.Data))
	}
	return a.host[:n], backend.Download(a.table.arrays.Device, a.host[:n], a.Data[:n])
}

func (a *Array[T]) elementBytes() int {
	var t T
	return int(unsafe.Sizeof(t))
}

func (a *Array[T]) bytes() []byte     { return solvers.BytesOf(a.Data) }
func (a *Array[T]) field() halo.Field { return halo.FieldOf(a.Data) }

// Shown returns a field that shows numbers at a byte offset of each element of a cycle of arrays: after a step that of
// the next step of the cycle.
func Shown[N backend.Number, T any](e *Engine, f solvers.Field, offset uintptr, cycle ...*Array[T]) solvers.Field {
	f.View = func() solvers.View {
		a := cycle[e.now.Steps%len(cycle)]
		return solvers.ViewOf[N](a.table.arrays.Device, a.Data, offset)
	}
	return f
}

// ShownOnBlock is Shown for arrays over a block of a grid with ghosts.
func ShownOnBlock[N backend.Number](e *Engine, f solvers.Field, b *grid.Block, cycle ...*Array[N]) solvers.Field {
	f.View = func() solvers.View {
		a := cycle[e.now.Steps%len(cycle)]
		return solvers.BlockView(a.table.arrays.Device, a.Data, b)
	}
	return f
}

// ShownOnFaces is ShownOnBlock for an array of faces across an axis, of which the one with a cell's index is at its
// lower side: the upper end of an axis that is not periodic has one more, in the first layer of ghosts.
func ShownOnFaces[N backend.Number](e *Engine, f solvers.Field, b *grid.Block, axis int,
	cycle ...*Array[N]) solvers.Field {
	f = ShownOnBlock(e, f, b, cycle...)
	cells := f.View
	f.View = func() solvers.View {
		v := cells()
		v.N = b.Faces(axis)
		return v
	}
	return f
}

// Growing is a set of entities whose number changes, such as particles, and the arrays over them.
type Growing struct {
	Name     string         // of several entities, for errors
	Space    *solvers.Space // whose Owned is kept up to date; nil if there are no fields on it
	Count    int            // present entities, the first of each array
	table    *Table
	margin   func(n int) int // the capacity for n entities
	capacity int
	version  int // changes when arrays move
	arrays   []growingArray
}

type growingArray interface {
	resize(capacity, kept int) error
	bytesFor(capacity int) int64
	release()
}

// NewGrowing declares a set of entities without capacity; margin returns the capacity to allocate for n entities.
func NewGrowing(t *Table, name string, margin func(n int) int) *Growing {
	g := &Growing{Name: name, table: t, margin: margin}
	t.growing = append(t.growing, g)
	return g
}

// grown is an array over entities whose number grows.
type grown[T any] struct {
	*Array[T]
	length func(capacity int) int
	kept   func() bool
}

// AddOn declares an array with an element for each entity of a growing set, or with `length` elements for a capacity
// unless it is nil. kept, unless nil, tells whether the elements of present entities are kept when the array moves.
func AddOn[T any](g *Growing, length func(capacity int) int, kept func() bool) *Array[T] {
	a := &Array[T]{table: g.table}
	g.arrays = append(g.arrays, &grown[T]{a, length, kept})
	return a
}

func (a *grown[T]) lengthFor(capacity int) int {
	if a.length == nil {
		return capacity
	}
	return a.length(capacity)
}

func (a *grown[T]) bytesFor(capacity int) int64 {
	return int64(a.lengthFor(capacity)) * int64(a.elementBytes())
}

func (a *grown[T]) resize(capacity, count int) error {
	dev := a.table.arrays.Device
	keep := a.kept != nil && a.kept()
	if !keep { // first, so that both do not take memory at the same time
		a.release()
	}
	array, err := backend.Make[T](dev, a.lengthFor(capacity))
	if err != nil {
		return err
	}
	if keep {
		if err := backend.Copy(dev, array[:count], a.Data[:count]); err != nil {
			return err
		}
		a.release()
	}
	a.Data = array
	return nil
}

// release frees the array. What cannot be freed is freed with the device.
func (a *grown[T]) release() {
	_ = backend.Free(a.table.arrays.Device, a.Data)
	a.Data = nil
}

// Capacity returns the number of entities for which there is memory.
func (g *Growing) Capacity() int { return g.capacity }

// Reserve allocates memory for n entities, with the margin, unless there is enough.
func (g *Growing) Reserve(n int) error {
	if n <= g.capacity {
		return nil
	}
	n = g.margin(n)
	g.version++
	if !g.table.Counts() {
		for _, a := range g.arrays {
			if err := a.resize(n, g.Count); err != nil {
				return fmt.Errorf("%d %s: %w", n, g.Name, err)
			}
		}
	}
	g.capacity = n
	return nil
}

// Resize changes the number of present entities; elements of new ones are to be written.
func (g *Growing) Resize(n int) error {
	if err := g.Reserve(n); err != nil {
		return err
	}
	g.Count = n
	if g.Space != nil {
		g.Space.Owned = n
	}
	return nil
}

func (g *Growing) bytes() (n int64) {
	for _, a := range g.arrays {
		n += a.bytesFor(g.capacity)
	}
	return n
}

func (g *Growing) free() {
	for _, a := range g.arrays {
		a.release()
	}
	g.capacity = 0
}

// Loops are loops over the present entities, made again when the arrays have moved.
type Loops[L any] struct {
	of      *Growing
	version int
	make    func() L
	loops   L
}

// LoopsOver returns loops over a growing set. Since their arguments move, they are not recorded.
func LoopsOver[L any](g *Growing, make func() L) *Loops[L] {
	return &Loops[L]{of: g, version: -1, make: make}
}

// Now returns the loops over the present arrays.
func (l *Loops[L]) Now() *L {
	if l.version != l.of.version {
		l.version, l.loops = l.of.version, l.make()
	}
	return &l.loops
}
