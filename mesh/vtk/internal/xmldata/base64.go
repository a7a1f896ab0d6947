package xmldata

import (
	"bytes"
	"encoding/base64"
	"fmt"
)

// source yields the bytes that encode an array, from its first on.
type source interface {
	// take returns the next n bytes. It fails, before it takes memory, where the file has fewer.
	take(n int64) ([]byte, error)
	// left is an upper bound of the bytes that take can still yield.
	left() int64
}

// rawSource yields data as they stand in the file.
type rawSource []byte

func (s *rawSource) left() int64 { return int64(len(*s)) }

func (s *rawSource) take(n int64) ([]byte, error) {
	if n > s.left() {
		return nil, shortError(n, s.left())
	}
	taken := (*s)[:n]
	*s = (*s)[n:]
	return taken, nil
}

// base64Source yields what base64 text encodes. Padding may end any group of four characters, not only the last:
// writers encode the header of an array and its data one after the other.
type base64Source struct {
	text []byte // without white space
	rest []byte // decoded, not yet taken
}

func (s *base64Source) left() int64 { return int64(len(s.rest)) + int64(len(s.text))/4*3 }

func (s *base64Source) take(n int64) ([]byte, error) {
	if n > s.left() {
		return nil, shortError(n, s.left())
	}
	for int64(len(s.rest)) < n {
		groups := (n - int64(len(s.rest)) + 2) / 3
		chunk := s.text[:min(4*groups, int64(len(s.text)))]
		if pad := bytes.IndexByte(chunk, '='); pad >= 0 {
			chunk = s.text[:min(pad/4*4+4, len(s.text))]
		}
		if len(chunk) == 0 {
			return nil, shortError(n, int64(len(s.rest)))
		}
		decoded, err := base64.StdEncoding.AppendDecode(s.rest, chunk)
		if err != nil {
			return nil, fmt.Errorf("base64 text: %w", err)
		}
		s.rest, s.text = decoded, s.text[len(chunk):]
	}
	taken := s.rest[:n:n]
	s.rest = s.rest[n:]
	return taken, nil
}

func shortError(needed, left int64) error {
	return fmt.Errorf("the data end early: %d bytes needed, at most %d there", needed, left)
}
