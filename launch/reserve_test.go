//go:build linux

package launch

import (
	"net"
	"testing"
)

// TestReserve: who names a port that is reserved gets it, and nobody else does. Of 300 ports and 2000 listeners 20
// would meet by chance.
func TestReserve(t *testing.T) {
	reserved := map[string]bool{}
	var address string
	for range 300 {
		at, release, err := ReservePort("127.0.0.3")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		if reserved[at] {
			t.Fatalf("%s is reserved twice", at)
		}
		reserved[at], address = true, at
	}
	for range 2000 {
		l, err := net.Listen("tcp", "127.0.0.3:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if reserved[l.Addr().String()] {
			t.Fatalf("%s is given away", l.Addr())
		}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("a worker cannot listen there: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReservePort("no.such.host.invalid"); err == nil {
		t.Error("a port of a host that is not there")
	}
}
