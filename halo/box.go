package halo

import (
	"fmt"
	"strings"
)

// Boxes is the division of the cells of a grid into boxes, the blocks of the ranks, one per rank: by straight cuts
// through the whole grid, with ranks numbered along x first, then y, then z; or any boxes.
type Boxes struct {
	Dim      int      // 2 or 3; in 2D there is one layer of cells along z, without ghosts
	Cuts     [3][]int // the first cell of each box along an axis, ascending, and the end of the last box
	Periodic [3]bool  // whether the last box along an axis is next to the first
	// Parts are the boxes of the ranks, which cover the grid; nil if straight cuts divide it. Then Cuts are its ends.
	Parts []Box
}

// Schedule is the order in which a box exchanges with its neighbours: along one axis after the other, or with all at
// the same time, as always where no straight cuts divide the grid. Either fills the ghosts at edges and corners too,
// whose owners are not across a face.
type Schedule uint8

const (
	// AxisByAxis exchanges along one axis after the other (dimension-ordered). Messages along later axes include
	// the ghosts filled along earlier ones. A rank sends two messages per axis. This is the default: in
	// BenchmarkBoxExchange, on 4 and 8 ranks of one machine, it took up to a third less time than AllNeighbours for
	// small boxes (128², 32³), and up to a tenth more for large ones (1024², 96³).
	AxisByAxis Schedule = iota
	// AllNeighbours exchanges with all neighbours, up to 8 in 2D and 26 in 3D, at the same time: more messages, but
	// their latency counts once instead of once per axis.
	AllNeighbours
)

// String returns the name of the schedule.
func (s Schedule) String() string {
	if s == AxisByAxis {
		return "by axis"
	}
	return "at once"
}

// BoxPlan describes what one rank sends and receives to fill the ghosts of an array over its box: cells with x
// fastest, with layers of ghosts on each side. Ghosts beyond the grid, along an axis that is not periodic, have no
// owner and are not changed, except by plans WithOuterGhosts.
type BoxPlan struct {
	Rank   int
	Shape  [3]int // cells of an array along each axis, ghosts included
	Phases []Phase

	boxes       Boxes
	ghost       int    // layers of ghosts in arrays
	width       [3]int // layers of ghosts that an exchange fills along each axis
	upperFaces  bool   // see WithUpperFaces
	outerGhosts bool   // see WithOuterGhosts
	schedule    Schedule
	near        []int // the ranks that may be peers; nil if all may be
}

// WithSchedule returns the plan for the same ghosts with another schedule.
func (p *BoxPlan) WithSchedule(schedule Schedule) (*BoxPlan, error) {
	return p.with(p.ghost, p.width, schedule)
}

func (p *BoxPlan) with(ghost int, width [3]int, schedule Schedule) (*BoxPlan, error) {
	return newBoxPlan(p.boxes, p.Rank, ghost, width, schedule, p.upperFaces, p.outerGhosts)
}

// WithLayers returns the plan of the same rank for arrays with ghost layers on each side, of which an exchange
// fills width layers along each axis.
func (p *BoxPlan) WithLayers(ghost, width int, schedule Schedule) (*BoxPlan, error) {
	return p.with(ghost, [3]int{width, width, width}, schedule)
}

// WithUpperFaces returns the plan for arrays of faces, of which the one with a cell's index is at its lower side:
// boxes at the upper end of an axis that is not periodic also own the face beyond their last cell, in the first layer
// of ghosts, which their neighbours along other axes get too.
func (p *BoxPlan) WithUpperFaces(schedule Schedule) (*BoxPlan, error) {
	if p.ghost == 0 {
		return nil, fmt.Errorf("halo: arrays without ghosts have no room for the upper faces")
	}
	return newBoxPlan(p.boxes, p.Rank, p.ghost, p.width, schedule, true, p.outerGhosts)
}

// WithOuterGhosts returns the plan that treats ghosts beyond the grid as cells of the boxes beside them: of those that
// lie beside several boxes, such as beyond corners of the grid, each rank gets what these have.
func (p *BoxPlan) WithOuterGhosts(schedule Schedule) (*BoxPlan, error) {
	return newBoxPlan(p.boxes, p.Rank, p.ghost, p.width, schedule, p.upperFaces, true)
}

