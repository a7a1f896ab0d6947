package engine

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
)

// Batch is a program that is played several times with one call, outside of steps: by a recording if the host takes no
// part in it.
type Batch struct {
	engine  *Engine
	program *Program
	times   int
	replay  backend.Replay
}

// NewBatch makes a program that a call of Play plays a number of times. All ranks call it.
func (e *Engine) NewBatch(ctx context.Context, times int, f func(p *Program)) (*Batch, error) {
	b := &Batch{engine: e, program: e.program(ctx, f), times: times}
	return b, b.program.err
}

// Free reports whether the host takes no part in the program.
func (b *Batch) Free() bool { return b.program.free }

// Recorded reports whether the program is recorded.
func (b *Batch) Recorded() bool { return b.program.free && b.engine.player.records }

// Play plays the program.
func (b *Batch) Play(ctx context.Context) error {
	return b.engine.player.batch(ctx, b.program, &b.replay, b.times)
}
