//go:build linux && !race

// Package readahead reads ahead from connections whose reader asks for a few bytes, then for many, and so on, as gRPC
// does.
package readahead

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"syscall"
	"unsafe"
)

// Works says whether connections read ahead here.
const Works = true

const (
	aheadBytes     = 4 << 10 // read ahead after the header of an HTTP/2 frame: a short message arrives with it
	aheadBytesLong = 64      // read ahead after the bytes of a long HTTP/2 frame: the header of the next
)

// aheadConn reads the requested bytes, and in the same system call (readv) the beginning of the following ones.
// gRPC reads the header of an HTTP/2 frame, then its bytes, and so on. Without a buffer that takes two system calls per
// HTTP/2 frame of 16 KiB; with a buffer, every byte is copied once more. aheadConn needs one system call for each, and
// copies only the header after a long one.
//
// Race builds do not use it: the race detector sees the happens-before relation between a send and its receive
// through reads of package syscall, but not through this readv.
type aheadConn struct {
	net.Conn
	raw       syscall.RawConn
	read      func(fd uintptr) bool // readv, bound once
	vec       [2]syscall.Iovec
	bytesRead int
	err       syscall.Errno

	buf   [aheadBytes]byte
	ahead []byte // part of buf that is not returned yet
}

// New returns a connection that reads the same bytes as c.
func New(c net.Conn) (net.Conn, error) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("readahead: a %T has no file descriptor", c)
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("readahead: %w", err)
	}
	a := &aheadConn{Conn: c, raw: raw}
	a.read = a.readv
	return a, nil
}

// Read is called by one goroutine at a time.
func (a *aheadConn) Read(p []byte) (int, error) {
	if len(a.ahead) > 0 || len(p) == 0 {
		n := copy(p, a.ahead)
		a.ahead = a.ahead[n:]
		return n, nil
	}
	extra := aheadBytes
	if len(p) >= aheadBytes {
		extra = aheadBytesLong
	}
	a.vec[0].Base, a.vec[1].Base = &p[0], &a.buf[0]
	a.vec[0].SetLen(len(p))
	a.vec[1].SetLen(extra)
	err := a.raw.Read(a.read)
	a.vec[0].Base = nil
	runtime.KeepAlive(p)
	switch {
	case err != nil:
		return 0, err
	case a.err != 0:
		return 0, &net.OpError{Op: "read", Net: a.RemoteAddr().Network(), Source: a.LocalAddr(), Addr: a.RemoteAddr(),
			Err: a.err}
	case a.bytesRead == 0:
		return 0, io.EOF
	}
	n := min(a.bytesRead, len(p))
	a.ahead = a.buf[:a.bytesRead-n]
	return n, nil
}

// readv reports whether it has read, or failed; false means that no data are available yet.
func (a *aheadConn) readv(fd uintptr) bool {
	for {
		n, _, err := syscall.Syscall(syscall.SYS_READV, fd, uintptr(unsafe.Pointer(&a.vec)), uintptr(len(a.vec)))
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return false
		}
		a.bytesRead, a.err = int(n), err
		return true
	}
}
