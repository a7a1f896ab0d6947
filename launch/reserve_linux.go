package launch

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"golang.org/x/sys/unix"
)

// ReservePort finds a free port of an address of this machine, at which a worker can listen until release is called,
// and which nobody is given who asks for any free port.
func ReservePort(host string) (address string, release func(), err error) {
	ip, err := net.ResolveIPAddr("ip", host)
	if err != nil {
		return "", nil, fmt.Errorf("launch: %w", err)
	}
	to, _ := netip.AddrFromSlice(ip.IP)
	to = to.Unmap()
	family, bound := unix.AF_INET, unix.Sockaddr(&unix.SockaddrInet4{Addr: ipv4(to)})
	if to.Is6() {
		family, bound = unix.AF_INET6, &unix.SockaddrInet6{Addr: to.As16()}
	}
	// Bound and not listening, both with SO_REUSEADDR, as Go's listeners have: the worker that names the port gets it, and
	// one that is given a port by the system does not.
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", nil, fmt.Errorf("launch: a socket: %w", err)
	}
	err = errors.Join(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1), unix.Bind(fd, bound))
	port := 0
	if err == nil {
		bound, err = unix.Getsockname(fd)
	}
	switch at := bound.(type) {
	case *unix.SockaddrInet4:
		port = at.Port
	case *unix.SockaddrInet6:
		port = at.Port
	}
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("launch: a port of %s: %w", host, err), unix.Close(fd))
	}
	return net.JoinHostPort(host, strconv.Itoa(port)), func() { _ = unix.Close(fd) }, nil
}

func ipv4(a netip.Addr) (b [4]byte) {
	if a.Is4() {
		b = a.As4()
	}
	return b
}
