package disttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// unwritten fills buffers before a receive, to detect which bytes it writes.
const unwritten = 0xa5

// unwrittenBuffer returns a buffer of size bytes, filled with unwritten.
func unwrittenBuffer(size int) []byte { return bytes.Repeat([]byte{unwritten}, size) }

// verifyUpTo checks the length and the bytes of a message received into an unwrittenBuffer, and that nothing was
// written after them.
func verifyUpTo(buf []byte, got, want, key int, what string) error {
	if got != want {
		return fmt.Errorf("%s: received %d bytes, want %d", what, got, want)
	}
	if rest := buf[got:]; bytes.Count(rest, []byte{unwritten}) < len(rest) {
		return fmt.Errorf("%s: bytes were written beyond the %d of the message", what, got)
	}
	return verify(buf[:got], key, what)
}

// upToSizes sends messages of all sizes to buffers that are exact, slightly or much longer, with receives posted
// before the send or, if late, after it.
func upToSizes(ctx context.Context, c dist.Comm) error {
	n, r := c.Size(), c.Rank()
	next, prev := (r+1)%n, (r+n-1)%n
	length := new(int)
	for i, size := range messageSizes {
		for _, spare := range []int{0, []int{1, 5000, 300_000}[i%3]} {
			for _, late := range []bool{false, true} {
				out, in := make([]byte, size), unwrittenBuffer(size+spare)
				fill(out, r*100+i)
				b := batch{c: c}
				if late {
					b.send(ctx, next, i, out)
					if err := c.Barrier(ctx); err != nil {
						return err
					}
				}
				b.recvUpTo(ctx, prev, i, in, length)
				if !late {
					b.send(ctx, next, i, out)
				}
				if err := b.wait(ctx); err != nil {
					return err
				}
				what := fmt.Sprintf("%d bytes from rank %d with room for %d more, late %v", size, prev, spare, late)
				if err := verifyUpTo(in, *length, size, prev*100+i, what); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// upToOrder mixes Irecv and IrecvUpTo with one tag, and sizes that a transport may send by different protocols, such as
// eager and rendezvous: messages match receives in the order of sending.
func upToOrder(ctx context.Context, c dist.Comm) error {
	sizes := []int{8, 300_000, 0, 70_000, 16, 1 << 20, 4096, 2, 4089}
	const count = 45
	n, r := c.Size(), c.Rank()
	next, prev := (r+1)%n, (r+n-1)%n
	sent := func(rank, i int) int { return sizes[(rank+i)%len(sizes)] }
	b := batch{c: c}
	var in [count][]byte
	var length [count]int
	for i := range count {
		out := make([]byte, sent(r, i))
		fill(out, r*1000+i)
		b.send(ctx, next, 5, out)
	}
	for i := range count {
		length[i] = sent(prev, i)
		if i%3 == 0 {
			in[i] = unwrittenBuffer(length[i])
			b.recv(ctx, prev, 5, in[i])
		} else {
			length[i] = -1
			in[i] = unwrittenBuffer(sent(prev, i) + 1<<(i%19))
			b.recvUpTo(ctx, prev, 5, in[i], &length[i])
		}
	}
	if err := b.wait(ctx); err != nil {
		return err
	}
	for i := range count {
		if err := verifyUpTo(in[i], length[i], sent(prev, i), prev*1000+i, fmt.Sprintf("message %d", i)); err != nil {
			return err
		}
	}
	return nil
}

// upToNilLength: IrecvUpTo without a pointer for the length is an error, and does not consume a message.
func upToNilLength(ctx context.Context, c dist.Comm) error {
	if _, err := c.IrecvUpTo(ctx, c.Rank(), 6, make([]byte, 8), nil); err == nil {
		return errors.New("IrecvUpTo accepts a nil length")
	}
	out, in := make([]byte, 8), make([]byte, 8)
	fill(out, 1)
	b := batch{c: c}
	b.send(ctx, c.Rank(), 6, out)
	b.recv(ctx, c.Rank(), 6, in)
	if err := b.wait(ctx); err != nil {
		return err
	}
	return verify(in, 1, "after a refused receive")
}
