package kernels_test

import (
	"math/rand/v2"
	"testing"

	. "github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// TestWindows proves that a window holds the boxes of all vertices that a tile moves, if possible; else as many
// central nodes as fit, and none if that is less than half of them. Metrics without a grid have none.
func TestWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		kind         int32
		nx, ny       int32 // boxes of the grid
		x, y         float64
		width, depth float64 // of the tile
		want         Window  // of a tile whose corners are vertices
	}{
		{lookup.Grid, 100, 100, .2, .3, .095, .195, Window{20, 30, 11, 21}},
		{lookup.Grid, 100, 100, .905, .905, .5, .5, Window{90, 90, 11, 11}}, // beyond the grid
		{lookup.Grid, 1000, 1000, .5, .5, .0495, .0495, Window{503, 500, 44, 51}},
		{lookup.Grid, 1000, 1000, .5, .5, .0995, .0395, Window{500 + 23, 500, 54, 41}},
		{lookup.Grid, 1000, 1000, .5, .5, .0395, .0995, Window{500, 500 + 23, 41, 54}},
		{lookup.Grid, 1000, 1000, .1, .1, .8, .8, Window{}},
		{lookup.Product, 100, 100, .2, .3, .1, .1, Window{}},
	} {
		f := &Field[float64]{Kind: c.kind, Nx: c.nx, Ny: c.ny, PerX: float64(c.nx), PerY: float64(c.ny)}
		m := &TiledMesh[float64]{Tiles: make([]Tile, 2)}
		v := make([]Place[float64], 300)
		for i := range v {
			a, b := rng.Float64(), rng.Float64()
			switch i {
			case 7:
				a, b = 0, 1
			case 250:
				a, b = 1, 0
			}
			v[i].X, v[i].Y = c.x+a*c.width, c.y+b*c.depth
			m.Slots = append(m.Slots, int32(i)<<SlotBits)
		}
		m.Tiles[0].End[TileSets-1] = int32(len(v) - 1)
		v[len(v)-1].X = 0 // is not moved
		got := make([]Window, 1)
		NewCentreWindowsLoop(m, f, &TileVertices[float64]{Place: v}, got).Range(0, 1)
		if got[0] != c.want {
			t.Errorf("%+v: the window is %+v", c, got[0])
		}
	}
}
