package scale

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/division"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/partition"
)

// World is a case that is divided among ranks.
type World struct {
	Ranks      int
	Cells      []int     // entities of each rank
	Ghosts     []int     // the largest number of entities that a rank receives in an exchange
	Neighbours []int     // ranks with which a rank exchanges
	Work       []float64 // of each rank, in the units of the case's costs; its cells if all cost the same
	Extra      []float64 // of it, what some cells cost more than others

	exchanges map[int]*exchange // by tag
	wide      []message         // between all pairs of ranks that the widest exchange connects
	// traffic is what the cells of the sender beside the receiver cost more than others, for each message of wide: the
	// number of these cells if all cost the same.
	traffic []float64
}

// exchange is what all ranks exchange with a tag, in phases. A phase's messages travel at the same time.
type exchange struct {
	phases  []phase
	planned bool // items are the cells of a plan; otherwise each message counts as one
}

// phase has the messages of a phase in the order of their senders.
type phase struct {
	first []int32 // of each rank, the first message that it sends; and the number of all
	to    []int32 // the receiver
	items []int32 // cells in the message
	in    []int32 // the messages that ranks receive, by receiver
	inAt  []int32 // of each rank, its first in in; and the number of all
}

// message is one of a phase, before they are put in order.
type message struct{ from, to, items int32 }

// newPhase puts messages in order.
func newPhase(ranks int, all []message) (p phase) {
	slices.SortFunc(all, func(a, b message) int {
		if a.from != b.from {
			return int(a.from - b.from)
		}
		return int(a.to - b.to)
	})
	p.first, p.inAt = make([]int32, ranks+1), make([]int32, ranks+1)
	p.to, p.items, p.in = make([]int32, len(all)), make([]int32, len(all)), make([]int32, len(all))
	for k, m := range all {
		p.to[k], p.items[k] = m.to, m.items
		p.first[m.from+1]++
		p.inAt[m.to+1]++
	}
	for r := range ranks {
		p.first[r+1] += p.first[r]
		p.inAt[r+1] += p.inAt[r]
	}
	next := slices.Clone(p.inAt)
	for k, m := range all {
		p.in[next[m.to]] = int32(k)
		next[m.to]++
	}
	return p
}

// newWorld divides the case, and makes the exchanges of the plans that ranks had in a trace. sets tells which set of a
// mesh an exchange by tag has; atOnce makes boxes exchange with all neighbours at once, as linked devices do.
func newWorld(ctx context.Context, rule division.Rule, ranks int, plans map[int]halo.Route, sets map[int]int32,
	atOnce bool) (*World, error) {
	d, err := rule(ctx, ranks)
	if err != nil {
		return nil, err
	}
	w := &World{Ranks: ranks, exchanges: map[int]*exchange{}}
	if d.Boxes != nil {
		w.grid(d, plans, atOnce)
	} else {
		w.mesh(d, plans, sets)
	}
	for r, n := range w.Cells {
		if n == 0 && ranks > 1 {
			return nil, fmt.Errorf("rank %d of %d has no cell", r, ranks)
		}
	}
	w.count()
	return w, nil
}

// count sets ghosts and neighbours.
func (w *World) count() {
	w.Ghosts, w.Neighbours = make([]int, w.Ranks), make([]int, w.Ranks)
	peers := make([][]int32, w.Ranks)
	for _, x := range w.exchanges {
		received := make([]int, w.Ranks)
		for k := range x.phases {
			p := &x.phases[k]
			for r := range w.Ranks {
				for m := p.first[r]; m < p.first[r+1]; m++ {
					received[p.to[m]] += int(p.items[m])
					peers[r] = append(peers[r], p.to[m])
				}
			}
		}
		for r, n := range received {
			if x.planned {
				w.Ghosts[r] = max(w.Ghosts[r], n)
			}
		}
	}
	for r := range peers {
		slices.Sort(peers[r])
		w.Neighbours[r] = len(slices.Compact(peers[r]))
	}
}

