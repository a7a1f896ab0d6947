package engine

import (
	"context"
	"errors"
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
)

// Reduction is a result of all ranks that an operation of a program combines where the next operations read it.
type Reduction interface {
	// fetch copies this rank's result to the host, and merge combines those of all ranks.
	fetch(env *Env) error
	merge(ctx context.Context, env *Env) error
	free() bool    // the devices combine it without the host
	forHost() bool // the host needs the result even of a single rank
}

// onDevices is a part of reductions whose result only loops read.
type onDevices struct{}

func (onDevices) fetch(*Env) error { return nil }
func (onDevices) forHost() bool    { return false }

// ExactSum is the exact sum of numbers that loops add to an accumulator in the host's memory. It does not depend on
// the order of the numbers, nor on the ranks.
type ExactSum struct{ Sum *dist.Accumulator }

func (ExactSum) fetch(*Env) error { return nil }
func (ExactSum) forHost() bool    { return false }

func (s ExactSum) free() bool { return false }
func (s ExactSum) merge(ctx context.Context, env *Env) error {
	return dist.AllreduceSum(ctx, env.Comm, s.Sum)
}

// Extreme is an atomics.Most or atomics.Least, of which ranks take the most extreme one.
type Extreme struct {
	key    []uint64             // on the device
	linked halo.LinkedExchanger // nil if the host reduces
	onHost bool
	host   [1]uint64
	number [1]int64 // host, in the order of signed integers
}

// ExtremeOf returns the reduction of element k of an array, by the device communicator of x if its devices are linked.
func ExtremeOf[T any](x *Exchange, a *Array[T], k int) *Extreme {
	return &Extreme{key: keyOf(a, k), linked: x.linked}
}

// ExtremeForHost returns the reduction of element k of an array by the host, which alone has the result: see Combined.
func ExtremeForHost[T any](a *Array[T], k int) *Extreme {
	return &Extreme{key: keyOf(a, k), onHost: true}
}

func keyOf[T any](a *Array[T], k int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(a.Data[k:k+1]))), 1)
}

// Combined returns the result on the host of ExtremeForHost, which may be set.
func Combined[T any](r *Extreme) *T { return (*T)(unsafe.Pointer(&r.host)) }

func (r *Extreme) free() bool    { return r.linked != nil }
func (r *Extreme) forHost() bool { return r.onHost }

func (r *Extreme) fetch(env *Env) error {
	if r.linked != nil {
		return nil
	}
	err := backend.Download(env.Device, r.host[:], r.key)
	r.number[0] = int64(r.host[0] ^ 1<<63)
	return err
}

func (r *Extreme) merge(ctx context.Context, env *Env) error {
	if r.linked != nil {
		if err := r.linked.Max(r.key); err != nil {
			return err
		}
		return r.linked.Finish(ctx)
	}
	if err := env.Comm.AllreduceInt64(ctx, dist.Max, r.number[:]); err != nil {
		return err
	}
	return r.store(env)
}

// store stores the result where it is read.
func (r *Extreme) store(env *Env) error {
	r.host[0] = uint64(r.number[0] ^ math.MinInt64)
	if r.onHost {
		return nil
	}
	return backend.Upload(env.Device, solvers.BytesOf(r.key), solvers.BytesOf(r.host[:]))
}

// behind makes a reduction while other operations run: linked devices on their second stream, the host in a goroutine.
type behind struct {
	comm    dist.Comm
	pending *Extreme // nil if there is none
	begun   chan begun
	done    chan error
}

// begun is a reduction that the goroutine makes.
type begun struct {
	ctx context.Context
	r   *Extreme
}

func (b *behind) begin(ctx context.Context, r *Extreme) error {
	b.pending = r
	if r.linked != nil {
		return r.linked.Max(r.key)
	}
	if b.begun == nil {
		b.begun, b.done = make(chan begun), make(chan error, 1)
		go func() {
			for next := range b.begun {
				b.done <- b.comm.AllreduceInt64(next.ctx, dist.Max, next.r.number[:])
			}
		}()
	}
	b.begun <- begun{ctx, r}
	return nil
}

