//go:build linux

package launch

import (
	"net"
	"testing"
)

// TestReserve: the system does not give a reserved port to listeners at port 0, and a listener can use it by its
// number. Without the reservation, about 20 of the 2000 listeners would get one of the 300 ports.
func TestReserve(t *testing.T) {
	reserved := map[string]bool{}
	var address string
	for range 300 {
		a, release, err := ReservePort("127.0.0.3")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		if reserved[a] {
			t.Fatalf("%s is reserved twice", a)
		}
		reserved[a], address = true, a
	}
	for range 2000 {
		l, err := net.Listen("tcp", "127.0.0.3:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if reserved[l.Addr().String()] {
			t.Fatalf("a listener at port 0 got the reserved %s", l.Addr())
		}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("cannot listen at a reserved port: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReservePort("no.such.host.invalid"); err == nil {
		t.Error("got a port of an unknown host, want an error")
	}
}
