package recorder

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"github.com/atoll-hpc/atoll/solvers"
)

// List has the recorders of a run, in the order in which they write.
type List struct {
	run       *Run
	recorders []Recorder
	sampler   solvers.Sampler // records the values of each step for Sampled recorders; nil if they read the current state
}

// NewList returns the empty list of a run.
func NewList(run *Run) *List { return &List{run: run} }

// Add adds recorders.
func (l *List) Add(recorders ...Recorder) { l.recorders = append(l.recorders, recorders...) }

// each calls a function with each recorder until one fails.
func (l *List) each(do func(r Recorder) error) error {
	for _, r := range l.recorders {
		if err := do(r); err != nil {
			return err
		}
	}
	return nil
}

// Open opens all recorders: at the start of a run with from nil, else at the position of a checkpoint.
func (l *List) Open(ctx context.Context, from *Position) error {
	if err := l.each(func(r Recorder) error { return r.Open(ctx, from) }); err != nil {
		return err
	}
	if from != nil {
		for _, r := range l.recorders {
			var p *Progress
			if known, ok := from.Schedules[r.Name()]; ok {
				p = &known
			}
			r.Schedule().Resume(p, from.Clock)
		}
	}
	if err := l.beginSampling(); err != nil {
		return err
	}
	// No rank may write before the others have removed the files of an earlier run.
	return l.run.Comm.Barrier(ctx)
}

// beginSampling asks the solver to record the values that Sampled recorders read.
func (l *List) beginSampling() error {
	s, ok := l.run.Solver.(solvers.Sampler)
	if !ok {
		return nil
	}
	var fields []string
	var entities []int
	any := false
	for _, r := range l.recorders {
		if r, ok := r.(Sampled); ok {
			f, e := r.Samples()
			if any = true; f != nil {
				fields = f
			}
			entities = append(entities, e...)
		}
	}
	if !any {
		return nil
	}
	accepted, err := s.Sample(fields, entities)
	if accepted {
		l.sampler = s
	}
	return err
}

// Remeshed finds again what depends on the mesh, which the solver has changed.
func (l *List) Remeshed(ctx context.Context) error {
	err := l.each(func(r Recorder) error {
		if r, ok := r.(OnMesh); ok {
			return r.Remeshed(ctx)
		}
		return nil
	})
	if err != nil || l.sampler == nil {
		return err
	}
	return l.beginSampling()
}

// Skip makes nothing due before a time.
func (l *List) Skip(from float64) {
	for _, r := range l.recorders {
		r.Schedule().Begin(from)
	}
}

// sampled reports whether the solver records what a recorder reads.
func (l *List) sampled(r Recorder) bool {
	_, ok := r.(Sampled)
	return ok && l.sampler != nil
}

// Limits returns how far the solver may advance: to a time at which a step must end, to one that it may pass by less
// than a step, both +Inf for none, and by how many steps.
func (l *List) Limits(steps int) (until, pause float64, n int) {
	until, pause, n = math.Inf(1), math.Inf(1), math.MaxInt
	for _, r := range l.recorders {
		s := r.Schedule()
		switch {
		case l.sampled(r):
			continue
		case s.Exact:
			until = min(until, s.NextTime())
		default:
			pause = min(pause, s.NextTime())
		}
		n = min(n, s.StepsLeft(steps))
	}
	return until, pause, n
}

// Start writes the state before the first step as far as it is due: all of it at the start of a run.
func (l *List) Start(ctx context.Context, now solvers.Clock) error {
	defer l.run.Timed()()
	return l.each(func(r Recorder) error { return l.writeDue(ctx, r, now) })
}

// Step writes what is due after a call of Advance. If the run has ended, End writes the rest.
func (l *List) Step(ctx context.Context, now solvers.Clock, ended bool) error {
	defer l.run.Timed()()
	err := l.each(func(r Recorder) error {
		if b, ok := r.(Backgrounder); ok {
			return b.Complete(ctx)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := l.writeSamples(ctx, now.Steps); err != nil {
		return err
	}
	return l.each(func(r Recorder) error {
		if l.sampled(r) || ended && r.Schedule().Last {
			return nil
		}
		return l.writeDue(ctx, r, now)
	})
}

// writeSamples writes what is due at the steps of the last call of Advance, the last of which has the given number.
func (l *List) writeSamples(ctx context.Context, steps int) error {
	if l.sampler == nil {
		return nil
	}
	times := l.sampler.Sampled()
	for k, t := range times {
		l.sampler.SelectSample(k)
		at := solvers.Clock{Time: t, Steps: steps - len(times) + k + 1}
		err := l.each(func(r Recorder) error {
			if !l.sampled(r) {
				return nil
			}
			return l.writeDue(ctx, r, at)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *List) writeDue(ctx context.Context, r Recorder, now solvers.Clock) error {
	if s := r.Schedule(); s.AtPolls || !s.Due(now) {
		return nil
	}
	return write(ctx, r, now, false)
}

func write(ctx context.Context, r Recorder, now solvers.Clock, last bool) error {
	err := r.Write(ctx, now, last)
	r.Schedule().Wrote(now)
	return err
}

// End writes the last state.
func (l *List) End(ctx context.Context, now solvers.Clock) error {
	defer l.run.Timed()()
	err := l.each(func(r Recorder) error {
		if !r.Schedule().DueLast(now) {
			return nil
		}
		return write(ctx, r, now, true)
	})
	if err != nil {
		return err
	}
	return l.Settle(ctx)
}

// Settle waits until all states that were written are in the files.
func (l *List) Settle(ctx context.Context) error {
	defer l.run.Timed()()
	return l.each(func(r Recorder) error { return r.Settle(ctx) })
}

// Finish writes what is written once, and completes all files.
func (l *List) Finish(ctx context.Context, now solvers.Clock) error {
	return l.each(func(r Recorder) error {
		if r.Schedule().Once {
			if err := r.Write(ctx, now, true); err != nil {
				return err
			}
		}
		return r.Finish(ctx)
	})
}

// Save adds this rank's part to a position.
func (l *List) Save(to *Position) error {
	return l.each(func(r Recorder) error {
		if s := r.Schedule(); !s.Once && !s.AtPolls {
			to.Schedules[r.Name()] = s.Progress()
		}
		return r.Save(to)
	})
}

// Position returns the encoded position of the settled output of all ranks, on rank 0. wall is the wall-clock time of
// the loop over steps in seconds.
func (l *List) Position(ctx context.Context, wall float64) (json.RawMessage, error) {
	p := NewPosition()
	if err := l.Save(p); err != nil {
		return nil, err
	}
	message, err := json.Marshal(p.Tables)
	if err != nil {
		return nil, err
	}
	messages, err := l.run.Comm.Gatherv(ctx, 0, message)
	if err != nil || l.run.Comm.Rank() != 0 {
		return nil, err
	}
	for _, tables := range messages {
		if err := json.Unmarshal(tables, &p.Tables); err != nil {
			return nil, err
		}
	}
	p.Wall = wall
	return json.Marshal(p)
}

// Close closes all recorders.
func (l *List) Close() error {
	var err error
	if l != nil {
		for _, r := range l.recorders {
			err = errors.Join(err, r.Close())
		}
	}
	return err
}