// grid makes the exchanges between boxes.
func (w *World) grid(d *division.Division, plans map[int]halo.Route, atOnce bool) {
	w.Cells, w.Work, w.Extra = make([]int, w.Ranks), make([]float64, w.Ranks), make([]float64, w.Ranks)
	least := leastCost(d.Costs)
	for r := range w.Ranks {
		lo, n := d.Boxes.Box(r)
		w.Cells[r] = n[0] * n[1] * n[2]
		w.Work[r] = float64(w.Cells[r])
		if d.Costs != nil {
			w.Work[r] = float64(d.Costs.In(lo, [3]int{lo[0] + n[0], lo[1] + n[1], lo[2] + n[2]}))
			w.Extra[r] = max(0, w.Work[r]-least*float64(w.Cells[r]))
		}
	}
	near := neighboursOf(d.Boxes, reachOf(d.Boxes, plans))
	for tag, plan := range plans {
		var of *halo.BoxPlan
		returns := false
		switch p := plan.(type) {
		case *halo.BoxPlan:
			of = p
		case returning:
			of, returns = p.BoxPlan, true
		}
		if of == nil {
			continue
		}
		if atOnce {
			if p, err := of.WithSchedule(halo.AllNeighbours); err == nil {
				of = p
			}
		}
		boxes := scaled(d.Boxes, of.Boxes())
		parts := make([][][]message, w.Ranks) // by rank and phase
		parallel.Ranges(w.Ranks, parallel.Parts(w.Ranks, 64), func(_, lo, hi int) {
			for r := lo; r < hi; r++ {
				parts[r] = sentOf(of.On(boxes, r, near[r]), returns)
			}
		})
		w.exchanges[tag] = gather(w.Ranks, parts)
	}
	w.widest(d, near, plans)
}

// reachOf returns over how many cells of the whole grid plans reach beyond a box.
func reachOf(b *halo.Boxes, plans map[int]halo.Route) int {
	reach := 1
	for _, plan := range plans {
		if p, ok := plan.(*halo.BoxPlan); ok {
			boxes := p.Boxes()
			_, n := boxes.Box(p.Rank)
			for a := range b.Dim {
				coarse := boxes.Cuts[a][len(boxes.Cuts[a])-1]
				whole := b.Cuts[a][len(b.Cuts[a])-1]
				reach = max(reach, (p.Shape[a]-n[a])/2*((whole+coarse-1)/coarse))
			}
		}
	}
	return reach
}

// widest sets wide and traffic.
func (w *World) widest(d *division.Division, near [][]int, plans map[int]halo.Route) {
	b := d.Boxes
	var of *halo.BoxPlan
	for _, plan := range plans {
		p, ok := plan.(*halo.BoxPlan)
		if !ok || !slices.Equal(p.Boxes().Cuts[0][len(p.Boxes().Cuts[0])-1:], b.Cuts[0][len(b.Cuts[0])-1:]) {
			continue
		}
		if of == nil || p.Layers() > of.Layers() {
			of = p
		}
	}
	if of == nil {
		return
	}
	ghosts := (of.Shape[0] - boxSide(of)) / 2
	wide, err := of.WithLayers(ghosts, of.Layers(), halo.AllNeighbours)
	one, failed := of.WithLayers(ghosts, 1, halo.AllNeighbours)
	if err != nil || failed != nil {
		return
	}
	least := leastCost(d.Costs)
	parts, traffic := make([][]message, w.Ranks), make([][]float64, w.Ranks)
	parallel.Ranges(w.Ranks, parallel.Parts(w.Ranks, 64), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			beside := map[int]float64{}
			for _, phase := range one.On(*b, r, near[r]).Phases {
				for _, peer := range phase.Peers {
					beside[peer.Rank] = costOf(d, r, ghosts, peer.Send, least)
				}
			}
			for _, phase := range sentOf(wide.On(*b, r, near[r]), false) {
				for _, m := range phase {
					parts[r] = append(parts[r], m)
					traffic[r] = append(traffic[r], beside[int(m.to)]) // 0 for ranks that thin blocks separate
				}
			}
		}
	})
	w.wide, w.traffic = slices.Concat(parts...), slices.Concat(traffic...)
}

