package backend

// Linker is a device that can communicate directly with the devices of other ranks.
type Linker interface {
	// DeviceID returns the name of the physical device. Ranks compare the names to find out which of them share a GPU.
	DeviceID() string
	// LinkID returns the id of a new communicator. One rank calls it and sends the id to all others.
	LinkID() ([]byte, error)
	// Link connects the devices of all ranks. All ranks call it at the same time, with the same id and size and each with
	// its own rank, 0 ≤ rank < size.
	Link(rank, size int, id []byte) (DeviceComm, error)
}

// PeerLinker is a device that can access the memory of other devices of its machine.
type PeerLinker interface {
	// PeerProcess identifies the process.
	PeerProcess() []byte
	// PeerOffer returns what the devices of all ranks need for access to the memory of this one. apart means that they
	// are not all of one process.
	PeerOffer(ranks int, apart bool) ([]byte, error)
	// LinkPeers connects the devices of all ranks, as Link does, by the PeerOffer of each. It is an error if this device
	// cannot access the memory of one of the others.
	LinkPeers(rank int, offers [][]byte) (DeviceComm, error)
}

// DeviceComm is a communicator between the devices of a run. Its operations are queued on the device, on a second
// stream, and may be part of a [Recording]. All ranks must make the same calls in the same order.
type DeviceComm interface {
	// Fork queues the calls of f on the second stream. They run after all calls before Fork, and concurrently with calls
	// after it, until Join. Where the GPU cannot run both at once, the forked calls go first.
	Fork(f func() error) error
	// Exchange sends and receives messages in the device's memory, at most one to and one from each rank, whose lengths
	// sender and receiver both know. It runs after all calls before, and concurrently with later calls, which must not
	// use that memory until Join.
	Exchange(send, recv []Message) error
	// Max replaces each key (the image of a number, see [Kind]), on the device, by its maximum over all ranks. Like
	// Exchange it runs after all calls before, and concurrently with later calls, which must not use the keys until Join.
	Max(keys []uint64) error
	// Sum replaces each integer, on the device, by its sum over all ranks, as Max does its maximum. Sums of integers do
	// not depend on the order.
	Sum(words []int64) error
	// Join makes later calls wait for all calls of Fork, Exchange, Max and Sum before it.
	Join() error
	// Abort cancels the queued operations of this rank, which would wait forever for a lost rank. Any goroutine may call
	// it.
	Abort()
	Close() error
}

// Message is sent to or received from the rank Peer.
type Message struct {
	Peer int
	Data []byte // on the device
}
