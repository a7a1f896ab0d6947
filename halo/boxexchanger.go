package halo

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
)

// BoxExchanger fills the ghosts of arrays over a block. All fields of an exchange travel in one message per peer and
// phase. It allocates nothing after NewBoxExchanger.
type BoxExchanger struct {
	messages
	plan     *BoxPlan
	phases   []boxPhase
	fields   []Field
	bytes    int // per cell, over all fields of the current exchange
	maxBytes int
}

// boxPhase is a phase with its buffers.
type boxPhase struct {
	peers []boxPeer
}

type boxPeer struct {
	rank                 int
	send, recv           []stridedRuns
	sendCells, recvCells int    // numbers of cells
	out, in              []byte // nil for the rank itself
}

// NewBoxExchanger prepares exchanges of at most bytes per cell over all fields. Exchangers that are used at the
// same time need different tags.
func NewBoxExchanger(plan *BoxPlan, comm dist.Comm, tag, bytes int) *BoxExchanger {
	x := &BoxExchanger{plan: plan, fields: make([]Field, 0, 8), maxBytes: bytes}
	maxRequests := 0
	for _, phase := range plan.Phases {
		var peers []boxPeer
		for _, p := range phase.Peers {
			peer := boxPeer{rank: p.Rank}
			peer.send, peer.sendCells = stridedRunsOf(plan.Shape, p.Send)
			peer.recv, peer.recvCells = stridedRunsOf(plan.Shape, p.Recv)
			if p.Rank != plan.Rank {
				peer.out, peer.in = make([]byte, peer.sendCells*bytes), make([]byte, peer.recvCells*bytes)
			}
			peers = append(peers, peer)
		}
		x.phases = append(x.phases, boxPhase{peers})
		maxRequests = max(maxRequests, 2*len(peers))
	}
	x.messages = newMessages(comm, tag, maxRequests)
	return x
}

// Exchange updates the ghosts of all fields.
func (x *BoxExchanger) Exchange(ctx context.Context, fields ...Field) error {
	if err := x.Start(ctx, fields...); err != nil {
		return err
	}
	return x.Finish(ctx)
}

// Start sends the owned cells of the first phase and begins to receive. Until Finish has returned, ghosts must not
// be used, and owned cells within the plan's width of a side must not change, since a later phase may send them.
// Cells further inside may change.
func (x *BoxExchanger) Start(ctx context.Context, fields ...Field) (err error) {
	x.fields = append(x.fields[:0], fields...)
	shape := x.plan.Shape
	if x.bytes, err = cellBytes(fields, shape[0]*shape[1]*shape[2], x.maxBytes); err != nil {
		return err
	}
	if poisoning {
		for _, phase := range x.phases {
			phase.poison(fields)
		}
	}
	if len(x.phases) == 0 {
		return nil
	}
	return x.begin(ctx, &x.phases[0])
}

// Finish waits for the first phase, fills its ghosts, and does the later phases.
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

// begin posts the messages of a phase, and copies cells that the rank sends to itself.
func (x *BoxExchanger) begin(ctx context.Context, phase *boxPhase) error {
	for i := range phase.peers {
		if p := &phase.peers[i]; p.in != nil {
			if err := x.receive(ctx, p.rank, p.in[:p.recvCells*x.bytes]); err != nil {
				return err
			}
		}
	}
	for i := range phase.peers {
		p := &phase.peers[i]
		if p.out == nil {
			for _, f := range x.fields {
				for n := range p.send {
					p.send[n].copyTo(&p.recv[n], f)
				}
			}
			continue
		}
		offset := 0
		for _, f := range x.fields {
			for n := range p.send {
				offset += p.send[n].pack(p.out[offset:], f)
			}
		}
		if err := x.send(ctx, p.rank, p.out[:offset]); err != nil {
			return err
		}
	}
	return nil
}

func (phase *boxPhase) unpack(fields []Field) {
	for i := range phase.peers {
		p := &phase.peers[i]
		if p.in == nil {
			continue
		}
		offset := 0
		for _, f := range fields {
			for n := range p.recv {
				offset += p.recv[n].unpack(p.in[offset:], f)
			}
		}
		if poisoning {
			overwrite(p.out)
			overwrite(p.in)
		}
	}
}

func (phase *boxPhase) poison(fields []Field) {
	for _, p := range phase.peers {
		for _, f := range fields {
			for _, region := range p.recv {
				region.poison(f)
			}
		}
	}
}