// Phase is a set of messages that travel at the same time. A phase may send ghosts that the previous phase has
// received.
type Phase struct {
	Peers []BoxPeer // in ascending order of rank
}

// BoxPeer describes what a rank exchanges with another, or with itself if it is its own neighbour. The n-th region
// that one side sends is the n-th that the other receives.
type BoxPeer struct {
	Rank       int
	Send, Recv []Region
}

// Region is a box of cells of an array.
type Region struct {
	Lo, N [3]int // first cell, counted in the array with its ghosts, and number of cells along each axis
}

func (r Region) cells() int { return r.N[0] * r.N[1] * r.N[2] }

// NewBoxPlan returns the plan of a rank for arrays with ghost layers on each side. An exchange fills width[axis]
// layers along each axis, which may be 0. Ghosts at edges and corners are filled within the widths of all their axes.
// In 2D width[2] is ignored. A box with another one beside it along an axis needs at least width[axis] cells along it,
// since ghosts come from the next box only; a box that is alone along a periodic axis may be of one cell.
func NewBoxPlan(b Boxes, rank, ghost int, width [3]int, schedule Schedule) (*BoxPlan, error) {
	return newBoxPlan(b, rank, ghost, width, schedule, false, false)
}

func newBoxPlan(b Boxes, rank, ghost int, width [3]int, schedule Schedule, upperFaces, outerGhosts bool) (*BoxPlan,
	error) {
	if b.Dim == 2 {
		width[2] = 0
	}
	if err := b.check(ghost, width); err != nil {
		return nil, fmt.Errorf("halo: %w", err)
	}
	if rank < 0 || rank >= b.Ranks() {
		return nil, fmt.Errorf("halo: rank %d has no box: there are %d boxes", rank, b.Ranks())
	}
	if schedule != AxisByAxis && schedule != AllNeighbours {
		return nil, fmt.Errorf("halo: unknown schedule %d", schedule)
	}
	plan := &BoxPlan{Rank: rank, boxes: b, ghost: ghost, width: width, upperFaces: upperFaces, outerGhosts: outerGhosts,
		schedule: schedule}
	plan.fill()
	return plan, nil
}

// On returns the plan of a rank for the same exchange between other boxes, whose cuts are not checked, in time that
// does not depend on the number of ranks: near are those that may be peers, the rank itself among them.
func (p *BoxPlan) On(b Boxes, rank int, near []int) *BoxPlan {
	plan := *p
	plan.boxes, plan.Rank, plan.near, plan.Phases = b, rank, near, nil
	plan.fill()
	return &plan
}

// Boxes returns the boxes between which the plan exchanges.
func (p *BoxPlan) Boxes() Boxes { return p.boxes }

// Layers returns how many layers of ghosts it fills.
func (p *BoxPlan) Layers() int { return max(p.width[0], p.width[1], p.width[2]) }

// fill computes the shape and the phases.
func (p *BoxPlan) fill() {
	b, rank := p.boxes, p.Rank
	own := b.frameOf(rank, p.ghost)
	_, n := b.Box(rank)
	for a := range 3 {
		p.Shape[a] = n[a] + 2*own.ghost[a]
	}
	if p.schedule == AllNeighbours || b.Parts != nil {
		p.add(p.overlaps().exchange(rank, p.ghost))
		return
	}
	by := &boxPlanner{Boxes: b, width: p.width, upperFaces: p.upperFaces, outerGhosts: p.outerGhosts, owned: n,
		ghost: own.ghost}
	for a := range 3 {
		by.position[a] = rank % b.parts(a)
		rank /= b.parts(a)
	}
	for a := range 3 {
		if p.width[a] > 0 {
			p.add(by.phase(a))
			by.filled[a] = true
		}
	}
}

// overlaps returns what boxes need from each other in an exchange.
func (p *BoxPlan) overlaps() *overlaps {
	o := &overlaps{Boxes: &p.boxes, near: p.near, cells: p.boxes.cells(), below: p.width, above: p.width}
	for a := range p.boxes.Dim {
		switch {
		case p.outerGhosts:
			o.outerBelow[a], o.outerAbove[a] = p.width[a], p.width[a]
		case p.upperFaces:
			o.outerAbove[a] = 1
		}
	}
	return o
}

func (p *BoxPlan) add(phase Phase) {
	if len(phase.Peers) > 0 {
		p.Phases = append(p.Phases, phase)
	}
}

