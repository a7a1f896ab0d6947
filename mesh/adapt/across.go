package adapt

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
	"github.com/atoll-hpc/atoll/mesh/adapt/operation"
	"github.com/atoll-hpc/atoll/mesh/adapt/wire"
)

// addKey appends the ids of a cell's vertices.
func (p *part) addKey(b []byte, c *mutable.Cell) []byte {
	for _, v := range c.V[:p.Dim+1] {
		b = wire.AddInt(b, p.ID[v])
	}
	return b
}

// readCell reads the ids of a cell's vertices, and returns the cell, -1 if this part does not have it.
func (p *part) readCell(m *wire.Message) int32 {
	var v [4]int32
	known := true
	for i := range p.Dim + 1 {
		u, ok := p.at[m.Int()]
		v[i], known = u, known && ok
	}
	if !known {
		return -1
	}
	for _, k := range p.Ball(v[0]) {
		if p.Cells[k].V == v || p.Dim == 2 && [3]int32(p.Cells[k].V[:3]) == [3]int32(v[:3]) {
			return k
		}
	}
	return -1
}

// exchangeBids raises the bids for cells that other parts have too, on all of them.
func (e *engine) exchangeBids(open []*operation.Candidate) {
	if e.ex == nil {
		return
	}
	for _, c := range open {
		for _, k := range c.Cavity {
			if e.claims[k].Bid != c.Bid {
				continue
			}
			e.eachOther([]int32{k}, func(rank int32) {
				b := e.to(rank)
				*b = wire.AddInt(wire.AddInt(wire.AddInt(e.addKey(*b, &e.Cells[k]), int64(c.Key)), c.LowID), c.HighID)
			})
		}
	}
	e.swap(func(m *wire.Message) {
		k := e.readCell(m)
		e.raise(k, &kernels.Bid{Key: uint64(m.Int()), LowID: m.Int(), HighID: m.Int()})
	})
}

// exchangeTaken tells other parts which of their cells are taken.
func (e *engine) exchangeTaken(taken []*operation.Candidate) {
	if e.ex == nil {
		return
	}
	for _, c := range taken {
		for _, k := range c.Cavity {
			e.eachOther([]int32{k}, func(rank int32) {
				b := e.to(rank)
				*b = e.addKey(*b, &e.Cells[k])
			})
		}
	}
	e.swap(func(m *wire.Message) { e.claims[e.readCell(m)].taken = e.Round })
}

// changeLine changes the line at a vertex, unless that has been done.
func (p *part) changeLine(c change) {
	if l := p.LineTo(c.at, c.from); l != nil {
		l.To = c.to
	}
}

// changeLines changes lines on all parts: a part tells the owner of the vertex, and that all parts that have it.
func (p *part) changeLines(changes []change) {
	forward := func(c change) {
		p.eachOther(p.Ball(c.at), func(rank int32) {
			b := p.to(rank)
			*b = wire.AddInt(wire.AddInt(wire.AddInt(*b, p.ID[c.at]), p.ID[c.from]), p.ID[c.to])
		})
	}
	var mine []change
	for _, c := range changes {
		p.changeLine(c)
		switch {
		case p.ex == nil:
		case p.mine(c.at):
			mine = append(mine, c)
		default:
			b := p.to(p.owner[c.at])
			*b = wire.AddInt(wire.AddInt(wire.AddInt(*b, p.ID[c.at]), p.ID[c.from]), p.ID[c.to])
		}
	}
	if p.ex == nil {
		return
	}
	read := func(m *wire.Message) change {
		c := change{p.local(m.Int()), p.local(m.Int()), p.local(m.Int())}
		p.changeLine(c)
		return c
	}
	p.swap(func(m *wire.Message) { mine = append(mine, read(m)) })
	for _, c := range mine {
		forward(c)
	}
	p.swap(func(m *wire.Message) { read(m) })
}

// announce tells the other parts that have cells of a cavity what replaces them. cells are the new cells.
func (e *engine) announce(c *operation.Candidate, cells []mutable.Cell) {
	if e.ex == nil {
		return
	}
	var b []byte
	e.eachOther(c.Cavity, func(rank int32) {
		if b == nil {
			b = e.messageOf(c, cells)
		}
		to := e.to(rank)
		*to = append(*to, b...)
	})
}

// messageOf is the message about an operation: the cells that it removes, all vertices of the new cells, and these.
func (p *part) messageOf(c *operation.Candidate, cells []mutable.Cell) []byte {
	b := wire.AddInt(nil, int64(len(c.Cavity)))
	for _, k := range c.Cavity {
		b = p.addKey(b, &p.Cells[k])
	}
	var vertices []int32
	for i := range cells {
		for _, v := range cells[i].V[:p.Dim+1] {
			if !slices.Contains(vertices, v) {
				vertices = append(vertices, v)
			}
		}
	}
	b = wire.AddInt(b, int64(len(vertices)))
	for _, v := range vertices {
		b = p.addVertex(b, v)
	}
	b = wire.AddInt(b, int64(len(cells)))
	for i := range cells {
		b = p.addCell(b, &cells[i])
	}
	return b
}

