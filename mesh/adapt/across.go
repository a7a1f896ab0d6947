package adapt

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
	"github.com/atoll-hpc/atoll/mesh/adapt/wire"
)

// addKey appends the ids of a cell's vertices.
func (e *engine) addKey(b []byte, c *mutable.Cell) []byte {
	for _, v := range c.V[:e.Dim+1] {
		b = wire.AddInt(b, e.ID[v])
	}
	return b
}

// readCell reads the ids of a cell's vertices, and returns the cell, -1 if this part does not have it.
func (e *engine) readCell(m *wire.Message) int32 {
	var v [4]int32
	known := true
	for i := range e.Dim + 1 {
		u, ok := e.part.at[m.Int()]
		v[i], known = u, known && ok
	}
	if !known {
		return -1
	}
	for _, k := range e.Ball.Of(v[0]) {
		if e.Cells[k].V == v || e.Dim == 2 && [3]int32(e.Cells[k].V[:3]) == [3]int32(v[:3]) {
			return k
		}
	}
	return -1
}

// exchangeBids raises the bids for cells that other parts have too, on all of them.
func (e *engine) exchangeBids(open []*candidate) {
	p := e.part
	if p == nil {
		return
	}
	for _, c := range open {
		for _, k := range c.cavity {
			if e.claims[k].bid != c.bid {
				continue
			}
			e.eachOther([]int32{k}, func(rank int32) {
				b := p.to(rank)
				*b = wire.AddInt(wire.AddInt(wire.AddInt(e.addKey(*b, &e.Cells[k]), int64(c.key)), c.ida), c.idb)
			})
		}
	}
	p.swap(func(m *wire.Message) {
		k := e.readCell(m)
		e.raise(k, &bid{uint64(m.Int()), m.Int(), m.Int()})
	})
}

// exchangeTaken tells other parts which of their cells are taken.
func (e *engine) exchangeTaken(taken []*candidate) {
	p := e.part
	if p == nil {
		return
	}
	for _, c := range taken {
		for _, k := range c.cavity {
			e.eachOther([]int32{k}, func(rank int32) {
				b := p.to(rank)
				*b = e.addKey(*b, &e.Cells[k])
			})
		}
	}
	p.swap(func(m *wire.Message) { e.claims[e.readCell(m)].taken = e.round })
}

// changeLine changes the line at a vertex, unless that has been done.
func (e *engine) changeLine(c change) {
	if l := e.LineTo(c.at, c.from); l != nil {
		l.To = c.to
	}
}

// changeLines changes lines on all parts: a part tells the owner of the vertex, and that all parts that have it.
func (e *engine) changeLines(changes []change) {
	p := e.part
	forward := func(c change) {
		e.eachOther(e.Ball.Of(c.at), func(rank int32) {
			b := p.to(rank)
			*b = wire.AddInt(wire.AddInt(wire.AddInt(*b, e.ID[c.at]), e.ID[c.from]), e.ID[c.to])
		})
	}
	var mine []change
	for _, c := range changes {
		e.changeLine(c)
		switch {
		case p == nil:
		case e.mine(c.at):
			mine = append(mine, c)
		default:
			b := p.to(p.owner[c.at])
			*b = wire.AddInt(wire.AddInt(wire.AddInt(*b, e.ID[c.at]), e.ID[c.from]), e.ID[c.to])
		}
	}
	if p == nil {
		return
	}
	read := func(m *wire.Message) change {
		c := change{e.local(m.Int()), e.local(m.Int()), e.local(m.Int())}
		e.changeLine(c)
		return c
	}
	p.swap(func(m *wire.Message) { mine = append(mine, read(m)) })
	for _, c := range mine {
		forward(c)
	}
	p.swap(func(m *wire.Message) { read(m) })
}

// announce tells the other parts that have cells of a cavity what replaces them. cells are the new cells.
func (e *engine) announce(c *candidate, cells []mutable.Cell) {
	p := e.part
	if p == nil {
		return
	}
	var b []byte
	e.eachOther(c.cavity, func(rank int32) {
		if b == nil {
			b = e.operation(c, cells)
		}
		to := p.to(rank)
		*to = append(*to, b...)
	})
}

// operation is the message about an operation: the cells that it removes, all vertices of the new cells, and these.
func (e *engine) operation(c *candidate, cells []mutable.Cell) []byte {
	b := wire.AddInt(nil, int64(len(c.cavity)))
	for _, k := range c.cavity {
		b = e.addKey(b, &e.Cells[k])
	}
	var vertices []int32
	for i := range cells {
		for _, v := range cells[i].V[:e.Dim+1] {
			if !slices.Contains(vertices, v) {
				vertices = append(vertices, v)
			}
		}
	}
	b = wire.AddInt(b, int64(len(vertices)))
	for _, v := range vertices {
		b = e.addVertex(b, v)
	}
	b = wire.AddInt(b, int64(len(cells)))
	for i := range cells {
		b = e.addCell(b, &cells[i])
	}
	return b
}

