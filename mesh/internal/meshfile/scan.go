package meshfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// Scanner reads numbers and words from a text or binary file in memory. Its errors begin with the line number, or in a
// binary file with the byte offset.
type Scanner struct {
	Data   []byte
	Pos    int
	Binary bool
	Order  binary.ByteOrder // of a binary file
}

// At returns an error about the byte at pos.
func (s *Scanner) At(pos int, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if s.Binary {
		return fmt.Errorf("byte offset %d: %s", pos, text)
	}
	return fmt.Errorf("line %d: %s", 1+bytes.Count(s.Data[:pos], []byte{'\n'}), text)
}

// Left returns the number of bytes that have not been read.
func (s *Scanner) Left() int { return len(s.Data) - s.Pos }

// SkipSpace moves to the next byte that is not white space.
func (s *Scanner) SkipSpace() {
	for s.Pos < len(s.Data) && isSpace(s.Data[s.Pos]) {
		s.Pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// Here returns the position at which the next number begins.
func (s *Scanner) Here() int {
	if !s.Binary {
		s.SkipSpace()
	}
	return s.Pos
}

// Token returns the next word, empty at the end of the file.
func (s *Scanner) Token() []byte {
	s.SkipSpace()
	return s.word()
}

// field returns the next word of this line, empty if there is none.
func (s *Scanner) field() []byte {
	for s.Pos < len(s.Data) && s.Data[s.Pos] != '\n' && isSpace(s.Data[s.Pos]) {
		s.Pos++
	}
	return s.word()
}

func (s *Scanner) word() []byte {
	start := s.Pos
	for s.Pos < len(s.Data) && !isSpace(s.Data[s.Pos]) {
		s.Pos++
	}
	return s.Data[start:s.Pos]
}

// Line returns the rest of this line without its end, and moves to the next.
func (s *Scanner) Line() []byte {
	rest := s.Data[s.Pos:]
	if n := bytes.IndexByte(rest, '\n'); n >= 0 {
		s.Pos += n + 1
		return bytes.TrimSuffix(rest[:n], []byte{'\r'})
	}
	s.Pos = len(s.Data)
	return rest
}

// EndLine moves to the next line. It refuses a line with words that have not been read.
func (s *Scanner) EndLine() error {
	if w := s.field(); len(w) > 0 {
		return s.At(s.Pos-len(w), "unexpected %s at the end of the line", Quote(w))
	}
	s.Line()
	return nil
}

// Int reads an integer in text, from this line or a later one.
func (s *Scanner) Int() (int64, error) { return s.toInt(s.Token()) }

// IntOnLine reads an integer in text, which must be on this line.
func (s *Scanner) IntOnLine() (int64, error) { return s.toInt(s.field()) }

func (s *Scanner) toInt(w []byte) (int64, error) {
	n, ok := parseInt(w)
	if !ok {
		return 0, s.unexpected(w, "an integer")
	}
	return n, nil
}

// Float reads a number in text, from this line or a later one.
func (s *Scanner) Float() (float64, error) { return s.toFloat(s.Token()) }

// FloatOnLine reads a number in text, which must be on this line.
func (s *Scanner) FloatOnLine() (float64, error) { return s.toFloat(s.field()) }

func (s *Scanner) toFloat(w []byte) (float64, error) {
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

func (s *Scanner) unexpected(w []byte, want string) error {
	if len(w) > 0 {
		return s.At(s.Pos-len(w), "%s is not %s", Quote(w), want)
	}
	if s.Left() == 0 {
		return s.At(s.Pos, "the file ends where there should be %s", want)
	}
	return s.At(s.Pos, "the line ends where there should be %s", want)
}

// Bytes4 reads the next 4 bytes of a binary file as an integer.
func (s *Scanner) Bytes4() (int32, error) {
	if s.Left() < 4 {
		return 0, s.short()
	}
	s.Pos += 4
	return int32(s.Order.Uint32(s.Data[s.Pos-4:])), nil
}

// Bytes8 reads the next 8 bytes of a binary file as an unsigned integer.
func (s *Scanner) Bytes8() (uint64, error) {
	if s.Left() < 8 {
		return 0, s.short()
	}
	s.Pos += 8
	return s.Order.Uint64(s.Data[s.Pos-8:]), nil
}

// Float8 reads the next 8 bytes of a binary file as a floating-point number.
func (s *Scanner) Float8() (float64, error) {
	n, err := s.Bytes8()
	return math.Float64frombits(n), err
}

func (s *Scanner) short() error { return s.At(len(s.Data), "the file ends within a number") }

// CheckRemaining refuses a count of items of at least size bytes each for which the rest of the file is too short. what
// names them in the error.
func (s *Scanner) CheckRemaining(count int64, size int, what string) error {
	if count < 0 {
		return s.At(s.Pos, "negative number of %s: %d", what, count)
	}
	if count > int64(s.Left()/size)+1 { // a last line may lack its end
		return s.At(s.Pos, "%d %s are announced, but only %d bytes follow", count, what, s.Left())
	}
	if count > math.MaxInt32 {
		return s.At(s.Pos, "%d %s are more than the %d that can be read", count, what, math.MaxInt32)
	}
	return nil
}

// parseInt parses a decimal integer of at most 18 digits.
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

// Quote quotes a word of a file for a message, cut to 40 bytes.
func Quote(w []byte) string {
	const most = 40
	if len(w) > most {
		return strconv.Quote(string(w[:most])) + "…"
	}
	return strconv.Quote(string(w))
}
