package balance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/division"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/stable"
)

// Inner is a solver on the blocks as they are.
type Inner interface {
	solvers.Restarter
	solvers.Observer
	solvers.Ender
	solvers.Concluder
	solvers.Outliner
	solvers.Lister
	solvers.Stepper
	solvers.Flowing
	solvers.Driven
	Model() any // a Modelled
}

// Modelled is a solver whose work is counted.
type Modelled interface{ Workload() Model }

// Model counts the work of a solver's block, and knows what else than its saved state goes along with cells. Its saved
// fields are on the block's own cells, or on entities that change ranks, such as particles.
type Model interface {
	// Work returns what a step on the block costs, in units that all ranks share: about ns of a usual core.
	Work(ctx context.Context) (int64, error)
	// AddWork adds it to the cells of the block, up to rounding.
	AddWork(ctx context.Context, to *partition.Bins) error
	// Carried returns fields on the own cells that no checkpoint has, since a restart computes them from the case.
	Carried() ([]solvers.Field, error)
	// CellOf returns the cell that owns an entity which changes ranks, given its bytes of the first saved field.
	CellOf(entity []byte) [3]int
}

// Problem is how a solver is made on blocks.
type Problem struct {
	Every   int   // steps between looks at the work
	Price   int64 // what a move costs, in mean steps
	AtStart bool  // look before the first step: the first blocks are not those of the work
	// Build makes the solver on a block: from the case if carried is nil, else with what has been carried to it, before
	// its saved state is restored. What was saved and sent is garbage then. All ranks call it.
	Build func(ctx context.Context, block *domain.Block, carried *Carried) (Inner, error)
	// Fits returns an error if the solver cannot be made on a block whose work would be counted as given. present is the
	// size in bytes of the arrays that it replaces. It is not collective.
	Fits func(block *domain.Block, work, present int64) error
}

// progress is what decides on the next move, and what moves have done.
type progress struct {
	looked int   // the step before which the work was last looked at; -1 if blocks are not those of the work
	lost   int64 // work that ranks have lost by waiting since the last move
	next   int   // the step before which the work is not looked at
	sum    solvers.Balance
	steps  float64 // in sum.Share
}

// Solver is a solver whose blocks move. Its fields, shapes and spaces stay while the blocks and the solver behind it
// change.
type Solver struct {
	Inner
	Problem
	env    solvers.Env
	block  *domain.Block
	stable *stable.Declared

	progress
	earlier map[string]float64 // phases of solvers on earlier blocks
	resumed bool               // since the last call of Restore
	closed  bool
}

// New makes the solver on the first block of this rank. All ranks call it.
func New(ctx context.Context, env solvers.Env, block *domain.Block, p Problem) (*Solver, error) {
	s := &Solver{Problem: p, env: env, block: block, earlier: map[string]float64{}}
	var err error
	if s.Inner, err = p.Build(ctx, block, nil); err != nil {
		return nil, err
	}
	s.stable = stable.Of(s.Inner)
	if p.AtStart {
		s.looked = -1
	}
	if division.Wanted(env.Comm) && block.Rule != nil {
		if err := s.tell(ctx); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// Fields implements solvers.Solver.
func (s *Solver) Fields() []solvers.Field { return s.stable.Fields() }

// Shapes implements solvers.Solver.
func (s *Solver) Shapes() []solvers.Shape { return s.stable.Shapes() }

// Flows implements solvers.Flowing.
func (s *Solver) Flows() []solvers.Flow { return s.stable.Flows() }

// Outlines implements solvers.Outliner.
func (s *Solver) Outlines() []solvers.Outline { return s.stable.Outlines() }

// Phases implements solvers.Solver.
func (s *Solver) Phases() map[string]float64 {
	phases := s.Inner.Phases()
	for phase, seconds := range s.earlier {
		phases[phase] += seconds
	}
	phases["balancing"] = s.sum.Wall
	return phases
}

// Close implements solvers.Solver.
func (s *Solver) Close() {
	if !s.closed {
		s.Inner.Close()
	}
}

// Restore implements solvers.Restarter. Unless Resume was called before, the work is looked at before the next step.
func (s *Solver) Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64, fill func() error) error {
	if !s.resumed {
		s.looked = -1
	}
	s.resumed = false
	return s.Inner.Restore(ctx, at, scalars, fill)
}

// Advance implements solvers.Solver. It returns when blocks may move.
func (s *Solver) Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error) {
	now := s.Inner.Clock().Steps
	due := max(now+1, s.next)
	left := (due+s.Every-1)/s.Every*s.Every - now
	return s.Inner.Advance(ctx, until, pause, min(max(steps, 1), left))
}

// RebalanceDue implements solvers.Rebalancer.
func (s *Solver) RebalanceDue() bool {
	now := s.Inner.Clock().Steps
	return now != s.looked && (s.looked < 0 || now%s.Every == 0 && now >= s.next)
}

