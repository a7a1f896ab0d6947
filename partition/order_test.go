package partition

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func order(t testing.TB, ordering Ordering, g Graph, x, y []float64, seed uint64) ([]int32, OrderReport) {
	t.Helper()
	perm, err := Order(ordering, g, [][]float64{x, y}, seed)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReportOrder(g, perm) // fails if perm is no permutation
	if err != nil {
		t.Fatalf("order %s: %v", ordering, err)
	}
	return perm, r
}

func TestOrderingsArePermutations(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, _ := drawGraph(rt)
		x := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), g.N(), g.N()).Draw(rt, "x")
		y := rapid.SliceOfN(rapid.Float64Range(-1, 1), g.N(), g.N()).Draw(rt, "y")
		for _, ordering := range Orderings {
			perm, _ := order(t, ordering, g, x, y, 5)
			again, _ := order(t, ordering, g, x, y, 5)
			if !slices.Equal(perm, again) {
				rt.Fatalf("order %s: the second call gives %v, the first %v", ordering, again, perm)
			}
			inverse := Inverse(perm)
			for i, v := range perm {
				if inverse[v] != int32(i) {
					rt.Fatalf("order %s: cell %d is at position %d, but its inverse is %d", ordering, v, i, inverse[v])
				}
			}
		}
	})
}

// RCM and GPS give the vertices of each connected component consecutive numbers.
func TestComponentsAreConsecutive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, _ := drawGraph(rt)
		component := make([]int32, g.N()) // the lowest id of each vertex's component
		for v := range component {
			component[v] = int32(v)
		}
		for range g.N() {
			for v := range int32(g.N()) {
				for _, u := range g.Neighbours(v) {
					component[v] = min(component[v], component[u])
				}
			}
		}
		for _, ordering := range []Ordering{RCM, GPS} {
			perm, _ := order(t, ordering, g, nil, nil, 0)
			components := make([]int32, len(perm))
			for i, v := range perm {
				components[i] = component[v]
			}
			if !slices.IsSorted(components) {
				rt.Fatalf("order %s visits components %v", ordering, components)
			}
		}
	})
}

// RCM and GPS find the known bandwidth of some graphs, for any numbering of their vertices.
func TestKnownBandwidths(t *testing.T) {
	path := func(n int) Graph {
		var edges [][2]int32
		for v := range int32(n - 1) {
			edges = append(edges, [2]int32{v, v + 1})
		}
		return fromEdges(t, n, edges)
	}
	complete := func(n int) Graph {
		var edges [][2]int32
		for v := range int32(n) {
			for u := range v {
				edges = append(edges, [2]int32{u, v})
			}
		}
		return fromEdges(t, n, edges)
	}
	cycle := func(n int) Graph {
		edges := [][2]int32{{int32(n - 1), 0}}
		for v := range int32(n - 1) {
			edges = append(edges, [2]int32{v, v + 1})
		}
		return fromEdges(t, n, edges)
	}
	for _, test := range []struct {
		name  string
		g     Graph
		want  int
		above int // how much more a heuristic may give
	}{
		{"isolated vertices", fromEdges(t, 9, nil), 0, 0},
		{"path of 2", path(2), 1, 0},
		{"path of 101", path(101), 1, 0},
		{"cycle of 50", cycle(50), 2, 0},
		{"complete graph of 12", complete(12), 11, 0},
		// The two neighbours of a corner have equal degrees. If the neighbour along the longer side has the lower id,
		// the bandwidth is one larger.
		{"grid 7 x 30", grid(t, 7, 30), 7, 1},
		{"grid 30 x 7", grid(t, 30, 7), 7, 1},
		{"grid 16 x 16", grid(t, 16, 16), 16, 0},
	} {
		for _, ordering := range []Ordering{RCM, GPS} {
			for seed := range uint64(5) {
				g := relabelled(t, test.g, shuffled(test.g.N(), seed))
				_, r := order(t, ordering, g, nil, nil, 0)
				if r.Bandwidth < test.want || r.Bandwidth > test.want+test.above {
					t.Errorf("%s of a %s: bandwidth %d, want %d", ordering, test.name, r.Bandwidth, test.want)
				}
			}
		}
	}
}

