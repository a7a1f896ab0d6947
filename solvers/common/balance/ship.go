package balance

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
)

// Carried is what a rank gets for its next block: the numbers of its cells, and the entities that are in them. It is
// the source of the saved state.
type Carried struct {
	From    any // the model on the earlier block, whose arrays are freed
	block   *domain.Block
	cells   map[string]cellNumbers
	spaces  []*entities
	scalars map[string]float64
}

// cellNumbers are the numbers of a field of a block's own cells, x fastest.
type cellNumbers struct {
	size  int // bytes of a cell
	bytes []byte
}

// entities are those of a space whose entities change ranks.
type entities struct {
	keys   []int64
	fields []string
	sizes  []int    // bytes of an entity in each field
	bytes  [][]byte // of each field
}

// NumbersOf returns the numbers of a field of the block's own cells, x fastest; nil for a field that was not carried.
func NumbersOf[N solvers.Number](c *Carried, field string) []N {
	b := c.cells[field].bytes
	numbers := make([]N, len(b)/int(unsafe.Sizeof(*new(N))))
	copy(solvers.BytesOf(numbers), b)
	return numbers
}

// Locate implements solvers.Source.
func (c *Carried) Locate(_ context.Context, _ string, keys []int64) (solvers.FieldReader, error) {
	return func(_ context.Context, field string, size int, put func(i int, numbers []byte)) error {
		return c.read(field, size, keys, put)
	}, nil
}

func (c *Carried) read(field string, size int, keys []int64, put func(i int, numbers []byte)) error {
	if f, ok := c.cells[field]; ok && f.size == size {
		if len(keys) != c.block.Cells() {
			return fmt.Errorf("field %q is read at %d of %d cells", field, len(keys), c.block.Cells())
		}
		for i, key := range keys {
			if key == c.block.Number(i) {
				put(i, f.bytes[i*size:(i+1)*size])
			}
		}
		return nil
	}
	for _, e := range c.spaces {
		k := slices.Index(e.fields, field)
		if k < 0 || e.sizes[k] != size {
			continue
		}
		for i, key := range keys { // in the order of Select
			if key == e.keys[i] {
				put(i, e.bytes[k][i*size:(i+1)*size])
			}
		}
	}
	return nil
}

// Select implements solvers.Source.
func (c *Carried) Select(_ context.Context, field string, size int, owner func(numbers []byte) int) ([]int64, error) {
	for _, e := range c.spaces {
		if k := slices.Index(e.fields, field); k >= 0 && e.sizes[k] == size {
			for i := range e.keys {
				if owner(e.bytes[k][i*size:(i+1)*size]) != c.block.Plan.Rank {
					return nil, fmt.Errorf("%s %d was sent to a block that it is not in", field, e.keys[i])
				}
			}
			return e.keys, nil
		}
	}
	return nil, fmt.Errorf("field %q was not carried", field)
}

// extended is a solver whose carried fields are saved too.
type extended struct {
	Inner
	fields []solvers.Field
}

func (e *extended) Fields() []solvers.Field { return e.fields }

// shipment is what a rank sends when blocks move.
type shipment struct {
	old, next *domain.Block
	snapshot  *solvers.Snapshot
	model     Model
}

// Tags of the messages of a move; no other messages are under way then.
const (
	tagLength = 0x0680 + iota
	tagParcel
)

// ship sends the state to the ranks that own the cells from now on, and returns what this rank gets.
func (s *Solver) ship(ctx context.Context, next *domain.Block) (*Carried, error) {
	carried, err := s.model().Carried()
	if err != nil {
		return nil, err
	}
	all := &extended{Inner: s.Inner, fields: slices.Clip(s.Inner.Fields())}
	for _, f := range carried {
		f.Saved = true
		all.fields = append(all.fields, f)
	}
	snapshot, err := solvers.Save(ctx, all)
	if err != nil {
		return nil, err
	}
	if err := snapshot.Detach(); err != nil {
		return nil, errors.Join(err, snapshot.Close())
	}
	p := &shipment{old: s.block, next: next, snapshot: snapshot, model: s.model()}
	for k := range snapshot.Spaces {
		if space := &snapshot.Spaces[k]; space.Fixed != nil && space.Owned != s.block.Cells() {
			return nil, fmt.Errorf("the %d entities %q are not the %d cells of the block", space.Owned, space.Name,
				s.block.Cells())
		}
	}
	return p.exchange(ctx, s.env.Comm)
}

