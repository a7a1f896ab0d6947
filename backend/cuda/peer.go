package cuda

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

var (
	//go:embed peer.ptx
	peerPTX string
	//go:embed peer.zip
	peerMachine string

	peerModule = abi.Module{Name: "peer", PTX: peerPTX, Machine: peerMachine}
)

// Constants of peer.cu.
const (
	maxPeers = 32 // ranks of a communicator
	maxKeys  = 8
)

// The structs of peer.cu. Addresses are those of the GPUs.
type (
	peerPair struct {
		_ [5]uint64
		_ [2][maxKeys]uint64
		_ [2]uint64
	}
	peerControl struct {
		_     [2]uint64
		pairs [maxPeers]peerPair
	}
	peerStatus   struct{ aborted, mismatch uint32 }
	peerTransfer struct{ data, bytes, own, remote uintptr }
	peerExchange struct {
		control, status uintptr
		sends, receives int64
		send, receive   [maxPeers]peerTransfer
	}
	peerMaximum struct {
		control, status    uintptr
		size, rank, length int64
		keys               uintptr
		remote             [maxPeers]uintptr
	}
)

// peerComm is a backend.DeviceComm between GPUs of one process that access each other's memory.
type peerComm struct {
	linkStream
	rank              int
	control           []uintptr // address of each rank's peerControl
	exchange, maximum *Function
	exchangeParams    parameters   // one peerExchange
	maximumParams     parameters   // one peerMaximum
	mu                sync.Mutex   // serialises Abort and Close
	status            []peerStatus // one element, pinned; nil after Close
}

var _ backend.PeerLinker = (*Device)(nil)

// processToken differs between processes, also of different machines.
var processToken = sync.OnceValue(func() (token [16]byte) {
	rand.Read(token[:])
	return token
})

// peerOffer is what other ranks need to access a device's memory.
type peerOffer struct {
	Process          [16]byte
	Device           int64 // CUdevice
	Context, Control uint64
}

// PeerOffer implements backend.PeerLinker.
func (d *Device) PeerOffer() ([]byte, error) {
	control, err := d.Alloc(int(unsafe.Sizeof(peerControl{}))) // freed with the device: other ranks may still write to it
	if err != nil {
		return nil, err
	}
	if err := d.Sync(); err != nil { // the memory is zeroed
		return nil, err
	}
	return binary.Append(nil, binary.LittleEndian, peerOffer{processToken(), int64(d.info.handle), uint64(d.context),
		uint64(uintptr(control))})
}

// LinkPeers implements backend.PeerLinker.
func (d *Device) LinkPeers(rank int, offers [][]byte) (_ backend.DeviceComm, err error) {
	if len(offers) > maxPeers {
		return nil, fmt.Errorf("cuda: %d ranks access each other's memory, at most %d can", len(offers), maxPeers)
	}
	pc := &peerComm{rank: rank}
	for r, text := range offers {
		var offer peerOffer
		if err := binary.Read(bytes.NewReader(text), binary.LittleEndian, &offer); err != nil {
			return nil, fmt.Errorf("cuda: the offer of rank %d: %w", r, err)
		}
		if r != rank {
			if err := d.accessPeer(offer); err != nil {
				return nil, fmt.Errorf("the memory of rank %d: %w", r, err)
			}
		}
		pc.control = append(pc.control, uintptr(offer.Control))
	}
	defer func() {
		if err != nil {
			_ = pc.Close()
		}
	}()
	if err := pc.open(d); err != nil {
		return nil, err
	}
	if pc.status, err = Pinned[peerStatus](d, 1); err != nil {
		return nil, err
	}
	module, err := d.loadCompiled(&peerModule)
	if err != nil {
		return nil, err
	}
	if pc.exchange, err = module.Function("exchange_messages"); err != nil {
		return nil, err
	}
	if pc.maximum, err = module.Function("maximum"); err != nil {
		return nil, err
	}
	status := uintptr(unsafe.Pointer(&pc.status[0]))
	pc.exchangeParams = newParameters(0, []Arg{Value(peerExchange{control: pc.control[rank], status: status})})
	m := peerMaximum{control: pc.control[rank], status: status, size: int64(len(offers)), rank: int64(rank)}
	for r := range offers {
		m.remote[r] = pc.pair(r, rank)
	}
	pc.maximumParams = newParameters(0, []Arg{Value(m)})
	return pc, nil
}