// The relations of Table 3 in "Optimization of a two-layer shallow water solver by reordering of the volumes": the
// natural order of a refined mesh has a bandwidth of exactly 3N/4; RCM reduces it to about 1.2 √N and GPS further.
// The meshes of the paper are not published, so its numbers are not compared.
func TestMeshBandwidths(t *testing.T) {
	m := lattice(21, 21, 3)
	for range 4 {
		m = m.refined()
		g, x, y := m.dual(t)
		n := g.N()
		bandwidth := map[Ordering]int{}
		for _, ordering := range Orderings {
			_, r := order(t, ordering, g, x, y, 1)
			bandwidth[ordering] = r.Bandwidth
		}
		t.Logf("N = %d, √N = %.0f: %v", n, math.Sqrt(float64(n)), bandwidth)
		if bandwidth[Natural] != 3*n/4 {
			t.Errorf("N = %d: refinement gives bandwidth %d, want 3N/4 = %d", n, bandwidth[Natural], 3*n/4)
		}
		if limit := 1.4 * math.Sqrt(float64(n)); float64(bandwidth[RCM]) > limit {
			t.Errorf("N = %d: RCM gives bandwidth %d, want at most 1.4 √N = %.0f", n, bandwidth[RCM], limit)
		}
		if bandwidth[GPS] > bandwidth[RCM] {
			t.Errorf("N = %d: GPS gives bandwidth %d, RCM %d", n, bandwidth[GPS], bandwidth[RCM])
		}
	}
}

// On the structured mesh of 2n² triangles the bandwidth is at most the number of triangles in a row, 2n.
func TestStructuredMeshBandwidth(t *testing.T) {
	for _, n := range []int{8, 33, 64} {
		g, x, y := structured(n).dual(t)
		for _, ordering := range []Ordering{RCM, GPS} {
			_, r := order(t, ordering, g, x, y, 0)
			t.Logf("n = %d: %s gives bandwidth %d", n, ordering, r.Bandwidth)
			if r.Bandwidth > 2*n {
				t.Errorf("n = %d: %s gives bandwidth %d, more than the natural order's %d", n, ordering, r.Bandwidth, 2*n)
			}
		}
	}
}

func TestShuffleIsUniformAndFixed(t *testing.T) {
	counts := map[string]int{}
	const trials = 24_000
	for seed := range uint64(trials) {
		counts[fmt.Sprint(shuffled(4, seed))]++
	}
	for perm, count := range counts { // 24 permutations; 1000 each, standard deviation 31
		if count < 850 || count > 1150 {
			t.Errorf("permutation %s occurred %d times of %d, want 850 to 1150", perm, count, trials)
		}
	}
	if len(counts) != 24 {
		t.Errorf("%d permutations of 4, want 24", len(counts))
	}
	// The first outputs for seed 1234567 are those of the reference implementation, prng.di.unimi.it/splitmix64.c.
	random := splitMix(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		if got := random.next(); got != want {
			t.Errorf("output %d of SplitMix64 is %d, want %d", i, got, want)
		}
	}
}

func TestOrderRefusals(t *testing.T) {
	g := grid(t, 2, 2)
	four := []float64{0, 1, 2, 3}
	for _, test := range []struct {
		ordering Ordering
		x, y     []float64
		want     string
	}{
		{"rcmk", four, four, `unknown order "rcmk": choose one of natural, rcm, gps, hilbert, random`},
		{"", four, four, "unknown order"},
		{Hilbert, four, four[:3], "3 coordinates y for 4 cells"},
		{Hilbert, nil, nil, "0 coordinates x for 4 cells"},
		{Hilbert, four, []float64{0, 0, math.NaN(), 0}, "cell 2: coordinate y is NaN"},
		{Hilbert, []float64{math.Inf(-1), 0, 0, 0}, four, "cell 0: coordinate x is -Inf"},
		{Hilbert, []float64{-math.MaxFloat64, math.MaxFloat64, 0, 0}, four, "span more than float64 can hold"},
	} {
		_, err := Order(test.ordering, g, [][]float64{test.x, test.y}, 0)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("order %q: error %v, want %q", test.ordering, err, test.want)
		}
	}
}
