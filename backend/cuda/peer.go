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
	//go:embed peer.zip
	peerArchive string

	peerModule = abi.Module{Name: "peer", Archive: peerArchive}
)

// Constants of peer.cu.
const (
	maxPeers = 32  // ranks of a communicator
	maxWords = 512 // of a maximum or sum; longer ones are computed in parts
)

// slotBytes is the size of the slots through which the ranks of several processes pass messages; longer messages are
// passed in parts.
const slotBytes = 4 << 20

// The structs of peer.cu. Addresses are those of the GPUs.
type (
	peerPair struct {
		_ [5]uint64
		_ [2][maxWords]uint64
		_ [2]uint64
	}
	peerControl struct {
		_     [2]uint64
		pairs [maxPeers]peerPair
	}
	peerStatus   struct{ aborted, mismatch uint32 }
	peerTransfer struct{ data, bytes, slot, own, remote uintptr }
	peerExchange struct {
		control, status uintptr
		sends, receives int64
		send, receive   [maxPeers]peerTransfer
	}
	peerReduction struct {
		control, status    uintptr
		size, rank, length int64
		adds               int64 // 1 for sums, 0 for maxima
		words              uintptr
		remote             [maxPeers]uintptr
	}
)

// peerComm is a backend.DeviceComm between GPUs of one machine that access each other's memory.
type peerComm struct {
	linkStream
	rank                      int
	control                   []uintptr // address of each rank's peerControl; if it has slots, one for each rank follows
	slots                     bool      // messages pass through slots, since ranks are of several processes
	opened                    []uintptr // of control: memory of other processes
	fill, exchange, reduction *Function
	exchangeParams            parameters   // one peerExchange
	reductionParams           parameters   // one peerReduction
	mu                        sync.Mutex   // serialises Abort and Close
	status                    []peerStatus // one element, pinned; nil after Close
}

var _ backend.PeerLinker = (*Device)(nil)

// processToken differs between processes, also of different machines.
var processToken = sync.OnceValue(func() (token [16]byte) {
	rand.Read(token[:])
	return token
})

// PeerProcess implements backend.PeerLinker.
func (d *Device) PeerProcess() []byte {
	token := processToken()
	return token[:]
}

// peerOffer is what other ranks need to access a device's memory.
type peerOffer struct {
	Process          [16]byte
	Device           int64 // CUdevice
	Context, Control uint64
	Slots            bool
	Handle           ipcHandle // of Control, if it has slots
}

// PeerOffer implements backend.PeerLinker.
func (d *Device) PeerOffer(ranks int, apart bool) ([]byte, error) {
	o := peerOffer{Process: processToken(), Device: int64(d.info.handle), Context: uint64(d.context), Slots: apart}
	n := controlBytes
	if apart {
		n += ranks * slotBytes
	}
	control, err := d.Alloc(n) // freed with the device: other ranks may still write to it
	if err != nil {
		return nil, err
	}
	o.Control = uint64(uintptr(control))
	if apart {
		if o.Handle, err = d.share(uintptr(control)); err != nil {
			return nil, err
		}
	}
	if err := d.Sync(); err != nil { // the memory is zeroed
		return nil, err
	}
	return binary.Append(nil, binary.LittleEndian, o)
}

// controlBytes is where slots begin, which are aligned like their messages.
const controlBytes = (int(unsafe.Sizeof(peerControl{})) + 255) / 256 * 256

// LinkPeers implements backend.PeerLinker.
func (d *Device) LinkPeers(rank int, offers [][]byte) (_ backend.DeviceComm, err error) {
	if len(offers) > maxPeers {
		return nil, fmt.Errorf("cuda: %d ranks access each other's memory, at most %d can", len(offers), maxPeers)
	}
	pc := &peerComm{rank: rank}
	pc.d = d
	defer func() {
		if err != nil {
			_ = pc.Close()
		}
	}()
	for r, text := range offers {
		var offer peerOffer
		if err := binary.Read(bytes.NewReader(text), binary.LittleEndian, &offer); err != nil {
			return nil, fmt.Errorf("cuda: the offer of rank %d: %w", r, err)
		}
		control := uintptr(offer.Control)
		if r != rank {
			if control, err = pc.access(offer); err != nil {
				return nil, fmt.Errorf("the memory of rank %d: %w", r, err)
			}
		}
		pc.control, pc.slots = append(pc.control, control), offer.Slots
	}
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
	for name, f := range map[string]**Function{"fill_slots": &pc.fill, "exchange_messages": &pc.exchange,
		"reduce_words": &pc.reduction} {
		if *f, err = module.Function(name); err != nil {
			return nil, err
		}
	}
	status := uintptr(unsafe.Pointer(&pc.status[0]))
	pc.exchangeParams = newParameters(0, []Arg{Value(peerExchange{control: pc.control[rank], status: status})})
	m := peerReduction{control: pc.control[rank], status: status, size: int64(len(offers)), rank: int64(rank)}
	for r := range offers {
		m.remote[r] = pc.pair(r, rank)
	}
	pc.reductionParams = newParameters(0, []Arg{Value(m)})
	return pc, nil
}

