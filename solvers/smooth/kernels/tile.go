package kernels

// A tile is a piece of the mesh through which a block of a GPU's threads takes a whole sweep at once. Its vertices lie
// in memory that the block shares: those that it moves, the neighbours of which it needs the new places, which it moves
// too, and the rest of their neighbours, which it only reads. What its own vertices become goes to another array, so
// that all tiles begin with the same mesh and in any order give the bits of one set after the other.
const (
	TileSlots  = 1216 // vertices that a tile holds
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

// Spot is a vertex in a slot.
type Spot[F Float] struct{ X, Y, M11, M12, M22 F }

// TilePain takes tile t through a sweep of Pain without guard, from v to out. It returns the square of the longest move
// in the metric.
//
//atoll:kernel tile max block=192 blocks=4
func TilePain[F Float](t int, p *Params[F], m *TiledMesh[F], field *Field[F], v, out []Vertex[F],
	spots *[TileSlots]Spot[F]) F {
	slot, visit := m.Tiles[t].Slot, m.Tiles[t].Visit
	slots := m.Tiles[t+1].Slot - slot
	best := F(0)
	for k := range slots {
		from := &v[m.Slots[slot+k]]
		spots[k].X, spots[k].Y = from.X, from.Y
		spots[k].M11, spots[k].M12, spots[k].M22 = from.M11, from.M12, from.M22
	}
	//atoll:ordered
	for set := range TileSets {
		first, count := m.visits(t, set)
		for k := range count {
			far := pain(m.Visits[visit+first+k], m.Slots[slot+first+k], first+k, p, m, field, v, out, spots)
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
func pain[F Float](visit Visit, i, k int32, p *Params[F], m *TiledMesh[F], field *Field[F], v, out []Vertex[F],
	spots *[TileSlots]Spot[F]) F {
	here := spots[k]
	var s step[F]
	s.x, s.y = here.X, here.Y
	if visit.Rail >= 0 {
		s.slides = true
		s.rail = m.Rails[visit.Rail]
		s.s = v[i].S
	}
	var pulls pull[F]
	pulls.x, pulls.y, pulls.p11, pulls.p12, pulls.p22 = here.X, here.Y, here.M11, here.M12, here.M22
	for n := range TileDegree {
		j := visit.Near[n/2] >> (16 * uint32(n&1)) & NoSlot
		if j == NoSlot {
			break
		}
		near := &spots[j]
		pulls.add(near.X, near.Y, near.M11, near.M12, near.M22)
	}
	s.pain(&pulls.a, pulls.gx, pulls.gy, p)
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
