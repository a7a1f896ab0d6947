package halo

import (
	"context"
	"errors"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// failingSender is a communicator whose sends fail.
type failingSender struct {
	dist.Comm
	posted, cancelled int // receives
}

var errBroken = errors.New("broken")

func (s *failingSender) Irecv(ctx context.Context, from, tag int, buf []byte) (dist.Request, error) {
	s.posted++
	return s.Comm.Irecv(ctx, from, tag, buf)
}

func (s *failingSender) IrecvUpTo(ctx context.Context, from, tag int, buf []byte, length *int) (dist.Request, error) {
	s.posted++
	return s.Comm.IrecvUpTo(ctx, from, tag, buf, length)
}

func (s *failingSender) Isend(context.Context, int, int, []byte) (dist.Request, error) {
	return 0, errBroken
}

func (s *failingSender) Wait(ctx context.Context, reqs []dist.Request) error {
	s.cancelled += len(reqs)
	return s.Comm.Wait(ctx, reqs)
}

// TestFailureCancelsReceives: receives posted before a failure are cancelled, so that no message is written to a
// buffer later.
func TestFailureCancelsReceives(t *testing.T) {
	plan := pair(t, 4)[0]
	for name, start := range map[string]func(c dist.Comm) error{
		"cells": func(c dist.Comm) error {
			return NewHostExchanger(plan, c, 1, 8).Start(t.Context(), FieldOf(make([]float64, plan.Owned+plan.Ghosts)))
		},
		"items": func(c dist.Comm) error {
			return NewItemExchanger[int32](plan.Items(func(n int) int { return n }), c, 1).Start(t.Context(), [][]int32{{7}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			comms := local.New(2)
			b := &failingSender{Comm: comms[0]}
			if err := start(b); !errors.Is(err, errBroken) {
				t.Fatalf("error %v", err)
			}
			if b.posted == 0 || b.cancelled != b.posted {
				t.Errorf("%d receives were posted, %d cancelled", b.posted, b.cancelled)
			}
			for _, c := range comms {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
