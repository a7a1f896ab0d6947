package kernels

// A tile is a piece of the mesh through which a block of a GPU's threads takes a whole sweep at once. Its vertices lie
// in memory that the block shares: those that it moves, the neighbours of which it needs the new places, which it moves
// too, and the rest of their neighbours, which it only reads. What its own vertices become goes to another array, so
// that all tiles begin with the same mesh and in any order give the bits of one set after the other.
//
// The sizes are such that two blocks of float64 fill the shared memory of a multiprocessor of an H200.
const (
	TileSlots  = 1536 // vertices that a tile holds
	TileNodes  = 2248 // of a metric's grid, that a tile holds
	TileSets   = 8    // sets in a sweep
	TileDegree = 12   // neighbours of a vertex that a tile moves
	NoSlot     = 1<<16 - 1
)

// Tile is where the slots and the visits of a tile begin; slots end where the next tile's begin. The visits of set s
// end at End[s], and those of the set before it where they begin. Visit k moves the vertex in slot k.
type Tile struct {
	Slot, Visit int32
	End         [TileSets]int32
}

// Visit is a vertex that a tile moves. Near are the slots of its neighbours, two a word, the first in the lower half, and
// NoSlot after the last. All of it comes at once: what a visit waits for counts, not how much it reads.
type Visit struct {
	Near [TileDegree / 2]uint32
	Rail int32 // -1 if it does not slide
	Own  int32 // 1, or 0 if another tile says where it goes
}

// TiledMesh is a mesh cut into tiles.
type TiledMesh[F Float] struct {
	Tiles  []Tile  // and one more at the end
	Slots  []int32 // vertices
	Visits []Visit
	Rails  []Rail[F]
}

// Place is where a vertex is.
type Place[F Float] struct{ X, Y F }

// Row is the first row of a symmetric tensor. It stands apart from the last element because threads that read numbers
// of one array at random get in each other's way less than in an array of structs.
type Row[F Float] struct{ M11, M12 F }

// board is what the threads of a tile share: the vertices in its slots, and the nodes of the metric's grid in its
// window.
type board[F Float] struct {
	place    []Place[F]
	row      []Row[F]
	rest     []F // M22
	nodeRow  []Row[F]
	nodeRest []F
	window   Window
}

// TilePain takes tile t through a sweep of Pain without guard, from v to out. It returns the square of the longest move
// in the metric.
//
//atoll:kernel tile max block=384 blocks=2
func TilePain[F Float](t int, p *Params[F], m *TiledMesh[F], field *Field[F], windows []Window, v, out []Vertex[F],
	place *[TileSlots]Place[F], row *[TileSlots]Row[F], rest *[TileSlots]F, nodeRow *[TileNodes]Row[F],
	nodeRest *[TileNodes]F) F {
	slot, visit := m.Tiles[t].Slot, m.Tiles[t].Visit
	slots := m.Tiles[t+1].Slot - slot
	window := windows[t]
	nodes := window.Nx * window.Ny
	best := F(0)
	for k := range max(slots, nodes) {
		if k < slots {
			from := &v[m.Slots[slot+k]]
			place[k].X, place[k].Y = from.X, from.Y
			row[k].M11, row[k].M12, rest[k] = from.M11, from.M12, from.M22
		}
		if k < nodes {
			from := &field.Samples[window.node(k, field.Nx+1)]
			nodeRow[k].M11, nodeRow[k].M12, nodeRest[k] = from.M11, from.M12, from.M22
		}
	}
	//atoll:ordered
	for set := range TileSets {
		first, count := m.visits(t, set)
		for k := range count {
			b := board[F]{place[:], row[:], rest[:], nodeRow[:], nodeRest[:], window}
			far := b.pain(m.Visits[visit+first+k], m.Slots[slot+first+k], first+k, p, m, field, v, out)
			best = max(best, far)
		}
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

// pain moves vertex i, which lies in slot k.
func (b *board[F]) pain(visit Visit, i, k int32, p *Params[F], m *TiledMesh[F], field *Field[F], v, out []Vertex[F]) F {
	var s step[F]
	s.x, s.y = b.place[k].X, b.place[k].Y
	m11, m12, m22 := b.row[k].M11, b.row[k].M12, b.rest[k]
	if visit.Rail >= 0 {
		s.slides = true
		s.rail = m.Rails[visit.Rail]
		s.s = v[i].S
	}
	var pulls pull[F]
	pulls.x, pulls.y, pulls.p11, pulls.p12, pulls.p22 = s.x, s.y, m11, m12, m22
	for n := range TileDegree {
		j := visit.Near[n/2] >> (16 * uint32(n&1)) & NoSlot
		if j == NoSlot {
			break
		}
		pulls.add(b.place[j].X, b.place[j].Y, b.row[j].M11, b.row[j].M12, b.rest[j])
	}
	s.pain(&pulls.a, pulls.gx, pulls.gy, p)
	x, y := s.at(1)
	dx, dy := x-s.x, y-s.y
	far := F(0)
	if !(dx == 0 && dy == 0) {
		far = dx*(m11*dx+2*m12*dy) + dy*m22*dy
		at := b.metric(field, x, y)
		m11, m12, m22 = at.M11, at.M12, at.M22
		s.s += s.ds
		b.place[k].X, b.place[k].Y = x, y
		b.row[k].M11, b.row[k].M12, b.rest[k] = m11, m12, m22
	} else {
		x, y = s.x, s.y
	}
	if visit.Own != 0 {
		out[i].X, out[i].Y, out[i].S = x, y, s.s
		out[i].M11, out[i].M12, out[i].M22 = m11, m12, m22
	}
	return far
}
