//go:build mpi && cgo

package mpi

/*
#cgo pkg-config: ompi
#cgo noescape atoll_post
#cgo noescape atoll_send_short
#cgo noescape atoll_send_long
#cgo noescape atoll_receive
#cgo noescape atoll_wait
#cgo noescape atoll_exchange
#cgo noescape atoll_done
#cgo nocallback atoll_post
#cgo nocallback atoll_send_short
#cgo nocallback atoll_send_long
#cgo nocallback atoll_receive
#cgo nocallback atoll_wait
#cgo nocallback atoll_exchange
#cgo nocallback atoll_done
#include <stdlib.h>
#include "engine.h"
*/
import "C"

import (
	"fmt"
	"math"
	"strings"
	"unsafe"
)

// The channels for messages without a header.
const (
	collectives = C.ATOLL_COLLECTIVES
	notices     = C.ATOLL_NOTICES
)

const (
	headerBytes     = C.ATOLL_HEADER
	bufferBytes     = C.ATOLL_BUFFER
	shortBytes      = bufferBytes - headerBytes // the longest message that is copied through a slot
	maxMessageBytes = math.MaxInt32             // of one MPI message, whose length is a C int
)

var _ = [1]struct{}{}[noticeBytes-C.ATOLL_NOTICE] // compiles only if Go and C agree

type slot = C.atoll_slot

func (e engine) newSlot() *slot { return C.atoll_new_slot(e.world) }

func freeSlot(s *slot) { C.free(unsafe.Pointer(s)) }

// link appends next to s in the list of slots that one call waits for.
func link(s, next *slot) { s.next = C.uintptr_t(uintptr(unsafe.Pointer(next))) }

// bufferOf returns the slot's own memory.
func bufferOf(s *slot) []byte { return unsafe.Slice((*byte)(&s.buffer[0]), bufferBytes) }

// engine is the interface to MPI in C. Its errors do not name a peer.
type engine struct{ world *C.atoll_world }

func openEngine() (engine, error) {
	e := engine{(*C.atoll_world)(C.calloc(1, C.sizeof_atoll_world))}
	if code := C.atoll_open(e.world); code != C.MPI_SUCCESS {
		return engine{}, mpiError("MPI_Comm_dup", code)
	}
	return e, nil
}

func (e engine) free() error {
	if code := C.atoll_free(e.world); code != C.MPI_SUCCESS {
		return mpiError("MPI_Comm_free", code)
	}
	C.free(unsafe.Pointer(e.world))
	return nil
}

// sendShort posts the receives of a queue, then starts the send of a message of at most shortBytes.
func sendShort(queue, s *slot, peer, tag int, buf []byte) error {
	bytes := (*C.uchar)(unsafe.SliceData(buf))
	code := C.atoll_send_short(queue, s, C.int(peer), C.int(tag), bytes, C.int(len(buf)))
	if code != C.MPI_SUCCESS {
		return mpiError("MPI_Isend", code)
	}
	return nil
}

// sendLong does the same for a longer message, whose memory is pinned.
func sendLong(queue, s *slot, peer, tag int, pinned unsafe.Pointer, n, bodyTag int) error {
	code := C.atoll_send_long(queue, s, C.int(peer), C.int(tag), (*C.uchar)(pinned), C.int(n), C.int(bodyTag))
	if code != C.MPI_SUCCESS {
		return mpiError("MPI_Isend", code)
	}
	return nil
}

// prepare initialises a slot for the queue of receives: of exactly n bytes or, with upTo, of at most n. A message of at
// most shortBytes is received into the slot, a longer one into pinned memory.
func prepare(s *slot, peer, tag int, pinned unsafe.Pointer, n int, upTo bool) {
	s.pending = C.ATOLL_QUEUED
	s.peer, s.tag = C.int(peer), C.int(tag)
	s.target, s.length, s.up_to = C.uintptr_t(uintptr(pinned)), C.int(n), 0
	if upTo {
		s.up_to = 1
	}
	s.next = 0
}

// postQueue posts receives.
func postQueue(queue *slot) { C.atoll_receive(queue) }

