package adapt

import "slices"

// claim is what is known of a cell in a round: the highest bid for it in a pass of the choice, and whether an operation
// has taken it.
type claim struct {
	bid
	pass  uint32 // of the bid
	taken uint64 // the round in which it was taken
}

// choose returns the candidates that are taken: those with the highest bid for all cells of their cavities, and then,
// repeatedly, those with the highest bids among the ones that share no cell with a taken one.
func (e *engine) choose() (taken []*candidate) {
	e.claims = append(e.claims, make([]claim, max(0, len(e.Cells)-len(e.claims)))...)
	for open := e.found; ; {
		e.pass++
		for _, c := range open {
			for _, k := range c.cavity {
				e.raise(k, &c.bid)
			}
		}
		e.exchangeBids(open)
		first := len(taken)
		for _, c := range open {
			if !slices.ContainsFunc(c.cavity, func(k int32) bool { return e.claims[k].bid != c.bid }) {
				taken = append(taken, c)
				for _, k := range c.cavity {
					e.claims[k].taken = e.round
				}
			}
		}
		e.exchangeTaken(taken[first:])
		n := 0
		for _, c := range open {
			if !slices.ContainsFunc(c.cavity, func(k int32) bool { return e.claims[k].taken == e.round }) {
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
func (e *engine) raise(k int32, b *bid) {
	c := &e.claims[k]
	if c.pass != e.pass {
		c.pass, c.bid = e.pass, *b
	} else if c.bid.below(b) {
		c.bid = *b
	}
}

// number gives the new vertices of splits, total over all parts, their ids: in the order of the ids of the edges.
func (e *engine) number(taken []*candidate, total int) {
	pairs := e.allPairs(taken)
	slices.SortFunc(pairs, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	for _, c := range taken {
		i, _ := slices.BinarySearchFunc(pairs, [2]int64{c.ida, c.idb}, func(a, b [2]int64) int {
			return slices.Compare(a[:], b[:])
		})
		c.born.id = e.NextID + int64(i)
	}
	e.NextID += int64(total)
}
