package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
)

// Definition is what a solver declares to the engine. What it leaves out does not exist.
type Definition struct {
	Model any // the solver, for its tests and benchmarks
	Size  solvers.Size
	Clock Clock
	// Cycle is the number of steps after which the use of arrays repeats; Step makes the program of step k of it.
	Cycle int
	Step  func(p *Program, k int)
	// Advance, unless nil, takes steps as solvers.Solver.Advance in place of Clock and Step, and calls Engine.Now.
	Advance func(ctx context.Context, until, pause float64, steps int) (done bool, err error)
	// Window is the largest number of steps that are queued at a time, and Record that of a recording: 0 for 1.
	Window, Record int
	// Rest is played when Advance returns: what output needs, and steps do not.
	Rest func(p *Program)
	// Before, unless nil, is called before a window of steps. It returns the time from which on no step may begin before
	// it is called again, 0 for none.
	Before func(ctx context.Context, now solvers.Clock) (until float64, err error)
	// After is called when the host knows the clock after a window of steps, for what they have recorded. Advance then
	// returns.
	After func(ctx context.Context, from, to solvers.Clock) error

	Fields []solvers.Field // of which the saved and hashed ones are the state
	Shapes []solvers.Shape
	Saved  []Scalar
	Inputs []solvers.Input // that drivers can set
	// Quiesce makes the fields, and the entities of growing sets, readable; Restored recomputes what depends on the
	// state.
	Quiesce  func(ctx context.Context) error
	Restored func(ctx context.Context) error
	// Failed returns an error of a step that the step cannot return.
	Failed func() error
	// Measured declares the measurements.
	Measured func(m *Measures)
	// End measures, at the end of a run, what is not measured before; Conclude does so for metrics of the whole run.
	End      func(ctx context.Context) ([]solvers.Quantity, error)
	Conclude func(ctx context.Context) ([]solvers.Quantity, error)
	Outlines []solvers.Outline
	Flows    []solvers.Flow
	Lists    []solvers.List
	Sampler  Sampler
}

// Engine takes the steps of a solver on a rank. It implements solvers.Restarter, Observer, Ender, Concluder, Outliner,
// Lister, Sampler and Stepper.
type Engine struct {
	outputs
	env      *Env
	def      Definition
	table    *Table
	player   *player
	links    links
	ghosts   []*Ghosts
	closers  []io.Closer
	programs []*Program
	rest     *Program
	measures Measures
	now      solvers.Clock
	steps    []Step // that are taken now, by their number in the cycle
	current  int    // the number in the cycle of the step that is taken now
	free     bool   // the host takes no part in the bodies of steps
}

// New returns an engine, which owns the arrays of a table.
func New(env solvers.Env, t *Table) *Engine {
	e := &Engine{env: &env, table: t, links: links{comm: env.Comm, dev: env.Device, kind: env.Halo, log: env.Log}}
	e.player, e.outputs = newPlayer(e.env, &e.now), outputs{&e.def}
	return e
}

// Env returns the environment.
func (e *Engine) Env() *Env { return e.env }

// Table returns the arrays.
func (e *Engine) Table() *Table { return e.table }

// Inputs implements solvers.Driven.
func (e *Engine) Inputs() []solvers.Input { return e.def.Inputs }

// Model returns the solver.
func (e *Engine) Model() any { return e.def.Model }

// Step returns the step that the host takes part in.
func (e *Engine) Step() Step { return e.steps[e.current] }

// Owns makes Close close c, which uses exchangers or arrays, before these.
func (e *Engine) Owns(c io.Closer) { e.closers = append(e.closers, c) }

// program makes a program.
func (e *Engine) program(ctx context.Context, f func(p *Program)) *Program {
	return e.programIn(ctx, 0, f)
}

// programIn makes a program that begins in a phase.
func (e *Engine) programIn(ctx context.Context, phase int, f func(p *Program)) *Program {
	p := &Program{engine: e, ctx: ctx, phase: phase}
	if f != nil {
		f(p)
	}
	p.ctx = nil
	p.seal()
	return p
}

// Do makes a program and plays it once.
func (e *Engine) Do(ctx context.Context, f func(p *Program)) error {
	p := e.program(ctx, f)
	if p.err != nil {
		return p.err
	}
	return errors.Join(e.player.play(ctx, p.ops), e.player.sendAll(ctx))
}

// Prepared makes a program that is played many times, outside of steps. Its exchanges are made before, by Ghosts.Of.
func (e *Engine) Prepared(f func(p *Program)) func(ctx context.Context) error {
	p := e.program(context.Background(), f)
	return func(ctx context.Context) error {
		if p.err != nil {
			return p.err
		}
		return errors.Join(e.player.play(ctx, p.ops), e.player.sendAll(ctx))
	}
}

