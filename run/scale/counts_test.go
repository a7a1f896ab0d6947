package scale

import (
	"cmp"
	"context"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
	_ "github.com/atoll-hpc/atoll/solvers/levelset/problem"
	_ "github.com/atoll-hpc/atoll/solvers/shallow/problem"
	_ "github.com/atoll-hpc/atoll/solvers/smooth/problem"
	_ "github.com/atoll-hpc/atoll/solvers/twophase/problem"
	_ "github.com/atoll-hpc/atoll/solvers/vof/problem"
)

// tolerance is the error up to which what depends on particles is predicted.
const tolerance = .15

// TestCountsAreThoseOfRuns predicts 64 ranks from steps recorded on 8, and compares with a run on 64: the messages and
// bytes that each rank sends, its ghosts and neighbours, and the balance of the work. They are the same, except where
// particles move between ranks.
func TestCountsAreThoseOfRuns(t *testing.T) {
	for _, c := range []struct {
		file, name string
		sets       []string
		steps      int // 0: 20
		particles  bool
	}{
		{file: "dam-break.toml", name: "shallow", sets: []string{"time.end=100", "mesh.cells=4000"}},
		{file: "dam-break.toml", name: "shallow order 2",
			sets: []string{"time.end=100", "mesh.cells=4000", "physics.order=2"}},
		{file: "vortex.toml", name: "vof 2D", sets: []string{"grid.cells=[96, 96]"}},
		{file: "enright.toml", name: "vof 3D", sets: []string{"grid.cells=[40, 40, 40]"}},
		{file: "enright-levelset.toml", name: "level set", sets: []string{"grid.cells=[40, 40, 40]"}, particles: true},
		{file: "smooth-sinusoidal.toml", name: "smooth", sets: []string{"mesh.cells=6000"}},
		{file: "rising-bubble.toml", name: "two-phase", sets: []string{"grid.cells=[64, 128]"}, steps: 6},
	} {
		t.Run(c.name, func(t *testing.T) { compareWithRun(t, c.file, c.sets, cmp.Or(c.steps, 20), c.particles) })
	}
}

func compareWithRun(t *testing.T, file string, sets []string, steps int, particles bool) {
	const ranks = 64
	ctx := context.Background()
	c, err := solvers.Load("../../examples/"+file, sets)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(ctx, c, testMachine(), Recording{Ranks: []int{8}, Steps: steps, Most: ranks, Say: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := Record(ctx, c, ranks, steps, ranks)
	if err != nil {
		t.Fatal(err)
	}
	w, err := m.world(ctx, ranks)
	if err != nil {
		t.Fatal(err)
	}
	allBytes, allPredicted := 0.0, 0.0
	for r := range ranks {
		messages, bytes := m.sent(w, r)
		sent := run.Sent(r)
		real := 0.0
		for _, s := range sent {
			real += float64(s.Bytes)
		}
		allBytes, allPredicted = allBytes+real, allPredicted+bytes
		ghosts, neighbours := planned(t, run.plans[r], m.plans)
		switch n := float64(len(sent)); {
		case particles && math.Abs(messages/n-1) > tolerance:
			t.Errorf("rank %d: %g messages, predicted %g", r, n, messages)
		case !particles && (messages != n || bytes != real):
			t.Errorf("rank %d: %g messages of %g bytes, predicted %g of %g", r, n, real, messages, bytes)
		case ghosts != w.Ghosts[r] || !particles && neighbours != w.Neighbours[r]:
			t.Errorf("rank %d: %d ghosts, %d neighbours, predicted %d, %d", r, ghosts, neighbours, w.Ghosts[r], w.Neighbours[r])
		}
	}
	if math.Abs(allPredicted/allBytes-1) > tolerance {
		t.Errorf("%g bytes, predicted %g", allBytes, allPredicted)
	}
	same, err := newWorld(ctx, run.rule, ranks, m.plans, m.sets, false)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := balanceOf(w.Work), balanceOf(same.Work); math.Abs(got/want-1) > tolerance {
		t.Errorf("balance %g, predicted %g", want, got)
	}
}

// Message is a message that a rank has sent.
type Message struct{ Tag, To, Bytes int }

// Sent returns the messages that a rank has sent, in order.
func (t *Trace) Sent(rank int) (all []Message) {
	for _, e := range t.events[rank] {
		if e.kind == post && e.peer >= 0 {
			all = append(all, Message{e.tag, e.peer, e.bytes})
		}
	}
	return all
}

// sent returns the messages and bytes that a rank sends in all steps.
func (m *Model) sent(w *World, rank int) (messages, bytes float64) {
	for _, o := range m.seq.ops {
		if o.kind != opStart {
			continue
		}
		x := w.exchanges[o.tag]
		for k := range x.phases {
			p := &x.phases[k]
			for n := p.first[rank]; n < p.first[rank+1]; n++ {
				messages++
				bytes += o.bytes * float64(p.items[n])
			}
		}
	}
	return messages, bytes
}

// planned returns the ghosts and neighbours of a rank by its real plans.
func planned(t *testing.T, plans, used map[int]halo.Route) (ghosts, neighbours int) {
	peers := map[int]bool{}
	for tag := range used {
		phases, err := halo.Counts(plans[tag])
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, counts := range phases {
			for _, c := range counts {
				n += c.Receive
				if c.Send > 0 {
					peers[c.Rank] = true
				}
			}
		}
		ghosts = max(ghosts, n)
	}
	return ghosts, len(peers)
}

// balanceOf returns the mean in the most.
func balanceOf(work []float64) float64 {
	sum, most := 0.0, 0.0
	for _, n := range work {
		sum, most = sum+n, max(most, n)
	}
	return sum / float64(len(work)) / most
}
