package grpc

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"unsafe"

	"google.golang.org/grpc/mem"
)

// kind is the type of a frame.
type kind uint8

const (
	eager  kind = 1 + iota // a whole message
	offer                  // announces a message of that length, which waits for its receive
	accept                 // send the message that was offered
	refuse                 // drop the message that was offered: it does not match the length of its receive
	chunk                  // the next bytes of an accepted message

)

// header precedes the bytes of every frame, in little-endian order:
//
//	0 kind, and seven bytes of 0
//	8 session  16 sequence number of the frame  24 tag, or id of an offer
//	32 length of the whole message
type header struct {
	kind    kind
	session uint64
	seq     uint64
	tag     uint64
	length  uint64
}

const (
	headerBytes = 40

	// chunkBytes is the largest body of a frame, and the longest message that is sent without an offer. It is short
	// enough that a small message does not wait long behind a large one.
	chunkBytes = 256 << 10
)

func (h *header) encode(b []byte) {
	_ = b[headerBytes-1]
	binary.LittleEndian.PutUint64(b, uint64(h.kind))
	binary.LittleEndian.PutUint64(b[8:], h.session)
	binary.LittleEndian.PutUint64(b[16:], h.seq)
	binary.LittleEndian.PutUint64(b[24:], h.tag)
	binary.LittleEndian.PutUint64(b[32:], h.length)
}

func (h *header) parse(b []byte) {
	_ = b[headerBytes-1]
	h.kind = kind(b[0])
	h.session = binary.LittleEndian.Uint64(b[8:])
	h.seq = binary.LittleEndian.Uint64(b[16:])
	h.tag = binary.LittleEndian.Uint64(b[24:])
	h.length = binary.LittleEndian.Uint64(b[32:])
}

// frame is what the codec encodes: the header, then a copy of body. The writer of a stream reuses one frame.
type frame struct {
	header
	body []byte
	// filled holds header and body if the body had to be copied under a lock; otherwise nil.
	filled *[]byte
	// borrowed is the body if it is not copied; filled then holds the header.
	borrowed *borrowedPart
}

// fill copies the frame into a buffer of the pool. The caller may then change body.
func (f *frame) fill() {
	b := buffers.Get(headerBytes + len(f.body))
	f.encode(*b)
	copy((*b)[headerBytes:], f.body)
	f.filled, f.body = b, nil
}

// count adds the filled frame to unsent, until gRPC has written it. The buffer is the first field of its block of the
// pool, so that both have one address.
func (f *frame) count(unsent *atomic.Int64) {
	(*block)(unsafe.Pointer(f.filled)).unsent = unsent
	unsent.Add(int64(len(*f.filled)))
}

// frameSink receives the frames that arrive on a stream. takeFrame must not retain the body.
type frameSink interface {
	takeFrame(h *header, body *body) error
}

// arrival is what the codec decodes into.
type arrival struct {
	sink frameSink
	head [headerBytes]byte
	header
	body
	err error // error of takeFrame; errors of the stream itself are not stored
}

// body is the rest of a frame, in the buffers in which gRPC delivers it.
type body struct {
	buffers   mem.BufferSlice
	skip      int // bytes of the first buffer that were read
	remaining int
}

// read copies the next len(dst) bytes, which must exist.
func (b *body) read(dst []byte) {
	b.remaining -= len(dst)
	for len(dst) > 0 {
		n := copy(dst, b.buffers[0].ReadOnlyData()[b.skip:])
		dst = dst[n:]
		if b.skip += n; b.skip == b.buffers[0].Len() {
			b.buffers, b.skip = b.buffers[1:], 0
		}
	}
}

func (a *arrival) decode(data mem.BufferSlice) error {
	n := data.Len()
	if n < headerBytes || n > headerBytes+chunkBytes {
		a.err = fmt.Errorf("a frame of %d bytes, want %d to %d", n, headerBytes, headerBytes+chunkBytes)
		return a.err
	}
	a.body = body{buffers: data, remaining: n}
	a.read(a.head[:])
	a.parse(a.head[:])
	a.err = a.sink.takeFrame(&a.header, &a.body)
	a.buffers = nil
	return a.err
}