// Settle completes the exchanges and reductions that a step has begun and later ones would complete. All ranks call it.
func (e *Engine) Settle(ctx context.Context) error {
	if err := e.player.settle(ctx); err != nil {
		return err
	}
	for _, g := range e.ghosts {
		for _, x := range g.exchanges {
			if err := e.player.await(ctx, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// Warn adds warnings about the case.
func (e *Engine) Warn(warnings ...string) {
	e.def.Size.Warnings = append(slices.Clip(e.def.Size.Warnings), warnings...)
}

// Now sets the clock of a solver whose steps are no program of the engine, such as sweeps until a rule ends them.
func (e *Engine) Now(at solvers.Clock) { e.now = at }

// Define makes the programs, after all arrays have been declared. All ranks call it. On an error it closes the engine.
func (e *Engine) Define(ctx context.Context, def Definition) (err error) {
	defer func() {
		if err != nil {
			e.Close()
		}
	}()
	if err := e.table.Err(); err != nil {
		return err
	}
	def.Cycle = max(def.Cycle, 1)
	def.Window, def.Record = max(def.Window, 1), max(def.Record, 1)
	e.def, e.steps, e.free = def, make([]Step, def.Cycle), true
	for k := range def.Cycle {
		p := e.program(ctx, func(p *Program) {
			if def.Step != nil {
				def.Step(p, k)
			}
		})
		if p.err != nil {
			return p.err
		}
		e.programs = append(e.programs, p)
		e.free = e.free && p.free && p.body == 0
	}
	e.free = e.free && e.player.records
	e.rest = e.program(ctx, def.Rest)
	if e.rest.err != nil {
		return e.rest.err
	}
	if err := e.measures.prepare(ctx, e); err != nil {
		return err
	}
	return e.agree(ctx)
}

// agree returns an error, on all ranks, if the exchanges and reductions of some ranks are not those of the others:
// they would wait for each other forever.
func (e *Engine) agree(ctx context.Context) error {
	var list []byte
	all := slices.Concat(e.programs, []*Program{e.rest}, e.measures.programs[0], e.measures.programs[1])
	for _, p := range all {
		list = p.shared(list)
	}
	sum := sha256.Sum256(list)
	first, err := dist.TextOf(ctx, e.env.Comm, 0, string(sum[:]))
	if err != nil {
		return err
	}
	different := ""
	if first != string(sum[:]) {
		different = "different"
	}
	rank, different, err := dist.FirstText(ctx, e.env.Comm, different)
	if err == nil && different != "" {
		err = fmt.Errorf("the exchanges and reductions of a step differ on rank %d from those on rank 0", rank)
	}
	return err
}

// Advance implements solvers.Solver.
func (e *Engine) Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error) {
	if !(until-e.now.Time > 0) {
		return false, fmt.Errorf("cannot step from t = %g to %g: the target must be later", e.now.Time, until)
	}
	if e.def.Advance != nil {
		return e.def.Advance(ctx, until, pause, steps)
	}
	for steps = max(1, steps); steps > 0 && e.now.Time < until; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		stop, before := pause, e.now
		if e.def.Before != nil {
			next, err := e.def.Before(ctx, e.now)
			if err != nil {
				return false, err
			}
			if next > 0 && (stop == 0 || next < stop) {
				stop = next
			}
		}
		k := e.now.Steps % e.def.Cycle
		n, err := e.def.Clock.begin(e, until, stop, k, min(steps, e.def.Window))
		if err != nil {
			return false, err
		}
		e.player.startTimer()
		if err = e.take(ctx, k, n); err == nil {
			err = e.def.Clock.end(ctx, e, k, n) // which may wait for the device
		}
		if e.player.stopTimer(); err != nil {
			return false, err
		}
		if e.def.After != nil {
			if err := e.def.After(ctx, before, e.now); err != nil {
				return false, err
			}
			break
		}
		steps -= e.now.Steps - before.Steps
		if pause > 0 && e.now.Time >= pause {
			break
		}
	}
	if err = e.player.settle(ctx); err == nil {
		err = e.player.play(ctx, e.rest.ops)
	}
	if e.def.Failed != nil {
		err = errors.Join(err, e.def.Failed())
	}
	return false, err
}

// take takes n steps from step k of the cycle, by recordings as long as possible.
func (e *Engine) take(ctx context.Context, k, n int) error {
	for n > 0 {
		k %= e.def.Cycle
		p := e.programs[k]
		e.current = k
		if err := e.player.play(ctx, p.ops[:p.body]); err != nil {
			return err
		}
		count := 1
		var r *backend.Replay
		if p.free && e.player.records {
			for count < min(n, e.def.Record) && e.programs[(k+count)%e.def.Cycle].joins() {
				count++
			}
			r = e.player.replayOf(window{k, count})
		}
		var err error
		if r != nil {
			err = e.replay(ctx, r, window{k, count})
		} else {
			count = 1
			err = e.player.body(ctx, p)
		}
		if err != nil {
			return err
		}
		k, n = k+count, n-count
	}
	return nil
}

// joins reports whether a step can be recorded together with the one before.
func (p *Program) joins() bool { return p.free && p.body == 0 }

func (e *Engine) replay(ctx context.Context, r *backend.Replay, w window) error {
	e.player.enter(e.programs[w.first].phase)
	return e.player.record(ctx, r, func() error {
		for n := range w.count {
			p := e.programs[(w.first+n)%e.def.Cycle]
			if err := e.player.play(ctx, p.ops[p.body:]); err != nil {
				return err
			}
			if err := e.player.sendAll(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Forget frees the recordings, since the indices of loops have changed.
func (e *Engine) Forget() { e.player.forget() }

// Size implements solvers.Solver.
func (e *Engine) Size() solvers.Size {
	size := e.def.Size
	size.Bytes = e.table.Bytes()
	if len(e.ghosts) > 0 {
		size.Halo = e.ghosts[0].Kind()
	}
	return size
}

// Clock implements solvers.Solver.
func (e *Engine) Clock() solvers.Clock { return e.now }

// StepsTo implements solvers.Stepper.
func (e *Engine) StepsTo(until float64) (least, most float64) {
	if e.def.Clock == nil {
		return 0, 0
	}
	return e.def.Clock.stepsTo(e, until)
}

// Fields implements solvers.Solver.
func (e *Engine) Fields() []solvers.Field { return e.def.Fields }

// Phases implements solvers.Solver.
func (e *Engine) Phases() map[string]float64 {
	seconds := map[string]float64{}
	for k, name := range e.player.names {
		seconds[name] = e.player.spent[k].Seconds()
	}
	return seconds
}

// Measure implements solvers.Solver.
func (e *Engine) Measure(ctx context.Context) ([]solvers.Quantity, error) {
	if e.def.Measured == nil {
		return nil, nil
	}
	return e.measures.now(ctx)
}

// Observe implements solvers.Observer.
func (e *Engine) Observe(ctx context.Context) error {
	o, err := e.measures.buffers.Begin()
	if err != nil || e.def.Measured == nil {
		return err
	}
	return e.measures.observe(ctx, o, true)
}

// Observed implements solvers.Observer.
func (e *Engine) Observed(_ context.Context, to *dist.Joint) (dist.Result[[]solvers.Quantity], error) {
	o, err := e.measures.buffers.End()
	if err != nil {
		return nil, err
	}
	if e.def.Measured == nil {
		return func(context.Context) ([]solvers.Quantity, error) { return nil, nil }, nil
	}
	return e.measures.result(o, to)
}

// Quiesce implements solvers.Restarter.
func (e *Engine) Quiesce(ctx context.Context) error {
	if e.def.Quiesce == nil {
		return nil
	}
	return e.def.Quiesce(ctx)
}

// State implements solvers.Solver.
func (e *Engine) State(ctx context.Context) ([]solvers.State, error) {
	if err := e.Quiesce(ctx); err != nil {
		return nil, err
	}
	return solvers.HashedState(e.Fields())
}

// Scalars implements solvers.Restarter.
func (e *Engine) Scalars(ctx context.Context) (map[string]float64, error) {
	values, sums := make([]int64, len(e.def.Saved)), make([]int64, len(e.def.Saved))
	for k := range e.def.Saved {
		if e.def.Saved[k].Get != nil {
			continue
		}
		var err error
		if values[k], err = e.readScalar(&e.def.Saved[k]); err != nil {
			return nil, err
		}
	}
	copy(sums, values)
	if err := e.env.Comm.AllreduceInt64(ctx, dist.Sum, sums); err != nil {
		return nil, err
	}
	scalars := map[string]float64{}
	for k, s := range e.def.Saved {
		switch {
		case s.Get != nil:
			scalars[s.Name] = s.Get()
		case s.Sum:
			scalars[s.Name] = float64(sums[k])
		default:
			scalars[s.Name] = float64(values[k])
		}
	}
	return scalars, nil
}

// Restore implements solvers.Restarter. Rank 0 continues what ranks add up.
func (e *Engine) Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64, fill func() error) error {
	if err := e.Settle(ctx); err != nil {
		return err
	}
	e.now = at
	e.player.restarts++
	if err := fill(); err != nil {
		return err
	}
	for k := range e.def.Saved {
		s := &e.def.Saved[k]
		if s.Put != nil {
			s.Put(scalars[s.Name])
			continue
		}
		if err := e.writeScalar(s, int64(scalars[s.Name])); err != nil {
			return err
		}
	}
	if e.def.Restored == nil {
		return nil
	}
	return e.def.Restored(ctx)
}

// Close frees the arrays, exchangers and recordings.
func (e *Engine) Close() {
	e.player.forget() // first: NCCL waits for recordings of its exchanges when it is closed
	e.player.behind.close()
	for _, c := range slices.Backward(e.closers) {
		_ = c.Close() // what remains is freed with the device
	}
	for _, g := range slices.Backward(e.ghosts) {
		g.close()
	}
	e.links.close()
	e.closers, e.ghosts = nil, nil
	e.table.free()
}