// discardBody starts to receive the body of a message that does not fit its receive, into memory that is then freed.
func discardBody(s *slot, peer, bodyTag int, n int64) error {
	if code := C.atoll_discard(s, C.int(peer), C.int(bodyTag), C.int64_t(n)); code != C.MPI_SUCCESS {
		return mpiError("MPI_Irecv", code)
	}
	return nil
}

// sendBytes and receiveBytes start the transfer of n bytes without a header, from or into pinned memory or, if buf is
// nil, the slot's memory.
func sendBytes(s *slot, channel, peer int, buf unsafe.Pointer, n int) error {
	if code := C.atoll_post(s, C.int(channel), 1, C.int(peer), (*C.uchar)(buf), C.int(n)); code != C.MPI_SUCCESS {
		return mpiError("MPI_Isend", code)
	}
	return nil
}

func receiveBytes(s *slot, channel, peer int, buf unsafe.Pointer, n int) error {
	if code := C.atoll_post(s, C.int(channel), 0, C.int(peer), (*C.uchar)(buf), C.int(n)); code != C.MPI_SUCCESS {
		return mpiError("MPI_Irecv", code)
	}
	return nil
}

// waitFor waits for a list of slots, for at most 200 µs. It returns nil if all are complete, else the first slot that
// failed or is pending. waited is how long the caller has waited so far, in nanoseconds.
func waitFor(first *slot, waited int64) *slot {
	return C.atoll_wait(first, C.int64_t(waited))
}

// exchangeStep receives a message from rank source into in, and sends the n bytes in out to rank dest, as one step of a
// collective. Rank -1 means no message in that direction. It returns as waitFor does.
func exchangeStep(in *slot, source int, out *slot, dest, n int) (*slot, error) {
	var code C.int
	first := C.atoll_exchange(in, C.int(source), out, C.int(dest), C.int(n), &code)
	if code != C.MPI_SUCCESS {
		return nil, mpiError("MPI_Isend or MPI_Irecv", code)
	}
	return first, nil
}

func isDone(s *slot) bool { return C.atoll_done(s) != 0 }

// cancelled reports whether MPI has cancelled the receive.
func cancelled(s *slot) bool { return s.cancelled == C.ATOLL_CANCELLED }

func cancel(s *slot) error {
	if code := C.atoll_cancel(s); code != C.MPI_SUCCESS {
		return mpiError("MPI_Cancel", code)
	}
	return nil
}

// stop makes waitFor return at once from now on.
func (e engine) stop() { C.atoll_stop(e.world) }

// notice returns the bytes of a received notice, or nil. They are valid until listen is called.
func (e engine) notice() []byte {
	if C.atoll_has_notice(e.world) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(&e.world.notice[0]), int(e.world.notice_length))
}

// listen posts the receive of the next notice.
func (e engine) listen() error {
	if code := C.atoll_listen(e.world); code != C.MPI_SUCCESS {
		return mpiError("MPI_Irecv", code)
	}
	return nil
}

// mpiAbort ends all processes of the job.
func mpiAbort(code int) { C.atoll_abort(C.int(code)) }

func tagLimit() int { return int(C.atoll_tag_limit()) }

// Version returns the name and version of the MPI library, as in "Open MPI v4.1.4". It may be called before Init.
func Version() string {
	var text [C.MPI_MAX_LIBRARY_VERSION_STRING]byte
	n := C.atoll_version((*C.char)(unsafe.Pointer(&text[0])), C.int(len(text)))
	line, _, _ := strings.Cut(string(text[:n]), "\n")
	line, _, _ = strings.Cut(line, ", package:")
	return strings.TrimSpace(strings.TrimRight(line, "\x00"))
}

func mpiError(call string, code C.int) error {
	var text [C.MPI_MAX_ERROR_STRING]byte
	C.atoll_error_text(code, (*C.char)(unsafe.Pointer(&text[0])), C.int(len(text)))
	s, _, _ := strings.Cut(string(text[:]), "\x00")
	return fmt.Errorf("%s: %s", call, s)
}
