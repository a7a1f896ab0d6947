package life

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Heartbeat sends heartbeats to one process and expects those of another, as UDP datagrams, independently of the
// transport of messages. Datagrams are signed with a key that both share; others are dropped.
type Heartbeat struct {
	conn *net.UDPConn
	stop chan struct{}
	once sync.Once
	work sync.WaitGroup
}

// A datagram is the id of the sender (8 bytes), its sequence number (8 bytes), and a signature of both.
const (
	beatBytes   = 16
	signedBytes = beatBytes + sha256.Size
)

// maxAddresses is the number of addresses of a machine that are tried.
const maxAddresses = 8

// OpenHeartbeat listens for heartbeats: on loopback if loopback is true, else on all networks. It returns the
// addresses at which the other process may reach it.
func OpenHeartbeat(loopback bool) (*Heartbeat, []netip.AddrPort, error) {
	address := &net.UDPAddr{}
	if loopback {
		address.IP = net.IPv4(127, 0, 0, 1)
	}
	conn, err := net.ListenUDP("udp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("heartbeats: %w", err)
	}
	h := &Heartbeat{conn: conn, stop: make(chan struct{})}
	port := conn.LocalAddr().(*net.UDPAddr).AddrPort().Port()
	if loopback {
		return h, []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port)}, nil
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("heartbeats: %w", err), conn.Close())
	}
	var found []netip.AddrPort
	for _, a := range all {
		prefix, err := netip.ParsePrefix(a.String())
		if ip := prefix.Addr(); err == nil && ip.IsGlobalUnicast() && len(found) < maxAddresses {
			found = append(found, netip.AddrPortFrom(ip, port))
		}
	}
	return h, found, nil
}

// HeartbeatConfig configures a Heartbeat.
type HeartbeatConfig struct {
	Key     []byte
	Own     uint64           // id of this process
	To      []netip.AddrPort // addresses to send heartbeats to
	From    uint64           // id of the process whose heartbeats are expected
	Silence time.Duration

	Lost       func() // heartbeats of From have stopped for Silence; called at most once
	NeverHeard func() // no heartbeat of From has arrived, and its loss cannot be detected; called at most once
}

// firstBeatSilences times Silence is how long the first heartbeat may take.
const firstBeatSilences = 5

// Start starts sending and receiving, and returns at once.
func (h *Heartbeat) Start(b HeartbeatConfig) {
	clock := NewClock(CheckInterval(b.Silence))
	heard := make(chan struct{})
	pulse := NewPulse(clock)
	h.work.Go(func() { h.sendLoop(b) })
	h.work.Go(func() { h.receiveLoop(b, pulse, heard) })
	h.work.Go(func() { h.watch(b, clock, pulse, heard) })
}

// Stop stops sending and receiving, and waits for the goroutines of Start.
func (h *Heartbeat) Stop() {
	h.once.Do(func() {
		close(h.stop)
		_ = h.conn.Close() // ends the wait for datagrams
	})
	h.work.Wait()
}

func (h *Heartbeat) sendLoop(b HeartbeatConfig) {
	tick := time.NewTicker(BeatInterval(b.Silence))
	defer tick.Stop()
	var text [beatBytes]byte
	binary.LittleEndian.PutUint64(text[:], b.Own)
	for n := uint64(1); ; n++ {
		binary.LittleEndian.PutUint64(text[8:], n)
		signed := sign(b.Key, text[:])
		for _, to := range b.To {
			_, _ = h.conn.WriteToUDPAddrPort(signed, to) // some addresses may not reach it
		}
		select {
		case <-tick.C:
		case <-h.stop:
			return
		}
	}
}

func sign(key, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(append(make([]byte, 0, signedBytes), text...))
}

func (h *Heartbeat) receiveLoop(b HeartbeatConfig, pulse *Pulse, heard chan<- struct{}) {
	buf := make([]byte, signedBytes+1)
	for last := uint64(0); ; {
		n, err := h.conn.Read(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil || n != signedBytes || !hmac.Equal(sign(b.Key, buf[:beatBytes]), buf[:n]) {
			continue
		}
		number := binary.LittleEndian.Uint64(buf[8:])
		if binary.LittleEndian.Uint64(buf) != b.From || number <= last { // a replayed heartbeat
			continue
		}
		if last == 0 {
			close(heard)
		}
		last = number
		pulse.Beat()
	}
}

func (h *Heartbeat) watch(b HeartbeatConfig, clock *Clock, pulse *Pulse, heard <-chan struct{}) {
	select {
	case <-heard:
	case <-time.After(firstBeatSilences * b.Silence):
		b.NeverHeard()
		select {
		case <-heard:
		case <-h.stop:
			return
		}
	case <-h.stop:
		return
	}
	tick := time.NewTicker(CheckInterval(b.Silence))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if clock.Tick(); pulse.Silent(b.Silence) {
				b.Lost()
				return
			}
		case <-h.stop:
			return
		}
	}
}