// addVertex appends all that is known of a vertex.
func (p *part) addVertex(b []byte, v int32) []byte {
	b = wire.AddInt(wire.AddInt(wire.AddInt(b, p.ID[v]), int64(p.owner[v])), int64(p.Freedom[v]))
	b = wire.AddFloats(wire.AddFloats(b, p.X[v][:]), p.Want[v][:])
	b = wire.AddInt(b, int64(len(p.Line(v))))
	for _, l := range p.Line(v) {
		b = wire.AddFloats(wire.AddInt(wire.AddInt(wire.AddInt(b, p.ID[l.To]), int64(l.Curve)), int64(l.Tag)), []float64{l.S})
	}
	return b
}

// readVertex reads a vertex, and enters it unless this part has it with cells.
func (p *part) readVertex(m *wire.Message) {
	v := p.local(m.Int())
	fresh := p.Degree(v) == 0
	owner, freedom := int32(m.Int()), uint8(m.Int())
	x, want := p.X[v], p.Want[v]
	m.Floats(x[:])
	m.Floats(want[:])
	lines := make([]mutable.LineEnd, m.Int())
	for i := range lines {
		lines[i] = mutable.LineEnd{To: p.local(m.Int()), Curve: int32(m.Int()), Tag: int32(m.Int()), S: m.Float()}
	}
	if fresh {
		p.owner[v], p.Freedom[v], p.X[v], p.Want[v] = owner, freedom, x, want
		p.M[v] = p.Soften(&want)
		p.SetLine(v, lines...)
	}
}

func (p *part) addCell(b []byte, c *mutable.Cell) []byte {
	b = p.addKey(b, c)
	for _, tag := range c.Tag[:p.Dim+1] {
		b = wire.AddInt(b, int64(tag))
	}
	return wire.AddFloats(wire.AddInt(b, int64(c.Ref)), []float64{c.Quality})
}

func (p *part) readNewCell(m *wire.Message) (c mutable.Cell) {
	for i := range p.Dim + 1 {
		c.V[i] = p.local(m.Int())
	}
	for i := range p.Dim + 1 {
		c.Tag[i] = int32(m.Int())
	}
	c.Ref, c.Quality = int32(m.Int()), m.Float()
	return c
}

// receive applies the operations of other parts.
func (e *engine) receive() {
	if e.ex == nil {
		return
	}
	e.swap(func(m *wire.Message) {
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
	if e.ex == nil {
		return
	}
	for _, v := range active {
		e.eachOther(e.Ball(v), func(rank int32) {
			b := e.to(rank)
			*b = wire.AddInt(*b, e.ID[v])
		})
	}
	e.swap(func(m *wire.Message) {
		v := e.at[m.Int()]
		e.turns[v] = e.Turn(e.ID[v])
	})
}

// exchangeMoves tells other parts where the vertices are that have had their turn.
func (e *engine) exchangeMoves() {
	if e.ex == nil {
		return
	}
	for i := range e.walks {
		for _, v := range e.walks[i].stayed {
			e.eachOther(e.Ball(v), func(rank int32) {
				b := e.to(rank)
				*b = wire.AddInt(wire.AddInt(*b, e.ID[v]), 0)
			})
		}
		for _, v := range e.walks[i].moved {
			e.eachOther(e.Ball(v), func(rank int32) {
				b := e.to(rank)
				*b = wire.AddInt(wire.AddInt(*b, e.ID[v]), 1)
				*b = wire.AddFloats(wire.AddFloats(*b, e.X[v][:]), e.Want[v][:])
				s := 0.0
				if line := e.Line(v); len(line) > 0 {
					s = line[0].S
				}
				*b = wire.AddFloats(*b, []float64{s})
			})
		}
		e.walks[i].moved, e.walks[i].stayed = e.walks[i].moved[:0], e.walks[i].stayed[:0]
	}
	e.swap(func(m *wire.Message) {
		v := e.at[m.Int()]
		e.turns[v] = 0
		if m.Int() == 0 {
			return
		}
		m.Floats(e.X[v][:])
		m.Floats(e.Want[v][:])
		e.M[v] = e.Soften(&e.Want[v])
		s := m.Float()
		line := e.Line(v)
		for i := range line {
			line[i].S = s
		}
		for _, k := range e.Ball(v) {
			e.Cells[k].Quality = e.QualityOf(&e.Cells[k])
		}
		e.markAround(v)
	})
}
