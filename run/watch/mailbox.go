package watch

import "sync"

// mailbox holds the latest of what was put into it. Who puts never waits, and each reader gets what is there when it
// is ready: one that is slow misses what was there in between.
type mailbox struct {
	mu      sync.Mutex
	latest  []byte
	number  uint64        // of the latest; 0 before the first
	changed chan struct{} // closed by the next put
}

func newMailbox() *mailbox { return &mailbox{changed: make(chan struct{})} }

// put replaces what is there. The bytes are not changed afterwards.
func (m *mailbox) put(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.latest = b
	m.number++
	close(m.changed)
	m.changed = make(chan struct{})
}

// get returns what is there, its number, and what is closed when there is something newer.
func (m *mailbox) get() ([]byte, uint64, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.latest, m.number, m.changed
}
