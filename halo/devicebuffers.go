package halo

import (
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
)

// deviceBuffers pack the messages of an exchange on a device, and unpack them.
type deviceBuffers struct {
	dev       backend.Device
	workspace *primitives.Workspace
	cells     int // of an array
	maxBytes  int
	fields    []Field
	bytes     int // per cell, over all fields of the current exchange
	phases    []devicePhase
}

// devicePhase is a phase of a route with its buffers on the device. Cells that the rank sends to itself come first in
// out, and never leave the device.
type devicePhase struct {
	peers                    []devicePeer
	self, sent, received     int     // numbers of cells: for the rank itself, to other ranks, and from them
	pack, selfUnpack, unpack []int32 // on the device: cells to send; ghosts filled from the rank itself, from other ranks
	out, in                  []byte  // on the device
	// The first cell of the array where the cells of all messages lie in their order, which an exchange of a single field
	// need not copy; otherwise -1.
	sendsFrom, receivesAt int
}

// devicePeer is another rank, with its cells in the messages of all of them: from first to below the second.
type devicePeer struct {
	rank       int
	send, recv [2]int
}

func newDeviceBuffers(r *route, dev backend.Device, bytes int, single bool) (*deviceBuffers, error) {
	if r.cells > math.MaxInt32 {
		return nil, fmt.Errorf("halo: arrays of %d cells, want at most %d", r.cells, math.MaxInt32)
	}
	b := &deviceBuffers{dev: dev, workspace: primitives.NewWorkspace(dev), cells: r.cells, maxBytes: bytes,
		fields: make([]Field, 0, 8)}
	for _, phase := range r.phases {
		if err := b.prepare(r, phase, single); err != nil {
			return nil, errors.Join(fmt.Errorf("halo: %w", err), b.close())
		}
	}
	return b, nil
}

// prepare allocates the buffers of a phase.
func (b *deviceBuffers) prepare(r *route, phase routePhase, single bool) (err error) {
	var p devicePhase
	var pack, self, unpack []int32
	for _, peer := range phase.peers {
		if peer.rank == r.rank {
			pack, self = peer.send.indices(pack), peer.recv.indices(self)
		}
	}
	p.self = len(pack)
	for _, peer := range phase.peers {
		if peer.rank == r.rank {
			continue
		}
		d := devicePeer{rank: peer.rank}
		d.send[0], d.recv[0] = len(pack)-p.self, len(unpack)
		pack, unpack = peer.send.indices(pack), peer.recv.indices(unpack)
		d.send[1], d.recv[1] = len(pack)-p.self, len(unpack)
		p.peers = append(p.peers, d)
	}
	p.sent, p.received = len(pack)-p.self, len(unpack)
	p.sendsFrom, p.receivesAt = -1, -1
	if single && p.self == 0 {
		p.sendsFrom, p.receivesAt = contiguous(pack), contiguous(unpack)
	}
	upload := func(list []int32) (index []int32) {
		if err == nil {
			if index, err = backend.Make[int32](b.dev, len(list)); err == nil {
				err = backend.Upload(b.dev, index, list)
			}
		}
		return index
	}
	buffer := func(cells int) (buf []byte) {
		if err == nil {
			buf, err = backend.Make[byte](b.dev, cells*b.maxBytes)
		}
		return buf
	}
	if p.sendsFrom < 0 {
		p.pack, p.selfUnpack, p.out = upload(pack), upload(self), buffer(len(pack))
	}
	if p.receivesAt < 0 {
		p.unpack, p.in = upload(unpack), buffer(len(unpack))
	}
	b.phases = append(b.phases, p)
	return err
}

// contiguous returns the first of consecutive numbers, or -1 if they are not consecutive.
func contiguous(list []int32) int {
	for i, n := range list {
		if n != list[0]+int32(i) {
			return -1
		}
	}
	if len(list) == 0 {
		return 0
	}
	return int(list[0])
}

// begin takes the fields of an exchange.
func (b *deviceBuffers) begin(fields []Field) (err error) {
	b.fields = append(b.fields[:0], fields...)
	b.bytes, err = cellBytes(fields, b.cells, b.maxBytes)
	return err
}

// packed packs the cells that a phase sends, fills the ghosts whose owner is this rank, and returns the messages to
// other ranks.
func (b *deviceBuffers) packed(p *devicePhase) ([]byte, error) {
	if p.sendsFrom >= 0 {
		return b.inPlace(p.sendsFrom, p.sent), nil
	}
	offset := 0
	for _, f := range b.fields {
		err := primitives.Pack(b.workspace, from(p.out, offset), b.bytes, f.data, f.size, p.pack)
		if err == nil {
			err = primitives.Unpack(b.workspace, f.data, f.size, p.selfUnpack, from(p.out, offset), b.bytes)
		}
		if err != nil {
			return nil, err
		}
		offset += f.size
	}
	return p.out[p.self*b.bytes : (p.self+p.sent)*b.bytes], nil
}

// received returns where messages from other ranks arrive, before unpacked.
func (b *deviceBuffers) receiveBuffer(p *devicePhase) []byte {
	if p.receivesAt >= 0 {
		return b.inPlace(p.receivesAt, p.received)
	}
	return p.in[:p.received*b.bytes]
}

// unpacked fills the ghosts of a phase.
func (b *deviceBuffers) unpacked(p *devicePhase) error {
	if p.receivesAt >= 0 {
		return nil
	}
	offset := 0
	for _, f := range b.fields {
		if err := primitives.Unpack(b.workspace, f.data, f.size, p.unpack, from(p.in, offset), b.bytes); err != nil {
			return err
		}
		offset += f.size
	}
	return nil
}

// inPlace returns the memory of cells of the only field.
func (b *deviceBuffers) inPlace(first, cells int) []byte {
	f := b.fields[0]
	return f.data[first*f.size : (first+cells)*f.size]
}

// from returns a buffer from an offset on, also of an empty buffer.
func from(buf []byte, offset int) []byte { return buf[min(offset, len(buf)):] }

func (b *deviceBuffers) close() (err error) {
	for _, p := range b.phases {
		for _, index := range [][]int32{p.pack, p.selfUnpack, p.unpack} {
			err = errors.Join(err, backend.Free(b.dev, index))
		}
		err = errors.Join(err, backend.Free(b.dev, p.out), backend.Free(b.dev, p.in))
	}
	b.phases = nil
	return err
}
