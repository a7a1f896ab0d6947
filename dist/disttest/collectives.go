package disttest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/dist"
)

func extremes(ctx context.Context, c dist.Comm) error {
	n, r := c.Size(), c.Rank()
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	last := float64(n - 1)
	rankNaN := math.Float64frombits(0x7ff8_0000_0000_1000 + uint64(r)) // a NaN whose payload depends on the rank
	pick := func(first bool, a, b float64) float64 {
		if first {
			return a
		}
		return b
	}
	in := []float64{float64(r), -float64(r), pick(r == 0, nan, 1), pick(r == n-1, nan, 1), rankNaN,
		pick(r == n/2, inf, 0), pick(r == n/2, zero, zero), pick(r%2 == 0, 0, zero)}
	low := append([]float64(nil), in...)
	if err := c.AllreduceFloat64(ctx, dist.Min, low); err != nil {
		return err
	}
	high := append([]float64(nil), in...)
	if err := c.AllreduceFloat64(ctx, dist.Max, high); err != nil {
		return err
	}
	lowWant := []float64{0, -last, nan, nan, nan, pick(n == 1, inf, 0), zero, pick(n == 1, 0, zero)}
	highWant := []float64{last, 0, nan, nan, nan, inf, zero, 0}
	if n == 1 {
		lowWant[1], highWant[1] = in[1], in[1] // -0
	}
	for i := range in {
		if math.Float64bits(low[i]) != math.Float64bits(lowWant[i]) {
			return fmt.Errorf("minimum %d is %v (%x), want %v", i, low[i], math.Float64bits(low[i]), lowWant[i])
		}
		// The maximum of element 1 is the -0 of rank 0, whose bits differ from those of 0.
		if i != 1 && math.Float64bits(high[i]) != math.Float64bits(highWant[i]) {
			return fmt.Errorf("maximum %d is %v (%x), want %v", i, high[i], math.Float64bits(high[i]), highWant[i])
		}
	}
	return nil
}

func integers(ctx context.Context, c dist.Comm) error {
	n, r := int64(c.Size()), int64(c.Rank())
	in := []int64{r, -r, math.MaxInt64, 1 << r, math.MinInt64 + r}
	want := map[dist.Op][]int64{
		dist.Min: {0, 1 - n, math.MaxInt64, 1, math.MinInt64},
		dist.Max: {n - 1, 0, math.MaxInt64, 1 << (n - 1), math.MinInt64 + n - 1},
		dist.Sum: {n * (n - 1) / 2, -n * (n - 1) / 2, 0, 1<<n - 1, n * (n - 1) / 2},
		dist.Or:  {0, 0, math.MaxInt64, 1<<n - 1, math.MinInt64},
	}
	for i := range n { // the sums wrap
		want[dist.Sum][2] += math.MaxInt64
		want[dist.Sum][4] += math.MinInt64
		want[dist.Or][0] |= i
		want[dist.Or][1] |= -i
		want[dist.Or][4] |= math.MinInt64 + i
	}
	for _, op := range []dist.Op{dist.Min, dist.Max, dist.Sum, dist.Or} {
		got := append([]int64(nil), in...)
		if err := c.AllreduceInt64(ctx, op, got); err != nil {
			return err
		}
		for i := range got {
			if got[i] != want[op][i] {
				return fmt.Errorf("reduction %d of element %d is %d, want %d", op, i, got[i], want[op][i])
			}
		}
	}
	return nil
}

func longReductions(ctx context.Context, c dist.Comm) error {
	for _, n := range []int{0, 1, 1000, 200_000} {
		buf := make([]int64, n)
		for i := range buf {
			buf[i] = int64(i * (c.Rank() + 1))
		}
		if err := c.AllreduceInt64(ctx, dist.Sum, buf); err != nil {
			return err
		}
		factor := c.Size() * (c.Size() + 1) / 2
		for i := range buf {
			if buf[i] != int64(i*factor) {
				return fmt.Errorf("element %d of %d is %d, want %d", i, n, buf[i], i*factor)
			}
		}
		if err := c.AllreduceFloat64(ctx, dist.Max, make([]float64, n)); err != nil {
			return err
		}
	}
	return nil
}

