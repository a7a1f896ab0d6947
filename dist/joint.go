package dist

import (
	"context"
	"math"
)

// Joint is any number of reductions that ranks make together, in one call of AllreduceInt64 for sums and one for
// maxima. All ranks add the same ones in the same order; the results replace the operands when Reduce returns. The zero
// value is empty.
type Joint struct {
	sums, maxima []int64
	results      []func()
}

// Sum adds exact sums.
func (j *Joint) Sum(sums ...*Accumulator) {
	for _, a := range sums {
		a.carry()
		j.add(&j.sums, a.word[:])
		j.results = append(j.results, a.carry)
	}
}

// SumInt64 adds the sums of the elements of buf, which wrap.
func (j *Joint) SumInt64(buf []int64) { j.add(&j.sums, buf) }

// MaxInt64 adds the maxima of the elements of buf.
func (j *Joint) MaxInt64(buf []int64) { j.add(&j.maxima, buf) }

// SumWords adds exact sums that are given by their words (see Accumulator.AddWords).
func (j *Joint) SumWords(all ...*[words]int64) {
	for _, w := range all {
		a := new(Accumulator)
		a.AddWords(w)
		j.Sum(a)
		j.results = append(j.results, func() { *w = a.Words() })
	}
}

// MaxUint64 adds the maxima of the elements of buf.
func (j *Joint) MaxUint64(buf []uint64) {
	keys := make([]int64, len(buf)) // in the order of signed integers
	for k, v := range buf {
		keys[k] = int64(v ^ 1<<63)
	}
	j.add(&j.maxima, keys)
	j.results = append(j.results, func() {
		for k, key := range keys {
			buf[k] = uint64(key) ^ 1<<63
		}
	})
}

// MaxFloat64 adds the maxima of the elements of buf; a NaN on any rank gives NaN.
func (j *Joint) MaxFloat64(buf []float64) {
	keys := make([]int64, len(buf))
	for k, x := range buf {
		keys[k] = orderKey(x)
	}
	j.add(&j.maxima, keys)
	j.results = append(j.results, func() {
		for k, key := range keys {
			buf[k] = keyed(key)
		}
	})
}

// orderKey returns an integer that is larger the larger x is, and largest for NaN.
func orderKey(x float64) int64 {
	if x != x {
		return math.MaxInt64
	}
	bits := int64(math.Float64bits(x))
	if bits < 0 {
		bits ^= math.MaxInt64
	}
	return bits
}

// keyed returns the number with an orderKey.
func keyed(key int64) float64 {
	if key < 0 {
		key ^= math.MaxInt64
	}
	return math.Float64frombits(uint64(key)) // NaN for the largest key
}

func (j *Joint) add(to *[]int64, buf []int64) {
	at := len(*to)
	*to = append(*to, buf...)
	j.results = append(j.results, func() { copy(buf, (*to)[at:]) })
}

// Reduce makes the reductions, after which the Joint is empty.
func (j *Joint) Reduce(ctx context.Context, comm Comm) error {
	if len(j.sums) > 0 {
		if err := comm.AllreduceInt64(ctx, Sum, j.sums); err != nil {
			return err
		}
	}
	if len(j.maxima) > 0 {
		if err := comm.AllreduceInt64(ctx, Max, j.maxima); err != nil {
			return err
		}
	}
	for _, store := range j.results {
		store()
	}
	*j = Joint{}
	return nil
}

// Result returns what follows from the results of a Joint. Call it after Reduce, on all ranks.
type Result[T any] func(ctx context.Context) (T, error)

// ReduceFor makes the reductions that a function adds, and returns its result.
func ReduceFor[T any](ctx context.Context, comm Comm, add func(*Joint) (Result[T], error)) (T, error) {
	var j Joint
	result, err := add(&j)
	if err == nil {
		err = j.Reduce(ctx, comm)
	}
	if err != nil {
		var none T
		return none, err
	}
	return result(ctx)
}
