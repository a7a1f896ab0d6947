package kernels

// A tile is a piece of the mesh through which a block of a GPU's threads takes a whole sweep at once. Its vertices lie
// in memory that the block shares: those that it moves, the neighbours of which it needs the new places, which it moves
// too, and the rest of their neighbours, which it only reads. What its own vertices become goes to another array, so
// that all tiles begin with the same mesh and in any order give the bits of one set after the other.
//
// The sizes are such that two blocks of float64 fill the shared memory of a multiprocessor of an H200.
const (
	TileSlots  = 1536 // vertices that a tile holds
	TileNodes  = 2246 // of a metric's grid, that a tile holds
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
//atoll:kernel tile max block=320 blocks=2
func TilePain[F Float](t int, p *Params[F], m *TiledMesh[F], field *Field[F], windows []Window, v, out []Vertex[F],
	place *[TileSlots]Place[F], row *[TileSlots]Row[F], rest *[TileSlots]F, nodeRow *[TileNodes]Row[F],
	nodeRest *[TileNodes]F, end *[TileSets]int32) F {
	slot, visit := m.Tiles[t].Slot, m.Tiles[t].Visit
	slots := m.Tiles[t+1].Slot - slot
	window := windows[t]
	fills := max((slots+slotsAtOnce-1)/slotsAtOnce, (window.Nx*window.Ny+nodesAtOnce-1)/nodesAtOnce, TileSets)
	best := F(0)
	for k := range fills {
		b := board[F]{place[:], row[:], rest[:], nodeRow[:], nodeRest[:], window}
		b.fill(k, fills, m.Slots[slot:slot+slots], field, v)
		if k < TileSets {
			end[k] = m.Tiles[t].End[k]
		}
	}
	//atoll:ordered
	for set := range TileSets {
		first, count := visits(end[:], set)
		for k := range count {
			b := board[F]{place[:], row[:], rest[:], nodeRow[:], nodeRest[:], window}
			far := b.pain(m.Visits[visit+first+k], m.Slots[slot+first+k], first+k, p, m, field, v, out)
			best = max(best, far)
		}
	}
	return best
}

// visits returns the first visit of a set, and how many there are.
func visits(end []int32, set int) (int32, int32) {
	first := int32(0)
	if set > 0 {
		first = end[set-1]
	}
	return first, end[set] - first
}

// A thread asks for this many vertices and nodes before it stores the first: what it waits for counts.
const (
	slotsAtOnce = 5
	nodesAtOnce = 7
)

// fill copies every n-th of the vertices and nodes from k on.
func (b *board[F]) fill(k, n int32, slots []int32, f *Field[F], v []Vertex[F]) {
	w := b.window
	held, nodes := int32(len(slots)), w.Nx*w.Ny
	var ids [slotsAtOnce]int32
	if k < held {
		for j := range int32(slotsAtOnce) {
			ids[j] = slots[min(k+j*n, held-1)]
		}
	}
	if k < nodes {
		var m11, m12, m22 [nodesAtOnce]F
		for j := range int32(nodesAtOnce) {
			from := &f.Samples[w.node(min(k+j*n, nodes-1), f.Nx+1)]
			m11[j], m12[j], m22[j] = from.M11, from.M12, from.M22
		}
		for j := range int32(nodesAtOnce) {
			if to := k + j*n; to < nodes {
				b.nodeRow[to].M11, b.nodeRow[to].M12, b.nodeRest[to] = m11[j], m12[j], m22[j]
			}
		}
	}
	if k < held {
		var x, y, m11, m12, m22 [slotsAtOnce]F
		for j := range slotsAtOnce {
			from := &v[ids[j]]
			x[j], y[j], m11[j], m12[j], m22[j] = from.X, from.Y, from.M11, from.M12, from.M22
		}
		for j := range int32(slotsAtOnce) {
			if to := k + j*n; to < held {
				b.place[to].X, b.place[to].Y = x[j], y[j]
				b.row[to].M11, b.row[to].M12, b.rest[to] = m11[j], m12[j], m22[j]
			}
		}
	}
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
	for n := range TileDegree / 2 {
		one, other := visit.Near[n]&NoSlot, visit.Near[n]>>16
		if one == NoSlot {
			break
		}
		also := other != NoSlot
		if !also {
			other = one // so that both are read before the first is added
		}
		place, row, rest := b.place[other], b.row[other], b.rest[other]
		pulls.add(b.place[one].X, b.place[one].Y, b.row[one].M11, b.row[one].M12, b.rest[one])
		if also {
			pulls.add(place.X, place.Y, row.M11, row.M12, rest)
		}
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