// exactSum distributes over the ranks terms that cancel, so that a float64 sum depends on their order. The result
// must have the bits of the serial sum.
func exactSum(ctx context.Context, c dist.Comm) error {
	var serial, own dist.Accumulator
	x := 0.7
	for i := range 10_000 {
		x = 3.99 * x * (1 - x) // the logistic map, which is chaotic
		term := math.Ldexp(x-0.5, i%200-100)
		serial.Add(term)
		if int(x*1000)%c.Size() == c.Rank() {
			own.Add(term)
		}
	}
	if err := dist.AllreduceSum(ctx, c, &own); err != nil {
		return err
	}
	if a, b := own.Float64(), serial.Float64(); math.Float64bits(a) != math.Float64bits(b) {
		return fmt.Errorf("sum %x, serial %x", a, b)
	}
	withNaN := new(dist.Accumulator)
	if c.Rank() == c.Size()-1 {
		withNaN.Add(math.NaN())
	}
	second := new(dist.Accumulator)
	second.Add(float64(c.Rank()) + 0.5)
	if err := dist.AllreduceSum(ctx, c, withNaN, second); err != nil {
		return err
	}
	if got, want := second.Float64(), float64(c.Size()*c.Size())/2; got != want {
		return fmt.Errorf("the second of two sums is %v, want %v", got, want)
	}
	if !math.IsNaN(withNaN.Float64()) {
		return fmt.Errorf("a sum with a NaN is %v", withNaN.Float64())
	}
	return nil
}

// barrier compares clocks of different ranks, and needs them on one machine.
func barrier(ctx context.Context, c dist.Comm) error {
	for i := range 3 {
		time.Sleep(time.Duration((c.Rank()*7+i*3)%10) * time.Millisecond)
		before := binary.LittleEndian.AppendUint64(nil, uint64(time.Now().UnixNano()))
		if err := c.Barrier(ctx); err != nil {
			return err
		}
		after := time.Now().UnixNano()
		all, err := c.Allgatherv(ctx, before)
		if err != nil {
			return err
		}
		for r, b := range all {
			if entered := int64(binary.LittleEndian.Uint64(b)); entered > after {
				return fmt.Errorf("left the barrier %d ns before rank %d entered", entered-after, r)
			}
		}
	}
	return nil
}

func bcast(ctx context.Context, c dist.Comm) error {
	for root := range c.Size() {
		for _, size := range []int{0, 1, 1000, 1<<20 + 1} {
			buf := make([]byte, size)
			if c.Rank() == root {
				fill(buf, root)
			}
			if err := c.Bcast(ctx, root, buf); err != nil {
				return err
			}
			if err := verify(buf, root, fmt.Sprintf("broadcast of rank %d", root)); err != nil {
				return err
			}
		}
	}
	return nil
}

// part returns the contribution of a rank to a gather: empty on one rank, large on another.
func part(rank, size, root int) []byte {
	n := (rank + root) % size * 1000
	if rank == size-1 {
		n += 1 << 19
	}
	b := make([]byte, n)
	fill(b, rank)
	return b
}

func verifyParts(parts [][]byte, size, root int) error {
	if len(parts) != size {
		return fmt.Errorf("%d parts of %d ranks", len(parts), size)
	}
	for r, p := range parts {
		if want := len(part(r, size, root)); len(p) != want {
			return fmt.Errorf("rank %d sent %d bytes, %d arrived", r, want, len(p))
		}
		if err := verify(p, r, fmt.Sprintf("part of rank %d", r)); err != nil {
			return err
		}
		clear(p) // the caller owns each part: this must not change those of other ranks
	}
	return nil
}

func gatherv(ctx context.Context, c dist.Comm) error {
	for root := range c.Size() {
		parts, err := c.Gatherv(ctx, root, part(c.Rank(), c.Size(), root))
		if err != nil {
			return err
		}
		if c.Rank() != root {
			if parts != nil {
				return fmt.Errorf("%d parts on a rank that is not the root", len(parts))
			}
		} else if err := verifyParts(parts, c.Size(), root); err != nil {
			return err
		}
	}
	return nil
}

func allgatherv(ctx context.Context, c dist.Comm) error {
	for i := range c.Size() {
		parts, err := c.Allgatherv(ctx, part(c.Rank(), c.Size(), i))
		if err != nil {
			return err
		}
		if err := verifyParts(parts, c.Size(), i); err != nil {
			return err
		}
	}
	return nil
}

// mixed keeps messages pending during collectives, as a step does that overlaps its exchange with a reduction.
func mixed(ctx context.Context, c dist.Comm) error {
	n, r := c.Size(), c.Rank()
	for i := range 100 {
		b := batch{c: c}
		out, in := make([]byte, 10*i), make([]byte, 10*i)
		fill(out, r*100+i)
		b.recv(ctx, (r+n-1)%n, 1, in)
		b.send(ctx, (r+1)%n, 1, out)
		v := []float64{float64(r + i)}
		if err := c.AllreduceFloat64(ctx, dist.Max, v); err != nil {
			return err
		}
		if v[0] != float64(n-1+i) {
			return fmt.Errorf("maximum is %v, want %d", v[0], n-1+i)
		}
		if err := b.wait(ctx); err != nil {
			return err
		}
		if err := verify(in, (r+n-1)%n*100+i, "message over a reduction"); err != nil {
			return err
		}
	}
	return nil
}