// leastCost returns the least that a cell costs.
func leastCost(b *partition.Bins) float64 {
	if b == nil {
		return 0
	}
	least := math.Inf(1)
	for k := range b.N[2] {
		for j := range b.N[1] {
			for i := range b.N[0] {
				n := 1
				for a, at := range [3]int{i, j, k} {
					n *= min(b.Side, b.Cells[a]-at*b.Side)
				}
				least = min(least, float64(b.Cost[i+b.N[0]*(j+b.N[1]*k)])/float64(n))
			}
		}
	}
	return least
}

// costOf returns what cells of regions of a rank's array cost more than the least, or their number.
func costOf(d *division.Division, rank, ghosts int, regions []halo.Region, least float64) (sum float64) {
	at, _ := d.Boxes.Box(rank)
	for _, region := range regions {
		var lo, hi [3]int
		n := 1
		for a := range 3 {
			if lo[a] = at[a] + region.Lo[a]; a < d.Boxes.Dim {
				lo[a] -= ghosts
			}
			hi[a] = lo[a] + region.N[a]
			n *= region.N[a]
		}
		if d.Costs == nil {
			sum += float64(n)
			continue
		}
		sum += max(0, float64(d.Costs.In(lo, hi))-least*float64(n))
	}
	return sum
}

func boxSide(p *halo.BoxPlan) int {
	boxes := p.Boxes()
	_, n := boxes.Box(p.Rank)
	return n[0]
}

// varyingUnit is the length in bytes in which messages of varying length are counted; shorter ones are not sent.
const varyingUnit = 64

// connectLoose makes the exchanges without a plan: of counts, with all neighbours; and of items whose number varies, of
// which ranks send per[tag] bytes in proportion to traffic.
func (w *World) connectLoose(all map[int]*loose, per map[int]float64) {
	for tag := range all {
		var list []message
		for k, m := range w.wide {
			if m.items = 1; tag >= varying {
				m.items = int32(math.Round(per[tag] * w.traffic[k] / varyingUnit))
			}
			if m.items > 0 {
				list = append(list, m)
			}
		}
		w.exchanges[tag] = &exchange{phases: []phase{newPhase(w.Ranks, list)}}
	}
	w.count()
}

// returning is the plan by which blocks return what they have gathered in their first layer of ghosts.
type returning struct{ *halo.BoxPlan }

// returningOf returns the plan of a block, of some of the same rank, whose Return a plan is.
func returningOf(p *halo.Plan, plans map[int]halo.Route) (returning, bool) {
	for _, other := range plans {
		if b, ok := other.(*halo.BoxPlan); ok && reflect.DeepEqual(b.Return().Plan, p) {
			return returning{b}, true
		}
	}
	return returning{}, false
}

// sentOf returns what a rank sends by its plan, or when it returns ghosts by it.
func sentOf(plan *halo.BoxPlan, returns bool) (phases [][]message) {
	if returns {
		var list []message
		if p := plan.Return().Plan; p != nil {
			for _, peer := range p.Peers {
				if len(peer.Send) > 0 {
					list = append(list, message{int32(plan.Rank), int32(peer.Rank), int32(len(peer.Send))})
				}
			}
		}
		return [][]message{list}
	}
	for _, phase := range plan.Phases {
		var list []message
		for _, peer := range phase.Peers {
			n := 0
			for _, region := range peer.Send {
				n += region.N[0] * region.N[1] * region.N[2]
			}
			if peer.Rank != plan.Rank && n > 0 {
				list = append(list, message{int32(plan.Rank), int32(peer.Rank), int32(n)})
			}
		}
		if len(phase.Peers) > 1 || len(phase.Peers) == 1 && phase.Peers[0].Rank != plan.Rank {
			phases = append(phases, list)
		}
	}
	return phases
}

