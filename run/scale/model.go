package scale

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/solvers"
)

// Model predicts the steps of a case.
type Model struct {
	Case    *config.Case
	Machine *Machine
	Traces  []*Trace // of the case
	Small   []*Trace // of the case with fewer cells, on a rank a processor
	Noise   Noise

	last  *Trace // that of most ranks, whose sequence and plans are used
	seq   sequence
	laws  []law // of the groups of the sequence
	plans map[int]halo.Route
	loose map[int]*loose  // exchanges of the last trace without a plan, by tag
	per   map[int]float64 // by tag, the bytes of these in proportion to World.traffic
	sets  map[int]int32
	pace  float64 // by which computations differ from those measured here
}

// Recording is what is recorded of a case for a model.
type Recording struct {
	Ranks []int // of which the case is run, in ascending order, at least 2
	Steps int
	Most  int // the largest number of ranks that the model will be asked for
	// Load, unless nil, loads the case with overrides. Then it is also run with fewer cells.
	Load func(sets ...string) (*config.Case, error)
	Say  func(line string) // is told what is done, before it takes long
}

// Shares of the cells with which a case is also run on as few ranks as there are processors. On more ranks each finds
// the caches full of what others have computed, which small parts on processors of their own do not.
var smallShares = []float64{1. / 8, 1. / 64, 1. / 512}

// leastCells is how many cells a case has at least with which steps are timed.
const leastCells = 200

// Build records steps of a case, and makes a model of them.
func Build(ctx context.Context, c *config.Case, m *Machine, o Recording) (*Model, error) {
	model := &Model{Case: c, Machine: m, plans: map[int]halo.Route{}, pace: m.Slowdown}
	for _, ranks := range o.Ranks {
		need, err := estimate.MemoryOf(c, ranks, ranks, false)
		if err != nil {
			return nil, &solvers.BadInput{Err: err}
		}
		if free, source := cpu.FreeMemory(); need.Entities > 0 {
			if err := need.Check(free, source, ranks); err != nil {
				return nil, &solvers.BadInput{Err: fmt.Errorf("recording steps on this machine: %w; a model of a smaller case "+
					"with --weak needs less", err)}
			}
		}
		o.Say(fmt.Sprintf("recording %d steps on %d ranks of this process", o.Steps, ranks))
		t, err := Record(ctx, c, ranks, o.Steps, o.Most)
		if err != nil {
			return nil, err
		}
		model.Traces = append(model.Traces, t)
	}
	model.last = model.Traces[len(model.Traces)-1]
	if model.last.rule == nil {
		return nil, &solvers.BadInput{Err: errors.New("the set-up of this case cannot tell how it is divided among other " +
			"ranks, as that of tetrahedra: take a case on a grid, or on triangles")}
	}
	if err := model.recordSmall(ctx, o); err != nil {
		return nil, err
	}
	return model, model.learn(ctx)
}

// recordSmall records steps of the case with fewer cells. A case that cannot be run so is left out.
func (m *Model) recordSmall(ctx context.Context, o Recording) error {
	if o.Load == nil || runtime.GOMAXPROCS(0) < 2 {
		return nil
	}
	for _, share := range smallShares {
		sets := smallerSets(m.Case, share)
		if sets == nil || float64(m.last.Size.Entities)*share < leastCells {
			return nil
		}
		c, err := o.Load(sets...)
		if err != nil {
			continue
		}
		o.Say(fmt.Sprintf("recording %d steps on 2 ranks with %s", o.Steps, sets[0]))
		t, err := Record(ctx, c, 2, o.Steps, 2)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && t.rule != nil {
			m.Small = append(m.Small, t)
		}
	}
	return nil
}

// learn finds the sequence and the laws of its computations.
func (m *Model) learn(ctx context.Context) error {
	ranks, err := m.last.parse()
	if err != nil {
		return err
	}
	m.seq = join(ranks, m.last.Steps)
	planned := map[int]halo.Route{}
	for _, plans := range m.last.plans {
		for tag, plan := range plans {
			if p, ok := plan.(*halo.Plan); ok {
				if back, ok := returningOf(p, plans); ok {
					plan = back
				}
			}
			planned[tag] = plan
		}
	}
	for _, o := range m.seq.ops {
		if o.kind != opStart {
			continue
		}
		if p, ok := planned[o.tag]; ok {
			m.plans[o.tag] = p
		}
	}
	m.loose = looseOf(ranks, func(tag int) bool { return m.plans[tag] != nil })
	d, err := m.last.rule(ctx, m.last.Ranks)
	if err != nil {
		return err
	}
	if d.Owner != nil {
		m.sets = setsOf(d, m.last.Ranks, m.last.plans)
	}
	if err := m.measureLoose(ctx); err != nil {
		return err
	}
	if err := m.fitLaws(ctx); err != nil || m.Machine.Step == 0 {
		return err
	}
	one, err := m.alone(ctx)
	m.pace = m.Machine.Step / one
	return err
}

