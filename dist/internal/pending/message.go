package pending

import (
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// Message is what a send sends, or what a receive expects. It does not change while it is pending.
type Message struct {
	Send   bool
	Peer   int
	Tag    int
	Buf    []byte
	Length *int // of a receive of up to len(Buf) bytes: where to store how many have come; else nil
}

// ErrLength is the error of a receive up to a length that cannot say which length has come.
var ErrLength = errors.New("dist: a receive up to a length needs a place to store the length of the message")

// Accept tells a receive that n bytes have come, or are to come, and returns the memory for them; or an error when the
// receive does not take so many.
func (m *Message) Accept(n int) ([]byte, error) {
	switch {
	case m.Length == nil && n != len(m.Buf):
		return nil, m.wrong(n, "%d bytes are expected")
	case n > len(m.Buf):
		return nil, m.wrong(n, "up to %d bytes are expected")
	case m.Length != nil:
		*m.Length = n
	}
	return m.Buf[:n], nil
}

func (m *Message) wrong(n int, expected string) error {
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
