package backend

// Linker is a device that talks to those of other ranks by itself.
type Linker interface {
	// DeviceID names the physical device, so that ranks that share one are found out.
	DeviceID() string
	// LinkID returns what one rank, any, must send to all others for Link.
	LinkID() ([]byte, error)
	// Link connects the devices of all ranks, which call it at the same time. No two of them may be in the same position.
	Link(rank, size int, id []byte) (DeviceComm, error)
}

// DeviceComm connects the devices of a run. All calls are queued, and may be part of a [Recording]; all ranks make the
// same calls.
type DeviceComm interface {
	// Fork queues what f calls after everything called before, and beside what is called later, until Join. All of it
	// comes first where there is not room for both.
	Fork(f func() error) error
	// Exchange sends and receives what lies on the device, after everything called before and beside what is called
	// later, which must leave it alone until Join.
	Exchange(send, recv []Message) error
	// Max replaces each key on the device by the greatest of all ranks, as Exchange sends: after what was called before.
	Max(keys []uint64) error
	// Join makes what is called later wait for every Exchange and Max before.
	Join() error
	// Abort ends what is queued, on this rank: a rank that was lost would be waited for without end. It may be called
	// from any goroutine.
	Abort()
	Close() error
}

// Message is what goes to or comes from a rank.
type Message struct {
	Peer int
	Data []byte // on the device
}