// Ranks returns the number of boxes.
func (b *Boxes) Ranks() int {
	if b.Parts != nil {
		return len(b.Parts)
	}
	return b.parts(0) * b.parts(1) * b.parts(2)
}

// Box returns the box of a rank: its first cell, and its number of cells along each axis.
func (b *Boxes) Box(rank int) (lo, n [3]int) {
	if b.Parts != nil {
		p := b.Parts[rank]
		return p.Lo, [3]int{p.Hi[0] - p.Lo[0], p.Hi[1] - p.Lo[1], p.Hi[2] - p.Lo[2]}
	}
	for a, cuts := range b.Cuts {
		position := rank % b.parts(a)
		rank /= b.parts(a)
		lo[a], n[a] = cuts[position], cuts[position+1]-cuts[position]
	}
	return lo, n
}

// cells returns the number of cells of the grid along each axis.
func (b *Boxes) cells() (n [3]int) {
	for a, cuts := range b.Cuts {
		n[a] = cuts[len(cuts)-1]
	}
	return n
}

func (b *Boxes) parts(axis int) int { return len(b.Cuts[axis]) - 1 }

func (b *Boxes) check(ghost int, width [3]int) error {
	if b.Dim != 2 && b.Dim != 3 {
		return fmt.Errorf("boxes in %d dimensions: want 2 or 3", b.Dim)
	}
	if ghost < 0 {
		return fmt.Errorf("%d ghost layers, want 0 or more", ghost)
	}
	for a, cuts := range b.Cuts {
		name := axisNames[a]
		if len(cuts) < 2 || a >= b.Dim && (len(cuts) != 2 || cuts[1]-cuts[0] != 1) {
			return fmt.Errorf("cuts %v along %s: want two or more, and in two dimensions a single cell along z", cuts, name)
		}
		if width[a] < 0 || width[a] > ghost {
			return fmt.Errorf("a width of %d along %s, but the arrays have %d ghost layers", width[a], name, ghost)
		}
		for k, first := range cuts[:len(cuts)-1] {
			n := cuts[k+1] - first
			if n < 1 {
				return fmt.Errorf("box %d along %s has %d cells: cuts must ascend", k, name, n)
			}
			if n < width[a] && len(cuts) > 2 {
				return fmt.Errorf("box %d along %s has %d cells, fewer than the %d layers that its neighbours need: "+
					"divide the grid into fewer boxes along %[2]s, or use more cells", k, name, n, width[a])
			}
		}
	}
	return b.checkParts()
}

// checkParts returns an error if boxes of Parts are empty or do not cover the grid once.
func (b *Boxes) checkParts() error {
	covered, n := 0, b.cells()
	for rank, p := range b.Parts {
		size := 1
		for a := range 3 {
			if p.Lo[a] < 0 || p.Hi[a] > n[a] || p.Lo[a] >= p.Hi[a] {
				return fmt.Errorf("the box of rank %d has cells %d to %d along %s, want some of 0 to %d", rank, p.Lo[a], p.Hi[a]-1,
					axisNames[a], n[a]-1)
			}
			size *= p.Hi[a] - p.Lo[a]
		}
		covered += size
	}
	if b.Parts != nil && covered != n[0]*n[1]*n[2] {
		return fmt.Errorf("the boxes have %d cells, the grid %d", covered, n[0]*n[1]*n[2])
	}
	return nil
}

var axisNames = [3]string{"x", "y", "z"}

// String returns the plan as text.
func (p *BoxPlan) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "rank %d: arrays of %d×%d×%d cells\n", p.Rank, p.Shape[0], p.Shape[1], p.Shape[2])
	for n, phase := range p.Phases {
		fmt.Fprintf(&s, "  phase %d\n", n)
		for _, peer := range phase.Peers {
			fmt.Fprintf(&s, "    rank %d: send %v, receive %v\n", peer.Rank, peer.Send, peer.Recv)
		}
	}
	return s.String()
}

// String prints the first and last cell of a region along each axis.
func (r Region) String() string {
	return fmt.Sprintf("%d:%d,%d:%d,%d:%d", r.Lo[0], r.Lo[0]+r.N[0]-1, r.Lo[1], r.Lo[1]+r.N[1]-1, r.Lo[2],
		r.Lo[2]+r.N[2]-1)
}
