package halo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/dist"
)

// boxDirect exchanges the ghosts of arrays over a rank's block of a grid, in the memory of the host.
type boxDirect[T any] struct{ x *BoxExchanger }

// NewBoxDirect prepares exchanges of arrays over a block that the host can read.
func NewBoxDirect[T any](plan *BoxPlan, comm dist.Comm, tag int) GhostExchanger[T] {
	var t T
	return boxDirect[T]{NewBoxExchanger(plan, comm, tag, int(unsafe.Sizeof(t)))}
}

func (d boxDirect[T]) Start(ctx context.Context, field []T) error {
	return d.x.Start(ctx, FieldOf(field))
}
func (d boxDirect[T]) Send(context.Context) error       { return nil }
func (d boxDirect[T]) Finish(ctx context.Context) error { return d.x.Finish(ctx) }
func (d boxDirect[T]) Kind() string                     { return Direct }
func (d boxDirect[T]) Close() error                     { return nil }

// boxStaged exchanges arrays of a device through pinned memory of the host and the transport.
type boxStaged[T any] struct {
	messages
	dev       backend.Device
	staging   backend.Staging
	workspace *primitives.Workspace
	phases    []stagedPhase[T]
	cells     int // of an array
	field     []T
}

// stagedPhase is a phase of a plan with its buffers. Cells that the rank sends to itself stay on the device: they
// come first in out.
type stagedPhase[T any] struct {
	peers []stagedPeer
	packIndex, selfIndex,
	unpackIndex []int32 // on the device: cells to send, ghosts filled from the rank itself, ghosts filled from other ranks
	out, in          []byte // on the device
	selfBytes        int    // bytes of out for the rank itself
	sendBuf, recvBuf []byte // pinned: messages to and from other ranks
}

// stagedPeer is another rank with its parts of sendBuf and recvBuf.
type stagedPeer struct {
	rank                 int
	sendRange, recvRange [2]int
}

// NewBoxStaged prepares exchanges of arrays over a block through pinned memory and the transport. The device must
// be a backend.Staging. Each phase waits for the device, so that the schedule AllNeighbours, which has a single
// phase, waits least.
func NewBoxStaged[T any](plan *BoxPlan, comm dist.Comm, dev backend.Device, tag int) (GhostExchanger[T], error) {
	staging, ok := dev.(backend.Staging)
	if !ok {
		return nil, fmt.Errorf("halo: device %s cannot stage messages", dev.Name())
	}
	cells := plan.Shape[0] * plan.Shape[1] * plan.Shape[2]
	if cells > math.MaxInt32 {
		return nil, fmt.Errorf("halo: arrays of %d cells, want at most %d", cells, math.MaxInt32)
	}
	x := &boxStaged[T]{dev: dev, staging: staging, workspace: primitives.NewWorkspace(dev), cells: cells}
	maxRequests := 0
	for _, phase := range plan.Phases {
		staged, err := x.prepare(plan, phase)
		x.phases = append(x.phases, staged)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("halo: %w", err), x.Close())
		}
		maxRequests = max(maxRequests, 2*len(staged.peers))
	}
	x.messages = newMessages(comm, tag, maxRequests)
	return x, nil
}

// prepare allocates the buffers of a phase. On an error, staged holds the buffers that were allocated before.
func (x *boxStaged[T]) prepare(plan *BoxPlan, phase Phase) (staged stagedPhase[T], err error) {
	var t T
	size := int(unsafe.Sizeof(t))
	var pack, self, unpack []int32
	for _, p := range phase.Peers {
		if p.Rank == plan.Rank {
			pack, self = cellIndices(pack, plan.Shape, p.Send), cellIndices(self, plan.Shape, p.Recv)
		}
	}
	staged.selfBytes = len(pack) * size
	for _, p := range phase.Peers {
		if p.Rank == plan.Rank {
			continue
		}
		peer := stagedPeer{rank: p.Rank}
		peer.sendRange[0], peer.recvRange[0] = len(pack)*size-staged.selfBytes, len(unpack)*size
		pack, unpack = cellIndices(pack, plan.Shape, p.Send), cellIndices(unpack, plan.Shape, p.Recv)
		peer.sendRange[1], peer.recvRange[1] = len(pack)*size-staged.selfBytes, len(unpack)*size
		staged.peers = append(staged.peers, peer)
	}
	for _, index := range []struct {
		device *[]int32
		host   []int32
	}{{&staged.packIndex, pack}, {&staged.selfIndex, self}, {&staged.unpackIndex, unpack}} {
		if *index.device, err = backend.Make[int32](x.dev, len(index.host)); err != nil {
			return staged, err
		}
		if err = backend.Upload(x.dev, *index.device, index.host); err != nil {
			return staged, err
		}
	}
	if staged.out, err = backend.Make[byte](x.dev, len(pack)*size); err != nil {
		return staged, err
	}
	if staged.in, err = backend.Make[byte](x.dev, len(unpack)*size); err != nil {
		return staged, err
	}
	if x.staging == nil {
		return staged, nil // exchanges between devices need no memory of the host
	}
	if staged.sendBuf, err = pin(x.staging, len(pack)*size-staged.selfBytes); err != nil {
		return staged, err
	}
	staged.recvBuf, err = pin(x.staging, len(unpack)*size)
	return staged, err
}

