package kernels

// A tile is a rectangle of cells that a block of a GPU's threads takes through both sweeps of a step at once. What lies
// between the sweeps stays in memory that the block shares, with a rim as wide as a step reaches: a donor next to the
// cell and the neighbours that its plane depends on, for either sweep.
const (
	TileX, TileY = 32, 32
	TileReach    = 3
	tileWidth    = TileX + 2*TileReach
	TileRoom     = tileWidth * (TileY + 2*TileReach)

	betweenX, betweenY = TileX + 4, TileY + 4 // cells that the second sweep may ask for
	marks              = 256                  // pieces of a tile whose kinds are found apart
)

// Bits of a tile's kind. One that is neither Mixed nor next to a tile of another kind stays as it is in a step; once both
// fields hold it, there is nothing to do.
const (
	NotEmpty int32 = 1 << iota // a cell is not empty
	NotFull
	Settled // both fields are the same
	Mixed2  = NotEmpty | NotFull
)

// Tiles2 is a step in the plane, over tiles, x fastest. Beyond walls lies what is next to them; beyond other sides F and
// the velocities have TileReach layers of ghosts. Heights reach too far for tiles.
//
//atoll:constant
type Tiles2[F Float] struct {
	Lattice
	Axis   int32    // of the first sweep
	N      [2]int32 // cells of the block
	Tiles  [2]int32
	Open   [2][2]int32 // TileReach where there are ghosts, 0 at walls: along each axis, below and above
	Kinds  [2]int32    // of the sweeps
	Normal int32
	Nudge  F
	Dust   F
	F, Out []F
	U, V   []F     // velocity through lower faces
	Was    []int32 // kinds of tiles: NotEmpty and others, Mixed2 at first
	Is     []int32 // after the step
	Order  []int32 // tiles to do: others have nothing to do, and both fields hold them
	Count  []int32 // one: how many these are
}

// tileWork is where a tile begins and how many turns its loops take.
type tileWork struct {
	x, y                       int32
	load, between, cells, mark int32
	copied, once               int32
	tile, kind                 int32
}

// TileStep2 takes the cells of the t-th tile of Order from F to Out, as Advance2 does by two sweeps: to the last bit. Normals are Youngs or
// Mixed: without ELVIRA and LVIRA a thread takes half of the registers.
//
//atoll:kernel tile block=256 blocks=3
func TileStep2[F Float](t int, s *Tiles2[F], clock *Clock[F], f, between *[TileRoom]F) {
	w := s.work(t)
	for k := range w.load {
		s.load(k, w.x, w.y, f)
	}
	for k := range w.between {
		s.first(k, w.x, w.y, f, between, clock, false)
	}
	for k := range w.cells {
		s.second(k, w.x, w.y, f, between, clock, false)
	}
	for k := range w.mark {
		between[k] = F(s.kindOf(k, w.x, w.y, f))
	}
	for k := range w.mark / 16 {
		between[marks+k] = F(merged(between, 16*k, 16))
	}
	for k := range w.copied {
		s.copied(k, w.x, w.y)
	}
	for range w.once {
		s.Is[w.tile] = w.kind
		if w.mark > 0 {
			s.Is[w.tile] = merged(between, marks, marks/16)
		}
	}
}

// TileFine2 is TileStep2 by any normal but Heights.
//
//atoll:kernel tile block=256
func TileFine2[F Float](t int, s *Tiles2[F], clock *Clock[F], f, between *[TileRoom]F) {
	w := s.work(t)
	for k := range w.load {
		s.load(k, w.x, w.y, f)
	}
	for k := range w.between {
		s.first(k, w.x, w.y, f, between, clock, true)
	}
	for k := range w.cells {
		s.second(k, w.x, w.y, f, between, clock, true)
	}
	for k := range w.mark {
		between[k] = F(s.kindOf(k, w.x, w.y, f))
	}
	for k := range w.mark / 16 {
		between[marks+k] = F(merged(between, 16*k, 16))
	}
	for k := range w.copied {
		s.copied(k, w.x, w.y)
	}
	for range w.once {
		s.Is[w.tile] = w.kind
		if w.mark > 0 {
			s.Is[w.tile] = merged(between, marks, marks/16)
		}
	}
}

