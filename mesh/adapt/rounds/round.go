package rounds

import (
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
)

// find finds the candidates of a round, and returns their numbers. Vertices without one are unmarked.
func (r *Rounds) find() []int32 {
	var n int
	switch r.n.Kind {
	case kernels.Split:
		n = r.findSplits()
	case kernels.Swap:
		edges := r.edges()
		n = len(edges)
		run(r, kernels.NewJudgeSwapsLoop(&r.m, r.rules, edges, reserve(r, &r.all, n), r.keep), n)
	default:
		run(r, kernels.NewFindVerticesLoop(&r.n, &r.m, r.rules, r.marks, r.keep), int(r.n.Vertices))
		vertices := r.compact(&r.list, r.numbers[:r.n.Vertices])
		n = len(vertices)
		run(r, kernels.NewJudgeCollapsesLoop(&r.n, &r.m, r.rules, vertices, reserve(r, &r.all, n), r.keep), n)
	}
	found := r.compact(&r.candidates, r.numbers[:n])
	run(r, kernels.NewNotePivotsLoop(found, r.all, r.found), len(found))
	run(r, kernels.NewUnmarkLoop(&r.n, &r.m, r.rules, r.found, r.marks), int(r.n.Vertices))
	return found
}

// edges returns the edges that may be split or swapped.
func (r *Rounds) edges() []int32 {
	n := 3 * int(r.n.Cells)
	run(r, kernels.NewFindEdgesLoop(&r.n, &r.m, r.rules, r.marks, r.keep), n)
	return r.compact(&r.list, r.numbers[:n])
}

// findSplits sets keep to whether the edges that may be split are, and returns their number.
func (r *Rounds) findSplits() int {
	edges := r.edges()
	n := len(edges)
	all, births := reserve(r, &r.all, n), reserve(r, &r.births, n)
	x, want := reserve(r, &r.x, n), reserve(r, &r.want, n)
	run(r, kernels.NewPlaceSplitsLoop(&r.m, r.rules, edges, all, births, x), n)
	r.evaluate(n)
	run(r, kernels.NewProbeSplitsLoop(&r.m, r.rules, all, births, x, want), n)
	r.evaluate(n)
	run(r, kernels.NewJudgeSplitsLoop(&r.m, r.rules, all, births, want, r.keep), n)
	return n
}

// choose returns the candidates that are taken: those with the highest bid for all cells of their cavities, and then,
// repeatedly, those with the highest bids among the ones that share no cell with a taken one.
func (r *Rounds) choose(found []int32) []int32 {
	cells := int(r.n.Cells)
	run(r, kernels.NewFreeCellsLoop(&r.claims), cells)
	lists := [2]*[]int32{&r.open, &r.others}
	for open, pass := found, 0; len(open) > 0 && r.err == nil; pass++ {
		run(r, kernels.NewClearClaimsLoop(&r.claims), cells)
		run(r, kernels.NewRaiseKeysLoop(&r.m, open, r.all, &r.claims), len(open))
		run(r, kernels.NewRaiseLowsLoop(&r.m, open, r.all, &r.claims), len(open))
		run(r, kernels.NewRaiseHighsLoop(&r.m, open, r.all, &r.claims), len(open))
		run(r, kernels.NewTakeLoop(&r.m, open, r.all, &r.claims), len(open))
		run(r, kernels.NewDropLoop(&r.m, open, r.all, &r.claims, r.keep), len(open))
		open = r.compact(lists[pass%2], open)
	}
	run(r, kernels.NewFindTakenLoop(found, r.all, r.keep), len(found))
	return r.compact(&r.taken, found)
}

// apply applies candidates, whose cavities are disjoint.
func (r *Rounds) apply(taken []int32) {
	n := len(taken)
	r.born = 0
	cells, ends := 0, 0
	if r.n.Kind == kernels.Split {
		cells, ends = r.bear(taken)
	}
	vertices := int(r.n.Vertices) + r.born
	run(r, kernels.NewTouchLoop(&r.m, taken, r.all, r.state), n)
	run(r, kernels.NewApplyLoop(&r.m, taken, r.all, r.births, r.state), n)
	run(r, kernels.NewCountBallsLoop(&r.n, &r.m, taken, r.all, &r.claims, r.state, r.most), vertices)
	r.widen(r.largest())
	run(r, kernels.NewWriteBallsLoop(&r.n, &r.m, taken, r.all, &r.claims, r.state, r.next, r.counts), vertices)
	run(r, kernels.NewKeepBallsLoop(&r.n, &r.m, r.next, r.counts, r.state, r.marks), vertices)
	r.n.Vertices, r.n.NextID = int32(vertices), r.n.NextID+int64(r.born)
	r.n.Cells, r.n.Ends = r.n.Cells+int32(cells), r.n.Ends+int32(ends)
	switch r.n.Kind {
	case kernels.Split:
		r.live += n
	case kernels.Swap:
	default:
		r.live -= n
	}
}

