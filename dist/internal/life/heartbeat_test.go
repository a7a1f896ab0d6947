package life

import (
	"net"
	"net/netip"
	"testing"
	"time"
)

// open returns a heart and where it listens.
func open(t *testing.T) (*Heartbeat, []netip.AddrPort) {
	t.Helper()
	h, at, err := OpenHeartbeat(true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return h, at
}

func TestHeartIsMissed(t *testing.T) {
	const silence = 300 * time.Millisecond
	a, atA := open(t)
	b, atB := open(t)
	lost := make(chan time.Time, 1)
	beats := HeartbeatConfig{Key: []byte("lagoon"), Own: 1, To: atB, From: 2, Silence: silence,
		Lost: func() { lost <- time.Now() }, NeverHeard: func() { t.Error("deaf") }}
	a.Start(beats)
	beats.Own, beats.From, beats.To = 2, 1, atA
	beats.Lost = func() { t.Error("the living is taken for lost") }
	b.Start(beats)
	time.Sleep(2 * silence)
	if len(lost) > 0 {
		t.Fatal("the living is taken for lost")
	}
	began := time.Now()
	b.Stop()
	if took := (<-lost).Sub(began); took > silence+silence/2 || took < silence/2 {
		t.Fatalf("missed after %v", took)
	}
}

// Signs of others, with another key or another number, old ones and garbage are none.
func TestOnlyItsOwnSignsCount(t *testing.T) {
	h, at := open(t)
	deaf := make(chan struct{})
	h.Start(HeartbeatConfig{Key: []byte("lagoon"), Own: 1, From: 2, Silence: 50 * time.Millisecond,
		Lost: func() { t.Error("was heard") }, NeverHeard: func() { close(deaf) }})
	c, err := net.Dial("udp", at[0].String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sign := func(key string, own, number byte) []byte {
		text := make([]byte, beatBytes)
		text[0], text[8] = own, number
		return sign([]byte(key), text)
	}
	for _, b := range [][]byte{sign("guess", 2, 1), sign("lagoon", 3, 1), sign("lagoon", 2, 0), {1, 2, 3},
		make([]byte, 60000), append(sign("lagoon", 2, 1), 0)} {
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-deaf:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing is said about an other that was never heard")
	}
}