// Balance implements solvers.Rebalancer.
func (s *Solver) Balance() solvers.Balance {
	b := s.sum
	if s.progress.steps > 0 {
		b.Share /= s.progress.steps
	}
	if n := float64(b.Moves); n > 0 {
		b.Before, b.After = b.Before/n, b.After/n
	}
	return b
}

// Eager makes blocks move at each look at which another division is found, whether or not that is worth it, for tests.
var Eager bool

// Shares of the mean work in the most that decide on moves.
const (
	enough = .95  // from which on no division is looked for
	better = 1.05 // by which factor a division must be better
)

// Rebalance implements solvers.Rebalancer.
func (s *Solver) Rebalance(ctx context.Context, settle func(context.Context) error) (moved bool, err error) {
	begun := time.Now()
	defer func() { s.sum.Wall += time.Since(begun).Seconds() }()
	now := s.Inner.Clock().Steps
	own, err := s.model().Work(ctx)
	if err != nil {
		return false, err
	}
	mean, most, err := s.reduce(ctx, own)
	if err != nil {
		return false, err
	}
	steps := 0 // since the last look
	if s.looked >= 0 {
		steps = now - s.looked
		s.sum.Share += shareOf(mean, most) * float64(steps)
		s.progress.steps += float64(steps)
	}
	restarted := s.looked < 0
	s.looked = now
	least := s.leastTime(mean)
	s.lost += (max(most, least) - least) * int64(steps)
	s.next = now + s.quiet(most, least)
	if shareOf(least, most) >= enough && !Eager {
		return false, nil
	}
	if !s.worth(now, most, least) && !restarted && !Eager {
		return false, nil
	}
	next, newMost, err := s.divide(ctx, mean, most)
	if s.lost = 0; err != nil || next == nil {
		return false, err
	}
	if err := settle(ctx); err != nil {
		return false, err
	}
	if err := s.move(ctx, next); err != nil {
		return false, err
	}
	s.next = now
	s.sum.Moves++
	s.sum.Before += shareOf(mean, most)
	s.sum.After += shareOf(mean, newMost)
	return true, nil
}

func (s *Solver) model() Model { return s.Inner.Model().(Modelled).Workload() }

// moderate is the share of the steps that moves may take whatever they earn.
const moderate = .02

// worth reports whether a move is worth what it costs, if a step takes at least so long: if more than that has been
// lost, and more steps than those in which a move earns it if nothing else changes. A move for a small loss earns its
// price slowly, and the interface may have gone on by then: in a short run such a move never pays, in a long one it
// may.
func (s *Solver) worth(now int, most, least int64) bool {
	price := float64(s.Price)
	lost, gain := s.losses(most, least)
	return lost > price && (lost*gain > price || s.affordable(now))
}

// losses returns how many steps, of the least time, have been lost since the last move, and how much of one each step
// loses.
func (s *Solver) losses(most, least int64) (lost, gain float64) {
	return float64(s.lost) / float64(least), float64(max(most, least)-least) / float64(least)
}

// affordable reports whether all moves, and one more, take at most a moderate share of the steps until now.
func (s *Solver) affordable(now int) bool {
	return float64(s.Price)*float64(s.sum.Moves+1) <= moderate*float64(now)
}

// quiet returns for how many steps the work need not be looked at: even if ranks lose twice as much as in the present
// state, and a little, no move is worth it before. A look can take as long as a twentieth of a step.
func (s *Solver) quiet(most, least int64) int {
	if Eager || least <= 0 {
		return 0
	}
	lost, gain := s.losses(most, least)
	const little, mostLooks = .05, 8
	rate, price := 2*gain+little, float64(s.Price)
	needed := max(price, price/rate) // see worth
	if s.affordable(s.looked) {
		needed = price
	}
	return int(min(max(0, needed-lost)/rate, float64(mostLooks*s.Every)))
}

// leastTime returns how long a step takes at least, whatever the blocks are: as long as the mean work of a rank, or if
// ranks share processors, as long as these take for all of them. Up to that, a rank with more work than others keeps a
// processor busy while others wait, and nothing is lost.
func (s *Solver) leastTime(mean int64) int64 {
	return int64(math.Ceil(float64(mean) * max(1, s.env.Crowding)))
}

func shareOf(mean, most int64) float64 {
	if most == 0 {
		return 1
	}
	return float64(mean) / float64(most)
}

// reduce returns the mean and the most of a number of all ranks.
func (s *Solver) reduce(ctx context.Context, own int64) (mean, most int64, err error) {
	sum, largest := []int64{own}, []int64{own}
	err = errors.Join(s.env.Comm.AllreduceInt64(ctx, dist.Sum, sum), s.env.Comm.AllreduceInt64(ctx, dist.Max, largest))
	return sum[0] / int64(s.env.Comm.Size()), largest[0], err
}

