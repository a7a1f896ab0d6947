package adapt

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
	"github.com/atoll-hpc/atoll/mesh/adapt/wire"
)

// Exchange connects the parts of a mesh, one on each rank. All ranks make the same calls in the same order.
type Exchange interface {
	Rank() int
	Size() int
	// Swap sends send[i] to the rank ranks[i], and returns what each of these ranks has sent here.
	Swap(ranks []int, send [][]byte) (received [][]byte, err error)
	Sum(numbers []int64) error         // over all ranks, in place
	Max(numbers []float64) error       // the same
	All(mine []byte) ([][]byte, error) // of all ranks, in their order
}

// part is what an engine knows of the other parts of a mesh. It has the cells around the vertices that it owns: a layer
// of copies. Each operation is evaluated and chosen by the owner of its pivot, around which its cavity is; the owners
// of vertices of the cavity, and no others, have some of its cells, and learn of it.
type part struct {
	ex         Exchange
	rank       int32
	owner      []int32 // rank of the owner of each local vertex, -1 if unknown
	at         map[int64]int32
	neighbours []int // ranks with which this one shares cells
	send       [][]byte
	err        error // of the first exchange that failed; later ones do nothing
}

// divide reduces the mesh of an engine, which has all of it, to this rank's part. owner is the rank of each vertex.
func (e *engine) divide(ex Exchange, owner []int32) {
	p := &part{ex: ex, rank: int32(ex.Rank()), owner: slices.Clone(owner), at: map[int64]int32{}}
	e.part = p
	for v, id := range e.ID {
		p.at[id] = int32(v)
	}
	for k := range e.Cells {
		if !e.needs(&e.Cells[k]) {
			e.RemoveCell(int32(k))
		}
	}
}

// mine reports whether this part owns a vertex.
func (e *engine) mine(v int32) bool { return e.part == nil || e.part.owner[v] == e.part.rank }

// needs reports whether this part has a cell: if it owns a vertex of it.
func (e *engine) needs(c *mutable.Cell) bool {
	return e.part == nil || slices.ContainsFunc(c.V[:e.Dim+1], e.mine)
}

// newVertex adds a vertex that this part owns.
func (e *engine) newVertex(x measure.Vector, want measure.Tensor, id int64, freedom int8) int32 {
	v := e.AddVertex(x, e.soften(&want), want, id, freedom)
	e.marks = append(e.marks, markAll)
	if e.part != nil {
		e.part.owner = append(e.part.owner, e.part.rank)
		e.part.at[id] = v
	}
	return v
}

// local returns the local index of a vertex. An unknown one becomes known by its id alone.
func (e *engine) local(id int64) int32 {
	if v, ok := e.part.at[id]; ok {
		return v
	}
	v := e.newVertex(measure.Vector{}, measure.Tensor{}, id, int8(e.Dim))
	e.marks[v], e.part.owner[v] = 0, -1
	return v
}

// meet finds the neighbouring ranks.
func (e *engine) meet() {
	p := e.part
	if p == nil {
		return
	}
	known := make([]bool, p.ex.Size())
	for k := range e.Cells {
		if c := &e.Cells[k]; !c.Dead {
			for _, v := range c.V[:e.Dim+1] {
				known[p.owner[v]] = true
			}
		}
	}
	p.neighbours = p.neighbours[:0]
	for rank, is := range known {
		if is && rank != int(p.rank) {
			p.neighbours = append(p.neighbours, rank)
		}
	}
	p.send = make([][]byte, len(p.neighbours))
}

// to returns the buffer for a neighbour.
func (p *part) to(rank int32) *[]byte {
	i, ok := slices.BinarySearch(p.neighbours, int(rank))
	if !ok {
		panic("mesh: a message to a rank that shares no cell")
	}
	return &p.send[i]
}

// swap sends the buffers to the neighbours, empties them, and calls read with each message received until it is empty.
func (p *part) swap(read func(m *wire.Message)) {
	if p.err == nil {
		var received [][]byte
		if received, p.err = p.ex.Swap(p.neighbours, p.send); p.err == nil {
			for _, r := range received {
				for m := (&wire.Message{Bytes: r}); len(m.Bytes) > 0; {
					read(m)
				}
			}
		}
	}
	for i := range p.send {
		p.send[i] = nil
	}
}

// total is a sum over all parts.
func (e *engine) total(n int) int { return int(e.total64(int64(n))) }

func (e *engine) total64(n int64) int64 {
	if e.part == nil {
		return n
	}
	sum := []int64{n}
	if e.part.err == nil {
		e.part.err = e.part.ex.Sum(sum)
	}
	if e.part.err != nil {
		return 0 // so that loops end
	}
	return sum[0]
}

// most replaces numbers by their maxima over all parts.
func (e *engine) most(numbers ...*float64) {
	if e.part == nil || e.part.err != nil {
		return
	}
	values := make([]float64, len(numbers))
	for i, x := range numbers {
		values[i] = *x
	}
	e.part.err = e.part.ex.Max(values)
	for i, x := range numbers {
		*x = values[i]
	}
}

// owned is the number of vertices of all parts.
func (e *engine) owned() int {
	n := 0
	for v := range e.X {
		if e.Ball.Count(int32(v)) > 0 && e.mine(int32(v)) {
			n++
		}
	}
	return e.total(n)
}

// eachOther calls f with the owners of the vertices of some cells that are not this rank, each once.
func (e *engine) eachOther(cells []int32, f func(rank int32)) {
	var ranks [64]int32
	others := ranks[:0]
	for _, k := range cells {
		for _, v := range e.Cells[k].V[:e.Dim+1] {
			if o := e.part.owner[v]; o != e.part.rank && !slices.Contains(others, o) {
				others = append(others, o)
				f(o)
			}
		}
	}
}

// allPairs returns the ids of the ends of the edges that are split on all parts.
func (e *engine) allPairs(taken []*candidate) (pairs [][2]int64) {
	if e.part == nil {
		for _, c := range taken {
			pairs = append(pairs, [2]int64{c.ida, c.idb})
		}
		return pairs
	}
	var mine []byte
	for _, c := range taken {
		mine = wire.AddInt(wire.AddInt(mine, c.ida), c.idb)
	}
	if e.part.err != nil {
		return nil
	}
	all, err := e.part.ex.All(mine)
	if err != nil {
		e.part.err = err
		return nil
	}
	for _, bytes := range all {
		for m := (&wire.Message{Bytes: bytes}); len(m.Bytes) > 0; {
			pairs = append(pairs, [2]int64{m.Int(), m.Int()})
		}
	}
	return pairs
}
