package xmldata

import (
	"bytes"
	"encoding/base64"
	"fmt"
)

// source reads the bytes of an array, still compressed, after base64 is decoded.
type source interface {
	// take returns the next n bytes. If the file has fewer, it fails before it allocates memory.
	take(n int64) ([]byte, error)
	// remaining is an upper bound of the number of bytes that remain.
	remaining() int64
}

// rawSource reads bytes that are in the file without encoding.
type rawSource []byte

func (s *rawSource) remaining() int64 { return int64(len(*s)) }

func (s *rawSource) take(n int64) ([]byte, error) {
	if n > s.remaining() {
		return nil, shortError(n, s.remaining())
	}
	taken := (*s)[:n]
	*s = (*s)[n:]
	return taken, nil
}

// base64Source decodes base64 text. Padding may end any group of four characters, not only the last, because writers
// encode the header of an array and its data separately.
type base64Source struct {
	text    []byte // without white space
	decoded []byte // decoded, not yet taken
}

func (s *base64Source) remaining() int64 { return int64(len(s.decoded)) + int64(len(s.text))/4*3 }

func (s *base64Source) take(n int64) ([]byte, error) {
	if n > s.remaining() {
		return nil, shortError(n, s.remaining())
	}
	for int64(len(s.decoded)) < n {
		groups := (n - int64(len(s.decoded)) + 2) / 3
		chunk := s.text[:min(4*groups, int64(len(s.text)))]
		if pad := bytes.IndexByte(chunk, '='); pad >= 0 {
			chunk = s.text[:min(pad/4*4+4, len(s.text))]
		}
		if len(chunk) == 0 {
			return nil, shortError(n, int64(len(s.decoded)))
		}
		decoded, err := base64.StdEncoding.AppendDecode(s.decoded, chunk)
		if err != nil {
			return nil, fmt.Errorf("base64 text: %w", err)
		}
		s.decoded, s.text = decoded, s.text[len(chunk):]
	}
	taken := s.decoded[:n:n]
	s.decoded = s.decoded[n:]
	return taken, nil
}

func shortError(needed, left int64) error {
	return fmt.Errorf("the data are truncated: %d bytes needed, at most %d remain", needed, left)
}