// exchange sends each rank its parcel, and opens those of all.
func (p *shipment) exchange(ctx context.Context, comm dist.Comm) (*Carried, error) {
	me := comm.Rank()
	c, err := p.empty()
	if err != nil {
		return nil, err
	}
	before, after := boxOf(&p.old.Boxes, me), boxOf(&p.next.Boxes, me)
	var to, from []int
	for rank := range comm.Size() {
		if _, some := before.Intersect(boxOf(&p.next.Boxes, rank)); some {
			to = append(to, rank)
		}
		if _, some := boxOf(&p.old.Boxes, rank).Intersect(after); some {
			from = append(from, rank)
		}
	}
	parcels, err := p.pack(to)
	if err != nil {
		return nil, err
	}
	m := messages{comm: comm}
	lengths := make([][]byte, len(from))
	for k, rank := range to {
		if rank != me {
			m.send(ctx, rank, tagLength, binary.LittleEndian.AppendUint64(nil, uint64(len(parcels[k]))))
			m.send(ctx, rank, tagParcel, parcels[k])
		}
	}
	received := messages{comm: comm}
	for k, rank := range from {
		if lengths[k] = make([]byte, 8); rank != me {
			received.receive(ctx, rank, tagLength, lengths[k])
		}
	}
	if err := received.wait(ctx); err != nil {
		return nil, err
	}
	got := make([][]byte, len(from))
	for k, rank := range from {
		if rank == me {
			got[k] = parcels[slices.Index(to, me)]
			continue
		}
		got[k] = make([]byte, binary.LittleEndian.Uint64(lengths[k]))
		received.receive(ctx, rank, tagParcel, got[k])
	}
	if err := errors.Join(received.wait(ctx), m.wait(ctx)); err != nil {
		return nil, err
	}
	for k, rank := range from {
		if err := p.open(c, rank, got[k]); err != nil {
			return nil, &dist.PeerError{Rank: rank, Err: err}
		}
	}
	return c, nil
}

// messages are pending messages.
type messages struct {
	comm     dist.Comm
	requests []dist.Request
	err      error
}

func (m *messages) add(r dist.Request, err error) {
	if err != nil {
		m.err = errors.Join(m.err, err)
		return
	}
	m.requests = append(m.requests, r)
}

func (m *messages) send(ctx context.Context, to, tag int, b []byte) {
	m.add(m.comm.Isend(ctx, to, tag, b))
}
func (m *messages) receive(ctx context.Context, from, tag int, b []byte) {
	m.add(m.comm.Irecv(ctx, from, tag, b))
}

func (m *messages) wait(ctx context.Context) error {
	err := errors.Join(m.err, m.comm.Wait(ctx, m.requests))
	m.requests, m.err = nil, nil
	return err
}

// rows calls f with each row of a box of cells: the number in a block's own cells of its first one, and its length.
func rows(block, of halo.Box, f func(first, n int)) {
	nx, ny := block.Hi[0]-block.Lo[0], block.Hi[1]-block.Lo[1]
	for k := of.Lo[2]; k < of.Hi[2]; k++ {
		for j := of.Lo[1]; j < of.Hi[1]; j++ {
			f(of.Lo[0]-block.Lo[0]+nx*(j-block.Lo[1]+ny*(k-block.Lo[2])), of.Hi[0]-of.Lo[0])
		}
	}
}

// empty returns what a rank gets, before any parcel is opened.
func (p *shipment) empty() (*Carried, error) {
	c := &Carried{block: p.next, cells: map[string]cellNumbers{}, scalars: p.snapshot.Scalars}
	for k := range p.snapshot.Spaces {
		space := &p.snapshot.Spaces[k]
		e := &entities{}
		for i := range space.Fields {
			f := &space.Fields[i]
			if space.Fixed != nil {
				c.cells[f.Name] = cellNumbers{f.Size, make([]byte, p.next.Cells()*f.Size)}
				continue
			}
			e.fields, e.sizes = append(e.fields, f.Name), append(e.sizes, f.Size)
		}
		if e.bytes = make([][]byte, len(e.fields)); space.Fixed == nil {
			c.spaces = append(c.spaces, e)
		}
	}
	return c, nil
}

// pack makes the parcels for some ranks: space by space, of cells the numbers of each field, of entities that change
// ranks their number, keys, and numbers of each field.
func (p *shipment) pack(to []int) ([][]byte, error) {
	before, buffer := boxOf(&p.old.Boxes, p.old.Plan.Rank), new(solvers.ReadBuffer)
	boxes, common, lengths := make([]halo.Box, len(to)), make([]halo.Box, len(to)), make([]int, len(to))
	for r, rank := range to {
		boxes[r] = boxOf(&p.next.Boxes, rank)
		common[r], _ = before.Intersect(boxes[r])
	}
	numbers := make([][][]byte, len(p.snapshot.Spaces))
	owners := make([][]int32, len(p.snapshot.Spaces)) // by space, of entities that change ranks: indices in to
	for k := range p.snapshot.Spaces {
		space, bytes := &p.snapshot.Spaces[k], 0
		for i := range space.Fields {
			all, err := space.Fields[i].Numbers(0, space.Owned, buffer)
			if err != nil {
				return nil, err
			}
			numbers[k], bytes = append(numbers[k], all), bytes+space.Fields[i].Size
		}
		if space.Fixed != nil {
			for r := range to {
				lengths[r] += bytes * cellsOf(&common[r])
			}
			continue
		}
		var err error
		if owners[k], err = p.ownersOf(space, numbers[k][0], boxes); err != nil {
			return nil, err
		}
		for r := range to {
			lengths[r] += headBytes
		}
		for _, r := range owners[k] {
			lengths[r] += keyBytes + bytes
		}
	}
	parcels := make([][]byte, len(to))
	for r := range to {
		parcels[r] = make([]byte, 0, lengths[r])
	}
	for k := range p.snapshot.Spaces {
		space := &p.snapshot.Spaces[k]
		if space.Fixed == nil {
			packEntities(space, numbers[k], owners[k], parcels)
			continue
		}
		for r := range to {
			for i, all := range numbers[k] {
				size := space.Fields[i].Size
				rows(before, common[r], func(first, n int) {
					parcels[r] = append(parcels[r], all[first*size:(first+n)*size]...)
				})
			}
		}
	}
	return parcels, nil
}

