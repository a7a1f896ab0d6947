package layout

import (
	"testing"

	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
)

// TestStripsHold proves that an inner vertex is in Unsent, that its neighbours in earlier sets are inner vertices
// of the same strip, and that most vertices of a large strip are inner.
func TestStripsHold(t *testing.T) {
	l, err := New(smoothtest.Rectangle(t, 20_000, 5), plainOptions())
	if err != nil {
		t.Fatal(err)
	}
	l.stripBits = 10
	owner := make([]int32, len(l.Class))
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
					if rest := p.Unsent[set]; i < rest.Lo || i >= p.AfterStrips[set] || i >= rest.FirstSliding {
						t.Fatalf("rank %d: inner vertex %d of set %d lies outside of %v up to %d", r, i, set, rest, p.AfterStrips[set])
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
			t.Errorf("rank %d: %d of %d vertices are inner vertices", r, inner, len(p.X))
		}
	}
}
