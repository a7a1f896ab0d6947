package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
)

// Env is where programs are played.
type Env = solvers.Env

// player plays programs: alone, on ranks that exchange through the host, or on linked devices; and records what the
// host takes no part in.
type player struct {
	env     *Env
	now     *solvers.Clock
	records bool        // the device records
	alone   bool        // there is no other rank
	unsent  []*Exchange // started in this step; Await passes some of them to the transport
	forked  []*Exchange // started on linked devices, and perhaps not finished
	names   []string    // of phases; the first is that of exchanges
	spent   []time.Duration
	last    time.Time
	current int // the phase since last, or notTimed
	windows map[window]*backend.Replay
	made    map[*backend.Replay]struct{} // all replays that may have a recording
	behind  behind

	restarts int // how many states were set or restored: 1 before the first restart
}

// window is a number of steps that are queued with one call, from one of the cycle.
type window struct{ first, count int }

// maxWindows bounds the number of recorded windows. Rows of tables are equal numbers of steps apart, so that the same
// ones recur.
const maxWindows = 64

const inHalo = 0

func newPlayer(env *Env, now *solvers.Clock) *player {
	_, records := env.Device.(backend.Recorder)
	return &player{env: env, now: now, records: records, alone: env.Comm.Size() == 1, names: []string{"halo"},
		spent: make([]time.Duration, 1), windows: map[window]*backend.Replay{}, made: map[*backend.Replay]struct{}{},
		restarts: 1, current: notTimed, behind: behind{comm: env.Comm}}
}

func (p *player) phaseOf(name string) int {
	for k, known := range p.names {
		if known == name {
			return k
		}
	}
	p.names, p.spent = append(p.names, name), append(p.spent, 0)
	return len(p.names) - 1
}

// notTimed is the phase of what belongs to no step.
const notTimed = -1

// startTimer begins to count the time of phases, and stopTimer ends it: what belongs to no step is not counted.
func (p *player) startTimer() { p.current, p.last = inHalo, time.Now() }

func (p *player) stopTimer() {
	p.enter(inHalo)
	p.current = notTimed
}

// enter begins a phase, and adds the time since the last call to the one before, if it is another one.
func (p *player) enter(phase int) {
	if p.current == phase || p.current == notTimed {
		return
	}
	now := time.Now()
	p.spent[p.current] += now.Sub(p.last)
	p.current, p.last = phase, now
}

// Spent is the time that threads spend in each of several phases while a loop of several kernels runs.
type Spent struct {
	phases []int
	times  []atomic.Int64 // ns of all threads
}

// NewSpent returns times of the phases of the given names.
func (e *Engine) NewSpent(names ...string) *Spent {
	s := &Spent{times: make([]atomic.Int64, len(names))}
	for _, name := range names {
		s.phases = append(s.phases, e.player.phaseOf(name))
	}
	return s
}

// Add adds the time of a thread in the k-th phase.
func (s *Spent) Add(k int, d time.Duration) { s.times[k].Add(int64(d)) }

// divide divides the time since the last change of phase in proportion to those of threads.
func (p *player) divide(s *Spent) {
	all := int64(0)
	for k := range s.times {
		all += s.times[k].Load()
	}
	now := time.Now()
	for k := range s.times {
		if spent := s.times[k].Swap(0); spent > 0 && p.current != notTimed {
			p.spent[s.phases[k]] += time.Duration(float64(now.Sub(p.last)) * float64(spent) / float64(all))
		}
	}
	p.last = now
}

// free reports whether the host takes no part in an operation.
func (p *player) free(o *op) bool {
	switch o.kind {
	case opHost, opRepeat, opRefresh:
		return false
	case opShare, opAwait:
		return o.x.free()
	case opReduce, opReduceBehind:
		return o.into.free() || p.alone && !o.into.forHost()
	}
	return true
}

