package grpc

import "fmt"

// assembler puts a message together that comes in several frames, one message after the other.
type assembler struct {
	session  uint64
	next     uint64 // sequence number of the next frame
	first    kind   // of the first frame of a message
	limit    uint64 // of a message, in bytes
	head     header // of the message at hand
	buf      []byte
	partial  bool
	complete bool // buf holds a message; the reader of the stream resets it
}

func (a *assembler) takeFrame(h *header, b *body) error {
	if err := sequence(h, a.session, &a.next); err != nil {
		return err
	}
	switch {
	case !a.partial && h.kind == a.first:
		if h.length > a.limit {
			return fmt.Errorf("%d bytes in a collective, at most %d are allowed", h.length, a.limit)
		}
		a.head, a.buf, a.partial = *h, a.buf[:0], true
	case !a.partial || h.kind != more:
		return fmt.Errorf("an unexpected frame of kind %d", h.kind)
	}
	n := b.left
	if uint64(len(a.buf)+n) > a.head.length || n == 0 && a.head.length > 0 {
		return fmt.Errorf("a frame of %d bytes, after %d of the message's %d", n, len(a.buf), a.head.length)
	}
	// Memory is taken as bytes come, not as they are promised.
	a.buf = append(a.buf, make([]byte, n)...)
	b.read(a.buf[len(a.buf)-n:])
	if uint64(len(a.buf)) < a.head.length {
		return nil
	}
	a.partial, a.complete = false, true
	return nil
}

// sendLong sends a message in as many frames as it takes. f.header is that of the first, but for its sequence
// number.
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
		f.kind = more
	}
}
