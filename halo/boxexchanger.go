package halo

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
)

// BoxExchanger fills the ghosts of arrays over boxes. All fields of an exchange travel in one message a peer and round.
// It allocates nothing after NewBoxExchanger.
type BoxExchanger struct {
	messages
	plan     *BoxPlan
	phases   []boxPhase
	fields   []Field
	bytes    int // of a cell, all fields of the exchange that has begun
	maxBytes int
}

// boxPhase is a round with its buffers.
type boxPhase struct {
	peers []boxPeer
}

type boxPeer struct {
	rank                 int
	send, recv           []stridedRuns
	sendCells, recvCells int    // cells
	out, in              []byte // nil for the rank itself
}

// NewBoxExchanger prepares exchanges of at most bytes a cell over all fields. Exchangers that are used at the same time
// need different tags.
func NewBoxExchanger(plan *BoxPlan, comm dist.Comm, tag, bytes int) *BoxExchanger {
	x := &BoxExchanger{plan: plan, fields: make([]Field, 0, 8), maxBytes: bytes}
	most := 0
	for _, round := range plan.Phases {
		var peers []boxPeer
		for _, p := range round.Peers {
			peer := boxPeer{rank: p.Rank}
			peer.send, peer.sendCells = stridedRunsOf(plan.Shape, p.Send)
			peer.recv, peer.recvCells = stridedRunsOf(plan.Shape, p.Recv)
			if p.Rank != plan.Rank {
				peer.out, peer.in = make([]byte, peer.sendCells*bytes), make([]byte, peer.recvCells*bytes)
			}
			peers = append(peers, peer)
		}
		x.phases = append(x.phases, boxPhase{peers})
		most = max(most, 2*len(peers))
	}
	x.messages = newMessages(comm, tag, most)
	return x
}

// Exchange brings the ghosts of all fields up to date.
func (x *BoxExchanger) Exchange(ctx context.Context, fields ...Field) error {
	if err := x.Start(ctx, fields...); err != nil {
		return err
	}
	return x.Finish(ctx)
}

// Start sends the owned cells that the neighbours of the first round need and begins to receive. Until Finish has
// returned, ghosts must not be used, and owned cells that are as close to a side as the plan's width must not change:
// a later round may send them. Those further inside may.
func (x *BoxExchanger) Start(ctx context.Context, fields ...Field) (err error) {
	x.fields = append(x.fields[:0], fields...)
	shape := x.plan.Shape
	if x.bytes, err = cellBytes(fields, shape[0]*shape[1]*shape[2], x.maxBytes); err != nil {
		return err
	}
	if poisoning {
		for _, r := range x.phases {
			r.poison(fields)
		}
	}
	if len(x.phases) == 0 {
		return nil
	}
	return x.begin(ctx, &x.phases[0])
}

// Finish waits for what Start began, fills the ghosts, and continues with later rounds.
func (x *BoxExchanger) Finish(ctx context.Context) error {
	for n := range x.phases {
		if n > 0 {
			if err := x.begin(ctx, &x.phases[n]); err != nil {
				return err
			}
		}
		if err := x.wait(ctx); err != nil {
			return err
		}
		x.phases[n].unpack(x.fields)
	}
	return nil
}

// begin posts the messages of a round, and copies what the rank has of itself.
func (x *BoxExchanger) begin(ctx context.Context, r *boxPhase) error {
	for i := range r.peers {
		if p := &r.peers[i]; p.in != nil {
			if err := x.receive(ctx, p.rank, p.in[:p.recvCells*x.bytes]); err != nil {
				return err
			}
		}
	}
	for i := range r.peers {
		p := &r.peers[i]
		if p.out == nil {
			for _, f := range x.fields {
				for n := range p.send {
					p.send[n].copyTo(&p.recv[n], f)
				}
			}
			continue
		}
		at := 0
		for _, f := range x.fields {
			for n := range p.send {
				at += p.send[n].pack(p.out[at:], f)
			}
		}
		if err := x.send(ctx, p.rank, p.out[:at]); err != nil {
			return err
		}
	}
	return nil
}

func (r *boxPhase) unpack(fields []Field) {
	for i := range r.peers {
		p := &r.peers[i]
		if p.in == nil {
			continue
		}
		at := 0
		for _, f := range fields {
			for n := range p.recv {
				at += p.recv[n].unpack(p.in[at:], f)
			}
		}
		if poisoning {
			overwrite(p.out)
			overwrite(p.in)
		}
	}
}

func (r *boxPhase) poison(fields []Field) {
	for _, p := range r.peers {
		for _, f := range fields {
			for _, region := range p.recv {
				region.poison(f)
			}
		}
	}
}