// Lengths of a number of entities, and of a key, in a parcel.
const headBytes, keyBytes = 8, 8

func cellsOf(b *halo.Box) int { return (b.Hi[0] - b.Lo[0]) * (b.Hi[1] - b.Lo[1]) * (b.Hi[2] - b.Lo[2]) }

// ownersOf returns the index of the box that each entity of a space is in, given their numbers of its first field.
func (p *shipment) ownersOf(space *solvers.SavedSpace, numbers []byte, boxes []halo.Box) ([]int32, error) {
	owners := make([]int32, space.Owned)
	size, last := space.Fields[0].Size, 0 // that of the entity before
	for i := range owners {
		cell := p.model.CellOf(numbers[i*size : (i+1)*size])
		tries := 0
		for ; tries < len(boxes) && !has(&boxes[last], cell); tries++ {
			last = (last + 1) % len(boxes)
		}
		if tries == len(boxes) {
			return nil, fmt.Errorf("%s %d is in cell %v, which is not in its block", space.Name, space.Key(i), cell)
		}
		owners[i] = int32(last)
	}
	return owners, nil
}

// packEntities appends the entities of a space to the parcels of their owners.
func packEntities(space *solvers.SavedSpace, numbers [][]byte, owners []int32, parcels [][]byte) {
	counts := make([]uint64, len(parcels))
	for _, r := range owners {
		counts[r]++
	}
	for r, n := range counts {
		parcels[r] = binary.LittleEndian.AppendUint64(parcels[r], n)
	}
	for i, r := range owners {
		parcels[r] = binary.LittleEndian.AppendUint64(parcels[r], uint64(space.Key(i)))
	}
	for k, all := range numbers {
		size := space.Fields[k].Size
		for i, r := range owners {
			parcels[r] = append(parcels[r], all[i*size:(i+1)*size]...)
		}
	}
}

func has(b *halo.Box, cell [3]int) bool {
	for d, i := range cell {
		if i < b.Lo[d] || i >= b.Hi[d] {
			return false
		}
	}
	return true
}

// errParcel is the error of a parcel that is not as long as what it must have.
var errParcel = errors.New("its part of the state has another length than expected")

// open adds what is in the parcel of a rank.
func (p *shipment) open(c *Carried, rank int, parcel []byte) error {
	take := func(n int) (part []byte, err error) {
		if n < 0 || n > len(parcel) {
			return nil, errParcel
		}
		part, parcel = parcel[:n], parcel[n:]
		return part, nil
	}
	after := boxOf(&p.next.Boxes, p.next.Plan.Rank)
	common, _ := boxOf(&p.old.Boxes, rank).Intersect(after)
	moving := c.spaces
	for k := range p.snapshot.Spaces {
		space := &p.snapshot.Spaces[k]
		if space.Fixed == nil {
			if err := moving[0].open(take); err != nil {
				return err
			}
			moving = moving[1:]
			continue
		}
		for i := range space.Fields {
			f := c.cells[space.Fields[i].Name]
			var failed error
			rows(after, common, func(first, n int) {
				row, err := take(n * f.size)
				copy(f.bytes[first*f.size:], row)
				failed = errors.Join(failed, err)
			})
			if failed != nil {
				return failed
			}
		}
	}
	if len(parcel) > 0 {
		return errParcel
	}
	return nil
}

// open adds the entities of a parcel.
func (e *entities) open(take func(n int) ([]byte, error)) error {
	head, err := take(headBytes)
	if err != nil {
		return err
	}
	n := binary.LittleEndian.Uint64(head)
	if n > 1<<40 {
		return errParcel
	}
	keys, err := take(keyBytes * int(n))
	if err != nil {
		return err
	}
	e.keys = slices.Grow(e.keys, int(n))
	for ; len(keys) > 0; keys = keys[keyBytes:] {
		e.keys = append(e.keys, int64(binary.LittleEndian.Uint64(keys)))
	}
	for k, size := range e.sizes {
		numbers, err := take(size * int(n))
		if err != nil {
			return err
		}
		e.bytes[k] = append(e.bytes[k], numbers...)
	}
	return nil
}
