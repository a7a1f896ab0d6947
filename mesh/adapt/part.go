package adapt

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
	"github.com/atoll-hpc/atoll/mesh/adapt/operation"
	"github.com/atoll-hpc/atoll/mesh/adapt/wire"
)

// Exchange connects the parts of a mesh, one on each rank. All ranks make the same calls in the same order.
type Exchange interface {
	Rank() int
	Size() int
	// Swap sends send[i] to the rank ranks[i], and returns what each of these ranks has sent here.
	Swap(ranks []int, send [][]byte) (received [][]byte, err error)
	// Route sends send[i] to the rank ranks[i], which does not know that it comes, and returns what ranks have sent
	// here, in their order, with these ranks. The number of messages grows with the logarithm of that of ranks.
	Route(ranks []int, send [][]byte) (from []int, received [][]byte, err error)
	Sum(numbers []int64) error   // over all ranks, in place
	Max(numbers []float64) error // the same
}

// part is a part of a mesh, or the whole mesh. A part has the cells around the vertices that it owns: a layer of
// copies. Each operation is evaluated and chosen by the owner of its pivot, around which its cavity is; the owners of
// vertices of the cavity, and no others, have some of its cells, and learn of it.
type part struct {
	*operation.Rules
	ex         Exchange // nil if this is the whole mesh
	rank       int32
	owner      []int32         // rank of the owner of each local vertex, -1 if unknown; nil for the whole mesh
	at         map[int64]int32 // local vertices by id; nil for the whole mesh
	neighbours []int           // ranks with which this one shares cells
	send       [][]byte
	err        error // of the first exchange that failed; later ones do nothing
}

// mine reports whether this part owns a vertex.
func (p *part) mine(v int32) bool { return p.ex == nil || p.owner[v] == p.rank }

// needs reports whether this part has a cell: if it owns a vertex of it.
func (p *part) needs(c *mutable.Cell) bool {
	return p.ex == nil || slices.ContainsFunc(c.V[:p.Dim+1], p.mine)
}

// newVertex adds a vertex that this part owns.
func (p *part) newVertex(x measure.Vector, want measure.Tensor, id int64, freedom uint8) int32 {
	v := p.AddVertex(x, p.Soften(&want), want, id, freedom)
	if p.at != nil {
		p.owner = append(p.owner, p.rank)
		p.at[id] = v
	}
	return v
}

// local returns the local index of a vertex. An unknown one becomes known by its id alone.
func (p *part) local(id int64) int32 {
	if v, ok := p.at[id]; ok {
		return v
	}
	v := p.newVertex(measure.Vector{}, measure.Tensor{}, id, uint8(p.Dim))
	p.owner[v] = -1
	return v
}

// meet finds the neighbouring ranks.
func (p *part) meet() {
	if p.ex == nil {
		return
	}
	known := make([]bool, p.ex.Size())
	for k := range p.Cells {
		if c := &p.Cells[k]; !c.Dead {
			for _, v := range c.V[:p.Dim+1] {
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
func (p *part) total(n int) int { return int(p.total64(int64(n))) }

func (p *part) total64(n int64) int64 {
	if p.ex == nil {
		return n
	}
	sum := []int64{n}
	if p.err == nil {
		p.err = p.ex.Sum(sum)
	}
	if p.err != nil {
		return 0 // so that loops end
	}
	return sum[0]
}

// most replaces numbers by their maxima over all parts.
func (p *part) most(numbers ...*float64) {
	if p.ex == nil || p.err != nil {
		return
	}
	values := make([]float64, len(numbers))
	for i, x := range numbers {
		values[i] = *x
	}
	p.err = p.ex.Max(values)
	for i, x := range numbers {
		*x = values[i]
	}
}

// owned is the number of vertices of all parts.
func (e *engine) owned() int {
	if e.device != nil {
		return e.device.Vertices()
	}
	p, n := e.part, 0
	for v := range p.X {
		if p.Degree(int32(v)) > 0 && p.mine(int32(v)) {
			n++
		}
	}
	return p.total(n)
}

// eachOther calls f with the owners of the vertices of some cells that are not this rank, each once.
func (p *part) eachOther(cells []int32, f func(rank int32)) {
	var ranks [64]int32
	others := ranks[:0]
	for _, k := range cells {
		for _, v := range p.Cells[k].V[:p.Dim+1] {
			if o := p.owner[v]; o != p.rank && !slices.Contains(others, o) {
				others = append(others, o)
				f(o)
			}
		}
	}
}