func (b *behind) finish(ctx context.Context, env *Env) error {
	r := b.pending
	if r == nil {
		return nil
	}
	b.pending = nil
	if r.linked != nil {
		return r.linked.Finish(ctx)
	}
	if err := <-b.done; err != nil {
		return err
	}
	return r.store(env)
}

func (b *behind) close() {
	if b.begun != nil {
		close(b.begun)
		b.begun = nil
	}
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

// sumOfWords adds up integers over all ranks: the devices by their links, if they have any, or else the host. Sums of
// integers do not depend on the order.
type sumOfWords struct {
	onDevices
	devices backend.DeviceComm // nil if the host adds them up
	bytes   []byte             // on the device
	host    []int64            // of the bytes, and of zeros up to the next multiple of 8
}

func newSumOfWords(bytes []byte) sumOfWords {
	return sumOfWords{bytes: bytes, host: make([]int64, (len(bytes)+7)/8)}
}

// link makes the devices add them up. They have no integer whose last bytes are not in the array.
func (s *sumOfWords) link(devices backend.DeviceComm) {
	if len(s.bytes)%8 == 0 {
		s.devices = devices
	}
}

func (s *sumOfWords) free() bool { return s.devices != nil }

func (s *sumOfWords) merge(ctx context.Context, env *Env) error {
	if s.devices != nil {
		words := unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(s.bytes))), len(s.host))
		return errors.Join(s.devices.Sum(words), s.devices.Join())
	}
	host := solvers.BytesOf(s.host)[:len(s.bytes)]
	if err := backend.Download(env.Device, host, s.bytes); err != nil {
		return err
	}
	if err := env.Comm.AllreduceInt64(ctx, dist.Sum, s.host); err != nil {
		return err
	}
	return backend.Upload(env.Device, s.bytes, host)
}

// Added adds up the integers of an array over all ranks, element by element.
type Added struct{ sumOfWords }

// AddedOf returns the reduction of an array.
func AddedOf(words *Array[int64]) *Added {
	return &Added{newSumOfWords(words.bytes())}
}

// Assembled makes one array of the parts of all ranks: each element is not 0 on at most one of them, and nowhere -0.
// With it every rank gets the whole of a coarse level, on which all then compute the same. The bits of pairs of
// float32, or of a float64, and zeros add up to these bits.
type Assembled struct{ sumOfWords }

// AssembledOf returns the reduction of an array.
func AssembledOf[N float32 | float64](whole *Array[N]) *Assembled {
	return &Assembled{newSumOfWords(whole.bytes())}
}

// Joined gives all ranks the whole of an array of which each rank computes some elements. They are not negative.
type Joined[N float32 | float64] struct {
	onDevices
	array *Array[N]
	own   []bool // the elements of this rank
	host  []N
	all   []float64
}

// JoinedOf returns the reduction of an array, with the elements that this rank computes.
func JoinedOf[N float32 | float64](array *Array[N], own []bool) *Joined[N] {
	return &Joined[N]{array: array, own: own, host: make([]N, len(own)), all: make([]float64, len(own))}
}

func (*Joined[N]) free() bool { return false }

func (r *Joined[N]) merge(ctx context.Context, env *Env) error {
	if err := backend.Download(env.Device, r.host, r.array.Data); err != nil {
		return err
	}
	for k, v := range r.host {
		r.all[k] = 0
		if r.own[k] {
			r.all[k] = float64(v)
		}
	}
	if err := env.Comm.AllreduceFloat64(ctx, dist.Max, r.all); err != nil {
		return err
	}
	for k, v := range r.all {
		r.host[k] = N(v)
	}
	return backend.Upload(env.Device, r.array.Data, r.host)
}

// GridSumOf returns the reduction of an exact.GridSum on the host.
func GridSumOf(sum *exact.GridSum) Reduction { return gridSum{GridSum: sum} }

type gridSum struct {
	onDevices
	*exact.GridSum
}

func (s gridSum) free() bool { return false }
func (s gridSum) merge(ctx context.Context, env *Env) error {
	all := s.Words()
	if err := env.Comm.AllreduceInt64(ctx, dist.Sum, all[:]); err != nil {
		return err
	}
	s.SetWords(all)
	return nil
}
