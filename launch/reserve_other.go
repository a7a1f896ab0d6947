//go:build !linux

package launch

import (
	"fmt"
	"net"
)

// ReservePort returns a TCP port of an address of this machine that is free now. Unlike on Linux, the port is not
// reserved: another program may take it.
func ReservePort(host string) (address string, release func(), err error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", nil, fmt.Errorf("launch: find a free port of %s: %w", host, err)
	}
	return l.Addr().String(), func() {}, l.Close()
}
