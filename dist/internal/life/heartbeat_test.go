package life

import (
	"net"
	"net/netip"
	"testing"
	"time"
)

// open returns a Heartbeat and the addresses on which it listens.
func open(t *testing.T) (*Heartbeat, []netip.AddrPort) {
	t.Helper()
	h, addresses, err := OpenHeartbeat(true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return h, addresses
}

// TestStoppedHeartbeatIsDetected: a process whose heartbeats stop is lost. That one which sends them is not is tested
// with simulated time: a machine under load may not run a process for longer than any limit here.
func TestStoppedHeartbeatIsDetected(t *testing.T) {
	const silence = time.Second
	a, addressesA := open(t)
	b, addressesB := open(t)
	lost := make(chan struct{}, 1)
	config := HeartbeatConfig{Key: []byte("lagoon"), Own: 1, To: addressesB, From: 2, Silence: silence,
		Lost: func() { lost <- struct{}{} }, NeverHeard: func() { t.Error("no heartbeat arrived") }}
	a.Start(config)
	config.Own, config.From, config.To = 2, 1, addressesA
	config.Silence, config.Lost = time.Hour, func() {}
	b.Start(config)
	time.Sleep(silence / 2) // some heartbeats arrive
	b.Stop()
	select {
	case <-lost:
	case <-time.After(time.Hour): // a machine under load is slow, and a loss that is not detected never comes
		t.Fatal("the loss is not detected")
	}
}

// Heartbeats of other processes, with another key, replayed ones and garbage do not count.
func TestInvalidHeartbeatsDoNotCount(t *testing.T) {
	h, addresses := open(t)
	neverHeard := make(chan struct{})
	h.Start(HeartbeatConfig{Key: []byte("lagoon"), Own: 1, From: 2, Silence: 50 * time.Millisecond,
		Lost: func() { t.Error("an invalid heartbeat was accepted") }, NeverHeard: func() { close(neverHeard) }})
	c, err := net.Dial("udp", addresses[0].String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	beat := func(key string, own, number byte) []byte {
		text := make([]byte, beatBytes)
		text[0], text[8] = own, number
		return sign([]byte(key), text)
	}
	for _, b := range [][]byte{beat("guess", 2, 1), beat("lagoon", 3, 1), beat("lagoon", 2, 0), {1, 2, 3},
		make([]byte, 60000), append(beat("lagoon", 2, 1), 0)} {
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-neverHeard:
	case <-time.After(time.Hour):
		t.Fatal("NeverHeard was not called")
	}
}
