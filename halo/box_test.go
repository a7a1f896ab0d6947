package halo

import (
	"strings"
	"testing"
)

// TestBoxPlanTranscript checks the plan of 5×4 cells, periodic along x, in 2×2 boxes with two ghost layers.
func TestBoxPlanTranscript(t *testing.T) {
	boxes := Boxes{Dim: 2, Cuts: [3][]int{{0, 2, 5}, {0, 2, 4}, {0, 1}}, Periodic: [3]bool{true, false, false}}
	want := map[Schedule]string{
		AxisByAxis: `rank 2: arrays of 6×6×1 cells
  phase 0
    rank 3: send [2:3,2:3,0:0 2:3,2:3,0:0], receive [4:5,2:3,0:0 0:1,2:3,0:0]
  phase 1
    rank 0: send [0:5,2:3,0:0], receive [0:5,0:1,0:0]
`,
		AllNeighbours: `rank 2: arrays of 6×6×1 cells
  phase 0
    rank 0: send [2:3,2:3,0:0], receive [2:3,0:1,0:0]
    rank 1: send [2:3,2:3,0:0 2:3,2:3,0:0], receive [0:1,0:1,0:0 4:5,0:1,0:0]
    rank 3: send [2:3,2:3,0:0 2:3,2:3,0:0], receive [0:1,2:3,0:0 4:5,2:3,0:0]
`,
	}
	for schedule, text := range want {
		plan, err := NewBoxPlan(boxes, 2, 2, [3]int{2, 2, 2}, schedule)
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.String(); got != text {
			t.Errorf("%v: got\n%s\nwant\n%s", schedule, got, text)
		}
	}
}

// TestBoxMessages: AxisByAxis sends at most two messages per axis, AllNeighbours one per neighbour; both receive
// the same number of cells.
func TestBoxMessages(t *testing.T) {
	cuts := []int{0, 4, 8, 12}
	boxes := Boxes{Dim: 3, Cuts: [3][]int{cuts, cuts, cuts}}
	const middle = 13 // rank of the box in the middle
	messages, cells := map[Schedule]int{}, map[Schedule]int{}
	for _, schedule := range []Schedule{AxisByAxis, AllNeighbours} {
		plan, err := NewBoxPlan(boxes, middle, 2, [3]int{2, 2, 2}, schedule)
		if err != nil {
			t.Fatal(err)
		}
		for _, phase := range plan.Phases {
			for _, p := range phase.Peers {
				messages[schedule]++
				for _, region := range p.Recv {
					cells[schedule] += region.cells()
				}
			}
		}
	}
	if messages[AxisByAxis] != 6 || messages[AllNeighbours] != 26 || cells[AxisByAxis] != 8*8*8-4*4*4 ||
		cells[AllNeighbours] != cells[AxisByAxis] {
		t.Errorf("%v messages, %v cells", messages, cells)
	}
}

func TestInvalidBoxes(t *testing.T) {
	good := func() Boxes { return Boxes{Dim: 2, Cuts: [3][]int{{0, 4, 8}, {0, 3}, {0, 1}}} }
	uniform := func(n int) [3]int { return [3]int{n, n, n} }
	for name, c := range map[string]struct {
		change      func(*Boxes)
		rank, ghost int
		width       [3]int
		schedule    Schedule
		want        string
	}{
		"one dimension":           {func(b *Boxes) { b.Dim = 1 }, 0, 1, uniform(1), AxisByAxis, "want 2 or 3"},
		"no box":                  {func(b *Boxes) { b.Cuts[0] = []int{0} }, 0, 1, uniform(1), AxisByAxis, "along x"},
		"two cells along z in 2D": {func(b *Boxes) { b.Cuts[2] = []int{0, 2} }, 0, 1, uniform(1), AxisByAxis, "along z"},
		"descending": {func(b *Boxes) { b.Cuts[0] = []int{0, 5, 4} }, 0, 1, uniform(1), AxisByAxis,
			"box 1 along x has -1"},
		"no such rank":          {func(*Boxes) {}, 2, 1, uniform(1), AxisByAxis, "rank 2 has no box"},
		"negative rank":         {func(*Boxes) {}, -1, 1, uniform(1), AxisByAxis, "rank -1"},
		"negative layers":       {func(*Boxes) {}, 0, -1, uniform(0), AxisByAxis, "-1 ghost layers"},
		"wider than the arrays": {func(*Boxes) {}, 0, 1, uniform(2), AxisByAxis, "2 along x"},
		"negative width":        {func(*Boxes) {}, 0, 1, uniform(-1), AxisByAxis, "-1 along x"},
		"too thin":              {func(*Boxes) {}, 0, 5, uniform(5), AxisByAxis, "fewer boxes along x"},
		"another box too thin": {func(b *Boxes) { b.Cuts[0] = []int{0, 4, 8, 9} }, 0, 2, uniform(2), AllNeighbours,
			"box 2 along x has 1"},
		"too thin for a period": {func(b *Boxes) { b.Periodic[0] = true }, 0, 5, uniform(5), AllNeighbours,
			"box 0 along x has 4 cells"},
		"a part beyond the grid": {func(b *Boxes) { b.Parts = []Box{{Hi: [3]int{8, 4, 1}}} }, 0, 1, uniform(1), AxisByAxis,
			"rank 0 has cells 0 to 3 along y"},
		"an empty part": {func(b *Boxes) { b.Parts = []Box{{Hi: [3]int{8, 3, 1}}, {Hi: [3]int{8, 0, 1}}} }, 0, 1, uniform(1),
			AxisByAxis, "rank 1 has cells 0 to -1 along y"},
		"parts with a gap": {func(b *Boxes) { b.Parts = []Box{{Hi: [3]int{7, 3, 1}}} }, 0, 1, uniform(1), AxisByAxis,
			"21 cells, the grid 24"},
		"unknown schedule": {func(*Boxes) {}, 0, 1, uniform(1), 7, "unknown schedule"},
	} {
		b := good()
		c.change(&b)
		if _, err := NewBoxPlan(b, c.rank, c.ghost, c.width, c.schedule); err == nil || !strings.Contains(err.Error(),
			c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	// A thin box without others beside it along the axis is valid.
	for _, periodic := range []bool{false, true} {
		b := good()
		b.Periodic[1] = periodic
		if _, err := NewBoxPlan(b, 0, 4, uniform(4), AllNeighbours); err != nil {
			t.Error(err)
		}
	}
}
