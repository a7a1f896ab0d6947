package disttest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/atoll-hpc/atoll/dist"
)

// messageSizes holds lengths around the limits at which transports change their protocol: frames, chunks, eager
// limits.
var messageSizes = []int{0, 1, 7, 64, 1023, 1025, 4096, 16384, 65535, 65536, 65537, 1<<18 - 1, 1 << 18, 1<<18 + 1,
	1 << 20, 4<<20 + 3}

func ring(ctx context.Context, c dist.Comm) error {
	n, r := c.Size(), c.Rank()
	next, prev := (r+1)%n, (r+n-1)%n
	for i, size := range messageSizes {
		out, in := make([]byte, size), make([]byte, size)
		fill(out, r*100+i)
		b := batch{c: c}
		b.recv(ctx, prev, i, in)
		b.send(ctx, next, i, out)
		if err := b.wait(ctx); err != nil {
			return err
		}
		if err := verify(in, prev*100+i, fmt.Sprintf("from rank %d", prev)); err != nil {
			return err
		}
	}
	return nil
}

func self(ctx context.Context, c dist.Comm) error {
	for i, size := range messageSizes {
		out, in := make([]byte, size), make([]byte, size)
		fill(out, i)
		b := batch{c: c}
		if i%2 == 0 {
			b.send(ctx, c.Rank(), i, out)
			b.recv(ctx, c.Rank(), i, in)
		} else {
			b.recv(ctx, c.Rank(), i, in)
			b.send(ctx, c.Rank(), i, out)
		}
		if err := b.wait(ctx); err != nil {
			return err
		}
		if err := verify(in, i, "from this rank itself"); err != nil {
			return err
		}
	}
	return nil
}

func manyTags(ctx context.Context, c dist.Comm) error {
	const tags = 100
	n, r := c.Size(), c.Rank()
	next, prev := (r+1)%n, (r+n-1)%n
	b := batch{c: c}
	var in [tags][16]byte
	for tag := range tags {
		out := make([]byte, 16)
		fill(out, r*1000+tag)
		b.send(ctx, next, tag, out)
	}
	for tag := tags - 1; tag >= 0; tag-- {
		b.recv(ctx, prev, tag, in[tag][:])
	}
	if err := b.wait(ctx); err != nil {
		return err
	}
	for tag := range tags {
		if err := verify(in[tag][:], prev*1000+tag, fmt.Sprintf("tag %d", tag)); err != nil {
			return err
		}
	}
	return nil
}

// nonOvertaking mixes lengths that transports send by different protocols.
func nonOvertaking(ctx context.Context, c dist.Comm) error {
	sizes := []int{8, 300_000, 0, 70_000, 16, 1 << 20, 4096, 2}
	const count = 40
	n, r := c.Size(), c.Rank()
	next, prev := (r+1)%n, (r+n-1)%n
	b := batch{c: c}
	var in [count][]byte
	for i := range count {
		out := make([]byte, sizes[i%len(sizes)])
		fill(out, r*1000+i)
		b.send(ctx, next, 5, out)
	}
	for i := range count {
		in[i] = make([]byte, sizes[i%len(sizes)])
		b.recv(ctx, prev, 5, in[i])
	}
	if err := b.wait(ctx); err != nil {
		return err
	}
	for i := range count {
		if err := verify(in[i], prev*1000+i, fmt.Sprintf("message %d", i)); err != nil {
			return err
		}
	}
	return nil
}

func allToAll(ctx context.Context, c dist.Comm) error {
	for _, size := range []int{64, 100_000, 1 << 20} {
		n, r := c.Size(), c.Rank()
		b := batch{c: c}
		in := make([][]byte, n)
		for to := range n {
			out := make([]byte, size)
			fill(out, r*100+to)
			b.send(ctx, to, 0, out)
		}
		for from := range n {
			in[from] = make([]byte, size)
			b.recv(ctx, from, 0, in[from])
		}
		if err := b.wait(ctx); err != nil {
			return err
		}
		for from := range n {
			if err := verify(in[from], from*100+r, fmt.Sprintf("%d bytes from rank %d", size, from)); err != nil {
				return err
			}
		}
	}
	return nil
}

// schedule draws random messages from a seed that all ranks share. Each rank interleaves its sends and receives in
// its own random order, and receives at random with an exact length or up to a longer one.
func schedule(ctx context.Context, c dist.Comm) error {
	type message struct{ from, to, tag, size int }
	shared := rand.New(rand.NewPCG(1, uint64(c.Size())))
	for round := range 5 {
		var plan []message
		for range 40 * c.Size() {
			m := message{shared.IntN(c.Size()), shared.IntN(c.Size()), shared.IntN(4), 1 << shared.IntN(17)}
			if shared.IntN(50) == 0 {
				m.size = 600_000
			}
			plan = append(plan, m)
		}
		b := batch{c: c}
		in, length := make([][]byte, len(plan)), make([]int, len(plan))
		own := rand.New(rand.NewPCG(uint64(round), uint64(c.Rank())))
		sends, recvs := 0, 0
		for sends < len(plan) || recvs < len(plan) {
			if sends < len(plan) && (recvs == len(plan) || own.IntN(2) == 0) {
				if m := plan[sends]; m.from == c.Rank() {
					out := make([]byte, m.size)
					fill(out, sends)
					b.send(ctx, m.to, m.tag, out)
				}
				sends++
			} else {
				if m := plan[recvs]; m.to == c.Rank() {
					if length[recvs] = m.size; own.IntN(2) == 0 {
						in[recvs] = unwrittenBuffer(m.size)
						b.recv(ctx, m.from, m.tag, in[recvs])
					} else {
						in[recvs] = unwrittenBuffer(m.size + 1<<own.IntN(19))
						b.recvUpTo(ctx, m.from, m.tag, in[recvs], &length[recvs])
					}
				}
				recvs++
			}
		}
		own.Shuffle(len(b.reqs), func(i, j int) { b.reqs[i], b.reqs[j] = b.reqs[j], b.reqs[i] })
		if err := b.wait(ctx); err != nil {
			return err
		}
		for i, buf := range in {
			if plan[i].to != c.Rank() {
				continue
			}
			if err := verifyUpTo(buf, length[i], plan[i].size, i, fmt.Sprintf("message %d %+v", i, plan[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

func goroutines(ctx context.Context, c dist.Comm) error {
	n, r := c.Size(), c.Rank()
	next, prev := (r+1)%n, (r+n-1)%n
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for g := range errs {
		wg.Go(func() {
			out, in := make([]byte, 1000*g), make([]byte, 1000*g)
			for i := range 50 {
				fill(out, r*100+g+i)
				b := batch{c: c}
				b.send(ctx, next, g, out)
				b.recv(ctx, prev, g, in)
				if errs[g] = b.wait(ctx); errs[g] != nil {
					return
				}
				if errs[g] = verify(in, prev*100+g+i, fmt.Sprintf("goroutine %d", g)); errs[g] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