// largest is the largest number of cells around a vertex of those that change.
func (r *Rounds) largest() int32 {
	if r.err != nil {
		return 0
	}
	most, err := primitives.Max(r.work, r.most)
	r.note(err)
	return most
}

// bear adds the new vertices of splits, in the order of the ids of their edges, and returns by how many cells and edges
// of lines the arrays become longer.
func (r *Rounds) bear(taken []int32) (cells, ends int) {
	n := len(taken)
	keys := reserve(r, &r.keys, n)
	run(r, kernels.NewHighIDsLoop(taken, r.all, keys), n)
	r.sort(keys, taken)
	run(r, kernels.NewLowIDsLoop(taken, r.all, keys), n)
	r.sort(keys, taken)
	newCells, newEnds := reserve(r, &r.newCells, n), reserve(r, &r.newEnds, n)
	run(r, kernels.NewCountNewLoop(taken, r.all, r.births, newCells, newEnds), n)
	cells, ends = r.scan(newCells), r.scan(newEnds)
	run(r, kernels.NewFindDeadLoop(&r.m, r.keep), int(r.n.Cells))
	unused := r.compact(&r.unused, r.numbers[:r.n.Cells])
	r.n.Unused = int32(len(unused))
	cells = max(0, cells-len(unused))
	r.growVertices(int(r.n.Vertices) + n)
	r.growCells(int(r.n.Cells) + cells)
	if more := int(r.n.Ends) + ends; more > len(r.m.Ends) {
		resize(r, &r.m.Ends, 2*more, int(r.n.Ends))
	}
	r.born = n
	run(r, kernels.NewBearLoop(&r.n, &r.m, taken, r.all, r.births, newCells, newEnds, r.unused, r.state), n)
	return cells, ends
}

func (r *Rounds) sort(keys []uint64, taken []int32) {
	if r.err == nil {
		r.note(primitives.SortByKey(r.work, keys, taken))
	}
}

// scan replaces numbers by the sums of those before, and returns the sum of all.
func (r *Rounds) scan(numbers []int32) int {
	if r.err != nil {
		return 0
	}
	total, err := primitives.ExclusiveScan(r.work, numbers, numbers)
	r.note(err)
	return int(total)
}

// Sweep moves the marked vertices, each once: in sets of vertices without edges between them.
func (r *Rounds) Sweep() {
	n := int(r.n.Vertices)
	run(r, kernels.NewBeginSweepLoop(&r.m, r.rules, r.marks, r.turns, r.keep), n)
	waiting := r.compact(&r.list, r.numbers[:n])
	for pass := 0; len(waiting) > 0 && r.err == nil; pass++ {
		run(r, kernels.NewFindSetLoop(&r.m, waiting, r.turns, r.keep, r.later), len(waiting))
		set := r.compact(&r.open, waiting)
		waiting = r.compactBy(&r.sets[pass%2], waiting, r.later)
		r.move(set)
	}
}

// move moves the vertices of a set.
func (r *Rounds) move(set []int32) {
	n := len(set)
	moves, x, want := reserve(r, &r.moves, n), reserve(r, &r.x, n), reserve(r, &r.want, n)
	run(r, kernels.NewBeginMovesLoop(&r.m, r.rules, set, moves, x), n)
	for trial := range int32(kernels.Trials) {
		run(r, kernels.NewTryMovesLoop(trial, &r.m, r.rules, set, moves, x), n)
		r.evaluate(n)
		run(r, kernels.NewJudgeMovesLoop(&r.m, r.rules, set, moves, x, want), n)
	}
	run(r, kernels.NewEndMovesLoop(&r.m, set, moves, r.turns, r.marks), n)
}
