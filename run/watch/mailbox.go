package watch

import (
	"sync"
	"time"
)

// mailbox holds the latest value that was put into it. Writers never wait. A slow reader misses values in between.
type mailbox struct {
	mu      sync.Mutex
	latest  []byte
	number  uint64        // sequence number of the latest value; 0 before the first
	changed chan struct{} // closed by the next set
}

func newMailbox() *mailbox { return &mailbox{changed: make(chan struct{})} }

// set replaces the value. b must not be changed afterwards.
func (m *mailbox) set(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.latest = b
	m.number++
	close(m.changed)
	m.changed = make(chan struct{})
}

// get returns the latest value, its number, and a channel that is closed when there is a newer one.
func (m *mailbox) get() ([]byte, uint64, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.latest, m.number, m.changed
}

// cache holds what was rendered last, so that many requests cost rank 0 no more than a few.
type cache struct {
	mu   sync.Mutex
	text []byte
	made time.Time
}

// maxAge is how old an answer may be.
const maxAge = 100 * time.Millisecond

// get returns what render has returned last, or calls it again if that is older than maxAge.
func (c *cache) get(render func() ([]byte, error)) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.made) < maxAge {
		return c.text, nil
	}
	text, err := render()
	if err == nil {
		c.text, c.made = text, time.Now()
	}
	return text, err
}
