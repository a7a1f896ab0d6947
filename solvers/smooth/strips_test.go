package smooth

import (
	"testing"

	"github.com/atoll-hpc/atoll/partition"
)

// TestStripsSame: sweeps that take strips through all sets give the bits of those of one set after the other, with
// every smoother, on any number of ranks and threads, in any order.
func TestStripsSame(t *testing.T) {
	t.Parallel()
	m := rectangle(t, 1200, 9)
	metric := swirl(t)
	for k, smoother := range Smoothers {
		cfg := Config{Smoother: smoother, Guard: Guards[k%3], Cull: k%2 == 1 && smoother != "barrier",
			Settled: 1e-3, Gain: 1e-6, Rescale: true}
		s := plain()
		s.stripBits = 30 // one strip, and so none
		s.layout.Dedicated = k == 2
		want := s.run(t, m, metric, cfg, 5)
		for j, order := range []partition.Ordering{partition.Hilbert, partition.Natural, partition.Random} {
			for ranks := 1; ranks <= 3; ranks++ {
				s.stripBits, s.ranks, s.threads = 6, ranks, 1+(j+ranks)%2
				s.layout.Order, s.layout.Deep = order, (j+k)%2 == 1
				if got := s.run(t, m, metric, cfg, 5); got != want {
					t.Errorf("%s, %d ranks, order %s: with strips\n%+v, without\n%+v", smoother, ranks, order, got, want)
				}
			}
		}
	}
}

// TestStripsHold: an inner vertex is in Rest, and each of its neighbours in an earlier set is an inner vertex of the
// same strip. Most vertices of a large strip are inner ones.
func TestStripsHold(t *testing.T) {
	l, err := NewLayout(rectangle(t, 20_000, 5), plain().layout)
	if err != nil {
		t.Fatal(err)
	}
	l.stripBits = 10
	owner := make([]int32, len(l.class))
	for v := range owner {
		owner[v] = int32(v % 5000 / 2500)
	}
	parts, err := l.Parts(owner, 2)
	if err != nil {
		t.Fatal(err)
	}
	for r, p := range parts {
		strip := make([]int, len(p.X)) // of inner vertices, counted from 1
		inner := 0
		for k, sets := range p.Strips {
			for set, s := range sets {
				for i := s.Lo; i < s.Hi; i++ {
					strip[i] = k + 1
					inner++
					if rest := p.Rest[set]; i < rest.Lo || i >= p.Rim[set] || i >= rest.Slide {
						t.Fatalf("rank %d: inner vertex %d of set %d lies outside of %v up to %d", r, i, set, rest, p.Rim[set])
					}
				}
			}
		}
		for i, k := range strip {
			if k == 0 {
				continue
			}
			for _, u := range p.neighbours(int32(i)) {
				if l.set[p.Global[u]] < l.set[p.Global[i]] && strip[u] != k {
					t.Fatalf("rank %d: vertex %d of strip %d moves after vertex %d of strip %d", r, i, k, u, strip[u])
				}
			}
		}
		if inner < len(p.X)/2 {
			t.Errorf("rank %d: %d of %d vertices are inner ones", r, inner, len(p.X))
		}
	}
}
