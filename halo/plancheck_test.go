package halo

import (
	"strings"
	"testing"
)

// TestPlanCheck: plans from Plans are valid, and each kind of error is reported.
func TestPlanCheck(t *testing.T) {
	good := func() *Plan {
		plans, err := Plans([][]int32{{0, 1}, {2, 3}, {4}}, [][][]int32{{nil, {2, 3}, nil}, {{1}, nil, nil}, {nil, {3}, nil}})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range plans {
			if err := p.Check(3); err != nil {
				t.Error(err)
			}
		}
		return plans[1]
	}
	for name, c := range map[string]struct {
		spoil func(p *Plan)
		want  string
	}{
		"rank":              {func(p *Plan) { p.Rank = 3 }, "a plan of rank 3 of 3"},
		"negative rank":     {func(p *Plan) { p.Rank = -1 }, "a plan of rank -1"},
		"negative cells":    {func(p *Plan) { p.Owned = -1 }, "-1 cells"},
		"negative ghosts":   {func(p *Plan) { p.Ghosts = -1 }, "-1 ghosts"},
		"too many ghosts":   {func(p *Plan) { p.Ghosts = 1 << 31 }, "2147483648 ghosts"},
		"too many cells":    {func(p *Plan) { p.Owned = 1 << 31 }, "2147483648 cells"},
		"itself a peer":     {func(p *Plan) { p.Peers[0].Rank = 1 }, "has rank 1 for a peer"},
		"a missing peer":    {func(p *Plan) { p.Peers[1].Rank = 3 }, "has rank 3 for a peer"},
		"a negative peer":   {func(p *Plan) { p.Peers[0].Rank = -1 }, "has rank -1 for a peer"},
		"peers in disorder": {func(p *Plan) { p.Peers[0].Rank = 2 }, "has rank 2 for a peer, after rank 2"},
		"a ghost of nobody": {func(p *Plan) { p.Ghosts++ }, "ghosts [3, 4) belong to no peer"},
		"a ghost too many":  {func(p *Plan) { p.Peers[0].Hi++ }, "belong to no peer"},
		"a gap":             {func(p *Plan) { p.Peers[0].Lo++; p.Peers[0].Hi++ }, "begins at 2"},
		"backwards":         {func(p *Plan) { p.Peers[0].Lo, p.Peers[0].Hi = 3, 2 }, "ghosts [3, 2)"},
		"empty, negative":   {func(p *Plan) { p.Peers[1].Lo, p.Peers[1].Hi = -1, -1 }, "ghosts [-1, -1)"},
		"empty, beyond":     {func(p *Plan) { p.Peers[1].Lo, p.Peers[1].Hi = 9, 9 }, "ghosts [9, 9)"},
		"a negative cell":   {func(p *Plan) { p.Peers[0].Send[0] = -1 }, "cell -1 of 2 is to be sent to rank 0"},
		"a ghost is sent":   {func(p *Plan) { p.Peers[1].Send[0] = 2 }, "cell 2 of 2 is to be sent to rank 2"},
	} {
		p := good()
		c.spoil(p)
		if err := p.Check(3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