// gather makes an exchange of what ranks send.
func gather(ranks int, parts [][][]message) *exchange {
	x := &exchange{planned: true}
	for k := 0; ; k++ {
		var all []message
		any := false
		for _, phases := range parts {
			if k < len(phases) {
				any = true
				all = append(all, phases[k]...)
			}
		}
		if !any {
			return x
		}
		x.phases = append(x.phases, newPhase(ranks, all))
	}
}

// scaled returns the boxes on the grid of other boxes, which may be coarser.
func scaled(b *halo.Boxes, like halo.Boxes) halo.Boxes {
	s := halo.Boxes{Dim: b.Dim, Periodic: b.Periodic}
	var from, to [3]int
	for a := range 3 {
		from[a], to[a] = b.Cuts[a][len(b.Cuts[a])-1], like.Cuts[a][len(like.Cuts[a])-1]
		for _, cut := range b.Cuts[a] {
			s.Cuts[a] = append(s.Cuts[a], (cut*to[a]+from[a]-1)/from[a])
		}
	}
	for _, p := range b.Parts {
		var q halo.Box
		for a := range 3 {
			q.Lo[a], q.Hi[a] = (p.Lo[a]*to[a]+from[a]-1)/from[a], (p.Hi[a]*to[a]+from[a]-1)/from[a]
		}
		s.Parts = append(s.Parts, q)
	}
	return s
}

// neighboursOf returns, for each box, the boxes that have cells within a number of layers around it, itself among them,
// in ascending order.
func neighboursOf(b *halo.Boxes, reach int) [][]int {
	ranks := b.Ranks()
	var cells, side, n [3]int // of the grid; of bins, and their number
	perAxis := 1
	for perAxis*perAxis*perAxis < ranks {
		perAxis++
	}
	for a := range 3 {
		cells[a] = b.Cuts[a][len(b.Cuts[a])-1]
		side[a] = max(1, (cells[a]+perAxis-1)/perAxis)
		n[a] = (cells[a] + side[a] - 1) / side[a]
	}
	bins := make([][]int32, n[0]*n[1]*n[2])
	// each calls f with the bins of a box that is wider by a layer on each side.
	each := func(r, wider int, f func(bin int)) {
		lo, size := b.Box(r)
		var first, last [3]int
		for a := range 3 {
			first[a], last[a] = floorDiv(lo[a]-wider, side[a]), floorDiv(lo[a]+size[a]-1+wider, side[a])
			if !b.Periodic[a] {
				first[a], last[a] = max(first[a], 0), min(last[a], n[a]-1)
			}
			if last[a]-first[a] >= n[a] {
				first[a], last[a] = 0, n[a]-1
			}
		}
		for k := first[2]; k <= last[2]; k++ {
			for j := first[1]; j <= last[1]; j++ {
				for i := first[0]; i <= last[0]; i++ {
					f(mod(i, n[0]) + n[0]*(mod(j, n[1])+n[1]*mod(k, n[2])))
				}
			}
		}
	}
	for r := range ranks {
		each(r, 0, func(bin int) { bins[bin] = append(bins[bin], int32(r)) })
	}
	near := make([][]int, ranks)
	parallel.Ranges(ranks, parallel.Parts(ranks, 64), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			seen := map[int32]bool{}
			each(r, reach, func(bin int) {
				for _, q := range bins[bin] {
					if !seen[q] && within(b, cells, r, int(q), reach) {
						near[r] = append(near[r], int(q))
					}
					seen[q] = true
				}
			})
			slices.Sort(near[r])
		}
	})
	return near
}

