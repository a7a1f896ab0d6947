package kernels_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// TestTiles compares tiles with their translation, bit by bit; package vof compares them with the equivalent sweeps.
func TestTiles(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, l cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { tiles[float32](t, l, 0x1p-11) })
		t.Run("float64", func(t *testing.T) { tiles[float64](t, l, 0x1p-26) })
	})
}

func tiles[F num.Float](t *testing.T, l cudatest.Runner, difference F) {
	const nx, ny, g = 150, 106, TileReach
	rng := rand.New(rand.NewPCG(5, 6))
	lattice := Lattice{Origin: g*(nx+2*g) + g, SY: nx + 2*g}
	n := (nx + 2*g) * (ny + 2*g)
	clock := &Clock[F]{Courant: [3]F{1, -1, .9}}
	const across, up = (nx + TileX - 1) / TileX, (ny + TileY - 1) / TileY
	for normal := Youngs; normal <= LVIRA; normal++ {
		for axis := range int32(2) {
			methods := [2]int32{WeymouthYue, WeymouthYue}
			if rng.IntN(2) == 0 {
				methods = [2]int32{Eulerian, Lagrangian}
			}
			f, u, v := noisy[F](rng, n, nx+2*g), velocities[F](rng, n), velocities[F](rng, n)
			for c := range f { // an empty corner, so that a tile is inactive
				if c%(nx+2*g) > 40 && c/(nx+2*g) < 75 {
					f[c] = 0
				}
			}
			mixedTiles := slices.Repeat([]int32{Mixed2}, across*up)
			all := make([]int32, len(mixedTiles))
			for t := range all {
				all[t] = int32(t)
			}
			// Every tile is mixed at first; after two steps each knows what it is.
			fields := [2][2][]F{{slices.Clone(f), make([]F, n)}, {slices.Clone(f), make([]F, n)}}
			kindsOfTiles := [2][2][]int32{{slices.Clone(mixedTiles), make([]int32, len(mixedTiles))},
				{slices.Clone(mixedTiles), make([]int32, len(mixedTiles))}}
			for step := range 4 {
				from, to := step%2, 1-step%2
				for k := range 2 {
					copy(fields[k][to], ghostsOf(fields[k][from], fields[k][to], nx, ny, g))
					s := &Tiles2[F]{Lattice: lattice, Axis: axis, N: [2]int32{nx, ny}, Tiles: [2]int32{across, up}, Methods: methods,
						Normal: normal, Open: [2][2]int32{{g, 0}, {0, g}}, DifferenceStep: difference,
						RoundOff: difference * difference, F: fields[k][from],
						Out: fields[k][to], U: u, V: v,
						KindsBefore: kindsOfTiles[k][from], KindsAfter: kindsOfTiles[k][to], Order: all, Count: []int32{int32(len(all))}}
					tile := NewTileStep2Loop(normal >= ELVIRA, s, clock)
					if k == 0 {
						tile.Range(0, len(mixedTiles))
					} else {
						l.Run(t, tile, 0, len(mixedTiles))
					}
				}
				kerneltest.Same(t, "a tile", fields[0][to], fields[1][to], nil)
				kerneltest.Same(t, "kinds of tiles", kindsOfTiles[0][to], kindsOfTiles[1][to], nil)
			}
			inactive := 0
			for _, k := range kindsOfTiles[0][0] {
				if k&Synchronised != 0 {
					inactive++
				}
			}
			if inactive == 0 || inactive == len(mixedTiles) {
				t.Errorf("%d of %d tiles have nothing to do", inactive, len(mixedTiles))
			}
		}
	}
	for _, tiles := range [][2]int32{{1, 1}, {9, 7}, {60, 41}} {
		n := int(tiles[0] * tiles[1])
		kinds := make([]int32, n)
		for t := range kinds {
			kinds[t] = NotEmpty | Synchronised
			if r := rng.IntN(60); r == 0 {
				kinds[t] = NotFull
			} else if r == 1 {
				kinds[t] = NotEmpty
			}
		}
		var marks, order, count [2][]int32
		open := [2][2]int32{{0, 1}, {0, 0}}
		for k := range 2 {
			marks[k], order[k], count[k] = make([]int32, n), make([]int32, n), make([]int32, ListCounts)
			list := &TileList{Tiles: tiles, Open: open, Kinds: kinds, Marks: marks[k], Order: order[k], Count: count[k]}
			if k == 0 {
				listTiles(list)
			} else {
				l.Run(t, NewMarkTileLoop(list), 0, n)
				l.Run(t, NewListTilesLoop(list), 0, 1)
			}
		}
		kerneltest.Same(t, "MarkTile", marks[0], marks[1], nil)
		kerneltest.Same(t, "ListTiles", order[0], order[1], nil)
		kerneltest.Same(t, "ListTiles' counts", count[0], count[1], nil)
		var want []int32
		for t, m := range marks[0] {
			if m&Active != 0 {
				want = append(want, int32(t))
			}
		}
		if !slices.Equal(want, order[0][:count[0][ListLength]]) {
			t.Errorf("the list is %v, marked are %v", order[0][:count[0][ListLength]], want)
		}
		next := &TileList{Tiles: tiles, Open: open, Kinds: kindsAfterCycle(rng, tiles, kinds, marks[0]),
			Marks: make([]int32, n), Order: make([]int32, n), Count: make([]int32, ListCounts)}
		listTiles(next)
		if length, bound := next.Count[ListLength], count[0][NextLength]; length > bound {
			t.Errorf("%v tiles: %d are active in the next list, at most %d may be", tiles, length, bound)
		}
	}
	f := noisy[F](rng, n, nx)
	other := slices.Clone(f)
	from, to := []int32{3, 4, 5, 5}, []int32{10, 11, 12, 13}
	NewFillWallLoop(from, to, f).Range(0, len(from))
	l.Run(t, NewFillWallLoop(from, to, other), 0, len(from))
	kerneltest.Same(t, "FillWall", f, other, nil)
	walls := &BrickWalls[F]{Bricks: Bricks{Sends: 1, Order: []int32{2, 0, 1}, Length: []int32{1}},
		First: []int32{0, 1, 3, 4}, From: from, To: to, F: f}
	f[3], f[4], f[5] = 1, 2, 3
	NewFillBrickWallLoop(walls).Range(0, 3)
	if f[10] != 1 || f[11] == 2 || f[13] != 3 { // brick 1 is not in the list
		t.Errorf("ghosts of the bricks in the list are %v", f[10:14])
	}
	translated := *walls
	translated.F = slices.Clone(f)
	copy(translated.F[10:14], []F{-1, f[11], f[12], -1})
	l.Run(t, NewFillBrickWallLoop(&translated), 0, 3)
	kerneltest.Same(t, "FillBrickWall", f, translated.F, nil)
	compareGhostTiles(t, l, rng, difference*difference)
}

