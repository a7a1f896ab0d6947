package kernels_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	. "github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// TestTileParity compares the kernel of tiles with its translation, bit by bit: tiles with all sets and with few, full
// and empty ones, vertices that slide, that stay, that other tiles own, and that are nowhere.
func TestTileParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, l cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { tileParity[float32](t, l) })
		t.Run("float64", func(t *testing.T) { tileParity[float64](t, l) })
	})
}

func tileParity[F Float](t *testing.T, l cudatest.Runner) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, kind := range []int32{Grid, Product} {
		field := someField[F](rng, 1, kind)
		m := &TiledMesh[F]{Rails: make([]Rail[F], 50)}
		for k := range m.Rails {
			s, c := math.Sincos(6 * rng.Float64())
			m.Rails[k] = Rail[F]{F(rng.Float64()), F(rng.Float64()), F(c), F(s)}
		}
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
		p := &Params[F]{Relax: .5, Excess: .01}
		tiles := len(m.Tiles) - 1
		none, aimed := make([]Window, tiles), make([]Window, tiles)
		for _, lost := range []bool{false, true} {
			if lost {
				v[7].X = F(math.NaN())
			}
			NewAimTilesLoop(m, field, v, aimed).Range(0, tiles)
			windows := make([]Window, tiles)
			l.Run(t, NewAimTilesLoop(m, field, v, windows), 0, tiles)
			kerneltest.Same(t, "windows", aimed, windows, nil)
			for k := range windows { // those that miss some of the grid change no bit
				if w := &windows[k]; k%2 == 0 && w.Nx > 2 {
					w.I, w.Nx = w.I+1, w.Nx-1
				}
			}
			one, other := slices.Clone(v), slices.Clone(v)
			var a, b atomics.Most[F]
			NewTilePainLoop(p, m, field, none, v, one, &a).Range(0, tiles)
			l.Run(t, NewTilePainLoop(p, m, field, windows, v, other, &b), 0, tiles)
			kerneltest.Same(t, "vertices", one, other, nil)
			if a != b {
				t.Errorf("the longest move is %v in Go, %v translated", a.Value(), b.Value())
			}
			if far := a.Value(); !lost && !(far > 0) || lost && far == far {
				t.Errorf("the longest move is %v, with a vertex that is nowhere: %v", far, lost)
			}
		}
	}
}

// addTile adds a tile whose slots are vertices of its own. The visits of a set read only slots of others.
func addTile[F Float](rng *rand.Rand, m *TiledMesh[F], sets, slots, visits int) {
	tile := Tile{Slot: int32(len(m.Slots)), Visit: int32(len(m.Visits))}
	for s := range tile.End {
		tile.End[s] = int32(visits * min(s+1, sets) / sets)
	}
	for range slots {
		m.Slots = append(m.Slots, int32(len(m.Slots)))
	}
	set := func(k int) int {
		if k >= visits {
			return -1
		}
		return slices.IndexFunc(tile.End[:], func(end int32) bool { return k < int(end) })
	}
	for k := range visits {
		visit := Visit{Rail: int32(rng.IntN(3*len(m.Rails)) - 2*len(m.Rails)), Own: int32(rng.IntN(2))}
		visit.Rail = max(visit.Rail, -1)
		count := 1 + rng.IntN(TileDegree)
		for n := range TileDegree {
			j := NoSlot
			for n < count && (j == NoSlot || set(j) == set(k)) {
				j = rng.IntN(slots)
			}
			visit.Near[n/2] |= uint32(j) << (16 * (n % 2))
		}
		m.Visits = append(m.Visits, visit)
	}
	m.Tiles = append(m.Tiles, tile)
}