// load brings number k of the tile's cells and rim to shared memory.
func (s *Tiles2[F]) load(k, x, y int32, f *[TileRoom]F) {
	i := clamped(x+k%tileWidth-TileReach, -s.Open[0][0], s.N[0]+s.Open[0][1])
	j := clamped(y+k/tileWidth-TileReach, -s.Open[1][0], s.N[1]+s.Open[1][1])
	f[k] = s.F[s.at(int(i), int(j), 0)]
}

// first takes number k of the cells that the second sweep may ask for through the first one.
func (s *Tiles2[F]) first(k, x, y int32, f, between *[TileRoom]F, clock *Clock[F], fine bool) {
	px, py := k%betweenX-2, k/betweenX-2
	if s.beyond(px, py) {
		return
	}
	i := clamped(x+px, -smallerOf(s.Open[0][0], 2), s.N[0]+smallerOf(s.Open[0][1], 2))
	j := clamped(y+py, -smallerOf(s.Open[1][0], 2), s.N[1]+smallerOf(s.Open[1][1], 2))
	own := shared(i-x, j-y)
	between[shared(px, py)] = s.sweep(0, f, own, s.at(int(i), int(j), 0), f[own], clock, fine)
}

// second takes number k of the tile's cells through the second sweep. f has them as they are at the end.
func (s *Tiles2[F]) second(k, x, y int32, f, between *[TileRoom]F, clock *Clock[F], fine bool) {
	px, py := k%TileX, k/TileX
	i, j := x+px, y+py
	if i >= s.N[0] || j >= s.N[1] {
		return
	}
	own, c := shared(px, py), s.at(int(i), int(j), 0)
	after := s.sweep(1, between, own, c, f[own], clock, fine)
	s.Out[c] = after
	f[own] = after
}

// copied makes number k of the tile's cells the same in both fields.
func (s *Tiles2[F]) copied(k, x, y int32) {
	if i, j := x+k%TileX, y+k/TileX; i < s.N[0] && j < s.N[1] {
		c := s.at(int(i), int(j), 0)
		s.Out[c] = s.F[c]
	}
}

// work finds what there is to do for the n-th tile of Order.
func (s *Tiles2[F]) work(n int) tileWork {
	var w tileWork
	if n >= int(s.Count[0]) {
		return w
	}
	t := s.Order[n]
	x, y := t%s.Tiles[0], t/s.Tiles[0]
	was := s.Was[t]
	kind := was & Mixed2
	same := kind != Mixed2
	for k := range int32(9) {
		i, j := x+k%3-1, y+k/3-1
		if i < 0 || i >= s.Tiles[0] || j < 0 || j >= s.Tiles[1] {
			if i < 0 && s.Open[0][0] > 0 || i >= s.Tiles[0] && s.Open[0][1] > 0 ||
				j < 0 && s.Open[1][0] > 0 || j >= s.Tiles[1] && s.Open[1][1] > 0 {
				same = false // what others own may be anything
			}
			continue
		}
		if s.Was[i+j*s.Tiles[0]]&Mixed2 != kind {
			same = false
		}
	}
	w.x, w.y, w.tile, w.kind, w.once = x*TileX, y*TileY, t, was|Settled, 1
	if !same {
		w.load, w.between, w.cells, w.mark = TileRoom, betweenX*betweenY, TileX*TileY, marks
	} else if was&Settled == 0 {
		w.copied = TileX * TileY
	}
	return w
}

// beyond tells that the second sweep does not reach so far: two cells along its axis and one across.
func (s *Tiles2[F]) beyond(px, py int32) bool {
	if s.Axis == 0 {
		return px < -1 || px > TileX
	}
	return py < -1 || py > TileY
}

// shared is the place of a tile's cell in shared memory.
func shared(px, py int32) int32 { return px + TileReach + (py+TileReach)*tileWidth }

