package mpi

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// A notice is a message that a rank sends to every other rank when it fails, or to one when ranks leave. Its layout, by
// byte offset:
//
//	0  the kind
//	4  the rank that sends it
//	8  the rank that it is about: the one that aborted, or the peer in an error
//	12 the code of an abort
//	16 in a notice that it has left, the number of messages that the sender has sent to the receiver
//	24 the cause, in UTF-8, up to the end
const (
	noticeHeader = 24
	noticeBytes  = 1024
	cutMark      = "…"
)

type noticeKind uint8

const (
	ask   noticeKind = 1 + iota // has the receiver left?
	stays                       // the answer: no
	left                        // the answer: yes
	gone                        // to the parent in the tree: all ranks of the sender's subtree have left
	over                        // to the children: all ranks have left
	aborted
	failed
)

type notice struct {
	kind          noticeKind
	source, about int
	code          int
	sent          uint64
	cause         string
}

// failureNotice returns the notice that a rank sends to the others about a failure.
func failureNotice(source int, cause error) notice {
	var a *dist.AbortError
	if errors.As(cause, &a) {
		return notice{kind: aborted, source: source, about: a.Rank, code: a.Code, cause: a.Cause}
	}
	var p *dist.PeerError
	if errors.As(cause, &p) {
		return notice{kind: failed, source: source, about: p.Rank, cause: p.Err.Error()}
	}
	return notice{kind: failed, source: source, about: source, cause: cause.Error()}
}

// failure returns the error that a failure notice describes.
func (n notice) failure() error {
	if n.kind == aborted {
		return &dist.AbortError{Rank: n.about, Code: n.code, Cause: n.cause}
	}
	return &dist.PeerError{Rank: n.about, Err: errors.New(n.cause)}
}

// encode writes n into buf, of noticeBytes, and returns its length. A cause that is too long ends in an ellipsis.
func (n notice) encode(buf []byte) int {
	clear(buf[:noticeHeader])
	buf[0] = byte(n.kind)
	le := binary.LittleEndian
	le.PutUint32(buf[4:], uint32(n.source))
	le.PutUint32(buf[8:], uint32(n.about))
	le.PutUint32(buf[12:], uint32(int32(n.code)))
	le.PutUint64(buf[16:], n.sent)
	text := buf[noticeHeader:noticeBytes]
	if len(n.cause) <= len(text) {
		return noticeHeader + copy(text, n.cause)
	}
	keep := len(text) - len(cutMark)
	for keep > 0 && n.cause[keep]&0xc0 == 0x80 { // not inside a character
		keep--
	}
	copy(text, n.cause[:keep])
	return noticeHeader + keep + copy(text[keep:], cutMark)
}

// decode reads a notice received by one of size ranks.
func decode(buf []byte, size int) (notice, error) {
	if len(buf) < noticeHeader {
		return notice{}, fmt.Errorf("dist/mpi: received a notice of %d bytes, want at least %d", len(buf), noticeHeader)
	}
	le := binary.LittleEndian
	n := notice{
		kind:   noticeKind(buf[0]),
		source: int(le.Uint32(buf[4:])),
		about:  int(le.Uint32(buf[8:])),
		code:   int(int32(le.Uint32(buf[12:]))),
		sent:   le.Uint64(buf[16:]),
		cause:  string(buf[noticeHeader:]),
	}
	if n.kind < ask || n.kind > failed || n.source >= size || n.about >= size {
		return notice{}, fmt.Errorf("dist/mpi: received a malformed notice: kind %d from rank %d about rank %d of %d",
			n.kind, n.source, n.about, size)
	}
	return n, nil
}