// compareGhostTiles compares the kernel that finds the kinds of tiles with ghosts with its translation, and both with
// the cells: those tiles become the same in both fields, and others are unchanged.
func compareGhostTiles[F num.Float](t *testing.T, l cudatest.Runner, rng *rand.Rand, roundOff F) {
	const nx, ny, across, up = 3*TileX - 5, 3*TileY - 7, 3, 3
	f := noisy[F](rng, nx*ny, nx)
	for c := range f {
		switch i, j := c%nx/TileX, c/nx/TileY; {
		case i == 0:
			f[c] = 0
		case j == 0:
			f[c] = 1
		}
	}
	order := []int32{0, 1, 4, 6, 8}
	of := func() *TileGhosts[F] {
		return &TileGhosts[F]{Lattice: Lattice{SY: nx}, N: [2]int32{nx, ny}, Tiles: [2]int32{across, up},
			RoundOff: roundOff, F: f, Second: slices.Repeat([]F{7}, nx*ny), Kinds: make([]int32, across*up),
			Others: make([]int32, across*up), Order: order}
	}
	a, b := of(), of()
	NewRefreshGhostTileLoop(a).Range(0, len(order))
	l.Run(t, NewRefreshGhostTileLoop(b), 0, len(order))
	kerneltest.Same(t, "kinds", a.Kinds, b.Kinds, nil)
	kerneltest.Same(t, "kinds of the other field", a.Kinds, b.Others, nil)
	kerneltest.Same(t, "the second field", a.Second, b.Second, nil)
	const empty, full, mixed = NotFull | Synchronised, NotEmpty | Synchronised, Mixed2 | Synchronised
	want := []int32{empty, full, 0, 0, mixed, 0, empty, 0, mixed}
	if !slices.Equal(a.Kinds, want) {
		t.Errorf("kinds %v, want %v", a.Kinds, want)
	}
	for c := range f {
		want := F(7)
		if slices.Contains(order, int32(c%nx/TileX+across*(c/nx/TileY))) {
			want = f[c]
		}
		if a.Second[c] != want {
			t.Fatalf("cell %d, %d of the second field is %v, want %v", c%nx, c/nx, a.Second[c], want)
		}
	}
}

// ghostsOf returns a copy of the array to with the ghosts of the array from, which a step does not change.
func ghostsOf[F num.Float](from, to []F, nx, ny, g int) []F {
	to = slices.Clone(to)
	for c := range from {
		if i, j := c%(nx+2*g)-g, c/(nx+2*g)-g; i < 0 || i >= nx || j < 0 || j >= ny {
			to[c] = from[c]
		}
	}
	return to
}

func listTiles(list *TileList) {
	NewMarkTileLoop(list).Range(0, len(list.Marks))
	NewListTilesLoop(list).Range(0, 1)
}

// kindsAfterCycle returns kinds that the tiles may have ListSteps steps later: fluid moves at most to the next tile,
// and active tiles may differ in the two fields.
func kindsAfterCycle(rng *rand.Rand, tiles [2]int32, kinds, marks []int32) []int32 {
	after := slices.Clone(kinds)
	for t := range after {
		x, y := int32(t)%tiles[0], int32(t)/tiles[0]
		changes := kinds[t]&Mixed2 == Mixed2
		for k := range int32(9) {
			i, j := x+k%3-1, y+k/3-1
			if i >= tiles[0] {
				changes = true // another rank's cells
			} else if i >= 0 && j >= 0 && j < tiles[1] && (kinds[i+j*tiles[0]]^kinds[t])&Mixed2 != 0 {
				changes = true
			}
		}
		if changes && rng.IntN(4) > 0 {
			after[t] = 1 + rng.Int32N(Mixed2)
		}
		if marks[t]&Active == 0 || rng.IntN(2) == 0 {
			after[t] |= Synchronised
		} else {
			after[t] &^= Synchronised
		}
	}
	return after
}
