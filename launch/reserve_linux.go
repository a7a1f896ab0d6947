package launch

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"golang.org/x/sys/unix"
)

// ReservePort reserves a free TCP port of an address of this machine until release is called: a worker can listen at
// it, and the system does not give it to programs that listen at any free port (port 0).
func ReservePort(host string) (address string, release func(), err error) {
	ip, err := net.ResolveIPAddr("ip", host)
	if err != nil {
		return "", nil, fmt.Errorf("launch: %w", err)
	}
	addr, _ := netip.AddrFromSlice(ip.IP)
	addr = addr.Unmap()
	family, bound := unix.AF_INET, unix.Sockaddr(&unix.SockaddrInet4{Addr: ipv4(addr)})
	if addr.Is6() {
		family, bound = unix.AF_INET6, &unix.SockaddrInet6{Addr: addr.As16()}
	}
	// This socket is bound but does not listen. Since it and Go's listeners have SO_REUSEADDR, a worker can listen at
	// the port by its number.
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", nil, fmt.Errorf("launch: open a socket: %w", err)
	}
	err = errors.Join(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1), unix.Bind(fd, bound))
	port := 0
	if err == nil {
		bound, err = unix.Getsockname(fd)
	}
	switch a := bound.(type) {
	case *unix.SockaddrInet4:
		port = a.Port
	case *unix.SockaddrInet6:
		port = a.Port
	}
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("launch: reserve a port of %s: %w", host, err), unix.Close(fd))
	}
	return net.JoinHostPort(host, strconv.Itoa(port)), func() { _ = unix.Close(fd) }, nil
}

func ipv4(a netip.Addr) (b [4]byte) {
	if a.Is4() {
		b = a.As4()
	}
	return b
}
