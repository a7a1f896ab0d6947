package halo

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
)

// linked exchanges arrays directly between the devices of the ranks. All operations are queued on the device, and may
// be part of a recording.
type linked struct {
	*deviceBuffers
	link       *deviceComm
	messages   [][2][]backend.Message // sent and received, by phase
	packsFirst bool
	out        []byte // of packsFirst: the packed messages
	queuing    func() error
}

func newLinked(plan Route, dev backend.Device, link *deviceComm, bytes int, single bool) (*linked, error) {
	r, err := plan.route(true)
	if err != nil {
		return nil, err
	}
	buffers, err := newDeviceBuffers(r, dev, bytes, single)
	if err != nil {
		return nil, err
	}
	x := &linked{deviceBuffers: buffers, link: link, packsFirst: r.packsFirst}
	for _, p := range buffers.phases {
		var m [2][]backend.Message
		for _, peer := range p.peers {
			if peer.send[0] < peer.send[1] {
				m[0] = append(m[0], backend.Message{Peer: peer.rank})
			}
			if peer.recv[0] < peer.recv[1] {
				m[1] = append(m[1], backend.Message{Peer: peer.rank})
			}
		}
		x.messages = append(x.messages, m)
	}
	if x.queuing = x.queuePhases; x.packsFirst {
		x.queuing = x.queuePacked
	}
	return x, nil
}

// Start queues the exchange on the second stream.
func (x *linked) Start(_ context.Context, fields ...Field) error {
	err := x.begin(fields)
	if err != nil || len(x.phases) == 0 {
		return err
	}
	if x.packsFirst {
		phase := &x.phases[0] // the only one
		if x.out, err = x.packed(phase); err != nil {
			return err
		}
		if phase.receivesAt >= 0 {
			return x.exchange(0, x.out)
		}
	}
	return x.link.comm.Fork(x.queuing)
}

// queuePacked queues the exchange of packed messages.
func (x *linked) queuePacked() error {
	if err := x.exchange(0, x.out); err != nil {
		return err
	}
	return x.unpacked(&x.phases[0])
}

// queuePhases queues all phases.
func (x *linked) queuePhases() error {
	for n := range x.phases {
		phase := &x.phases[n]
		out, err := x.packed(phase)
		if err != nil {
			return err
		}
		if err := x.exchange(n, out); err != nil {
			return err
		}
		if err := x.unpacked(phase); err != nil {
			return err
		}
	}
	return nil
}

// exchange queues the messages of phase n.
func (x *linked) exchange(n int, out []byte) error {
	phase, in := &x.phases[n], x.receiveBuffer(&x.phases[n])
	send, recv := x.messages[n][0], x.messages[n][1]
	if len(send)+len(recv) == 0 {
		return nil
	}
	sent, received := 0, 0
	for i := range phase.peers {
		p := &phase.peers[i]
		if p.send[0] < p.send[1] {
			send[sent].Data = out[p.send[0]*x.bytes : p.send[1]*x.bytes]
			sent++
		}
		if p.recv[0] < p.recv[1] {
			recv[received].Data = in[p.recv[0]*x.bytes : p.recv[1]*x.bytes]
			received++
		}
	}
	return x.link.comm.Exchange(send, recv)
}

func (x *linked) Fork(f func() error) error    { return x.link.comm.Fork(f) }
func (x *linked) Max(keys []uint64) error      { return x.link.comm.Max(keys) }
func (x *linked) Sum(words []int64) error      { return x.link.comm.Sum(words) }
func (x *linked) Send(context.Context) error   { return nil }
func (x *linked) Finish(context.Context) error { return x.link.comm.Join() }
func (x *linked) Kind() string                 { return x.link.kind }
func (x *linked) Close() error                 { return x.close() }
