package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// load loads every tileLoads-th of the tile's cells and margin into shared memory, beginning with number k, and returns
// their kind. It reads all of them before it writes any, so that the loads do not wait for each other.
func (s *Tiles2[F]) load(k, x, y int32, f *[TileRoom]F) int32 {
	v0, v1, v2 := s.cell(k, x, y), s.cell(k+tileLoads, x, y), s.cell(k+2*tileLoads, x, y)
	v3, v4, v5 := s.cell(k+3*tileLoads, x, y), s.cell(k+4*tileLoads, x, y), s.cell(k+5*tileLoads, x, y)
	v6 := s.cell(k+6*tileLoads, x, y)
	v7 := v6
	last := k + 7*tileLoads
	if last < TileRoom {
		v7 = s.cell(last, x, y)
	}
	f[k] = v0
	f[k+tileLoads] = v1
	f[k+2*tileLoads] = v2
	f[k+3*tileLoads] = v3
	f[k+4*tileLoads] = v4
	f[k+5*tileLoads] = v5
	f[k+6*tileLoads] = v6
	if last < TileRoom {
		f[last] = v7
	}
	return s.kindOfLoaded(v0) | s.kindOfLoaded(v1) | s.kindOfLoaded(v2) | s.kindOfLoaded(v3) | s.kindOfLoaded(v4) |
		s.kindOfLoaded(v5) | s.kindOfLoaded(v6) | s.kindOfLoaded(v7)
}

func (s *Tiles2[F]) kindOfLoaded(f F) int32 { return kindOfCell(f, s.RoundOff) }

// cell returns number k of the tile's cells and margin, and beyond a wall the cell at the wall.
func (s *Tiles2[F]) cell(k, x, y int32) F {
	i := clamp(x+k%tileWidth-TileReach, -s.Open[0][0], s.N[0]+s.Open[0][1])
	j := clamp(y+k/tileWidth-TileReach, -s.Open[1][0], s.N[1]+s.Open[1][1])
	return s.F[s.at(int(i), int(j), 0)]
}

// stays reports whether sweep n leaves the cell at own as it is; start is its value before the step.
func (s *Tiles2[F]) stays(n, own int32, a *[TileRoom]F, start F) bool {
	method := s.Methods[n]
	step, _ := s.strides(s.Axis ^ n)
	f, below, above := a[own], a[own-step], a[own+step]
	return staysEmpty(f, below, above, s.RoundOff) ||
		staysFull(f, below, above, s.RoundOff) && (method != WeymouthYue || start > 0.5)
}

// nearest returns the cell that has the value of cell (px, py) of a tile after the first sweep: beyond a wall, the cell
// at the wall.
func (s *Tiles2[F]) nearest(px, py, x, y int32) (i, j int32) {
	rx, ry := s.reach(0)
	return clamp(x+px, -num.Smaller(s.Open[0][0], rx), s.N[0]+num.Smaller(s.Open[0][1], rx)),
		clamp(y+py, -num.Smaller(s.Open[1][0], ry), s.N[1]+num.Smaller(s.Open[1][1], ry))
}

// neededAfterFirst reports whether the second sweep needs cell (px, py) of a tile.
func (s *Tiles2[F]) neededAfterFirst(px, py int32) bool {
	rx, ry := s.reach(0)
	return px >= -rx && px < TileX+rx && py >= -ry && py < TileY+ry
}

// firstOfRun does the first sweep in those cells of run k, tileRunCells cells of a column that a thread takes together,
// that stay as they are. Bit q of the result is set for each other cell q of the run, also for the cells above the
// highest faces that are needed.
func (s *Tiles2[F]) firstOfRun(k, x, y int32, f, between *[TileRoom]F) int32 {
	px, low := k%tileWidth-TileReach, k/tileWidth*tileRunCells-TileReach
	bits := int32(0)
	for q := range int32(tileRunCells) {
		py := low + q
		after := s.neededAfterFirst(px, py)
		if !after && !s.needed(0, px, py, x, y) {
			continue
		}
		i, j := s.nearest(px, py, x, y)
		own := shared(i-x, j-y)
		if !s.stays(0, own, f, f[own]) {
			bits |= 1 << q
		} else if after {
			between[shared(px, py)] = f[own]
		}
	}
	return bits
}

// first advances the cell at number k of the tile's cells and margin by the first sweep, if the second needs it.
func (s *Tiles2[F]) first(k, x, y int32, f, between, flux *[TileRoom]F, clock *Clock[F]) {
	px, py := k%tileWidth-TileReach, k/tileWidth-TileReach
	if !s.neededAfterFirst(px, py) {
		return
	}
	i, j := s.nearest(px, py, x, y)
	own := shared(i-x, j-y)
	between[k] = s.sweep(0, f, flux, own, s.at(int(i), int(j), 0), f[own], clock)
}

