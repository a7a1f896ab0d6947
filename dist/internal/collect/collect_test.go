package collect

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
)

func TestReductionsDoNotDependOnTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ranks, elements = 5, 8
		kind := rapid.SampledFrom([]Kind{ReduceFloat64, ReduceInt64}).Draw(t, "kind")
		call := Call{Kind: kind, Op: rapid.SampledFrom([]dist.Op{dist.Min, dist.Max}).Draw(t, "op"), Len: elements * 8}
		if kind == ReduceInt64 {
			call.Op = dist.Op(rapid.IntRange(0, 3).Draw(t, "integer op"))
		}
		data := make([][]byte, ranks)
		for r := range data {
			// With all exponent bits set, random bits are NaNs with different payloads.
			bits := make([]int64, elements)
			for i := range bits {
				bits[i] = rapid.Int64().Draw(t, "bits")
				if rapid.IntRange(0, 3).Draw(t, "special") == 0 {
					bits[i] |= 0x7ff << 52
				}
			}
			data[r] = Bytes(bits)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		collective := NewCollective(ranks)
		var want []byte
		for i := range 4 {
			for position, r := range rng.Perm(ranks) {
				full, err := collective.Arrive(r, call, data[r])
				if err != nil || full != (position == ranks-1) {
					t.Fatal(full, err)
				}
			}
			if i == 0 {
				want = bytes.Clone(collective.Result)
			} else if !bytes.Equal(collective.Result, want) {
				t.Fatalf("%v: %x in one order, %x in another", call, want, collective.Result)
			}
		}
	})
}

func TestNaNAndZeros(t *testing.T) {
	collective := NewCollective(2)
	zero := math.Copysign(0, -1)
	for _, c := range []struct {
		op         dist.Op
		a, b, want float64
	}{
		{dist.Min, 0, zero, zero}, {dist.Min, zero, 0, zero}, {dist.Max, 0, zero, 0}, {dist.Max, zero, 0, 0},
		{dist.Min, math.NaN(), 1, math.NaN()}, {dist.Max, 1, math.Float64frombits(0xfff8_0000_0000_0077), math.NaN()},
		{dist.Min, math.Inf(-1), math.NaN(), math.NaN()}, {dist.Max, math.Inf(1), -1, math.Inf(1)},
	} {
		call := Call{Kind: ReduceFloat64, Op: c.op, Len: 8}
		for r, x := range []float64{c.a, c.b} {
			if _, err := collective.Arrive(r, call, Bytes([]float64{x})); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(collective.Result, Bytes([]float64{c.want})) {
			t.Errorf("%v of %v and %v is %x, want %v", call, c.a, c.b, collective.Result, c.want)
		}
	}
}

// Ranks that make different calls get an error that names both calls.
func TestDifferentCallsAreNamed(t *testing.T) {
	for _, c := range []struct {
		first, second Call
		bytes         int
		want          string
	}{
		{Call{Kind: Barrier}, Call{Kind: Bcast, Root: 1, Len: 4}, 4,
			"rank 1: calls Bcast(root 1, 4 bytes) where rank 0 calls Barrier: all ranks must"},
		{Call{Kind: ReduceInt64, Op: dist.Sum}, Call{Kind: ReduceInt64, Op: dist.Or}, 0,
			"rank 1: calls AllreduceInt64(or, 0 elements) where rank 0 calls AllreduceInt64(sum, 0 elements)"},
		{Call{Kind: Gather}, Call{Kind: Gather, Root: 1}, 0, "rank 1: calls Gatherv(root 1) where rank 0 calls " +
			"Gatherv(root 0)"},
		{Call{Kind: Barrier}, Call{Kind: Barrier}, 3, "rank 1: contributes 3 bytes to Barrier"},
	} {
		collective := NewCollective(3)
		if _, err := collective.Arrive(0, c.first, nil); err != nil {
			t.Fatal(err)
		}
		_, err := collective.Arrive(1, c.second, make([]byte, c.bytes))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
		if _, err := collective.Arrive(0, c.first, nil); err == nil {
			t.Error("a rank may arrive twice")
		}
		if collective.Missing() != 1 {
			t.Errorf("rank %d is missing, want 1", collective.Missing())
		}
	}
}

func TestInvalidCallsAreRefused(t *testing.T) {
	for _, c := range []Call{{}, {Kind: 99}, {Kind: Barrier, Op: 9}, {Kind: Bcast, Root: 3}, {Kind: Bcast, Root: -1},
		{Kind: Bcast, Len: -1}, {Kind: ReduceInt64, Len: 7}, {Kind: ReduceFloat64, Op: dist.Sum},
		{Kind: ReduceFloat64, Op: dist.Or}} {
		if c.Check(3) == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
