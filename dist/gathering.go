package dist

import (
	"context"
	"encoding/binary"
)

// Gathering gathers short messages of all ranks, of the same length on all, by messages with a tag. Unlike collectives
// it may be used in the background, beside others with other tags. All ranks make the same calls in the same order.
//
// The messages go along a binomial tree of the ranks, with rank 0 at its root. A subtree has consecutive ranks, as many
// as the lowest bit of its first one, its root. No rank sends and receives more than 2⌈log₂ P⌉ messages.
type Gathering struct {
	Comm Comm
	Tag  int // no other messages have it at that time
}

// Scan returns, for each of the numbers that a rank passes, the sum of those of lower ranks and of all ranks.
func (g *Gathering) Scan(ctx context.Context, own []int64) (before, total []int64, err error) {
	n := len(own)
	parent, children, _ := g.place()
	arrived, err := g.receive(ctx, children, func(int) int { return 8 * n })
	if err != nil {
		return nil, nil, err
	}
	total = append([]int64(nil), own...) // of this rank's subtree, then of all
	for _, sums := range arrived {
		addNumbers(total, sums)
	}
	before = make([]int64, n)
	if parent >= 0 {
		answer := make([]byte, 16*n)
		var requests []Request
		err := post(&requests)(g.Comm.Irecv(ctx, parent, g.Tag, answer))
		if err == nil {
			err = post(&requests)(g.Comm.Isend(ctx, parent, g.Tag, appendNumbers(nil, total)))
		}
		if err := g.wait(ctx, requests, err); err != nil {
			return nil, nil, err
		}
		clear(total)
		addNumbers(before, answer)
		addNumbers(total, answer[8*n:])
	}
	below := append([]int64(nil), before...) // of the next child
	for k, v := range own {
		below[k] += v
	}
	var requests []Request
	for k, child := range children {
		answer := appendNumbers(appendNumbers(nil, below), total)
		if err = post(&requests)(g.Comm.Isend(ctx, child, g.Tag, answer)); err != nil {
			break
		}
		addNumbers(below, arrived[k])
	}
	return before, total, g.wait(ctx, requests, err)
}

// appendNumbers appends numbers to a message.
func appendNumbers(to []byte, numbers []int64) []byte {
	for _, v := range numbers {
		to = binary.LittleEndian.AppendUint64(to, uint64(v))
	}
	return to
}

// addNumbers adds the first numbers of a message.
func addNumbers(to []int64, message []byte) {
	for k := range to {
		to[k] += int64(binary.LittleEndian.Uint64(message[8*k:]))
	}
}

// Gather returns the messages of all ranks, one after the other, on rank 0, and nil on others. With empty messages, it
// tells rank 0 that all ranks have called it.
func (g *Gathering) Gather(ctx context.Context, own []byte) (all []byte, err error) {
	parent, children, end := g.place()
	arrived, err := g.receive(ctx, children, func(k int) int {
		if k+1 < len(children) {
			return len(own) * (children[k+1] - children[k])
		}
		return len(own) * (end - children[k])
	})
	if err != nil {
		return nil, err
	}
	all = append([]byte{}, own...)
	for _, message := range arrived {
		all = append(all, message...)
	}
	if parent < 0 {
		return all, nil
	}
	var requests []Request
	err = post(&requests)(g.Comm.Isend(ctx, parent, g.Tag, all))
	return nil, g.wait(ctx, requests, err)
}

// place returns the place of this rank in the binomial tree: its parent, -1 for rank 0; its children in ascending
// order; and the end of the ranks of its subtree.
func (g *Gathering) place() (parent int, children []int, end int) {
	rank, size := g.Comm.Rank(), g.Comm.Size()
	if parent, end = rank&(rank-1), rank+rank&-rank; rank == 0 {
		parent, end = -1, size
	}
	end = min(end, size)
	for bit := 1; rank+bit < end; bit *= 2 {
		children = append(children, rank+bit)
	}
	return parent, children, end
}

// receive returns a message of each rank, of given lengths.
func (g *Gathering) receive(ctx context.Context, from []int, length func(k int) int) (messages [][]byte, err error) {
	var requests []Request
	for k, rank := range from {
		message := make([]byte, length(k))
		if err = post(&requests)(g.Comm.Irecv(ctx, rank, g.Tag, message)); err != nil {
			break
		}
		messages = append(messages, message)
	}
	return messages, g.wait(ctx, requests, err)
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