// inTile reports whether cell (px, py) belongs to a tile.
func (s *Tiles2[F]) inTile(px, py, x, y int32) bool {
	return px >= 0 && px < TileX && py >= 0 && py < TileY && x+px < s.N[0] && y+py < s.N[1]
}

// secondOfRun does the second sweep in those cells of run k that stay as they are. Bit q of the result is set for each
// other cell q of the run, and for the cells above the highest faces that may have a mixed donor. f gets the final
// values.
func (s *Tiles2[F]) secondOfRun(k, x, y int32, f, between *[TileRoom]F) int32 {
	px, low := k%tileWidth-TileReach, k/tileWidth*tileRunCells-TileReach
	step, _ := s.strides(s.Axis ^ 1)
	bits := int32(0)
	for q := range int32(tileRunCells) {
		py := low + q
		own := shared(px, py)
		if s.inTile(px, py, x, y) {
			if s.stays(1, own, between, f[own]) {
				after := between[own]
				s.Out[s.at(int(x+px), int(y+py), 0)] = after
				f[own] = after
			} else {
				bits |= 1 << q
			}
		} else if s.needed(1, px, py, x, y) && (mixed(between[own-step], s.RoundOff) || mixed(between[own], s.RoundOff)) {
			bits |= 1 << q
		}
	}
	return bits
}

// second advances the cell at number k of the tile's cells and margin by the second sweep, if it is one of the tile. f
// gets the final value.
func (s *Tiles2[F]) second(k, x, y int32, f, between, flux *[TileRoom]F, clock *Clock[F]) {
	px, py := k%tileWidth-TileReach, k/tileWidth-TileReach
	if !s.inTile(px, py, x, y) {
		return
	}
	c := s.at(int(x+px), int(y+py), 0)
	after := s.sweep(1, between, flux, k, c, f[k], clock)
	s.Out[c] = after
	f[k] = after
}

// copyCell copies number k of the tile's cells to the other field.
func (s *Tiles2[F]) copyCell(k, x, y int32) {
	if i, j := x+k%TileX, y+k/TileX; i < s.N[0] && j < s.N[1] {
		c := s.at(int(i), int(j), 0)
		s.Out[c] = s.F[c]
	}
}

// work determines the work for the n-th tile of Order. It reads what it may need before it decides anything, so that
// the loads do not wait for each other.
func (s *Tiles2[F]) work(n int) tileWork {
	var w tileWork
	t, count := s.Order[n], s.Count[0]
	if n >= int(count) {
		return w
	}
	x, y := t%s.Tiles[0], t/s.Tiles[0]
	was := s.KindsBefore[t]
	inAll, inAny := Mixed2, int32(0) // bits of the kinds of all tiles around, and of any of them
	for k := range int32(9) {
		i, j := clamp(x+k%3-1, 0, s.Tiles[0]), clamp(y+k/3-1, 0, s.Tiles[1])
		kind := s.KindsBefore[i+j*s.Tiles[0]]
		inAll &= kind
		inAny |= kind
	}
	kind := was & Mixed2
	// Other ranks' cells may have any value.
	beside := x == 0 && s.Open[0][0] > 0 || x == s.Tiles[0]-1 && s.Open[0][1] > 0 ||
		y == 0 && s.Open[1][0] > 0 || y == s.Tiles[1]-1 && s.Open[1][1] > 0
	same := kind != Mixed2 && inAll == kind && inAny&Mixed2 == kind && !beside
	w.x, w.y, w.tile, w.kind, w.once = x*TileX, y*TileY, t, was|Synchronised, 1
	w.differs = was&Synchronised == 0
	if !same {
		w.load = tileLoads
	}
	return w
}

// near returns 1 if an interface may reach the tile in this step, otherwise 0; kinds are those of its cells and margin.
func (w *tileWork) near(kinds []int32) int32 {
	if w.load == 0 {
		return 0
	}
	return flag(combine(kinds, 0, 1, loadGroups) == Mixed2)
}

// kindIfStays returns the kind of a tile after the step if it does not change; kinds are those of its cells and margin.
func (w *tileWork) kindIfStays(kinds []int32) int32 {
	if w.load == 0 {
		return w.kind
	}
	return combine(kinds, 0, 1, loadGroups) | Synchronised // cells and margin are of one kind
}

// kindAfter returns the kind of a tile after the step: the given one, or, if an interface is near, the combined kind of
// the tile's pieces.
func kindAfter[F num.Float](near, kind int32, between *[TileRoom]F) int32 {
	if near == 0 {
		return kind
	}
	return combineKinds(between, tilePieces, tilePieces/16)
}

