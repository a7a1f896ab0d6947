package pending

import (
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// Message describes the message of a send or receive. It does not change while the operation is pending.
type Message struct {
	Send   bool
	Peer   int
	Tag    int
	Buf    []byte
	Length *int // for a receive of up to len(Buf) bytes: gets the number received; else nil

	// Grow, unless it is nil, makes this a receive of up to Limit bytes into *Grow, which gets the length of the message,
	// and new memory if it is too short.
	Grow  *[]byte
	Limit int
}

// ErrLength is the error of IrecvUpTo with a nil length.
var ErrLength = errors.New("dist: IrecvUpTo needs a pointer for the length of the message")

// Accept sets the length of the received message to n, and returns the memory for its bytes; an error if the
// receive does not match that length.
func (m *Message) Accept(n int) ([]byte, error) {
	switch {
	case m.Grow != nil && n <= m.Limit:
		if cap(*m.Grow) < n {
			*m.Grow = make([]byte, n)
		}
		*m.Grow = (*m.Grow)[:n]
		return *m.Grow, nil
	case m.Grow != nil:
		return nil, &dist.PeerError{Rank: m.Peer, Err: fmt.Errorf("sent %d bytes where up to %d are expected", n, m.Limit)}
	case m.Length == nil && n != len(m.Buf):
		return nil, m.lengthError(n, "%d bytes are expected")
	case n > len(m.Buf):
		return nil, m.lengthError(n, "up to %d bytes are expected")
	case m.Length != nil:
		*m.Length = n
	}
	return m.Buf[:n], nil
}

func (m *Message) lengthError(n int, expected string) error {
	expected = fmt.Sprintf(expected, len(m.Buf))
	return &dist.PeerError{Rank: m.Peer, Err: fmt.Errorf("sent %d bytes with tag %d where %s", n, m.Tag, expected)}
}

// String describes the message for errors.
func (m *Message) String() string {
	what := "receive of"
	if m.Send {
		what = "send of"
	} else if m.Length != nil {
		what = "receive of up to"
	}
	return fmt.Sprintf("%s %d bytes with tag %d", what, len(m.Buf), m.Tag)
}