// fitLaws fits the laws of computations to the times of ranks.
func (m *Model) fitLaws(ctx context.Context) error {
	samples := make([][]sample, m.seq.groups)
	for _, t := range m.timed() {
		ranks, err := t.parse()
		if err != nil {
			return err
		}
		w, err := newWorld(ctx, t.rule, t.Ranks, m.plans, m.sets, false)
		if err != nil {
			return err
		}
		for r := range ranks {
			for g, time := range m.seq.align(&ranks[r]) {
				samples[g] = append(samples[g], sample{w.features(r), time})
			}
		}
	}
	for g := range samples {
		m.laws = append(m.laws, fit(samples[g]))
	}
	return nil
}

// timed returns the records whose times are used: of a rank a processor at most, if there are enough.
func (m *Model) timed() (list []*Trace) {
	if len(m.Small) == 0 {
		return m.Traces
	}
	for _, t := range m.Traces {
		if t.Ranks <= runtime.GOMAXPROCS(0) {
			list = append(list, t)
		}
	}
	return append(list, m.Small...)
}

// world divides the case among ranks.
func (m *Model) world(ctx context.Context, ranks int) (*World, error) {
	w, err := newWorld(ctx, m.last.rule, ranks, m.plans, m.sets, m.Machine.AtOnce)
	if err == nil && len(m.loose) > 0 {
		w.connectLoose(m.loose, m.per)
	}
	return w, err
}

// measureLoose finds how many bytes exchanges without a plan have, from what ranks have sent.
func (m *Model) measureLoose(ctx context.Context) error {
	m.per = map[int]float64{}
	if len(m.loose) == 0 {
		return nil
	}
	w, err := m.world(ctx, m.last.Ranks)
	if err != nil {
		return err
	}
	sum := 0.0
	for _, t := range w.traffic {
		sum += t
	}
	for tag, l := range m.loose {
		if sum > 0 {
			m.per[tag] = l.bytes / float64(l.starts) / sum
		}
	}
	for k := range m.seq.ops {
		o := &m.seq.ops[k]
		l := m.loose[o.tag]
		switch {
		case o.kind != opStart || l == nil:
		case o.tag >= varying:
			o.bytes = varyingUnit
		default:
			o.bytes = l.bytes / max(1, l.messages)
		}
	}
	return nil
}

// alone returns the time of a step of the whole case on one rank, s.
func (m *Model) alone(ctx context.Context) (float64, error) {
	w, err := m.world(ctx, 1)
	if err != nil {
		return 0, err
	}
	w.Ghosts[0] = 0
	sum, f := 0.0, w.features(0)
	for g, law := range m.laws {
		sum += float64(m.seq.counts[g]) * law.at(f)
	}
	return m.pace * sum / float64(m.last.Steps), nil
}

// Events returns how many computations and messages a simulation of some ranks has, approximately.
func (m *Model) Events(ranks int) float64 {
	const neighbours = 8
	return float64(ranks) * float64(len(m.seq.ops)) * (1 + neighbours)
}

// Prediction is what the model says of a number of ranks. All times are in s and of a step, all shares from 0 to 1.
type Prediction struct {
	Ranks      int     `json:"ranks"`
	Refused    string  `json:"refused,omitempty"` // why the case cannot be divided among so many ranks
	Entities   int64   `json:"entities"`
	Step       float64 `json:"step_s"`
	Alone      float64 `json:"alone_s"` // of the whole case on one rank; with weak scaling of the first row
	Efficiency float64 `json:"efficiency"`
	Balance    float64 `json:"balance"`       // mean computing time of a rank in that of the slowest one
	CellShare  float64 `json:"balance_cells"` // mean cells of a rank in those of the largest one
	Compute    float64 `json:"compute"`       // shares of a step, means over ranks
	Exchange   float64 `json:"exchange"`
	Reduce     float64 `json:"reduce"`

	MeanCells      float64 `json:"mean_cells"` // of a rank
	MostCells      float64 `json:"most_cells"`
	MeanNeighbours float64 `json:"mean_neighbours"`
	MostNeighbours float64 `json:"most_neighbours"`
	Ghosts         float64 `json:"ghosts_per_cell"`
	Messages       float64 `json:"messages"`
	Bytes          float64 `json:"bytes"`
	MostBytes      float64 `json:"most_bytes"`
	Collectives    float64 `json:"collectives"`
	Memory         int64   `json:"memory_bytes"` // of the largest rank with its process
	Files          int     `json:"files"`        // of a frame, over all ranks
	FrameBytes     int64   `json:"frame_bytes"`  // of a frame, of the largest rank; about
}

