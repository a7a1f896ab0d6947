package grpc

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// codecName is the content-subtype of the streams that carry frames.
const codecName = "halo"

func init() { encoding.RegisterCodecV2(codec{}) }

// codec passes frames through without encoding. gRPC frees the buffers that Marshal returns once they are on the
// wire; they then return to the pool, or to the sender of the message.
type codec struct{}

func (codec) Name() string { return codecName }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, fmt.Errorf("dist/grpc: cannot send a %T", v)
	}
	if f.filled == nil {
		f.fill()
	}
	if l := f.borrowed; l != nil {
		filled := f.filled
		f.filled, f.borrowed = nil, nil
		return l.buffers(filled), nil
	}
	one := &(*block)(unsafe.Pointer(f.filled)).one
	one[0] = mem.NewBuffer(f.filled, buffers)
	f.filled = nil
	return one[:], nil
}

func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	a, ok := v.(*arrival)
	if !ok {
		return fmt.Errorf("dist/grpc: cannot receive a %T", v)
	}
	return a.decode(data)
}

// buffers is the pool of buffers into which frames and unexpected messages are copied, with sizes that are powers
// of two.
var buffers = &pool{}

const (
	minClass = 11 // 2 KiB: gRPC does not free buffers of 1 KiB and less
	maxClass = 20 // 1 MiB: longer buffers are not kept
)

type pool struct {
	class [maxClass + 1]sync.Pool // of *block
}

// block is a buffer, with the one-element slice in which Marshal returns it to gRPC. The slice can be reused when
// the buffer is free.
type block struct {
	bytes  []byte // first, so that its address is the block's
	one    [1]mem.Buffer
	unsent *atomic.Int64 // counts the buffer's bytes until it is free; nil: not counted
}

func (p *pool) Get(n int) *[]byte {
	c := max(bits.Len(uint(max(n, 1)-1)), minClass)
	if c > maxClass {
		return &(&block{bytes: make([]byte, n)}).bytes
	}
	if b, ok := p.class[c].Get().(*block); ok {
		b.bytes = b.bytes[:n]
		return &b.bytes
	}
	return &(&block{bytes: make([]byte, n, 1<<c)}).bytes
}

// Put returns a buffer from Get to the pool. Other buffers must not be passed.
func (p *pool) Put(bytes *[]byte) {
	if b := (*block)(unsafe.Pointer(bytes)); b.unsent != nil {
		b.unsent.Add(-int64(len(b.bytes)))
		b.unsent = nil
	}
	if c := bits.Len(uint(cap(*bytes))) - 1; c >= minClass && c <= maxClass && cap(*bytes) == 1<<c {
		p.class[c].Put((*block)(unsafe.Pointer(bytes)))
	}
}
