package kernels_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// TestTileParity compares the kernel of tiles with its translation, bit by bit: tiles with all sets and with few,
// full and empty ones, vertices that slide, are fixed, belong to other tiles, and have no finite position.
func TestTileParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, l cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { tileParity[float32](t, l) })
		t.Run("float64", func(t *testing.T) { tileParity[float64](t, l) })
	})
}

func tileParity[F num.Float](t *testing.T, l cudatest.Runner) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, kind := range []int32{lookup.Grid, lookup.Product} {
		field := randomField[F](rng, 1, kind)
		m := &TiledMesh[F]{}
		var v []Vertex[F]
		for k := range 20 {
			sets, slots := 1+k%TileSets, 8+rng.IntN(TileSlots-7)
			if k == 3 {
				slots = TileSlots
			}
			visits := slots / 2
			if k == 5 {
				slots, visits = 0, 0
			}
			addTile(rng, m, sets, slots, visits)
			for range slots {
				x, y := F(rng.Float64()), F(rng.Float64())
				at := field.At(x, y)
				v = append(v, Vertex[F]{X: x, Y: y, M11: at.M11, M12: at.M12, M22: at.M22, S: F(rng.Float64())})
			}
		}
		m.Tiles = append(m.Tiles, Tile{Slot: int32(len(m.Slots)), Visit: int32(len(m.Visits))})
		for i := range v { // vertex i has the index n-1-i
			m.Index = append(m.Index, int32(len(v)-1-i))
		}
		for r, place := range m.Sliders {
			m.Sliders[r] = int32(len(v)-1) - place
		}
		m.NodeRow, m.NodeRest = make([]Row[F], len(field.Samples)), make([]F, len(field.Samples))
		l.Run(t, NewNodeToTilesLoop(field, m), 0, len(field.Samples))
		p := &Params[F]{Relax: .5, Excess: .01}
		tiles := len(m.Tiles) - 1
		none, windowsGo := make([]Window, tiles), make([]Window, tiles)
		for _, notFinite := range []bool{false, true} {
			if notFinite {
				v[7].X = F(math.NaN())
			}
			start, startTranslated := toTiles(m, v), toTilesBy(m, v, func(inGo loop, n int) { l.Run(t, inGo, 0, n) })
			kerneltest.Same(t, "vertices in tiles", []TileVertices[F]{*start}, []TileVertices[F]{*startTranslated}, nil)
			NewCentreWindowsLoop(m, field, start, windowsGo).Range(0, tiles)
			windows := make([]Window, tiles)
			l.Run(t, NewCentreWindowsLoop(m, field, start, windows), 0, tiles)
			kerneltest.Same(t, "windows", windowsGo, windows, nil)
			for k := range windows { // windows that do not contain all nodes change no bit
				if w := &windows[k]; k%2 == 0 && w.Nx > 2 {
					w.I, w.Nx = w.I+1, w.Nx-1
				}
			}
			inGo, translated := toTiles(m, v), toTiles(m, v)
			var a, b atomics.Most[F]
			NewTilePainLoop(p, m, field, none, start, inGo, &a).Range(0, tiles)
			l.Run(t, NewTilePainLoop(p, m, field, windows, start, translated, &b), 0, tiles)
			kerneltest.Same(t, "places", inGo.Place, translated.Place, nil)
			kerneltest.Same(t, "metrics", inGo.Row, translated.Row, nil)
			kerneltest.Same(t, "metrics", inGo.M22, translated.M22, nil)
			kerneltest.Same(t, "rails", inGo.Along, translated.Along, nil)
			v1, v2 := slices.Clone(v), slices.Clone(v)
			NewFromTilesLoop(m, inGo, v1).Range(0, len(v))
			NewRailFromTilesLoop(m, inGo, v1).Range(0, len(m.Sliders))
			l.Run(t, NewFromTilesLoop(m, translated, v2), 0, len(v))
			l.Run(t, NewRailFromTilesLoop(m, translated, v2), 0, len(m.Sliders))
			kerneltest.Same(t, "vertices", v1, v2, nil)
			if a != b {
				t.Errorf("the longest move is %v in Go, %v translated", a.Value(), b.Value())
			}
			if longest := a.Value(); !notFinite && !(longest > 0) || notFinite && longest == longest {
				t.Errorf("the longest move is %v, with a vertex that is not finite: %v", longest, notFinite)
			}
		}
	}
}

// toTiles copies vertices to tiles; toTilesBy does so by a function that runs loops.
func toTiles[F num.Float](m *TiledMesh[F], v []Vertex[F]) *TileVertices[F] {
	return toTilesBy(m, v, func(one loop, n int) { one.Range(0, n) })
}

func toTilesBy[F num.Float](m *TiledMesh[F], v []Vertex[F], run func(one loop, n int)) *TileVertices[F] {
	n := len(v)
	h := &TileVertices[F]{Place: make([]Place[F], n), Row: make([]Row[F], n), M22: make([]F, n), Along: make([]F,
		len(m.Sliders))}
	run(NewToTilesLoop(m, v, h), n)
	run(NewRailToTilesLoop(m, v, h), len(m.Sliders))
	return h
}

// addTile adds a tile with its own vertices. The visits of a set read only slots of other sets.
func addTile[F num.Float](rng *rand.Rand, m *TiledMesh[F], sets, slots, visits int) {
	tile := Tile{Slot: int32(len(m.Slots)), Visit: int32(len(m.Visits))}
	for s := range tile.End {
		tile.End[s] = int32(visits * min(s+1, sets) / sets)
	}
	for range slots {
		m.Slots = append(m.Slots, int32(len(m.Slots))<<SlotBits)
	}
	set := func(k int) int {
		if k >= visits {
			return -1
		}
		return slices.IndexFunc(tile.End[:], func(end int32) bool { return k < int(end) })
	}
	for k := range visits {
		var neighbours [TileDegree / 2]uint32
		count := 1 + rng.IntN(TileDegree)
		for n := range TileDegree {
			j := NoSlot
			for n < count && (j == NoSlot || set(j) == set(k)) {
				j = rng.IntN(slots)
			}
			neighbours[n/2] |= uint32(j) << (16 * (n % 2))
		}
		visit, bits := Visit{Neighbours: [4]uint32(neighbours[:])}, &m.Slots[int(tile.Slot)+k]
		*bits |= int32(rng.IntN(2)) * Own
		if slides := rng.IntN(3) == 0; slides || count > 8 {
			extra := Extra{Rail: -1, Neighbours: [3]uint32(neighbours[3:])}
			if slides { // a rail of its own
				extra.Rail = int32(len(m.Rails))
				s, c := math.Sincos(6 * rng.Float64())
				m.Rails = append(m.Rails, Rail[F]{X: F(rng.Float64()), Y: F(rng.Float64()), Tx: F(c), Ty: F(s)})
				m.Sliders = append(m.Sliders, *bits>>SlotBits)
			}
			*bits |= HasExtra
			visit.Neighbours[3] = uint32(len(m.Extras))
			m.Extras = append(m.Extras, extra)
		}
		m.Visits = append(m.Visits, visit)
	}
	m.Tiles = append(m.Tiles, tile)
}