// copies returns the number of cells to copy to the other field.
func (w *tileWork) copies(near int32) int32 {
	if near == 0 && w.differs {
		return TileX * TileY
	}
	return 0
}

// shared returns the index of a tile's cell in shared memory.
func shared(px, py int32) int32 { return px + TileReach + (py+TileReach)*tileWidth }

func clamp(i, lo, end int32) int32 {
	if i < lo {
		return lo
	}
	if i >= end {
		return end - 1
	}
	return i
}

// sweep returns the value of cell c, which does not stay as it is, after sweep n (0 or 1) of a step; start is its
// value before the step. own is the index of the cell in shared memory: in a, its value before the sweep, and in
// flux, the flux through its lower face if the donor is mixed.
func (s *Tiles2[F]) sweep(n int32, a, flux *[TileRoom]F, own int32, c int, start F, clock *Clock[F]) F {
	axis, method := s.Axis^n, s.Methods[n]
	step, stride := s.strides(axis)
	f, below, above := a[own], a[own-step], a[own+step]
	q := clock.Courant[axis]
	lo, hi := s.velocity(axis, c)*q, s.velocity(axis, c+stride)*q
	in, out := faceFlux(lo, below, f, flux[own], s.RoundOff), faceFlux(hi, f, above, flux[own+step], s.RoundOff)
	return updated(method, f, start, lo, hi, in, out)
}

// strides returns the strides along an axis in shared memory and in the block's memory.
func (s *Tiles2[F]) strides(axis int32) (step int32, stride int) {
	if axis == 0 {
		return 1, 1
	}
	return tileWidth, int(s.SY)
}

// reach returns how far around a tile, along x and y, sweep n updates cells: for the donors of the second sweep and
// the neighbours that their planes depend on, two cells along its axis and one across.
func (s *Tiles2[F]) reach(n int32) (rx, ry int32) {
	if s.Axis^n == 0 {
		return 1 - n, 2 - 2*n
	}
	return 2 - 2*n, 1 - n
}

// needed reports whether sweep n updates a cell next to the lower face of cell (px, py) of a tile.
func (s *Tiles2[F]) needed(n, px, py, x, y int32) bool {
	rx, ry := s.reach(n)
	axis := s.Axis ^ n
	return s.inReach(0, px, x, rx, 1-axis) && s.inReach(1, py, y, ry, axis)
}

// inReach reports whether index p of a tile with first cell x is in the tile or at most reach cells away, and within
// the block. face is 1 along the sweep's axis, where there is one more face above, and otherwise 0.
func (s *Tiles2[F]) inReach(axis, p, x, reach, face int32) bool {
	const size = TileX // and TileY
	i := x + p
	return p >= -reach && p < size+reach+face &&
		i >= -num.Smaller(s.Open[axis][0], reach) && i < s.N[axis]+num.Smaller(s.Open[axis][1], reach)+face
}

func (s *Tiles2[F]) velocity(axis int32, c int) F {
	if axis == 0 {
		return s.U[c]
	}
	return s.V[c]
}

// flux returns the flux of Sweep2 in sweep n through the lower face of the cell at own if it is needed and its donor is
// mixed, otherwise 0.
func (s *Tiles2[F]) flux(n, own, x, y int32, a *[TileRoom]F, clock *Clock[F], fine bool) F {
	axis, method := s.Axis^n, s.Methods[n]
	step, stride := s.strides(axis)
	px, py := own%tileWidth-TileReach, own/tileWidth-TileReach
	if !s.needed(n, px, py, x, y) {
		return 0
	}
	c := s.at(int(x+px), int(y+py), 0)
	q := clock.Courant[axis]
	cfl := s.velocity(axis, c) * q
	if !fromMixed(cfl, mixed(a[own-step], s.RoundOff), mixed(a[own], s.RoundOff)) {
		return 0
	}
	donor, place := own, c
	if cfl > 0 {
		donor, place = own-step, c-stride
	}
	f := a[donor]
	t := num.Abs(cfl)
	if method == Lagrangian {
		t = stretched(t, s.velocity(axis, place)*q, s.velocity(axis, place+stride)*q)
	}
	around := stencil2[F]{a[donor-tileWidth-1], a[donor-tileWidth], a[donor-tileWidth+1], a[donor-1], f, a[donor+1],
		a[donor+tileWidth-1], a[donor+tileWidth], a[donor+tileWidth+1]}
	var along, across F
	if fine {
		along, across = around.normal(s.Normal, s.DifferenceStep)
	} else {
		along, across = around.simple(s.Normal)
	}
	alpha := geom.LineConstant(along, across, f)
	if axis == 1 {
		along, across = across, along
	}
	return lineFlux(cfl, t, along, across, alpha)
}
