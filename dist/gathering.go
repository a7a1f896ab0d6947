package dist

import (
	"context"
	"encoding/binary"
)

// Gathering gathers short messages of all ranks, of the same length on all, by messages with a tag. Unlike collectives
// it may be used in the background, beside others with other tags. All ranks make the same calls in the same order.
type Gathering struct {
	Comm Comm
	Tag  int // no other messages have it at that time
}

// Scan returns, for each of the numbers that a rank passes, the sum of those of lower ranks and of all ranks.
func (g *Gathering) Scan(ctx context.Context, own []int64) (before, total []int64, err error) {
	n, size := len(own), g.Comm.Size()
	sums := make([]int64, 2*n)
	message := make([]byte, 0, 8*n)
	for _, v := range own {
		message = binary.LittleEndian.AppendUint64(message, uint64(v))
	}
	all, err := g.Gather(ctx, message)
	if err != nil {
		return nil, nil, err
	}
	requests := make([]Request, 0, size)
	if g.Comm.Rank() > 0 {
		answer := make([]byte, 16*n)
		err = post(&requests)(g.Comm.Irecv(ctx, 0, g.Tag, answer))
		err = g.wait(ctx, requests, err)
		for k := range sums {
			sums[k] = int64(binary.LittleEndian.Uint64(answer[8*k:]))
		}
		return sums[:n], sums[n:], err
	}
	value := func(k int) int64 { return int64(binary.LittleEndian.Uint64(all[8*k:])) }
	for k := range n * size {
		sums[n+k%n] += value(k)
	}
	answers := make([]byte, 0, 16*n*size)
	for rank := range size {
		for _, v := range sums {
			answers = binary.LittleEndian.AppendUint64(answers, uint64(v))
		}
		for k := range n {
			sums[k] += value(n*rank + k)
		}
	}
	for rank := 1; rank < size && err == nil; rank++ {
		err = post(&requests)(g.Comm.Isend(ctx, rank, g.Tag, answers[16*n*rank:][:16*n]))
	}
	return make([]int64, n), sums[n:], g.wait(ctx, requests, err)
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
