package halo

import (
	"testing"

	"pgregory.net/rapid"
)

// TestItemsTranscript checks the plan for exchanges of items (particles that change their rank, vertices that have
// moved) of the middle part of a mesh in three parts, where one neighbour sends nothing back, and of a box with
// neighbours across corners and periods.
func TestItemsTranscript(t *testing.T) {
	plans, err := Plans([][]int32{{0, 1}, {2, 3}, {4}}, [][][]int32{{nil, {2, 3}, nil}, {{1}, nil, nil}, {nil, {3}, nil}})
	if err != nil {
		t.Fatal(err)
	}
	twice := func(cells int) int { return 2 * cells }
	if got, want := plans[1].Items(twice).String(), `rank 1
  rank 0: send up to 4, receive up to 2
  rank 2: send up to 2, receive up to 0
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	boxes := Boxes{Dim: 2, Cuts: [3][]int{{0, 2, 5}, {0, 2, 4}, {0, 1}}, Periodic: [3]bool{true, false, false}}
	for _, schedule := range []Schedule{AxisByAxis, AllNeighbours} {
		plan, err := NewBoxPlan(boxes, 2, 2, [3]int{2, 2, 2}, schedule)
		if err != nil {
			t.Fatal(err)
		}
		items, err := plan.Items(twice)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := items.String(), `rank 2
  rank 0: send up to 8, receive up to 8
  rank 1: send up to 16, receive up to 16
  rank 3: send up to 16, receive up to 16
`; got != want {
			t.Errorf("%v: got\n%s\nwant\n%s", schedule, got, want)
		}
	}
}

// TestItemPlansAgree: for random divisions of a grid, a rank may send what its peer may receive, and no rank is its
// own peer.
func TestItemPlansAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomBoxes(t)
		plans := make([]*ItemPlan, c.ranks)
		for r := range plans {
			plan, err := NewBoxPlan(c.boxes, r, c.ghost, c.width, c.schedule)
			if err != nil {
				t.Fatal(err)
			}
			if plans[r], err = plan.Items(func(cells int) int { return 3*cells + 1 }); err != nil {
				t.Fatal(err)
			}
		}
		for r, plan := range plans {
			for k, p := range plan.Peers {
				back, ok := plans[p.Rank].Index(r)
				if !ok || p.Rank == r {
					t.Fatalf("%+v: rank %d has rank %d for a peer, which does not have it", c, r, p.Rank)
				}
				if other := plans[p.Rank].Peers[back]; other.Send != p.Receive || other.Receive != p.Send || p.Send < 4 {
					t.Fatalf("%+v: rank %d: %+v, rank %d: %+v", c, r, p, p.Rank, other)
				}
				if index, ok := plan.Index(p.Rank); !ok || index != k {
					t.Fatalf("rank %d is found at %d of %v", p.Rank, index, plan)
				}
			}
			if _, ok := plan.Index(c.ranks); ok {
				t.Fatalf("rank %d has a peer that does not exist", r)
			}
		}
	})
}

// TestItemPeersAreAllNeighbours: an inner box in 3D has 26 peers, and none along an axis of width 0.
func TestItemPeersAreAllNeighbours(t *testing.T) {
	cuts := []int{0, 4, 8, 12}
	for width, want := range map[[3]int]int{{2, 2, 2}: 26, {1, 2, 0}: 8, {0, 0, 1}: 2, {0, 0, 0}: 0} {
		plan, err := NewBoxPlan(Boxes{Dim: 3, Cuts: [3][]int{cuts, cuts, cuts}}, 13, 2, width, AxisByAxis)
		if err != nil {
			t.Fatal(err)
		}
		items, err := plan.Items(func(cells int) int { return cells })
		if err != nil {
			t.Fatal(err)
		}
		if len(items.Peers) != want {
			t.Errorf("width %v: %d peers, want %d", width, len(items.Peers), want)
		}
	}
}
