package disttest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/atoll-hpc/atoll/dist"
)

// Cases returns the cases that leave a communicator usable.
func Cases() []Case {
	return []Case{
		{"messages of all sizes around a ring", 1, ring},
		{"messages to oneself", 1, self},
		{"tags are matched in any order", 1, manyTags},
		{"messages with one tag do not overtake", 1, nonOvertaking},
		{"all ranks send to all before they receive", 1, allToAll},
		{"a random schedule known to all", 1, schedule},
		{"several goroutines a rank", 1, goroutines},
		{"messages of all sizes up to a length", 1, upToSizes},
		{"messages up to a length do not overtake others", 1, upToOrder},
		{"a nil length is refused", 1, upToNilLength},
		{"a message of another length is refused", 1, wrongLength},
		{"impossible arguments are refused", 1, badArguments},
		{"a request is waited for once", 1, waitTwice},
		{"a receive ends with its context", 1, receiveDeadline},
		{"an ended context starts nothing", 1, endedContext},
		{"minimum and maximum of float64", 1, extremes},
		{"reductions of int64", 1, integers},
		{"reductions of many and of no elements", 1, longReductions},
		{"sums of float64 have the same bits as a serial sum", 1, exactSum},
		{"no rank leaves a barrier before all have entered", 1, barrier},
		{"broadcast from every root", 1, bcast},
		{"gather of different lengths on every root", 1, gatherv},
		{"gather of different lengths on all", 1, allgatherv},
		{"collectives beside messages", 1, mixed},
		{"parcels to any ranks", 1, parcels},
	}
}

// LastCases returns the cases that end the run. Each needs new communicators.
func LastCases() []Case {
	return []Case{
		{"abort reaches pending and later calls", 1, abort},
		{"abort reaches collectives", 2, abortCollective},
		{"different collectives are refused", 2, differentCollectives},
		{"different lengths in a reduction are refused", 2, differentLengths},
		{"a collective ends with its context", 2, collectiveDeadline},
		{"no rank waits for a closed one", 2, closedPeer},
		{"no rank waits for a closed stranger", 2, closedStranger},
		{"nothing works after close", 1, afterClose},
		{"ranks may close long before others", 2, unevenClose},
	}
}

// pattern is the source of message bytes. Its length is prime, so that a shift by a power of two changes the bytes.
var pattern = func() []byte {
	p := make([]byte, 65537)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range p {
		p[i] = byte(rng.Uint32())
	}
	return p
}()

// fill writes bytes that depend on key and position, so that verify detects misplaced bytes and those of another
// message. They begin in pattern where key says, for successive keys 7919 bytes apart.
func fill(buf []byte, key int) {
	for offset := key * 7919 % len(pattern); len(buf) > 0; offset = 0 {
		buf = buf[copy(buf, pattern[offset:]):]
	}
}

func verify(buf []byte, key int, what string) error {
	for offset, done := key*7919%len(pattern), 0; done < len(buf); offset = 0 {
		n := min(len(pattern)-offset, len(buf)-done)
		if !bytes.Equal(buf[done:done+n], pattern[offset:offset+n]) {
			return fmt.Errorf("%s: wrong bytes between %d and %d of %d", what, done, done+n, len(buf))
		}
		done += n
	}
	return nil
}

// batch collects the requests of a case.
type batch struct {
	c    dist.Comm
	reqs []dist.Request
	err  error
}

func (b *batch) send(ctx context.Context, dest, tag int, buf []byte) {
	b.add(b.c.Isend(ctx, dest, tag, buf))
}

func (b *batch) recv(ctx context.Context, source, tag int, buf []byte) {
	b.add(b.c.Irecv(ctx, source, tag, buf))
}

func (b *batch) recvUpTo(ctx context.Context, source, tag int, buf []byte, length *int) {
	b.add(b.c.IrecvUpTo(ctx, source, tag, buf, length))
}

func (b *batch) add(r dist.Request, err error) {
	if err == nil {
		b.reqs = append(b.reqs, r)
	} else if b.err == nil {
		b.err = err
	}
}

func (b *batch) wait(ctx context.Context) error {
	err := b.c.Wait(ctx, b.reqs)
	b.reqs = b.reqs[:0]
	if b.err != nil {
		return b.err
	}
	return err
}
