package kernels

import "github.com/atoll-hpc/atoll/kernelgen/atomics"

// LowIDs sets the keys by which edges that are split are sorted, after HighIDs.
//
//atoll:kernel
func LowIDs(i int, taken []int32, all []Candidate, keys []uint64) {
	keys[i] = uint64(all[taken[i]].LowID)
}

// HighIDs sets those by which they are sorted first.
//
//atoll:kernel
func HighIDs(i int, taken []int32, all []Candidate, keys []uint64) {
	keys[i] = uint64(all[taken[i]].HighID)
}

// CountNew sets how many cells and edges of lines the splits add.
//
//atoll:kernel
func CountNew(i int, taken []int32, all []Candidate, births []Birth, cells, ends []int32) {
	c := &all[taken[i]]
	cells[i], ends[i] = c.N, 0
	if births[taken[i]].Freedom == 1 {
		ends[i] = 2
	}
}

// FindDead sets keep to whether cells are dead.
//
//atoll:kernel
func FindDead(k int, m *Mesh, keep []uint8) {
	keep[k] = 0
	if m.Cells[k].Dead {
		keep[k] = 1
	}
}

// States of vertices in a round.
const (
	Quiet   int32 = iota
	Changed       // cells around it are replaced
	Removed
)

// Bear adds the new vertices of splits, in the order of the ids of the edges. cells and ends are the numbers of cells
// and edges of lines that those before add; unused are the dead cells.
//
//atoll:kernel
func Bear(i int, n *Round, m *Mesh, taken []int32, all []Candidate, births []Birth,
	cells, ends, unused, state []int32) {
	c := all[taken[i]]
	v := n.Vertices + int32(i)
	born := &births[taken[i]]
	m.X[v], m.M[v], m.ID[v], m.Freedom[v] = born.X, born.M, n.NextID+int64(i), born.Freedom
	m.Balls[v] = Span{v * n.Width, 0}
	m.Lines[v] = Span{}
	state[v] = Changed
	if born.Freedom == 1 {
		at := n.Ends + ends[i]
		m.Ends[at] = LineEnd{c.A, born.Curve, born.Tag, born.S}
		m.Ends[at+1] = LineEnd{c.B, born.Curve, born.Tag, born.S}
		m.Lines[v] = Span{at, 2}
	}
	for j := range c.N {
		slot := cells[i] + j
		if slot < n.Unused {
			slot = unused[slot]
		} else {
			slot += n.Cells - n.Unused
		}
		all[taken[i]].Extra[j] = slot
	}
	all[taken[i]].C = v
}

// Touch notes the vertices of the cells that are replaced.
//
//atoll:kernel
func Touch(i int, m *Mesh, taken []int32, all []Candidate, state []int32) {
	c := &all[taken[i]]
	for j := range c.cavity(m) {
		k := c.replaced(m, j)
		for l := range 3 {
			atomics.Max(&state[m.Cells[k].V[l]], Changed)
		}
	}
}

// Apply replaces the cells of candidates that are taken. Lists of cells around vertices are as before.
//
//atoll:kernel
func Apply(i int, m *Mesh, taken []int32, all []Candidate, births []Birth, state []int32) {
	c := all[taken[i]]
	if c.Kind == Split {
		for j := range c.N {
			one := m.Half(c.K[j], c.A, c.B, &births[taken[i]])
			other := m.Half(c.K[j], c.B, c.A, &births[taken[i]])
			one.V[one.Find(2, Unborn)] = c.C
			other.V[other.Find(2, Unborn)] = c.C
			m.Cells[c.K[j]], m.Cells[c.Extra[j]] = one, other
		}
		return
	}
	if c.Kind == Swap {
		one := m.Swapped(&c.Shell, c.A, c.C)
		other := m.Swapped(&c.Shell, c.B, c.C)
		m.Cells[c.K[0]], m.Cells[c.K[1]] = one, other
		return
	}
	for j := range c.cavity(m) {
		k := c.replaced(m, j)
		if m.Cells[k].Has(2, c.B) && m.Cells[k].Has(2, c.A) {
			m.Cells[k].Dead = true
		} else {
			n := m.Pulled(k, c.A, c.B)
			m.Cells[k] = n
		}
	}
	state[c.A] = Removed
}

// result is the number of cells of a candidate that was applied, dead ones included.
func (c *Candidate) result(m *Mesh) int32 {
	if c.Kind == Split {
		return 2 * c.N
	}
	return c.cavity(m)
}

// given returns one of these cells.
func (c *Candidate) given(m *Mesh, i int32) int32 {
	if c.Kind == Split && i >= c.N {
		return c.Extra[i-c.N]
	}
	return c.replaced(m, i)
}