// cellIndices appends the cells of regions as positions in an array, in the order of a message.
func cellIndices(index []int32, shape [3]int, regions []Region) []int32 {
	for _, g := range regions {
		for k := range g.N[2] {
			for j := range g.N[1] {
				first := g.Lo[0] + shape[0]*(g.Lo[1]+j+shape[1]*(g.Lo[2]+k))
				for i := range g.N[0] {
					index = append(index, int32(first+i))
				}
			}
		}
	}
	return index
}

func (x *boxStaged[T]) Start(_ context.Context, field []T) error {
	if len(field) != x.cells {
		return fmt.Errorf("halo: an array of %d elements, want %d as in the plan", len(field), x.cells)
	}
	x.field = field
	if len(x.phases) == 0 {
		return nil
	}
	return x.start(&x.phases[0])
}

func (x *boxStaged[T]) Send(ctx context.Context) error {
	if len(x.phases) == 0 {
		return nil
	}
	return x.deliver(ctx, &x.phases[0])
}

func (x *boxStaged[T]) Finish(ctx context.Context) error {
	for n := range x.phases {
		phase := &x.phases[n]
		if n > 0 {
			if err := x.start(phase); err != nil {
				return err
			}
			if err := x.deliver(ctx, phase); err != nil {
				return err
			}
		}
		if err := x.wait(ctx); err != nil {
			return err
		}
		if len(phase.recvBuf) == 0 {
			continue
		}
		if err := x.staging.StartUpload(phase.in, phase.recvBuf); err != nil {
			return err
		}
		if _, err := primitives.Unpack(x.workspace, x.field, phase.unpackIndex, phase.in); err != nil {
			return err
		}
	}
	return nil
}

// start packs the cells that a phase sends, and fills the ghosts whose owner is this rank.
func (x *boxStaged[T]) start(phase *stagedPhase[T]) error {
	if _, err := primitives.Pack(x.workspace, phase.out, x.field, phase.packIndex); err != nil {
		return err
	}
	if _, err := primitives.Unpack(x.workspace, x.field, phase.selfIndex, phase.out[:phase.selfBytes]); err != nil {
		return err
	}
	if len(phase.sendBuf) == 0 {
		return nil
	}
	return x.staging.StartDownload(phase.sendBuf, phase.out[phase.selfBytes:])
}

// deliver passes the packed cells to the transport. It first waits for the device, so that no message arrives while
// the device still reads the last one.
func (x *boxStaged[T]) deliver(ctx context.Context, phase *stagedPhase[T]) error {
	if len(phase.peers) == 0 {
		return nil
	}
	if err := x.staging.WaitDownloads(); err != nil {
		return err
	}
	for _, p := range phase.peers {
		if err := x.receive(ctx, p.rank, phase.recvBuf[p.recvRange[0]:p.recvRange[1]]); err != nil {
			return err
		}
	}
	for _, p := range phase.peers {
		if err := x.send(ctx, p.rank, phase.sendBuf[p.sendRange[0]:p.sendRange[1]]); err != nil {
			return err
		}
	}
	return nil
}

func (x *boxStaged[T]) Kind() string { return Staged }

func (x *boxStaged[T]) Close() error {
	var err error
	for _, phase := range x.phases {
		for _, index := range [][]int32{phase.packIndex, phase.selfIndex, phase.unpackIndex} {
			err = errors.Join(err, backend.Free(x.dev, index))
		}
		for _, b := range [][]byte{phase.out, phase.in} {
			err = errors.Join(err, backend.Free(x.dev, b))
		}
		for _, b := range [][]byte{phase.sendBuf, phase.recvBuf} {
			if len(b) > 0 {
				err = errors.Join(err, x.staging.Unpin(b))
			}
		}
	}
	return err
}
