package grpc

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"unsafe"

	"google.golang.org/grpc/mem"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
)

// kind tells what a frame is.
type kind uint8

const (
	// Between neighbours.
	eager  kind = 1 + iota // a whole message
	offer                  // a message of that length waits for its receive
	accept                 // send the message that was offered
	refuse                 // forget the message that was offered: its receive takes no such length
	chunk                  // the next bytes of an accepted message

	// Between a rank and the coordinator.
	call   // the first bytes of what a rank brings to a collective
	answer // the first bytes of its result
	more   // the next bytes of either
)

// header stands before the bytes of every frame, in little-endian order:
//
//	0 kind   1 collective   2 reduction   4 root (4 bytes)
//	8 session  16 sequence number of the frame  24 tag, id of an offer, or length of a collective call
//	32 length of the whole message
type header struct {
	kind    kind
	call    collect.Kind
	op      dist.Op
	root    uint32
	session uint64
	seq     uint64
	tag     uint64
	length  uint64
}

const (
	headerBytes = 40

	// chunkBytes is the most that a frame carries after its header, and the longest message that is sent without
	// asking. It is short enough for a small message not to wait long behind a large one.
	chunkBytes = 256 << 10
)

func (h *header) put(b []byte) {
	_ = b[headerBytes-1]
	b[0], b[1], b[2], b[3] = byte(h.kind), byte(h.call), byte(h.op), 0
	binary.LittleEndian.PutUint32(b[4:], h.root)
	binary.LittleEndian.PutUint64(b[8:], h.session)
	binary.LittleEndian.PutUint64(b[16:], h.seq)
	binary.LittleEndian.PutUint64(b[24:], h.tag)
	binary.LittleEndian.PutUint64(b[32:], h.length)
}

func (h *header) parse(b []byte) {
	_ = b[headerBytes-1]
	h.kind, h.call, h.op = kind(b[0]), collect.Kind(b[1]), dist.Op(b[2])
	h.root = binary.LittleEndian.Uint32(b[4:])
	h.session = binary.LittleEndian.Uint64(b[8:])
	h.seq = binary.LittleEndian.Uint64(b[16:])
	h.tag = binary.LittleEndian.Uint64(b[24:])
	h.length = binary.LittleEndian.Uint64(b[32:])
}

// frame is what the codec encodes: the header, then a copy of body. The writer of a stream uses one again and again.
type frame struct {
	header
	body []byte
	// filled holds header and body already, when the body had to be copied under a lock.
	filled *[]byte
	// borrowed is the body when it is not copied; filled holds the header then.
	borrowed *borrowedPart
}

// fill copies the frame into a buffer of the pool. The caller may then change body.
func (f *frame) fill() {
	b := buffers.Get(headerBytes + len(f.body))
	f.put(*b)
	copy((*b)[headerBytes:], f.body)
	f.filled, f.body = b, nil
}

// count adds the filled frame to unsent, until gRPC has written it. The buffer is the first field of its block of the
// pool, so that both have one address.
func (f *frame) count(unsent *atomic.Int64) {
	(*block)(unsafe.Pointer(f.filled)).unsent = unsent
	unsent.Add(int64(len(*f.filled)))
}

// frameSink takes the frames that arrive on a stream. The body must not be kept.
type frameSink interface {
	takeFrame(h *header, body *body) error
}

// arrival is what the codec decodes into.
type arrival struct {
	to   frameSink
	head [headerBytes]byte
	header
	body
	err error // what to returned; errors of the stream itself are not kept here
}

// body is the rest of a frame, as gRPC hands it over: in several pieces.
type body struct {
	pieces mem.BufferSlice
	skip   int // bytes of the first piece that were read
	left   int
}

// read copies the next len(dst) bytes, of which there must be enough.
func (b *body) read(dst []byte) {
	b.left -= len(dst)
	for len(dst) > 0 {
		n := copy(dst, b.pieces[0].ReadOnlyData()[b.skip:])
		dst = dst[n:]
		if b.skip += n; b.skip == b.pieces[0].Len() {
			b.pieces, b.skip = b.pieces[1:], 0
		}
	}
}

func (a *arrival) decode(data mem.BufferSlice) error {
	n := data.Len()
	if n < headerBytes || n > headerBytes+chunkBytes {
		a.err = fmt.Errorf("a frame of %d bytes; %d to %d are possible", n, headerBytes, headerBytes+chunkBytes)
		return a.err
	}
	a.body = body{pieces: data, left: n}
	a.read(a.head[:])
	a.parse(a.head[:])
	a.err = a.to.takeFrame(&a.header, &a.body)
	a.pieces = nil
	return a.err
}