// Predict predicts the steps on a number of ranks. A case that cannot be divided so is a prediction that says why.
func (m *Model) Predict(ctx context.Context, ranks int) (*Prediction, error) {
	w, err := m.world(ctx, ranks)
	if err != nil {
		return &Prediction{Ranks: ranks, Refused: err.Error()}, ctx.Err()
	}
	alone, err := m.alone(ctx)
	if err != nil {
		return nil, err
	}
	p, err := m.predict(ctx, w)
	if err != nil {
		return nil, err
	}
	p.Entities, p.Alone = m.last.Size.Entities, alone
	p.Efficiency = alone / (float64(ranks) * p.Step)
	return p, m.resources(p, ranks)
}

// PredictWeak predicts the steps of as many copies of the case on some ranks as give the number of ranks: each rank has
// what it has there, and only reductions join the copies.
func (m *Model) PredictWeak(ctx context.Context, base, ranks int) (*Prediction, error) {
	w, err := m.world(ctx, base)
	if err != nil {
		return &Prediction{Ranks: ranks, Refused: err.Error()}, ctx.Err()
	}
	p, err := m.predict(ctx, w.repeated(ranks/base))
	if err != nil {
		return nil, err
	}
	p.Entities = m.last.Size.Entities * int64(ranks/base)
	return p, m.resources(p, base)
}

// predict simulates the steps in a world.
func (m *Model) predict(ctx context.Context, w *World) (*Prediction, error) {
	of := make([][features]float64, w.Ranks)
	for r := range of {
		of[r] = w.features(r)
	}
	t, err := simulate(ctx, w, m.Machine, &m.seq, func(rank, group int) float64 {
		return m.pace * m.laws[group].at(of[rank])
	}, m.Noise)
	if err != nil {
		return nil, err
	}
	steps := float64(m.last.Steps)
	p := &Prediction{Ranks: w.Ranks, Step: t.Total / steps, Balance: 1, Compute: t.Compute / t.Total,
		Exchange: t.Exchange / t.Total, Reduce: t.Reduce / t.Total, Messages: t.Messages / steps, Bytes: t.Bytes / steps,
		MostBytes: t.MostBytes / steps, Collectives: float64(t.Collectives) / steps}
	if t.Busiest > 0 {
		p.Balance = t.Compute / t.Busiest
	}
	ghosts := 0.0
	for r := range w.Ranks {
		p.MeanCells += float64(w.Cells[r])
		p.MostCells = max(p.MostCells, float64(w.Cells[r]))
		ghosts += float64(w.Ghosts[r])
		p.MeanNeighbours += float64(w.Neighbours[r])
		p.MostNeighbours = max(p.MostNeighbours, float64(w.Neighbours[r]))
	}
	p.Ghosts = ghosts / p.MeanCells
	p.MeanCells /= float64(w.Ranks)
	p.MeanNeighbours /= float64(w.Ranks)
	p.CellShare = p.MeanCells / p.MostCells
	return p, nil
}

// resources sets memory and files. The memory is what the run itself would estimate.
func (m *Model) resources(p *Prediction, ranks int) error {
	need, err := estimate.MemoryOf(m.Case, ranks, 1, false)
	if err != nil {
		return err
	}
	p.Memory = need.Host
	kind, _ := solvers.Find(m.Case.Solver)
	p.FrameBytes = estimate.FrameBytes(kind.Fields, m.Case, m.last.Size.Dim, int64(math.Ceil(p.MostCells)))
	if p.FrameBytes > 0 {
		p.Files = len(m.Case.Output.Format)
		if m.Case.Output.Files == "rank" {
			p.Files *= p.Ranks + 1
		}
	}
	return nil
}

// repeated returns a number of copies of a world, which exchange nothing with each other.
func (w *World) repeated(copies int) *World {
	if copies == 1 {
		return w
	}
	all := &World{Ranks: w.Ranks * copies, exchanges: map[int]*exchange{}}
	for range copies {
		all.Cells, all.Ghosts = append(all.Cells, w.Cells...), append(all.Ghosts, w.Ghosts...)
		all.Neighbours, all.Work = append(all.Neighbours, w.Neighbours...), append(all.Work, w.Work...)
		all.Extra = append(all.Extra, w.Extra...)
	}
	for tag, x := range w.exchanges {
		more := &exchange{planned: x.planned}
		for k := range x.phases {
			more.phases = append(more.phases, x.phases[k].repeated(w.Ranks, copies))
		}
		all.exchanges[tag] = more
	}
	return all
}

func (p *phase) repeated(ranks, copies int) (all phase) {
	messages := int32(len(p.to))
	for c := range int32(copies) {
		shift := c * int32(ranks)
		for k := range p.to {
			all.to, all.in = append(all.to, p.to[k]+shift), append(all.in, p.in[k]+c*messages)
		}
		all.items = append(all.items, p.items...)
		for r := range ranks {
			all.first, all.inAt = append(all.first, p.first[r]+c*messages), append(all.inAt, p.inAt[r]+c*messages)
		}
	}
	end := int32(copies) * messages
	all.first, all.inAt = append(all.first, end), append(all.inAt, end)
	return all
}