// divide divides the grid by the present work. It returns this rank's next block, or nil if no better division is
// found in which every rank has room. mean is the mean work of a rank, most that of the rank with most, newMost that
// with the next blocks.
func (s *Solver) divide(ctx context.Context, mean, most int64) (next *domain.Block, newMost int64, err error) {
	comm, g := s.env.Comm, s.block.Grid
	bins := partition.NewCoarseBins(g.N, comm.Size())
	if err := solvers.Agree(ctx, comm, s.model().AddWork(ctx, bins)); err != nil {
		return nil, 0, err
	}
	if err := comm.AllreduceInt64(ctx, dist.Sum, bins.Cost); err != nil {
		return nil, 0, err
	}
	boxes, err := domain.EqualBoxes(g, bins, comm.Size(), s.block.Ghost)
	if err != nil {
		return nil, 0, nil // the grid has no room for such boxes: they stay straight cuts
	}
	own := boxOf(&boxes, comm.Rank())
	work := bins.In(own.Lo, own.Hi)
	largest := []int64{work}
	if err := comm.AllreduceInt64(ctx, dist.Max, largest); err != nil {
		return nil, 0, err
	}
	if float64(max(largest[0], s.leastTime(mean)))*better > float64(most) && !Eager {
		return nil, 0, nil
	}
	next, err = domain.BlockOf(g, boxes, s.block.Ghost, comm.Rank())
	if err == nil {
		err = s.Fits(next, work, s.Inner.Size().Bytes)
	}
	fits := []int64{1}
	if err != nil {
		fits[0] = 0
	}
	if err := comm.AllreduceInt64(ctx, dist.Min, fits); err != nil || fits[0] == 0 {
		return nil, 0, err
	}
	return next, largest[0], nil
}

// move replaces the blocks and the solver.
func (s *Solver) move(ctx context.Context, next *domain.Block) error {
	shipped, err := s.ship(ctx, next)
	if err != nil {
		return err
	}
	at, scalars := s.Inner.Clock(), shipped.scalars
	for phase, seconds := range s.Inner.Phases() {
		s.earlier[phase] += seconds
	}
	shipped.From = s.Inner.Model()
	s.Inner.Close()
	inner, err := s.Build(ctx, next, shipped)
	if err != nil {
		s.closed = true
		return fmt.Errorf("on blocks of equal work: %w", err)
	}
	s.Inner, s.block = inner, next
	if err := solvers.Restore(ctx, inner, at, scalars, shipped); err != nil {
		return err
	}
	s.stable.Follow(inner)
	return nil
}

// blocks is what a checkpoint has.
type blocks struct {
	Blocks []halo.Box `json:"blocks"` // of all ranks
	Looked int        `json:"looked"`
	Lost   int64      `json:"lost"`
	Next   int        `json:"next"`
	Moves  int        `json:"moves"`
	Sums   [4]float64 `json:"sums"` // of solvers.Balance, and the number of steps
}

// Division implements solvers.Rebalancer.
func (s *Solver) Division() (json.RawMessage, error) {
	b := &s.sum
	d := blocks{Looked: s.looked, Lost: s.lost, Next: s.next, Moves: b.Moves,
		Sums: [4]float64{b.Share, b.Before, b.After, s.progress.steps}}
	for rank := range s.env.Comm.Size() {
		d.Blocks = append(d.Blocks, boxOf(&s.block.Boxes, rank))
	}
	return json.Marshal(d)
}

// Resume implements solvers.Rebalancer. The blocks of another number of ranks stay as they are.
func (s *Solver) Resume(ctx context.Context, text json.RawMessage) (moved bool, err error) {
	if text == nil {
		return false, nil
	}
	var d blocks
	if err := json.Unmarshal(text, &d); err != nil {
		return false, fmt.Errorf("the division of the grid in the checkpoint: %w", err)
	}
	s.progress = progress{looked: d.Looked, lost: d.Lost, next: d.Next, steps: d.Sums[3],
		sum: solvers.Balance{Moves: d.Moves, Share: d.Sums[0], Before: d.Sums[1], After: d.Sums[2]}}
	if len(d.Blocks) != s.env.Comm.Size() {
		return false, nil
	}
	s.resumed = true
	for rank, box := range d.Blocks {
		moved = moved || box != boxOf(&s.block.Boxes, rank)
	}
	if !moved {
		return false, nil
	}
	g := s.block.Grid
	boxes := halo.Boxes{Dim: g.Dim, Cuts: [3][]int{{0, g.N[0]}, {0, g.N[1]}, {0, g.N[2]}}, Periodic: g.Periodic,
		Parts: d.Blocks}
	next, err := domain.BlockOf(g, boxes, s.block.Ghost, s.env.Comm.Rank())
	if err := solvers.Agree(ctx, s.env.Comm, err); err != nil {
		return false, fmt.Errorf("the division of the grid in the checkpoint: %w", err)
	}
	return true, s.move(ctx, next)
}

// boxOf returns a rank's box.
func boxOf(b *halo.Boxes, rank int) halo.Box {
	lo, n := b.Box(rank)
	return halo.Box{Lo: lo, Hi: [3]int{lo[0] + n[0], lo[1] + n[1], lo[2] + n[2]}}
}