// isFirst reports whether no cell before the i-th around a vertex was taken by the same candidate.
func (to *Claims) isFirst(m *Mesh, v, i, by int32) bool {
	ball := m.Balls[v]
	for j := range i {
		if to.By[m.Around[ball.Start+j]] == by {
			return false
		}
	}
	return true
}

// isAround reports whether a triangle exists and has a vertex.
func (c *Cell) isAround(v int32) bool { return !c.Dead && c.Has(2, v) }

// CountBalls raises the largest number of cells around a vertex.
//
//atoll:kernel
func CountBalls(v int, n *Round, m *Mesh, taken []int32, all []Candidate, to *Claims, state, most []int32) {
	if state[v] != Changed {
		return
	}
	count := int32(0)
	if int32(v) >= n.Vertices {
		count = all[taken[int32(v)-n.Vertices]].result(m)
	}
	ball := m.Balls[v]
	for i := range ball.N {
		k := m.Around[ball.Start+i]
		by := to.By[k]
		if by < 0 {
			count++
		} else if to.isFirst(m, int32(v), i, by) {
			c := &all[by]
			for j := range c.result(m) {
				if m.Cells[c.given(m, j)].isAround(int32(v)) {
					count++
				}
			}
		}
	}
	atomics.Max(&most[0], count)
}

// WriteBalls sets next to the new lists of cells around vertices, and leads lines through new vertices and past removed
// ones.
//
//atoll:kernel
func WriteBalls(v int, n *Round, m *Mesh, taken []int32, all []Candidate, to *Claims, state, next, counts []int32) {
	if state[v] != Changed {
		return
	}
	u := int32(v)
	count, from := int32(0), u*n.Width
	if u >= n.Vertices {
		c := &all[taken[u-n.Vertices]]
		for j := range c.result(m) {
			next[from+count] = c.given(m, j)
			count++
		}
		counts[v] = count
		return
	}
	ball := m.Balls[v]
	for i := range ball.N {
		k := m.Around[ball.Start+i]
		by := to.By[k]
		if by < 0 {
			next[from+count] = k
			count++
		} else if to.isFirst(m, u, i, by) {
			c := &all[by]
			for j := range c.result(m) {
				if l := c.given(m, j); m.Cells[l].isAround(u) {
					next[from+count] = l
					count++
				}
			}
		}
	}
	counts[v] = count
	line := m.Lines[v]
	for i := range line.N {
		to.relink(m, u, line.Start+i, all)
	}
}

// relink leads an edge of a line at a vertex to the new vertex of a split, or past a removed one.
func (to *Claims) relink(m *Mesh, v, end int32, all []Candidate) {
	other := m.Ends[end].To
	ball := m.Balls[v]
	for i := range ball.N {
		by := to.By[m.Around[ball.Start+i]]
		if by < 0 {
			continue
		}
		c := &all[by]
		if c.Kind == Split && (c.A == v && c.B == other || c.A == other && c.B == v) {
			m.Ends[end].To = c.C
			return
		}
		if c.removes() && c.A == other {
			at := m.Lines[other].Start
			past := m.Ends[at].To
			if past == v {
				past = m.Ends[at+1].To
			}
			m.Ends[end].To = past
			return
		}
	}
}

// KeepBalls makes the new lists of cells the lists, and marks the vertices that they are around.
//
//atoll:kernel
func KeepBalls(v int, n *Round, m *Mesh, next, counts, state, marks []int32) {
	if state[v] == Removed {
		m.Balls[v].N, m.Lines[v].N = 0, 0
		marks[v] = MarkAll
	}
	if state[v] == Changed {
		from := int32(v) * n.Width
		for i := range counts[v] {
			m.Around[from+i] = next[from+i]
		}
		m.Balls[v].N = counts[v]
		marks[v] = MarkAll
	}
	state[v] = Quiet
}

// Widen moves the lists of cells around vertices to an array with more room for each.
//
//atoll:kernel
func Widen(v int, width int32, m *Mesh, wide []int32) {
	ball := m.Balls[v]
	for i := range ball.N {
		wide[int32(v)*width+i] = m.Around[ball.Start+i]
	}
	m.Balls[v].Start = int32(v) * width
}

// SizeCells sets the sizes of cells as integers, so that their sum does not depend on the order, and which exist.
//
//atoll:kernel
func SizeCells(k int, m *Mesh, sizes, live []int64) {
	sizes[k], live[k] = 0, 0
	if !m.Cells[k].Dead {
		sizes[k], live[k] = SizeUnits(m.Size(int32(k))), 1
	}
}

// SizeUnits is a size in the units in which sizes are added.
func SizeUnits(size float64) int64 { return int64(size * (1 << 20)) }

// UnitSize is the inverse of SizeUnits.
func UnitSize(units int64) float64 { return float64(units) / (1 << 20) }