// access makes the memory that another device has offered accessible, and returns its address in this process.
func (pc *peerComm) access(o peerOffer) (uintptr, error) {
	if o.Process != processToken() {
		control, err := pc.d.openShared(o.Handle)
		if err == nil {
			pc.opened = append(pc.opened, control)
		}
		return control, err
	}
	return uintptr(o.Control), pc.d.accessPeer(o)
}

// accessPeer makes the memory of another device of this process accessible.
func (d *Device) accessPeer(o peerOffer) error {
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

// slot returns the address of a rank's slot for messages to another rank; 0 if messages are read where they lie.
func (pc *peerComm) slot(of, to int) uintptr {
	if !pc.slots {
		return 0
	}
	return pc.control[of] + uintptr(controlBytes) + uintptr(to)*slotBytes
}

// Exchange has at most one message to and one from each rank. One that the receiver expects with another length is an
// error of a later call.
func (pc *peerComm) Exchange(send, recv []backend.Message) error {
	longest := 0
	for _, list := range [][]backend.Message{send, recv} {
		for _, m := range list {
			longest = max(longest, len(m.Data))
		}
	}
	if longest == 0 {
		return pc.queue(nil, [3]int{}, nil)
	}
	part := longest
	if pc.slots {
		part = slotBytes
	}
	for first := 0; first < longest; first += part {
		if err := pc.exchangeParts(send, recv, first, part); err != nil {
			return err
		}
	}
	return nil
}

// exchangeParts exchanges the bytes of messages from the first on, at most n of each. Both ranks of a message divide it
// alike, and a rank takes part in as many exchanges as its longest message needs.
func (pc *peerComm) exchangeParts(send, recv []backend.Message, first, n int) error {
	x := argument[peerExchange](&pc.exchangeParams)
	x.sends, x.receives = 0, 0
	sent, received := 0, 0 // bytes of the longest messages
	for _, m := range send {
		if part := partOf(m.Data, first, n); len(part) > 0 {
			x.send[x.sends] = pc.transfer(part, m.Peer, pc.slot(pc.rank, m.Peer))
			x.sends++
			sent = max(sent, len(part))
		}
	}
	for _, m := range recv {
		if part := partOf(m.Data, first, n); len(part) > 0 {
			x.receive[x.receives] = pc.transfer(part, m.Peer, pc.slot(m.Peer, pc.rank))
			x.receives++
			received = max(received, len(part))
		}
	}
	if pc.slots && x.sends > 0 {
		if err := pc.queue(pc.fill, copyGrid(sent, int(x.sends)), &pc.exchangeParams); err != nil {
			return err
		}
	}
	return pc.queue(pc.exchange, copyGrid(received, int(x.receives)), &pc.exchangeParams)
}

// partOf returns at most n bytes of a message, from the first on.
func partOf(data []byte, first, n int) []byte {
	first = min(first, len(data))
	return data[first : first+min(n, len(data)-first)]
}

// copyGrid returns the grid of a kernel that copies messages, of which the longest has so many bytes.
func copyGrid(longest, messages int) [3]int {
	const perBlock = threads * 64 // bytes: four loads of 16 bytes in each thread
	const maxBlocks = 64          // enough loads at a time for the bandwidth of the link
	return [3]int{min(max(1, blocks(longest, perBlock)), maxBlocks), max(1, messages), 1}
}

func (pc *peerComm) transfer(data []byte, peer int, slot uintptr) peerTransfer {
	return peerTransfer{data: uintptr(unsafe.Pointer(unsafe.SliceData(data))), bytes: uintptr(len(data)), slot: slot,
		own: pc.pair(pc.rank, peer), remote: pc.pair(peer, pc.rank)}
}

// Max implements backend.DeviceComm.
func (pc *peerComm) Max(keys []uint64) error { return pc.reduce(keys, 0) }

// Sum implements backend.DeviceComm.
func (pc *peerComm) Sum(words []int64) error {
	return pc.reduce(unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(words))), len(words)), 1)
}

// reduce queues the reduction of words, in parts of maxWords.
func (pc *peerComm) reduce(words []uint64, adds int64) error {
	for first := 0; ; first += maxWords {
		part := words[first:min(len(words), first+maxWords)]
		m := argument[peerReduction](&pc.reductionParams)
		m.length, m.adds, m.words = int64(len(part)), adds, uintptr(unsafe.Pointer(unsafe.SliceData(part)))
		err := pc.queue(pc.reduction, [3]int{1, 1, 1}, &pc.reductionParams)
		if err != nil || first+maxWords >= len(words) {
			return err
		}
	}
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
	for _, control := range pc.opened {
		err = errors.Join(err, pc.d.call(cuIpcCloseMemHandle, control))
	}
	pc.opened = nil
	pc.free()
	err = errors.Join(err, FreePinned(pc.d, pc.status))
	pc.status = nil
	pc.exchangeParams.pins.Unpin()
	pc.reductionParams.pins.Unpin()
	return err
}