// addVertex appends all that is known of a vertex.
func (e *engine) addVertex(b []byte, v int32) []byte {
	b = wire.AddInt(wire.AddInt(wire.AddInt(b, e.ID[v]), int64(e.part.owner[v])), int64(e.Freedom[v]))
	b = wire.AddFloats(wire.AddFloats(b, e.X[v][:]), e.Want[v][:])
	b = wire.AddInt(b, int64(len(e.Line[v])))
	for _, l := range e.Line[v] {
		b = wire.AddFloats(wire.AddInt(wire.AddInt(wire.AddInt(b, e.ID[l.To]), int64(l.Curve)), int64(l.Tag)), []float64{l.S})
	}
	return b
}

// readVertex reads a vertex, and enters it unless this part has it with cells.
func (e *engine) readVertex(m *wire.Message) {
	v := e.local(m.Int())
	fresh := e.Ball.Count(v) == 0
	owner, freedom := int32(m.Int()), int8(m.Int())
	x, want := e.X[v], e.Want[v]
	m.Floats(x[:])
	m.Floats(want[:])
	lines := make([]mutable.LineEnd, m.Int())
	for i := range lines {
		lines[i] = mutable.LineEnd{To: e.local(m.Int()), Curve: int32(m.Int()), Tag: int32(m.Int()), S: m.Float()}
	}
	if fresh {
		e.part.owner[v], e.Freedom[v], e.X[v], e.Want[v] = owner, freedom, x, want
		e.M[v], e.Line[v] = e.soften(&want), lines
	}
}

func (e *engine) addCell(b []byte, c *mutable.Cell) []byte {
	b = e.addKey(b, c)
	for _, tag := range c.Tag[:e.Dim+1] {
		b = wire.AddInt(b, int64(tag))
	}
	return wire.AddFloats(wire.AddInt(b, int64(c.Ref)), []float64{c.Quality})
}

func (e *engine) readNewCell(m *wire.Message) (c mutable.Cell) {
	for i := range e.Dim + 1 {
		c.V[i] = e.local(m.Int())
	}
	for i := range e.Dim + 1 {
		c.Tag[i] = int32(m.Int())
	}
	c.Ref, c.Quality = int32(m.Int()), m.Float()
	return c
}

// receive applies the operations of other parts.
func (e *engine) receive() {
	if e.part == nil {
		return
	}
	e.part.swap(func(m *wire.Message) {
		var old []int32
		for range m.Int() {
			if k := e.readCell(m); k >= 0 {
				old = append(old, k)
			}
		}
		for range m.Int() {
			e.readVertex(m)
		}
		cells := make([]mutable.Cell, m.Int())
		for i := range cells {
			cells[i] = e.readNewCell(m)
		}
		e.replace(old, cells)
	})
}

// exchangeWaits tells other parts which vertices wait to be moved.
func (e *engine) exchangeWaits(active []int32) {
	p := e.part
	if p == nil {
		return
	}
	for _, v := range active {
		e.eachOther(e.Ball.Of(v), func(rank int32) {
			b := p.to(rank)
			*b = wire.AddInt(*b, e.ID[v])
		})
	}
	p.swap(func(m *wire.Message) {
		v := p.at[m.Int()]
		e.turns[v] = e.turnOf(v)
	})
}

// exchangeMoves tells other parts where vertices of a set are.
func (e *engine) exchangeMoves() {
	p := e.part
	if p == nil {
		return
	}
	for i, v := range e.set {
		e.eachOther(e.Ball.Of(v), func(rank int32) {
			b := p.to(rank)
			if *b = wire.AddInt(*b, e.ID[v]); !e.moved[i] {
				*b = wire.AddInt(*b, 0)
			} else {
				*b = wire.AddFloats(wire.AddFloats(wire.AddInt(*b, 1), e.X[v][:]), e.Want[v][:])
				s := 0.0
				if len(e.Line[v]) > 0 {
					s = e.Line[v][0].S
				}
				*b = wire.AddFloats(*b, []float64{s})
			}
		})
	}
	p.swap(func(m *wire.Message) {
		v := p.at[m.Int()]
		e.turns[v] = 0
		if m.Int() == 0 {
			return
		}
		m.Floats(e.X[v][:])
		m.Floats(e.Want[v][:])
		e.M[v] = e.soften(&e.Want[v])
		s := m.Float()
		for i := range e.Line[v] {
			e.Line[v][i].S = s
		}
		for _, k := range e.Ball.Of(v) {
			e.Cells[k].Quality = e.QualityOf(&e.Cells[k])
		}
		e.markAround(v)
	})
}
