package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// Task is a loop with the indices over which it runs.
type Task struct {
	Loop   backend.Loop
	Lo, Hi int
	// Limit, unless nil, is where the index ends instead of Hi: the length of a list that the device has made, or an
	// upper bound of it. Call Engine.Forget when it changes.
	Limit *int
	// Spent, unless nil, divides the time of a loop of several kernels between phases.
	Spent *Spent
}

// Listed is a loop over a list of the length that *n has when it runs.
func Listed(loop backend.Loop, n *int) Task { return Task{Loop: loop, Limit: n} }

// Whole is a loop over n indices.
func Whole(loop backend.Loop, n int) Task { return Task{Loop: loop, Hi: n} }

// Over is a loop over a box.
func Over(loop backend.Loop, box abi.Box) Task { return Task{Loop: loop, Hi: box.Size()} }

// Program is what a step does, in order. It is made once for each step of a cycle, and the same on all ranks except
// for the tasks.
type Program struct {
	engine *Engine
	ctx    context.Context // of New, for the exchanges that are connected while the program is made
	ops    []op
	body   int // ops before are the prologue: see EndPrologue
	phase  int
	err    error

	segments []segment // of the body
	free     bool      // the host takes no part in the body
}

// op is an operation of a program.
type op struct {
	kind   opKind
	phase  int
	tasks  []Task
	others []Task // of opBeside
	x      *Exchange
	host   func(ctx context.Context) error
	queue  func() error
	into   Reduction
	loop   *Repeated
}

type opKind uint8

const (
	opRun opKind = iota
	opShare
	opAwait
	opQueue
	opHost
	opReduce
	opRepeat
	opRefresh
	opBeside
	opReduceBehind
)

func (p *Program) add(o op) {
	o.phase = p.phase
	p.ops = append(p.ops, o)
}

// Phase names the phase to which the time of the operations that follow is added; that of exchanges is always "halo".
func (p *Program) Phase(name string) { p.phase = p.engine.player.phaseOf(name) }

// EndPrologue makes all operations so far the prologue of the step. What comes before is not recorded; what follows is,
// together with later steps that have no prologue.
func (p *Program) EndPrologue() { p.body = len(p.ops) }

// Run runs loops.
func (p *Program) Run(tasks ...Task) {
	if tasks = some(tasks); len(tasks) > 0 {
		p.add(op{kind: opRun, tasks: tasks})
	}
}

// some returns the tasks that have something to do, perhaps.
func some(tasks []Task) []Task {
	return slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool { return t.Limit == nil && t.Lo >= t.Hi })
}

// Share runs the tasks that compute what other ranks need, and sends it while later operations run, until Await.
func (p *Program) Share(x *Exchange, tasks ...Task) {
	p.add(op{kind: opShare, x: x, tasks: some(tasks)})
}

// Await completes an exchange. If none was started, since the run has just begun, it does nothing.
func (p *Program) Await(x *Exchange) { p.add(op{kind: opAwait, x: x}) }

// Beside runs tasks, and others that depend on none of them: on linked devices at the same time, on the second stream
// of an exchange that is not pending.
func (p *Program) Beside(x *Exchange, others []Task, tasks ...Task) {
	if others = some(others); x == nil || x.linked == nil || len(others) == 0 {
		p.Run(append(some(tasks), others...)...)
		return
	}
	p.add(op{kind: opBeside, x: x, tasks: some(tasks), others: others})
}

// Refresh makes an exchange between steps, unless it was made since the last step: for ghosts that steps do not keep up
// to date, but measurements and output need.
func (p *Program) Refresh(x *Exchange) { p.add(op{kind: opRefresh, x: x}) }

// Exchange fills the ghosts of arrays, and completes before what follows.
func (p *Program) Exchange(g *Ghosts, arrays ...Exchanged) { p.ExchangeThen(g, nil, arrays...) }

// ExchangeThen is Exchange, and fills other ghosts by tasks.
func (p *Program) ExchangeThen(g *Ghosts, after []Task, arrays ...Exchanged) {
	x, err := g.Of(p.ctx, arrays...)
	if err != nil {
		p.err = err
		return
	}
	p.Share(x)
	p.Await(x)
	if len(after) > 0 {
		p.Run(after...)
	}
}

