package smooth

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
)

// layoutOf is the layout of TwoLevel.
func layoutOf(t testing.TB, m *mesh.Mesh, change func(o *LayoutOptions)) *Layout {
	t.Helper()
	o := plain().layout
	o.Colouring = TwoLevel
	if change != nil {
		change(&o)
	}
	l, err := NewLayout(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestClusters: clusters hold vertices of one class, at most 32, and share a set only where no edge joins them; within
// a cluster neighbours have different turns, and so they have wherever they are. Neither the order nor the way in which
// sets are taken changes a turn.
func TestClusters(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := rectangle(t, rapid.IntRange(2, 4000).Draw(r, "cells"), rapid.Uint64().Draw(r, "seed"))
		dedicated := rapid.Bool().Draw(r, "dedicated")
		l := layoutOf(t, m, func(o *LayoutOptions) { o.Dedicated = dedicated })
		size, class := map[int32]int{}, map[int32]int8{}
		for v := range int32(len(m.X)) {
			k := l.cluster[v]
			if (k >= 0) != (l.class[v] != fixed) {
				r.Fatalf("vertex %d of class %d is in cluster %d", v, l.class[v], k)
			}
			if k < 0 {
				continue
			}
			if was, ok := class[k]; ok && was != l.class[v] {
				r.Fatalf("cluster %d is of two classes", k)
			}
			size[k]++
			class[k] = l.class[v]
			for _, u := range l.rings.Of(v) {
				if l.cluster[u] < 0 {
					continue
				}
				if l.set[u] == l.set[v] && l.cluster[u] != k {
					r.Fatalf("neighbours %d and %d are in set %d and clusters %d and %d", u, v, l.set[v], l.cluster[u], k)
				}
				if l.turn[u] == l.turn[v] || l.set[u] < l.set[v] && l.turn[u] > l.turn[v] {
					r.Fatalf("neighbours %d and %d: sets %d and %d, turns %d and %d", u, v, l.set[u], l.set[v], l.turn[u], l.turn[v])
				}
			}
		}
		for k, n := range size {
			if n > clusterSize {
				r.Fatalf("cluster %d has %d vertices", k, n)
			}
		}
		spread := layoutOf(t, m, func(o *LayoutOptions) {
			o.Spread, o.Order, o.Seed, o.Dedicated = true, partition.Random, 5, dedicated
		})
		if !slices.Equal(spread.turn, l.turn) || !slices.Equal(spread.set, l.turn) || spread.Colours() != l.Colours() {
			r.Fatal("spread sets are not the turns")
		}
	})
}

// TestClusteredParts: a rank has whole clusters, whoever was to own their vertices, and a part tells where each begins.
func TestClusteredParts(t *testing.T) {
	m := rectangle(t, 3000, 4)
	l := layoutOf(t, m, nil)
	owner := make([]int32, len(m.X))
	for v := range owner {
		owner[v] = int32(hash(int32(v)) % 3)
	}
	parts, err := l.Parts(owner, 4)
	if err != nil {
		t.Fatal(err)
	}
	at, begun := map[int32]int{}, 0
	for r, p := range parts {
		begun += len(p.Clusters)
		for i, v := range p.Global[:p.Owned] {
			k := l.cluster[v]
			if k < 0 {
				continue
			}
			if was, ok := at[k]; ok && was != r {
				t.Fatalf("cluster %d is on ranks %d and %d", k, was, r)
			}
			at[k] = r
			_, begins := slices.BinarySearch(p.Clusters, int32(i))
			if begins != (i == 0 || l.cluster[p.Global[i-1]] != k) {
				t.Fatalf("rank %d, vertex %d: a cluster begins: %v", r, i, begins)
			}
		}
	}
	if begun != len(at) || begun < len(m.X)/clusterSize {
		t.Errorf("%d clusters begin, of %d", begun, len(at))
	}
}

// TestClusteredRefused: culled sweeps tell the sets of neighbours apart, and so need spread ones.
func TestClusteredRefused(t *testing.T) {
	s := plain()
	s.layout.Colouring = TwoLevel
	err := s.on(t, rectangle(t, 200, 1), swirl(t), Config{Smoother: "smart", Guard: "none", Cull: true},
		func(dist.Comm, *Part, Solver) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "set LayoutOptions.Spread") {
		t.Error(err)
	}
}

// BenchmarkColourings takes sweeps, from a random numbering as from any, on one goroutine and on two.
func BenchmarkColourings(b *testing.B) {
	m := rectangle(b, 500_000, 1)
	for _, colouring := range []Colouring{JonesPlassmann, TwoLevel} {
		for _, threads := range []int{1, 2} {
			b.Run(string(colouring)+"/"+string(rune('0'+threads)), func(b *testing.B) {
				s := plain()
				s.layout.Colouring, s.threads = colouring, threads
				cfg := Config{Smoother: "pain", Guard: "none", Rescale: true}
				err := s.on(b, m, swirl(b), cfg, func(_ dist.Comm, _ *Part, solver Solver) error {
					for b.Loop() {
						if _, err := solver.Sweep(b.Context(), 10); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10/float64(len(m.X)), "ns/vertex")
			})
		}
	}
}

// ranges are those that a kernel was asked for.
type ranges [][2]int

func (r *ranges) Range(lo, hi int) { *r = append(*r, [2]int{lo, hi}) }

// TestClustersStayWhole: however a set is cut, the kernel gets all of it, in pieces that begin and end with clusters.
func TestClustersStayWhole(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		starts := []int32{3}
		for range rapid.IntRange(0, 20).Draw(r, "clusters") {
			starts = append(starts, starts[len(starts)-1]+rapid.Int32Range(1, 5).Draw(r, "size"))
		}
		end := int(starts[len(starts)-1])
		var got ranges
		c := &clustered{&got, append(starts, int32(end)+4), end} // with a cluster of the next set
		lo := 3
		for lo < end {
			hi := rapid.IntRange(lo+1, end).Draw(r, "cut")
			c.Range(lo, hi)
			lo = hi
		}
		next := 3
		for _, g := range got {
			if _, begins := slices.BinarySearch(starts, int32(g[0])); g[0] != next || !begins {
				r.Fatalf("clusters from %v: ranges %v", starts, got)
			}
			next = g[1]
		}
		if next != end {
			r.Fatalf("clusters from %v: ranges %v", starts, got)
		}
	})
}
