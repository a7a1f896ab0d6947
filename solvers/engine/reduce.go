package engine

import (
	"context"
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
)

// Reduction is a result of all ranks that an operation of a program combines where the next operations read it.
type Reduction interface {
	merge(ctx context.Context, env *Env) error
	free() bool // the devices combine it without the host
}

// ExactSum is the exact sum of numbers that loops add to an accumulator in the host's memory. It does not depend on
// the order of the numbers, nor on the ranks.
type ExactSum struct{ Sum *dist.Accumulator }

func (s ExactSum) free() bool { return false }
func (s ExactSum) merge(ctx context.Context, env *Env) error {
	return dist.AllreduceSum(ctx, env.Comm, s.Sum)
}

// Extreme is an atomics.Most or atomics.Least, of which ranks take the most extreme one.
type Extreme struct {
	key    []uint64             // on the device
	linked halo.LinkedExchanger // nil if the host reduces
	host   [1]uint64
	number [1]int64
}

// ExtremeOf returns the reduction of element k of an array, by the device communicator of x if its devices are linked.
func ExtremeOf[T any](x *Exchange, a *Array[T], k int) *Extreme {
	key := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(a.Data[k:k+1]))), 1)
	return &Extreme{key: key, linked: x.linked}
}

func (r *Extreme) free() bool { return r.linked != nil }

func (r *Extreme) merge(ctx context.Context, env *Env) error {
	if r.linked != nil {
		if err := r.linked.Max(r.key); err != nil {
			return err
		}
		return r.linked.Finish(ctx)
	}
	if err := backend.Download(env.Device, r.host[:], r.key); err != nil {
		return err
	}
	r.number[0] = int64(r.host[0] ^ 1<<63) // so that keys have the order of signed integers
	if err := env.Comm.AllreduceInt64(ctx, dist.Max, r.number[:]); err != nil {
		return err
	}
	r.host[0] = uint64(r.number[0] ^ math.MinInt64)
	return backend.Upload(env.Device, solvers.BytesOf(r.key), solvers.BytesOf(r.host[:]))
}

// ReduceExtreme takes, of element k of an array of atomics.Most or atomics.Least, the most extreme one of all ranks,
// by the devices' own links, which are those of some ghosts, if there are any.
func ReduceExtreme[T any](p *Program, g *Ghosts, a *Array[T], k int) {
	x, err := g.Of(p.ctx, a)
	if err != nil {
		p.err = err
		return
	}
	p.Reduce(ExtremeOf(x, a, k))
}

// Added adds up the integers of an array over all ranks, element by element.
type Added struct {
	words *Array[int64]
	host  []int64
}

// AddedOf returns the reduction of an array.
func AddedOf(words *Array[int64]) *Added {
	return &Added{words: words, host: make([]int64, len(words.Data))}
}

func (*Added) free() bool { return false }

func (r *Added) merge(ctx context.Context, env *Env) error {
	if err := backend.Download(env.Device, r.host, r.words.Data); err != nil {
		return err
	}
	if err := env.Comm.AllreduceInt64(ctx, dist.Sum, r.host); err != nil {
		return err
	}
	return backend.Upload(env.Device, r.words.Data, r.host)
}

// Assembled makes one array of the parts of all ranks: each element is not 0 on at most one of them, and nowhere -0.
// With it every rank gets the whole of a coarse level, on which all then compute the same.
type Assembled struct {
	array array
	host  []int64 // the bits of pairs of float32, or of float64: sums of them and zeros are exact
}

// array is an array of any type.
type array interface {
	bytes() []byte
}

// AssembledOf returns the reduction of an array.
func AssembledOf[N float32 | float64](whole *Array[N]) *Assembled {
	return &Assembled{array: whole, host: make([]int64, (len(whole.bytes())+7)/8)}
}

func (*Assembled) free() bool { return false }

func (r *Assembled) merge(ctx context.Context, env *Env) error {
	bytes := r.array.bytes()
	host := solvers.BytesOf(r.host)[:len(bytes)]
	if err := backend.Download(env.Device, host, bytes); err != nil {
		return err
	}
	if err := env.Comm.AllreduceInt64(ctx, dist.Sum, r.host); err != nil {
		return err
	}
	return backend.Upload(env.Device, bytes, host)
}

// GridSum is a sum of many numbers of known bound whose result does not depend on their order, for dot products in
// iterations: each number is rounded to a multiple of a first grid, the rest to one of a second, and the sums of these
// multiples are exact. It takes little longer than a plain sum, and its error is that of n³·2⁻¹⁰⁸ bounds.
type GridSum struct {
	big      [2]float64
	bound    float64
	sum      [2]float64
	exceeded int64 // a number was beyond the bound or not finite: the sum is not valid
}

// Reset begins a sum of at most n numbers over all ranks, none larger than bound.
func (g *GridSum) Reset(n int64, bound float64) {
	*g = GridSum{bound: bound}
	_, bits := math.Frexp(float64(max(n, 4)))
	_, exponent := math.Frexp(bound)
	unit := math.Ldexp(1, bits+exponent-53)
	g.big[0] = 1.5 * math.Ldexp(unit, 52)
	unit = math.Ldexp(unit, bits-54)
	g.big[1] = 1.5 * math.Ldexp(unit, 52)
}

// Part returns an empty sum of the same grids, for a thread.
func (g *GridSum) Part() GridSum { return GridSum{big: g.big, bound: g.bound} }

// Add adds a number.
func (g *GridSum) Add(v float64) {
	if !(v <= g.bound && v >= -g.bound) {
		g.exceeded = 1
		return
	}
	q := (v + g.big[0]) - g.big[0]
	g.sum[0] += q
	g.sum[1] += ((v - q) + g.big[1]) - g.big[1]
}

// AddProducts adds the products of the elements of two arrays.
func (g *GridSum) AddProducts(a, b []float64) {
	b = b[:len(a)]
	big0, big1, bound, sum0, sum1, beyond := g.big[0], g.big[1], g.bound, g.sum[0], g.sum[1], false
	for i, x := range a {
		v := x * b[i]
		beyond = beyond || !(math.Abs(v) <= bound)
		q := (v + big0) - big0
		sum0 += q
		sum1 += ((v - q) + big1) - big1
	}
	if g.sum[0], g.sum[1] = sum0, sum1; beyond {
		g.exceeded = 1
	}
}

// Merge adds the numbers of another sum of the same grids.
func (g *GridSum) Merge(p *GridSum) {
	g.sum[0] += p.sum[0]
	g.sum[1] += p.sum[1]
	g.exceeded |= p.exceeded
}

// Value returns the sum, and whether it is valid.
func (g *GridSum) Value() (float64, bool) { return g.sum[0] + g.sum[1], g.exceeded == 0 }

// OverRanks returns the reduction of a GridSum.
func (g *GridSum) OverRanks() Reduction { return gridSum{g} }

type gridSum struct{ *GridSum }

func (s gridSum) free() bool { return false }
func (s gridSum) merge(ctx context.Context, env *Env) error {
	all := [3]int64{0, 0, s.exceeded}
	for k := range s.sum {
		all[k] = int64(s.sum[k] / (s.big[k] / (1.5 * (1 << 52)))) // a multiple of the grid, below 2^53
	}
	if err := env.Comm.AllreduceInt64(ctx, dist.Sum, all[:]); err != nil {
		return err
	}
	for k := range s.sum {
		s.sum[k] = float64(all[k]) * (s.big[k] / (1.5 * (1 << 52)))
	}
	s.exceeded = all[2]
	return nil
}
