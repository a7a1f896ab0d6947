package adapt

import (
	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/operation"
	"slices"
)

// claim is what is known of a cell in a round: the highest bid for it in a pass of the choice, and whether an operation
// has taken it.
type claim struct {
	kernels.Bid
	pass  uint32 // of the bid
	taken uint64 // the round in which it was taken
}

// choose returns the candidates that are taken: those with the highest bid for all cells of their cavities, and then,
// repeatedly, those with the highest bids among the ones that share no cell with a taken one.
func (e *engine) choose() (taken []*operation.Candidate) {
	e.claims = append(e.claims, make([]claim, max(0, len(e.Cells)-len(e.claims)))...)
	for open := e.found; ; {
		e.pass++
		for _, c := range open {
			for _, k := range c.Cavity {
				e.raise(k, &c.Bid)
			}
		}
		e.exchangeBids(open)
		first := len(taken)
		for _, c := range open {
			if !slices.ContainsFunc(c.Cavity, func(k int32) bool { return e.claims[k].Bid != c.Bid }) {
				taken = append(taken, c)
				for _, k := range c.Cavity {
					e.claims[k].taken = e.Round
				}
			}
		}
		e.exchangeTaken(taken[first:])
		n := 0
		for _, c := range open {
			if !slices.ContainsFunc(c.Cavity, func(k int32) bool { return e.claims[k].taken == e.Round }) {
				open[n] = c
				n++
			}
		}
		if open = open[:n]; e.total(n) == 0 {
			return taken
		}
	}
}

// raise raises the highest bid for a cell.
func (e *engine) raise(k int32, b *kernels.Bid) {
	c := &e.claims[k]
	if c.pass != e.pass {
		c.pass, c.Bid = e.pass, *b
	} else if c.Bid.Below(b) {
		c.Bid = *b
	}
}