// within reports whether box q has cells within a number of layers around box r.
func within(b *halo.Boxes, cells [3]int, r, q, reach int) bool {
	lo, n := b.Box(r)
	other, m := b.Box(q)
	for a := range 3 {
		beside := false
		for turn := -1; turn <= 1; turn++ {
			if turn != 0 && !b.Periodic[a] {
				continue
			}
			at := other[a] + turn*cells[a]
			beside = beside || at < lo[a]+n[a]+reach && lo[a]-reach < at+m[a]
		}
		if !beside {
			return false
		}
	}
	return true
}

func floorDiv(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

func mod(a, n int) int { return ((a % n) + n) % n }

// mesh makes the exchanges between parts of a mesh.
func (w *World) mesh(d *division.Division, plans map[int]halo.Route, sets map[int]int32) {
	w.Cells, w.Work, w.Extra = make([]int, w.Ranks), make([]float64, w.Ranks), make([]float64, w.Ranks)
	for _, r := range d.Owner {
		w.Cells[r]++
	}
	for r, n := range w.Cells {
		w.Work[r] = float64(n)
	}
	ghosts := ghostsOf(d)
	for tag := range plans {
		w.exchanges[tag] = &exchange{phases: []phase{newPhase(w.Ranks, messagesOf(ghosts, sets[tag]))}, planned: true}
	}
	w.wide = messagesOf(ghosts, allSets)
	for _, m := range w.wide {
		w.traffic = append(w.traffic, float64(m.items))
	}
}

// allSets stands for all sets of a mesh that are exchanged.
const allSets = -1

// pairGhosts are the entities of a set of which a rank sends copies to another.
type pairGhosts struct {
	from, to, set int32
	n             int32
}

// ghostsOf counts the copies of each set between all pairs of ranks that have some.
func ghostsOf(d *division.Division) (all []pairGhosts) {
	type key struct{ from, to, set int32 }
	counts := map[key]int32{}
	var others []int32
	for v, owner := range d.Owner {
		others = others[:0]
		for _, u := range d.Graph.Adj[d.Graph.Start[v]:d.Graph.Start[v+1]] {
			if q := d.Owner[u]; q != owner && !slices.Contains(others, q) {
				others = append(others, q)
			}
		}
		set := int32(0)
		if d.Set != nil {
			set = d.Set[v]
		}
		for _, q := range others {
			if set >= 0 {
				counts[key{owner, q, set}]++
			}
		}
	}
	for k, n := range counts {
		all = append(all, pairGhosts{k.from, k.to, k.set, n})
	}
	return all
}

// messagesOf returns what ranks send of a set, or of all.
func messagesOf(ghosts []pairGhosts, set int32) (all []message) {
	type pair struct{ from, to int32 }
	counts := map[pair]int32{}
	for _, g := range ghosts {
		if set == allSets || g.set == set {
			counts[pair{g.from, g.to}] += g.n
		}
	}
	for p, n := range counts {
		all = append(all, message{p.from, p.to, n})
	}
	return all
}

// setsOf finds which set of a mesh the exchanges by tag have: that of as many copies on each rank of a trace.
func setsOf(d *division.Division, ranks int, plans []map[int]halo.Route) map[int]int32 {
	sets := map[int]int32{}
	ghosts := ghostsOf(d)
	most := int32(0)
	sent := map[int32][]int{} // by set and rank
	for _, g := range ghosts {
		most = max(most, g.set)
		if sent[g.set] == nil {
			sent[g.set] = make([]int, ranks)
		}
		sent[g.set][g.from] += int(g.n)
	}
	for tag := range plans[0] {
		sets[tag] = allSets
		of := make([]int, ranks)
		for r := range plans {
			if p, ok := plans[r][tag].(*halo.Plan); ok {
				for _, peer := range p.Peers {
					of[r] += len(peer.Send)
				}
			}
		}
		for set := range most + 1 {
			if slices.Equal(sent[set], of) {
				sets[tag] = set
				break
			}
		}
	}
	return sets
}
