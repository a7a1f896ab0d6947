package dist

import "context"

// Gathering gathers short messages of all ranks, of the same length on all, by messages with a tag. Unlike collectives
// it may be used in the background, beside others with other tags. All ranks make the same calls in the same order.
type Gathering struct {
	Comm Comm
	Tag  int // no other messages have it at that time
}

// Allgather returns the messages of all ranks, one after the other, on all ranks.
func (g *Gathering) Allgather(ctx context.Context, own []byte) ([]byte, error) {
	all, err := g.Gather(ctx, own)
	if err != nil || g.Comm.Size() == 1 {
		return all, err
	}
	requests := make([]Request, 0, g.Comm.Size())
	if g.Comm.Rank() > 0 {
		all = make([]byte, len(own)*g.Comm.Size())
		err = post(&requests)(g.Comm.Irecv(ctx, 0, g.Tag, all))
	}
	for rank := 1; g.Comm.Rank() == 0 && rank < g.Comm.Size() && err == nil; rank++ {
		err = post(&requests)(g.Comm.Isend(ctx, rank, g.Tag, all))
	}
	return all, g.wait(ctx, requests, err)
}

// Gather returns the messages of all ranks, one after the other, on rank 0, and nil on others. With empty messages, it
// tells rank 0 that all ranks have called it.
func (g *Gathering) Gather(ctx context.Context, own []byte) (all []byte, err error) {
	requests := make([]Request, 0, g.Comm.Size())
	if g.Comm.Rank() > 0 {
		err = post(&requests)(g.Comm.Isend(ctx, 0, g.Tag, own))
		return nil, g.wait(ctx, requests, err)
	}
	n := len(own)
	all = make([]byte, n*g.Comm.Size())
	copy(all, own)
	for rank := 1; rank < g.Comm.Size() && err == nil; rank++ {
		err = post(&requests)(g.Comm.Irecv(ctx, rank, g.Tag, all[n*rank:][:n]))
	}
	return all, g.wait(ctx, requests, err)
}

// post returns a function that adds a request that was posted.
func post(to *[]Request) func(Request, error) error {
	return func(r Request, err error) error {
		if err == nil {
			*to = append(*to, r)
		}
		return err
	}
}

// wait waits for the requests. After an error in posting them it cancels them.
func (g *Gathering) wait(ctx context.Context, requests []Request, err error) error {
	if err == nil {
		return g.Comm.Wait(ctx, requests)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_ = g.Comm.Wait(cancelled, requests)
	return err
}
