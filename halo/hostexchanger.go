package halo

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
)

// HostExchanger exchanges arrays in the memory of the host.
type HostExchanger struct {
	messages
	route    *route
	buffers  [][]hostBuffers // by phase and peer
	fields   []Field
	bytes    int // per cell, over all fields of the current exchange
	maxBytes int
}

// hostBuffers are the messages to and from a peer; nil for the rank itself.
type hostBuffers struct{ out, in []byte }

// NewHostExchanger prepares exchanges of at most bytes per cell over all fields. Exchangers that are used at the same
// time need different tags.
func NewHostExchanger(plan Route, comm dist.Comm, tag, bytes int) *HostExchanger {
	r, _ := plan.route(false)                                            // fails for linked devices only
	if o, ok := comm.(interface{ Connected(tag int, plan Route) }); ok { // for models of runs
		o.Connected(tag, plan)
	}
	x := &HostExchanger{route: r, fields: make([]Field, 0, 8), maxBytes: bytes}
	maxRequests := 0
	for _, phase := range r.phases {
		buffers := make([]hostBuffers, len(phase.peers))
		for i, p := range phase.peers {
			if p.rank != r.rank {
				buffers[i] = hostBuffers{make([]byte, p.send.count()*bytes), make([]byte, p.recv.count()*bytes)}
			}
		}
		x.buffers = append(x.buffers, buffers)
		maxRequests = max(maxRequests, 2*len(phase.peers))
	}
	x.messages = newMessages(comm, tag, maxRequests)
	return x
}

// Exchange updates the ghosts of all fields.
func (x *HostExchanger) Exchange(ctx context.Context, fields ...Field) error {
	if err := x.Start(ctx, fields...); err != nil {
		return err
	}
	return x.Finish(ctx)
}

// Start sends the owned cells of the first phase and begins to receive.
func (x *HostExchanger) Start(ctx context.Context, fields ...Field) (err error) {
	x.fields = append(x.fields[:0], fields...)
	if x.bytes, err = cellBytes(fields, x.route.cells, x.maxBytes); err != nil {
		return err
	}
	if poisoning {
		x.route.poison(fields)
	}
	if len(x.route.phases) == 0 {
		return nil
	}
	return x.begin(ctx, 0)
}

// Send does nothing: Start has sent the messages.
func (x *HostExchanger) Send(context.Context) error { return nil }

// Finish waits for the first phase, fills its ghosts, and does the later phases.
func (x *HostExchanger) Finish(ctx context.Context) error {
	for n := range x.route.phases {
		if n > 0 {
			if err := x.begin(ctx, n); err != nil {
				return err
			}
		}
		if err := x.wait(ctx); err != nil {
			return err
		}
		x.unpack(n)
	}
	return nil
}

// begin posts the messages of a phase, and copies cells that the rank sends to itself.
func (x *HostExchanger) begin(ctx context.Context, n int) error {
	peers, buffers := x.route.phases[n].peers, x.buffers[n]
	for i := range peers {
		if p := &peers[i]; p.rank != x.route.rank && p.recv.count() > 0 {
			if err := x.receive(ctx, p.rank, buffers[i].in[:p.recv.count()*x.bytes]); err != nil {
				return err
			}
		}
	}
	for i := range peers {
		p := &peers[i]
		if p.rank == x.route.rank {
			for _, f := range x.fields {
				p.send.(cellRuns).copyTo(p.recv.(cellRuns), f)
			}
			continue
		}
		if p.send.count() == 0 {
			continue
		}
		out, offset := buffers[i].out[:p.send.count()*x.bytes], 0
		for _, f := range x.fields {
			p.send.pack(out[offset:], x.bytes, f)
			offset += f.size
		}
		if err := x.send(ctx, p.rank, out); err != nil {
			return err
		}
	}
	return nil
}

// unpack fills the ghosts of a phase.
func (x *HostExchanger) unpack(n int) {
	peers, buffers := x.route.phases[n].peers, x.buffers[n]
	for i := range peers {
		p := &peers[i]
		if p.rank == x.route.rank {
			continue
		}
		offset := 0
		for _, f := range x.fields {
			if p.recv.count() > 0 {
				p.recv.unpack(buffers[i].in[offset:], x.bytes, f)
			}
			offset += f.size
		}
		if poisoning {
			overwrite(buffers[i].out)
			overwrite(buffers[i].in)
		}
	}
}

// Kind implements Exchanger.
func (x *HostExchanger) Kind() string { return Direct }

// Close implements Exchanger.
func (x *HostExchanger) Close() error { return nil }
