package mesh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// scanner reads numbers and words from a file held in memory, as text or in binary. Its errors begin with the line,
// or in a binary file the offset in bytes.
type scanner struct {
	data   []byte
	pos    int
	binary bool
	order  binary.ByteOrder // of a binary file
}

// at returns an error about the byte at pos.
func (s *scanner) at(pos int, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if s.binary {
		return fmt.Errorf("byte offset %d: %s", pos, text)
	}
	return fmt.Errorf("line %d: %s", 1+bytes.Count(s.data[:pos], []byte{'\n'}), text)
}

func (s *scanner) left() int { return len(s.data) - s.pos }

// skipSpace moves to the next byte that is not white space.
func (s *scanner) skipSpace() {
	for s.pos < len(s.data) && isSpace(s.data[s.pos]) {
		s.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// here returns where the next number begins.
func (s *scanner) here() int {
	if !s.binary {
		s.skipSpace()
	}
	return s.pos
}

// token returns the next word, empty at the end of the file.
func (s *scanner) token() []byte {
	s.skipSpace()
	return s.word()
}

// field returns the next word of this line, empty if there is none.
func (s *scanner) field() []byte {
	for s.pos < len(s.data) && s.data[s.pos] != '\n' && isSpace(s.data[s.pos]) {
		s.pos++
	}
	return s.word()
}

func (s *scanner) word() []byte {
	start := s.pos
	for s.pos < len(s.data) && !isSpace(s.data[s.pos]) {
		s.pos++
	}
	return s.data[start:s.pos]
}

// line returns the rest of this line without its end, and moves to the next.
func (s *scanner) line() []byte {
	rest := s.data[s.pos:]
	if n := bytes.IndexByte(rest, '\n'); n >= 0 {
		s.pos += n + 1
		return bytes.TrimSuffix(rest[:n], []byte{'\r'})
	}
	s.pos = len(s.data)
	return rest
}

// endLine passes over the end of a line on which nothing may be left.
func (s *scanner) endLine() error {
	if w := s.field(); len(w) > 0 {
		return s.at(s.pos-len(w), "%s follows where the line should end", quote(w))
	}
	s.line()
	return nil
}

// int reads a whole number of text, from this line or a later one.
func (s *scanner) int() (int64, error) { return s.toInt(s.token()) }

// intHere reads a whole number of text that must be on this line.
func (s *scanner) intHere() (int64, error) { return s.toInt(s.field()) }

func (s *scanner) toInt(w []byte) (int64, error) {
	n, ok := parseInt(w)
	if !ok {
		return 0, s.unexpected(w, "a whole number")
	}
	return n, nil
}

// float reads a number of text, from this line or a later one.
func (s *scanner) float() (float64, error) { return s.toFloat(s.token()) }

// floatHere reads a number of text that must be on this line.
func (s *scanner) floatHere() (float64, error) { return s.toFloat(s.field()) }

func (s *scanner) toFloat(w []byte) (float64, error) {
	if len(w) == 0 || len(w) > maxNumber {
		return 0, s.unexpected(w, "a number")
	}
	x, err := strconv.ParseFloat(unsafe.String(&w[0], len(w)), 64) // ParseFloat copies what it keeps
	if err != nil {
		return 0, s.unexpected(w, "a number")
	}
	return x, nil
}

// maxNumber bounds the length of a number in text.
const maxNumber = 400

func (s *scanner) unexpected(w []byte, want string) error {
	if len(w) > 0 {
		return s.at(s.pos-len(w), "%s is not %s", quote(w), want)
	}
	if s.left() == 0 {
		return s.at(s.pos, "the file ends where there should be %s", want)
	}
	return s.at(s.pos, "the line ends where there should be %s", want)
}

// bytes4 and bytes8 return the next bytes of a binary file as a number.
func (s *scanner) bytes4() (int32, error) {
	if s.left() < 4 {
		return 0, s.short()
	}
	s.pos += 4
	return int32(s.order.Uint32(s.data[s.pos-4:])), nil
}

func (s *scanner) bytes8() (uint64, error) {
	if s.left() < 8 {
		return 0, s.short()
	}
	s.pos += 8
	return s.order.Uint64(s.data[s.pos-8:]), nil
}

func (s *scanner) float8() (float64, error) {
	n, err := s.bytes8()
	return math.Float64frombits(n), err
}

func (s *scanner) short() error { return s.at(len(s.data), "the file ends within a number") }

// holds refuses a count of items of which each takes at least size bytes, if the rest of the file is too short.
func (s *scanner) holds(count int64, size int, what string) error {
	if count < 0 {
		return s.at(s.pos, "a count of %d %s", count, what)
	}
	if count > int64(s.left()/size)+1 { // a last line may lack its end
		return s.at(s.pos, "%d %s are announced, but only %d bytes follow", count, what, s.left())
	}
	if count > math.MaxInt32 {
		return s.at(s.pos, "%d %s are more than the %d that can be read", count, what, math.MaxInt32)
	}
	return nil
}

// parseInt reads a decimal whole number of at most 18 digits.
func parseInt(w []byte) (int64, bool) {
	digits := w
	if len(w) > 0 && (w[0] == '-' || w[0] == '+') {
		digits = w[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	if w[0] == '-' {
		n = -n
	}
	return n, true
}

// quote shows a word of a file, cut to a length that fits a message.
func quote(w []byte) string {
	const most = 40
	if len(w) > most {
		return strconv.Quote(string(w[:most])) + "…"
	}
	return strconv.Quote(string(w))
}