// accessPeer makes the memory of another device of this process accessible.
func (d *Device) accessPeer(o peerOffer) error {
	if o.Process != processToken() {
		return errors.New("it is of another process")
	}
	var can int32
	if err := d.call(cuDeviceCanAccessPeer, uintptr(unsafe.Pointer(&can)), d.info.handle, uintptr(o.Device)); err != nil {
		return err
	}
	if can == 0 {
		return errors.New("the GPUs have no peer access")
	}
	err := d.call(cuCtxEnablePeerAccess, uintptr(o.Context), 0)
	const alreadyEnabled = 704
	if e, ok := err.(*Error); ok && e.Code == alreadyEnabled {
		return nil
	}
	return err
}

// pair returns the address of what a rank's memory holds about another rank.
func (pc *peerComm) pair(of, about int) uintptr {
	return pc.control[of] + unsafe.Offsetof(peerControl{}.pairs) + uintptr(about)*unsafe.Sizeof(peerPair{})
}

// argument returns the only argument of a parameter block, to be changed before a launch.
func argument[T any](p *parameters) *T { return (*T)(unsafe.Pointer(&p.values[0][0])) }

// Exchange has at most one message to and one from each rank. One that the receiver expects with another length is an
// error of a later call.
func (pc *peerComm) Exchange(send, recv []backend.Message) error {
	x := argument[peerExchange](&pc.exchangeParams)
	x.sends, x.receives = int64(len(send)), int64(len(recv))
	most := 0
	for i, m := range send {
		x.send[i] = pc.transfer(m)
	}
	for i, m := range recv {
		x.receive[i] = pc.transfer(m)
		most = max(most, len(m.Data))
	}
	const perBlock = threads * 64 // bytes: four loads of 16 bytes in each thread
	const maxBlocks = 64          // enough loads at a time for the bandwidth of the link
	grid := [3]int{min(max(1, blocks(most, perBlock)), maxBlocks), max(1, len(recv)), 1}
	if len(send)+len(recv) == 0 {
		grid[0] = 0
	}
	return pc.queue(pc.exchange, grid, &pc.exchangeParams)
}

func (pc *peerComm) transfer(m backend.Message) peerTransfer {
	return peerTransfer{data: uintptr(unsafe.Pointer(unsafe.SliceData(m.Data))), bytes: uintptr(len(m.Data)),
		own: pc.pair(pc.rank, m.Peer), remote: pc.pair(m.Peer, pc.rank)}
}

// Max implements backend.DeviceComm, for at most maxKeys keys.
func (pc *peerComm) Max(keys []uint64) error {
	if len(keys) > maxKeys {
		return pc.d.fail(fmt.Errorf("cuda: a maximum of %d keys over ranks, at most %d are possible", len(keys), maxKeys))
	}
	m := argument[peerMaximum](&pc.maximumParams)
	m.length, m.keys = int64(len(keys)), uintptr(unsafe.Pointer(unsafe.SliceData(keys)))
	return pc.queue(pc.maximum, [3]int{1, 1, 1}, &pc.maximumParams)
}

// queue queues a kernel on the communicator's stream; none if the grid has no blocks.
func (pc *peerComm) queue(f *Function, grid [3]int, p *parameters) error {
	if err := pc.check(); err != nil {
		return err
	}
	if err := pc.begin(); err != nil {
		return err
	}
	if grid[0] > 0 {
		main := pc.d.compute
		pc.d.compute = pc.stream
		pc.d.launch(f, grid, [3]int{threads, 1, 1}, unsafe.Pointer(&p.params[0]))
		pc.d.compute = main
	}
	return errors.Join(pc.d.err, pc.end())
}

// check returns the error of a communicator that was aborted or has exchanged wrong messages.
func (pc *peerComm) check() error {
	switch {
	case pc.d.err != nil:
		return pc.d.err
	case pc.status == nil || atomic.LoadUint32(&pc.status[0].aborted) != 0:
		return pc.d.fail(errAborted)
	case atomic.LoadUint32(&pc.status[0].mismatch) != 0:
		return pc.d.fail(errors.New("cuda: a message between ranks did not have the length that its receiver expected"))
	}
	return nil
}

// Abort makes the kernels of this rank wait no longer.
func (pc *peerComm) Abort() {
	pc.mu.Lock()
	defer pc.mu.Unlock()
	if pc.status != nil {
		atomic.StoreUint32(&pc.status[0].aborted, 1)
	}
}

// Close makes the kernels of this rank wait no longer, since another rank may have failed before it queued its own.
func (pc *peerComm) Close() error {
	pc.Abort()
	pc.mu.Lock()
	defer pc.mu.Unlock()
	var err error
	if pc.stream != nil && pc.d.err == nil {
		err = pc.stream.Sync()
	}
	pc.free()
	err = errors.Join(err, FreePinned(pc.d, pc.status))
	pc.status = nil
	pc.exchangeParams.pins.Unpin()
	pc.maximumParams.pins.Unpin()
	return err
}