// play plays a sequence of operations.
func (p *player) play(ctx context.Context, ops []op) error {
	for k := range ops {
		if err := p.do(ctx, &ops[k]); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) do(ctx context.Context, o *op) error {
	switch o.kind {
	case opAwait, opRefresh, opReduce, opReduceBehind:
	default:
		p.enter(o.phase)
	}
	switch o.kind {
	case opRun:
		p.run(o.tasks)
	case opQueue:
		return o.queue()
	case opHost:
		return o.host(ctx)
	case opShare:
		return p.share(ctx, o)
	case opAwait:
		if o.x.ghosts.empty {
			p.run(o.x.after)
			return nil
		}
		p.enter(inHalo)
		return p.await(ctx, o.x)
	case opBeside:
		return p.beside(ctx, o)
	case opRefresh:
		p.enter(inHalo)
		return p.refresh(ctx, o.x)
	case opReduce, opReduceBehind:
		return p.reduce(ctx, o)
	case opRepeat:
		return p.repeat(ctx, o.loop)
	}
	return nil
}

// await completes an exchange, if it was started.
func (p *player) await(ctx context.Context, x *Exchange) error {
	if !x.pending {
		return nil
	}
	if err := x.finish(ctx); err != nil {
		return err
	}
	if x.linked == nil { // otherwise start has queued what follows
		p.run(x.after)
	} else if r := p.behind.pending; r != nil && r.linked != nil { // on the same stream
		p.behind.pending = nil
	}
	return nil
}

// reduce combines a result of all ranks, or begins to. Messages that wait are sent first: ranks wait for each other.
func (p *player) reduce(ctx context.Context, o *op) error {
	if p.alone && !o.into.forHost() {
		return nil
	}
	if err := p.sendAll(ctx); err != nil {
		return err
	}
	if err := o.into.fetch(p.env); err != nil { // the time until the device has computed it belongs to the phase before
		return err
	}
	p.enter(o.phase)
	if err := p.settle(ctx); err != nil {
		return err
	}
	if o.kind == opReduceBehind {
		return p.behind.begin(ctx, o.into.(*Extreme))
	}
	return o.into.merge(ctx, p.env)
}

// settle completes the reduction that ReduceBehind has begun.
func (p *player) settle(ctx context.Context) error { return p.behind.finish(ctx, p.env) }

func (p *player) run(tasks []Task) {
	for k := range tasks {
		t := &tasks[k]
		hi := t.Hi
		if t.Limit != nil {
			hi = *t.Limit
		}
		if t.Lo < hi {
			p.env.Device.Run(t.Loop, t.Lo, hi)
			if t.Spent != nil {
				p.divide(t.Spent)
			}
		}
	}
}

// share runs the tasks of an exchange and starts it: on linked devices on a second stream, so that later loops run at
// the same time.
func (p *player) share(ctx context.Context, o *op) error {
	if o.x.ghosts.empty {
		p.run(o.tasks)
		return nil
	}
	linked := o.x.linked != nil
	if linked && !o.x.forked {
		o.x.forked, p.forked = true, append(p.forked, o.x)
	}
	if linked && len(o.tasks)+len(o.x.after) > 0 {
		p.enter(inHalo)
		return p.shareForked(ctx, o)
	}
	p.run(o.tasks)
	p.enter(inHalo)
	p.unsent = append(p.unsent, o.x)
	return o.x.start(ctx)
}

// refresh makes an exchange, unless it was made for the present state.
func (p *player) refresh(ctx context.Context, x *Exchange) error {
	state := stateNumber{p.now.Steps, p.restarts}
	if x.ghosts.empty || x.refreshed == state {
		return nil
	}
	x.refreshed = state
	if err := x.start(ctx); err != nil {
		return err
	}
	return x.finish(ctx)
}

func (p *player) shareForked(ctx context.Context, o *op) error {
	return o.x.linked.Fork(func() error {
		p.run(o.tasks)
		err := o.x.start(ctx)
		p.run(o.x.after)
		return err
	})
}

// beside runs tasks, and on linked devices others at the same time on a second stream.
func (p *player) beside(ctx context.Context, o *op) error {
	if o.x == nil || o.x.linked == nil {
		p.run(o.tasks)
		p.run(o.others)
		return nil
	}
	err := o.x.linked.Fork(func() error {
		p.run(o.others)
		return nil
	})
	p.run(o.tasks)
	if err != nil {
		return err
	}
	return o.x.linked.Finish(ctx)
}

// join finishes all exchanges of linked devices: a recording must neither begin nor end while one is pending.
func (p *player) join(ctx context.Context) error {
	for _, x := range p.forked {
		x.forked = false
		if err := x.finish(ctx); err != nil {
			return err
		}
	}
	p.forked = p.forked[:0]
	if r := p.behind.pending; r != nil && r.linked != nil {
		return p.settle(ctx)
	}
	return nil
}

// record queues operations by a recording.
func (p *player) record(ctx context.Context, r *backend.Replay, queue func() error) error {
	if err := p.join(ctx); err != nil {
		return err
	}
	p.made[r] = struct{}{}
	return r.Queue(p.env.Device, func() error {
		if err := queue(); err != nil {
			return err
		}
		return p.join(ctx)
	})
}

// sendAll passes all messages to the transport that no Await of the step has passed to it.
func (p *player) sendAll(ctx context.Context) error {
	for _, x := range p.unsent {
		p.enter(inHalo)
		if err := x.send(ctx); err != nil {
			return err
		}
	}
	p.unsent = p.unsent[:0]
	return nil
}

// body plays the body of a step, its free segments by recordings.
func (p *player) body(ctx context.Context, g *Program) error {
	for k := range g.segments {
		s := &g.segments[k]
		var err error
		if s.free && p.records {
			err = p.replaySegment(ctx, s)
		} else {
			err = p.play(ctx, s.ops)
		}
		if err != nil {
			return err
		}
	}
	return p.sendAll(ctx)
}

func (p *player) replaySegment(ctx context.Context, s *segment) error {
	p.enter(s.ops[0].phase)
	return p.record(ctx, &s.replay, func() error { return p.play(ctx, s.ops) })
}

// replayOf returns the recording of a window, or nil if there are too many.
func (p *player) replayOf(w window) *backend.Replay {
	r := p.windows[w]
	if r == nil && len(p.windows) < maxWindows {
		r = new(backend.Replay)
		p.windows[w] = r
	}
	return r
}

// batch plays a program several times, by a recording if the host takes no part in it.
func (p *player) batch(ctx context.Context, g *Program, r *backend.Replay, n int) error {
	queue := func() error {
		if err := p.times(ctx, g, n); err != nil {
			return err
		}
		return p.sendAll(ctx)
	}
	if g.free && p.records {
		return p.record(ctx, r, queue)
	}
	return queue()
}

// forget frees the recordings, which are then made again.
func (p *player) forget() {
	for r := range p.made {
		r.Close()
	}
}

// repeat repeats a program until it is done. On a device with separate memory the host looks one batch behind, so that
// the device never waits for it.
func (p *player) repeat(ctx context.Context, r *Repeated) error {
	ahead := 0
	if _, separate := p.env.Device.(backend.Memory); separate {
		ahead = 1
	}
	for made, k := 0, 0; made < r.Most; k++ {
		n := min(r.Every, r.Most-made)
		var err error
		if r.program.free && p.records && n == r.Every {
			err = p.replayBatch(ctx, r)
		} else {
			err = p.times(ctx, r.program, n)
		}
		if err != nil {
			return err
		}
		made += n
		if err := r.readback[k%2].Start(r.Done.bytes()); err != nil {
			return err
		}
		if k < ahead {
			continue
		}
		flag, err := r.readback[(k-ahead)%2].Read()
		if err != nil {
			return err
		}
		if flag[0]|flag[1]|flag[2]|flag[3] != 0 {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

func (p *player) replayBatch(ctx context.Context, r *Repeated) error {
	return p.record(ctx, &r.replay, func() error { return p.times(ctx, r.program, r.Every) })
}

func (p *player) times(ctx context.Context, g *Program, n int) error {
	for range n {
		if err := p.play(ctx, g.ops); err != nil {
			return err
		}
	}
	return nil
}
