//go:build !linux

package launch

import (
	"fmt"
	"net"
)

// ReservePort finds a port of an address of this machine that is free now. On Linux it stays so.
func ReservePort(host string) (address string, release func(), err error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", nil, fmt.Errorf("launch: a port of %s: %w", host, err)
	}
	return l.Addr().String(), func() {}, l.Close()
}
