package grpc

import "fmt"

// assembler assembles messages from their frames, one message after the other.
type assembler struct {
	session  uint64
	next     uint64 // sequence number of the next frame
	first    kind   // kind of the first frame of a message
	limit    uint64 // largest message in bytes
	head     header // of the current message
	buf      []byte
	partial  bool // buf holds the first bytes of a message
	complete bool // buf holds a message; the reader of the stream resets it
}

func (a *assembler) takeFrame(h *header, b *body) error {
	if err := checkSequence(h, a.session, &a.next); err != nil {
		return err
	}
	switch {
	case !a.partial && h.kind == a.first:
		if h.length > a.limit {
			return fmt.Errorf("%d bytes in a collective, want at most %d", h.length, a.limit)
		}
		a.head, a.buf, a.partial = *h, a.buf[:0], true
	case !a.partial || h.kind != continuation:
		return fmt.Errorf("an unexpected frame of kind %d", h.kind)
	}
	n := b.remaining
	if uint64(len(a.buf)+n) > a.head.length || n == 0 && a.head.length > 0 {
		return fmt.Errorf("a frame of %d bytes, after %d of the message's %d", n, len(a.buf), a.head.length)
	}
	// The buffer grows with the bytes received, not with the announced length, which a faulty peer may inflate.
	a.buf = append(a.buf, make([]byte, n)...)
	b.read(a.buf[len(a.buf)-n:])
	if uint64(len(a.buf)) < a.head.length {
		return nil
	}
	a.partial, a.complete = false, true
	return nil
}

// sendLong sends a message in as many frames as needed. f.header is the header of the first frame, except for its
// sequence number.
func sendLong(s stream, f *frame, seq *uint64, msg []byte) error {
	f.length = uint64(len(msg))
	for {
		n := min(len(msg), chunkBytes)
		f.seq, f.body = *seq, msg[:n]
		*seq++
		if err := s.SendMsg(f); err != nil {
			return err
		}
		if msg = msg[n:]; len(msg) == 0 {
			return nil
		}
		f.kind = continuation
	}
}
