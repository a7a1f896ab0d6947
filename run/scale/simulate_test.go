package scale

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// testMachine is a machine whose times can be told apart in sums.
func testMachine() *Machine {
	m := &Machine{Latency: 1e-5, Overhead: 1e-7, Gap: 1e-6, GapPerByte: 1e-9}
	if err := m.check(); err != nil {
		panic(err)
	}
	return m
}

// ring returns a world in which each rank sends a message of some items to the next.
func ring(ranks int, items int32) *World {
	var all []message
	for r := range ranks {
		all = append(all, message{int32(r), int32((r + 1) % ranks), items})
	}
	return &World{Ranks: ranks, exchanges: map[int]*exchange{7: {phases: []phase{newPhase(ranks, all)}}}}
}

func play(t *testing.T, w *World, m *Machine, ops []operation, times func(rank, group int) float64) Timing {
	t.Helper()
	if times == nil {
		times = func(int, int) float64 { return 0 }
	}
	got, err := simulate(context.Background(), w, m, &sequence{ops: ops}, times, Noise{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12+1e-9*want {
		t.Errorf("%s: %g s, want %g", what, got, want)
	}
}

// TestRing: a message of n bytes takes 2 o + L + G n, and a computation beside it hides what the processor does not do.
func TestRing(t *testing.T) {
	m := testMachine()
	w := ring(5, 1000)
	const itemBytes = 8
	steps := []operation{{kind: opStart, tag: 7, bytes: itemBytes}, {kind: opFinish, tag: 7, of: 1}}
	flight := m.Latency + m.GapPerByte*1000*itemBytes
	near(t, "a message", play(t, w, m, steps, nil).Total, 2*m.Overhead+flight)
	for _, computed := range []float64{flight / 3, 3 * flight} {
		got := play(t, w, m, steps, func(_, group int) float64 { return computed * float64(group) })
		near(t, "a message beside a computation", got.Total, 2*m.Overhead+max(flight, computed))
		near(t, "computed", got.Compute, computed)
	}
	ten := steps
	for range 9 {
		ten = append(ten, steps...)
	}
	near(t, "ten messages", play(t, w, m, ten, nil).Total, 10*(2*m.Overhead+flight))

	m.Eager = 100 // bytes: a request and an answer come first
	near(t, "a long message", play(t, w, m, steps, nil).Total, 2*m.Overhead+2*m.Latency+flight)
}

// TestLateRank: a rank that computes longer delays the next in a ring by one rank a step.
func TestLateRank(t *testing.T) {
	m := testMachine()
	step := []operation{{kind: opStart, tag: 7, bytes: 8, of: 1}, {kind: opFinish, tag: 7}}
	got := play(t, ring(4, 1), m, step, func(rank, group int) float64 {
		if rank == 2 && group == 1 {
			return 1
		}
		return 0
	})
	near(t, "late", got.Total, 1+2*m.Overhead+m.Latency+8*m.GapPerByte)
	near(t, "busiest", got.Busiest, 1)
}

// TestGap: messages of a rank leave it g + G n apart.
func TestGap(t *testing.T) {
	m := testMachine()
	all := []message{{0, 1, 100}, {0, 2, 100}, {0, 3, 100}}
	w := &World{Ranks: 4, exchanges: map[int]*exchange{7: {phases: []phase{newPhase(4, all)}}}}
	got := play(t, w, m, []operation{{kind: opStart, tag: 7, bytes: 1}, {kind: opFinish, tag: 7}}, nil)
	apart := m.Gap + 100*m.GapPerByte
	near(t, "three messages", got.Total, m.Overhead+2*apart+m.Latency+100*m.GapPerByte+m.Overhead)
}

// TestReductions: by doubling a reduction over 2^k ranks takes k messages in succession, along a tree 2 k.
func TestReductions(t *testing.T) {
	m := testMachine()
	reduce := []operation{{kind: opReduce, bytes: 8}}
	message := 2*m.Overhead + m.Latency + 8*m.GapPerByte
	for k, ranks := range []int{1, 2, 4, 8, 16, 32, 64} {
		w := &World{Ranks: ranks, exchanges: map[int]*exchange{}}
		near(t, doubling, play(t, w, m, reduce, nil).Total, float64(k)*message)
		byTree := *m
		byTree.Reduction = tree
		got := play(t, w, &byTree, reduce, nil).Total
		// The root sends to its children in turn, o each, and the first of them has the deepest tree.
		near(t, tree, got, 2*float64(k)*message)
	}
	for _, ranks := range []int{3, 6, 100, 1000} { // no power of 2: one or two messages more by doubling
		w := &World{Ranks: ranks, exchanges: map[int]*exchange{}}
		rounds := play(t, w, m, reduce, nil).Total/message - math.Floor(math.Log2(float64(ranks)))
		if rounds < 1-1e-9 || rounds > 2+1e-9 {
			t.Errorf("%d ranks: %g messages more than rounds", ranks, rounds)
		}
	}
	late := func(rank, _ int) float64 { return map[bool]float64{rank == 5: 1}[true] }
	w := &World{Ranks: 8, exchanges: map[int]*exchange{}}
	near(t, "a late rank", play(t, w, m, reduce, late).Total, 1+3*message)
}

// TestSlowerMachinesAreSlower: no parameter of a machine makes steps faster if it grows, on worlds at random.
func TestSlowerMachinesAreSlower(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		ranks := 2 + random.IntN(40)
		var all []message
		for r := range ranks {
			for q := range ranks {
				if r != q && random.IntN(4) == 0 {
					all = append(all, message{int32(r), int32(q), int32(1 + random.IntN(1000))})
				}
			}
		}
		w := &World{Ranks: ranks, exchanges: map[int]*exchange{7: {phases: []phase{newPhase(ranks, all)}}}}
		ops := []operation{{kind: opStart, tag: 7, bytes: 8}, {kind: opFinish, tag: 7, of: 1},
			{kind: opReduce, bytes: 8, of: 2}}
		times := func(rank, group int) float64 { return 1e-6 * float64((rank*7+group*3)%11) }
		m := testMachine()
		m.Eager = 4000
		if random.IntN(2) == 0 {
			m.Reduction = tree
		}
		before := play(t, w, m, ops, times).Total
		for k, p := range []*float64{&m.Latency, &m.Overhead, &m.OverheadPerByte, &m.Gap, &m.GapPerByte} {
			*p = 2**p + 1e-9
			after := play(t, w, m, ops, times).Total
			if after < before {
				t.Fatalf("parameter %d: %g s after %g", k, after, before)
			}
			before = after
		}
	}
}

// TestNoiseHasASeed: the same seed gives the same times, another one others.
func TestNoiseHasASeed(t *testing.T) {
	total := func(seed uint64) float64 {
		got, err := simulate(context.Background(), ring(64, 1), testMachine(), &sequence{ops: []operation{{kind: opEnd}}},
			func(int, int) float64 { return 1 }, Noise{Share: .1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return got.Total
	}
	if total(1) != total(1) || total(1) == total(2) || total(1) < 1 {
		t.Errorf("totals %g, %g and %g s", total(1), total(1), total(2))
	}
}

// TestLawsAreFound: a law in two of the features is found again from times that it gives.
func TestLawsAreFound(t *testing.T) {
	var samples []sample
	for k := range 8 {
		n := float64(int(100) << k)
		f := [features]float64{1, n, math.Sqrt(n) * float64(1+k%3), n * float64(1+k%2)}
		samples = append(samples, sample{f, 2e-6 + 3e-8*f[3]})
	}
	l := fit(samples)
	for _, s := range samples {
		near(t, "law", l.at(s.of), s.time)
	}
	if l[1] != 0 || l[2] != 0 {
		t.Errorf("law %v has features that it does not need", l)
	}
}
