//go:build linux && !race

package grpc

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"syscall"
	"unsafe"
)

// grpcReadBuffer is how much gRPC buffers of what it reads: nothing, since aheadConn does that better.
const grpcReadBuffer = 0

const (
	aheadBytes  = 4 << 10 // read besides a frame header: a short message comes with it
	aheadOfLong = 64      // read besides the bytes of a long frame: the header of the next
)

// aheadConn reads what is asked for, and in the same system call the beginning of what comes next. gRPC asks for a
// frame header, then for its bytes, and so on. Without a buffer that is two system calls a frame of 16 KiB; with one,
// every byte is copied once more. Here it is one system call, and of a long frame only the next header is copied.
//
// The race detector would not see that what was written before a send happens before what follows the receive, as
// it does for reads of package syscall: race builds do without.
type aheadConn struct {
	net.Conn
	raw  syscall.RawConn
	read func(fd uintptr) bool // readv, bound once
	vec  [2]syscall.Iovec
	got  int
	err  syscall.Errno

	buf   [aheadBytes]byte
	ahead []byte // of buf, not asked for yet
}

// readAhead returns a connection that reads the same bytes as c.
func readAhead(c net.Conn) (net.Conn, error) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("dist/grpc: a %T has no file descriptor", c)
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("dist/grpc: %w", err)
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
	more := aheadBytes
	if len(p) >= aheadBytes {
		more = aheadOfLong
	}
	a.vec[0].Base, a.vec[1].Base = &p[0], &a.buf[0]
	a.vec[0].SetLen(len(p))
	a.vec[1].SetLen(more)
	err := a.raw.Read(a.read)
	a.vec[0].Base = nil
	runtime.KeepAlive(p)
	switch {
	case err != nil:
		return 0, err
	case a.err != 0:
		return 0, &net.OpError{Op: "read", Net: a.RemoteAddr().Network(), Source: a.LocalAddr(), Addr: a.RemoteAddr(),
			Err: a.err}
	case a.got == 0:
		return 0, io.EOF
	}
	n := min(a.got, len(p))
	a.ahead = a.buf[:a.got-n]
	return n, nil
}

// readv reports whether it has read, or failed for good.
func (a *aheadConn) readv(fd uintptr) bool {
	for {
		n, _, err := syscall.Syscall(syscall.SYS_READV, fd, uintptr(unsafe.Pointer(&a.vec)), uintptr(len(a.vec)))
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return false
		}
		a.got, a.err = int(n), err
		return true
	}
}
