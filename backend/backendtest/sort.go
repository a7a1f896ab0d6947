package backendtest

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
)

func (s *suite) sort(t *testing.T, n int) {
	r := random(n)
	sortAs(t, s, generate(n, r.Uint32))
	sortAs(t, s, generate(n, r.Uint64))
	sortAs(t, s, generate(n, func() uint32 { return r.Uint32N(3) })) // ties show stability
	// A radix sort by 8 bits has three passes here, of which the first changes nothing.
	sortAs(t, s, generate(n, func() uint32 { return r.Uint32N(1<<20) &^ 0xff }))
	sortAs(t, s, generate(n, func() uint64 { return 5 }))
	sortAs(t, s, make([]uint32, n))
	descending := uint64(1 << 40)
	sortAs(t, s, generate(n, func() uint64 { descending--; return descending }))
}

func sortAs[K primitives.Key](t *testing.T, s *suite, keys []K) {
	t.Helper()
	order := make([]int32, len(keys))
	for i := range order {
		order[i] = int32(i)
	}
	k, v := upload(t, s, keys), upload(t, s, order)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	sorted := make([]K, len(keys))
	for i, o := range order {
		sorted[i] = keys[o]
	}
	if err := primitives.SortByKey(s.workspace, k, v); err != nil {
		t.Fatal(err)
	}
	compareBits(t, "keys", download(t, s, k), sorted)
	compareBits(t, "values", download(t, s, v), order)
}

func (s *suite) reduceByKey(t *testing.T, n int) {
	r := random(n)
	for _, longest := range []int{1, 7, 5000} {
		var key uint32
		remaining := 0
		keys := generate(n, func() uint32 {
			if remaining == 0 {
				key, remaining = key+1+r.Uint32N(5), 1+r.IntN(longest)
			}
			remaining--
			return key
		})
		wide := make([]uint64, n)
		for i, k := range keys {
			wide[i] = uint64(k) << 20
		}
		floats := generate(n, func() float64 { return r.NormFloat64() })
		singles := generate(n, func() float32 { return math.Float32frombits(r.Uint32()) }) // NaN and infinities among them
		for _, op := range []backend.Op{backend.Min, backend.Max, backend.Add} {
			reduceByKeyAs(t, s, op, keys, generate(n, func() int32 { return int32(r.Uint32()) }))
			reduceByKeyAs(t, s, op, wide, generate(n, func() int64 { return int64(r.Uint64()) }))
			reduceByKeyAs(t, s, op, keys, floats)
			reduceByKeyAs(t, s, op, wide, singles)
		}
	}
}

func reduceByKeyAs[K primitives.Key, V primitives.Signed](t *testing.T, s *suite, op backend.Op, keys []K, values []V) {
	t.Helper()
	var wantKeys []K
	var want []V
	for i, k := range keys {
		last := len(want) - 1
		switch {
		case last < 0 || wantKeys[last] != k:
			wantKeys, want = append(wantKeys, k), append(want, values[i])
		case op == backend.Min:
			want[last] = min(want[last], values[i])
		case op == backend.Max:
			want[last] = max(want[last], values[i])
		default:
			want[last] += values[i]
		}
	}
	for i, v := range want {
		if v != v {
			nan := math.NaN()
			want[i] = V(nan)
		}
	}
	outKeys, out := upload(t, s, make([]K, len(keys))), upload(t, s, make([]V, len(keys)))
	n, err := primitives.ReduceByKey(s.workspace, op, outKeys, out, upload(t, s, keys), upload(t, s, values))
	if must(t, n, err) != len(want) {
		t.Fatalf("%d runs, want %d", n, len(want))
	}
	compareBits(t, "keys", download(t, s, outKeys)[:n], wantKeys)
	compareBits(t, op.String(), download(t, s, out)[:n], want)
}

func (s *suite) orderByCell(t *testing.T, n int) {
	r := random(n)
	for _, cells := range []int{1, 3, 256, 257, 100_000} {
		cell := generate(n, func() int32 { return int32(r.IntN(cells)) / 2 * 2 % int32(cells) }) // odd cells stay empty
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(cell[a], cell[b]) })
		wantStarts := make([]int32, cells+1)
		for _, c := range cell {
			wantStarts[c+1]++
		}
		for c := range cells {
			wantStarts[c+1] += wantStarts[c]
		}
		starts, order := upload(t, s, make([]int32, cells+1)), upload(t, s, make([]int32, n))
		d := upload(t, s, cell)
		if err := primitives.OrderByCell(s.workspace, d, cells, starts, order); err != nil {
			t.Fatal(err)
		}
		compareBits(t, "starts", download(t, s, starts), wantStarts)
		compareBits(t, "order", download(t, s, order), want)
		compareBits(t, "cells", download(t, s, d), cell)
	}
}