// Queue queues what a function queues on the device, the same each time. It may be recorded.
func (p *Program) Queue(f func() error) { p.add(op{kind: opQueue, queue: f}) }

// Host calls a function on the host, which may wait for the device. It ends a recording.
func (p *Program) Host(f func(ctx context.Context) error) { p.add(op{kind: opHost, host: f}) }

// Reduce combines the results of all ranks where later operations read them. Unless devices are linked, the host of
// each rank waits for its device and for the other ranks.
func (p *Program) Reduce(r Reduction) {
	if s, ok := r.(interface {
		link(devices backend.DeviceComm)
	}); ok && p.engine.links.made != nil {
		s.link(p.engine.links.made.Devices())
	}
	p.add(op{kind: opReduce, into: r})
}

// ReduceBehind combines the results of all ranks while later operations run. The result is complete after the next
// ReduceBehind, of another result, and when Advance returns. Until then the host makes no other collective calls except
// reductions of the program, which wait for it.
func (p *Program) ReduceBehind(r *Extreme) { p.add(op{kind: opReduceBehind, into: r}) }

// Repeated is a program that is repeated until a result says so.
type Repeated struct {
	Body func(p *Program)
	Most int // at most so many times
	// Every is how many times the body is queued before the host looks whether it is done. The body must do nothing
	// once it is done, so that the results do not depend on Every, nor on how far the host looks ahead.
	Every int
	// Done reads the number that is not 0 once it is done, the same on all ranks.
	Done *Array[int32]

	program  *Program
	replay   backend.Replay
	readback [2]backend.Readback
}

// Repeat repeats a program.
func (p *Program) Repeat(r *Repeated) {
	r.program = p.engine.programIn(p.ctx, p.phase, r.Body)
	if p.err == nil {
		p.err = r.program.err
	}
	for k := range r.readback {
		b, err := backend.NewReadback(p.engine.env.Device, 4)
		if err != nil {
			p.err = err
			return
		}
		p.engine.table.arrays.Owns(b)
		r.readback[k] = b
	}
	p.add(op{kind: opRepeat, loop: r})
}

// segment is a sequence of operations that is recorded as a whole, or not at all.
type segment struct {
	ops    []op
	free   bool
	replay backend.Replay
}

// seal divides the body into segments.
func (p *Program) seal() {
	p.free = true
	for _, o := range p.ops[p.body:] {
		free := p.engine.player.free(&o)
		p.free = p.free && free
		if n := len(p.segments); n > 0 && p.segments[n-1].free == free {
			p.segments[n-1].ops = append(p.segments[n-1].ops, o)
			continue
		}
		p.segments = append(p.segments, segment{ops: []op{o}, free: free})
	}
}

// shared lists the operations in which ranks take part together: they must be the same on all ranks.
func (p *Program) shared(list []byte) []byte {
	for _, o := range p.ops {
		switch o.kind {
		case opShare, opAwait, opRefresh:
			list = append(list, byte(o.kind), byte(o.x.ghosts.tag), byte(o.x.ghosts.tag>>8), byte(len(o.x.fields)))
		case opReduce, opReduceBehind:
			list = append(list, byte(o.kind))
		case opRepeat:
			list = append(o.loop.program.shared(append(list, byte(o.kind))), byte(o.kind))
		}
	}
	return append(list, 0xff)
}

// String lists the operations, for tests and for readers.
func (p *Program) String() string {
	var s strings.Builder
	for k, o := range p.ops {
		if k == p.body && k > 0 {
			s.WriteString("-- body\n")
		}
		name := [...]string{"run", "share", "await", "queue", "host", "reduce", "repeat", "refresh", "beside",
			"behind"}[o.kind]
		fmt.Fprintf(&s, "%-18s %-7s", p.engine.player.names[o.phase], name)
		for _, t := range o.tasks {
			fmt.Fprintf(&s, " %T[%d:%d]", t.Loop, t.Lo, t.Hi)
		}
		if o.kind == opRepeat {
			fmt.Fprintf(&s, " at most %d times, looking every %d:\n%s", o.loop.Most, o.loop.Every,
				strings.ReplaceAll(o.loop.program.String(), "\n", "\n    "))
		}
		s.WriteString("\n")
	}
	return s.String()
}
