package backend

// Staging copies messages between a device with separate memory and the host while kernels run. A device executes its
// calls in order, as a stream; copies run on streams of their own and are ordered with it as follows.
type Staging interface {
	// Pin returns zeroed pinned (page-locked) memory of the host. Unpin frees it, given the whole slice.
	Pin(bytes int) ([]byte, error)
	Unpin(b []byte) error
	// Fetch starts an asynchronous copy of src, on the device, to dst, which Pin returned. The copy begins when all
	// calls before it have been executed. Later kernels run beside it, and must not write to src until Fetched.
	Fetch(dst, src []byte) error
	// Fetched waits for all copies that Fetch has started, and not for kernels that were called after them.
	Fetched() error
	// Deliver starts an asynchronous copy of src, which Pin returned, to dst on the device. The copy waits for no call
	// after the last Fetched: none of those may use dst. All later calls wait for the copy. src must not change until a
	// later Fetched or Sync.
	Deliver(dst, src []byte) error
}