func clamped(i, lo, end int32) int32 {
	if i < lo {
		return lo
	}
	if i >= end {
		return end - 1
	}
	return i
}

func smallerOf(a, b int32) int32 {
	if a < b {
		return a
	}
	return b
}

// sweep is cell c after sweep n of a step that it began as start. In shared memory it is a[own].
func (s *Tiles2[F]) sweep(n int32, a *[TileRoom]F, own int32, c int, start F, clock *Clock[F], fine bool) F {
	axis, kind := s.Axis^n, s.Kinds[n]
	step, stride := int32(1), 1
	if axis == 1 {
		step, stride = tileWidth, int(s.SY)
	}
	f, below, above := a[own], a[own-step], a[own+step]
	// As in Advance2.
	if f <= s.Dust && below <= s.Dust && above <= s.Dust && (kind == WeymouthYue || f == 0) {
		return f
	}
	full := 1 - s.Dust
	if f >= full && below >= full && above >= full && (kind == WeymouthYue && start > 0.5 || kind != WeymouthYue && f == 1) {
		return f
	}
	q := clock.Courant[axis]
	lo, hi := s.velocity(axis, c)*q, s.velocity(axis, c+stride)*q
	in := s.flux(axis, kind, a, own, step, c, stride, lo, q, fine)
	out := s.flux(axis, kind, a, own+step, step, c+stride, stride, hi, q, fine)
	return updated(kind, f, start, lo, hi, in, out)
}

func (s *Tiles2[F]) velocity(axis int32, c int) F {
	if axis == 0 {
		return s.U[c]
	}
	return s.V[c]
}

// flux is that of Sweep2 through the lower face of the cell at own, whose CFL number is given.
func (s *Tiles2[F]) flux(axis, kind int32, a *[TileRoom]F, own, step int32, c, stride int, cfl, q F, fine bool) F {
	if cfl == 0 {
		return 0
	}
	donor, place := own, c
	if cfl > 0 {
		donor, place = own-step, c-stride
	}
	f := a[donor]
	if f <= s.Dust {
		return 0
	}
	if f >= 1-s.Dust {
		return cfl
	}
	t := abs(cfl)
	if kind == Lagrangian {
		t /= 1 + (s.velocity(axis, place+stride)*q - s.velocity(axis, place)*q)
	}
	around := square[F]{a[donor-tileWidth-1], a[donor-tileWidth], a[donor-tileWidth+1], a[donor-1], f, a[donor+1],
		a[donor+tileWidth-1], a[donor+tileWidth], a[donor+tileWidth+1]}
	var along, across F
	if fine {
		along, across = around.normal(s.Normal, s.Nudge)
	} else {
		along, across = around.simple(s.Normal)
	}
	alpha := LineConstant(along, across, f)
	if axis == 1 {
		along, across = across, along
	}
	if cfl > 0 {
		alpha -= along * (1 - t)
	}
	return cfl * Area(along*t, across, alpha)
}

// kindOf is the kind of a piece of a tile, TileX·TileY/marks cells in a row.
func (s *Tiles2[F]) kindOf(k, x, y int32, f *[TileRoom]F) int32 {
	const length = TileX * TileY / marks
	empty, full := F(0), F(1)
	if s.Kinds[0] == WeymouthYue {
		empty, full = s.Dust, 1-s.Dust
	}
	px, py := k*length%TileX, k*length/TileX
	kind := int32(0)
	for n := range int32(length) {
		if x+px+n >= s.N[0] || y+py >= s.N[1] {
			break
		}
		v := f[shared(px+n, py)]
		if !(v <= empty) || s.Kinds[0] != WeymouthYue && v < 0 {
			kind |= NotEmpty
		}
		if !(v >= full) || s.Kinds[0] != WeymouthYue && v > 1 {
			kind |= NotFull
		}
	}
	return kind
}

// merged is the kind of several pieces together.
func merged[F Float](pieces *[TileRoom]F, first, n int32) int32 {
	kind := int32(0)
	for k := range n {
		kind |= int32(pieces[first+k])
	}
	return kind
}
