package kernels

// A tile is a piece of the mesh through which a block of a GPU's threads takes a whole sweep at once. Its vertices lie
// in memory that the block shares: those that it moves, the neighbours of which it needs the new places, which it moves
// too, and the rest of their neighbours, which it only reads. What its own vertices become goes to another array, so
// that all tiles begin with the same mesh and in any order give the bits of one set after the other.
const (
	TileSlots = 1024 // vertices that a tile holds
	TileSets  = 8    // sets in a sweep
)

// Tile is where the slots and the visits of a tile begin; slots end where the next tile's begin. The visits of set s
// end at End[s], and those of the set before it where they begin. Visit k moves the vertex in slot k.
type Tile struct {
	Slot, Visit int32
	End         [TileSets]int32
}

// Visit is a vertex that a tile moves. Its neighbours are in the slots Near[First:], two a word, the first in the lower
// half.
type Visit struct {
	First, Count int32
	Rail         int32 // -1 if it does not slide
	Own          int32 // 1, or 0 if another tile says where it goes
}

// TiledMesh is a mesh cut into tiles.
type TiledMesh[F Float] struct {
	Tiles  []Tile  // and one more at the end
	Slots  []int32 // vertices
	Visits []Visit
	Near   []uint32
	Rails  []Rail[F]
}

// Spot is a vertex in a slot.
type Spot[F Float] struct{ X, Y, M11, M12, M22 F }

// TilePain takes tile t through a sweep of Pain without guard, from v to out. It returns the square of the longest move
// in the metric.
//
//atoll:kernel tile max blocks=5
func TilePain[F Float](t int, p *Params[F], m *TiledMesh[F], field *Field[F], v, out []Vertex[F],
	spots *[TileSlots]Spot[F]) F {
	slots := m.Tiles[t+1].Slot - m.Tiles[t].Slot
	to0, n0 := m.visits(t, 0)
	to1, n1 := m.visits(t, 1)
	to2, n2 := m.visits(t, 2)
	to3, n3 := m.visits(t, 3)
	to4, n4 := m.visits(t, 4)
	to5, n5 := m.visits(t, 5)
	to6, n6 := m.visits(t, 6)
	to7, n7 := m.visits(t, 7)
	best := F(0)
	for k := range slots {
		from := &v[m.Slots[m.Tiles[t].Slot+k]]
		spots[k].X, spots[k].Y = from.X, from.Y
		spots[k].M11, spots[k].M12, spots[k].M22 = from.M11, from.M12, from.M22
	}
	for k := range n0 {
		far := m.pain(t, to0+k, p, field, v, out, spots)
		best = max(best, far)
	}
	for k := range n1 {
		far := m.pain(t, to1+k, p, field, v, out, spots)
		best = max(best, far)
	}
	for k := range n2 {
		far := m.pain(t, to2+k, p, field, v, out, spots)
		best = max(best, far)
	}
	for k := range n3 {
		far := m.pain(t, to3+k, p, field, v, out, spots)
		best = max(best, far)
	}
	for k := range n4 {
		far := m.pain(t, to4+k, p, field, v, out, spots)
		best = max(best, far)
	}
	for k := range n5 {
		far := m.pain(t, to5+k, p, field, v, out, spots)
		best = max(best, far)
	}
	for k := range n6 {
		far := m.pain(t, to6+k, p, field, v, out, spots)
		best = max(best, far)
	}
	for k := range n7 {
		far := m.pain(t, to7+k, p, field, v, out, spots)
		best = max(best, far)
	}
	return best
}

// visits returns the first visit of a set in tile t, and how many there are.
func (m *TiledMesh[F]) visits(t, set int) (int32, int32) {
	first := int32(0)
	if set > 0 {
		first = m.Tiles[t].End[set-1]
	}
	return first, m.Tiles[t].End[set] - first
}

// pain moves the vertex in slot k of tile t.
func (m *TiledMesh[F]) pain(t int, k int32, p *Params[F], field *Field[F], v, out []Vertex[F],
	spots *[TileSlots]Spot[F]) F {
	visit := m.Visits[m.Tiles[t].Visit+k]
	i := m.Slots[m.Tiles[t].Slot+k]
	here := spots[k]
	var s step[F]
	s.x, s.y = here.X, here.Y
	if visit.Rail >= 0 {
		s.slides = true
		s.rail = m.Rails[visit.Rail]
		s.s = v[i].S
	}
	var a Tensor[F]
	var gx, gy F
	for n := range visit.Count {
		j := m.Near[visit.First+n/2] >> (16 * uint32(n&1)) & (1<<16 - 1)
		ux, uy := spots[j].X-here.X, spots[j].Y-here.Y
		m11, m12, m22 := here.M11+spots[j].M11, here.M12+spots[j].M12, here.M22+spots[j].M22
		a.M11 += m11
		a.M12 += m12
		a.M22 += m22
		gx += m11*ux + m12*uy
		gy += m12*ux + m22*uy
	}
	s.pain(&a, gx, gy, p)
	x, y := s.at(1)
	dx, dy := x-s.x, y-s.y
	far := F(0)
	if !(dx == 0 && dy == 0) {
		far = dx*(here.M11*dx+2*here.M12*dy) + dy*here.M22*dy
		at := field.At(x, y)
		here.X, here.Y, here.M11, here.M12, here.M22 = x, y, at.M11, at.M12, at.M22
		s.s += s.ds
		spots[k] = here
	}
	if visit.Own != 0 {
		out[i].X, out[i].Y, out[i].S = here.X, here.Y, s.s
		out[i].M11, out[i].M12, out[i].M22 = here.M11, here.M12, here.M22
	}
	return far
}
