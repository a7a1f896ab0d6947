package raster

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxToken is the length of the longest word.
const maxToken = 64

// conversionAdvice ends messages about unsupported formats.
const conversionAdvice = "convert it by gdal_translate IN OUT.tif"

// tokens splits a file into words between white space. A word that starts with # begins a comment, up to the end of the
// line.
type tokens struct {
	r        *bufio.Reader
	line     int // of the next byte
	wordLine int // line of the last word
	word     [maxToken]byte
	kept     []string // words that unread has put back
}

// newTokens skips the byte order mark of a text in UTF-8, and refuses one in UTF-16.
func newTokens(r io.Reader) (*tokens, error) {
	t := &tokens{r: bufio.NewReaderSize(r, 1<<16), line: 1, wordLine: 1}
	mark, _ := t.r.Peek(3) // an error occurs again in the first call of next
	switch {
	case string(mark) == "\xef\xbb\xbf":
		_, _ = t.r.Discard(3) // it is in the buffer
	case len(mark) > 1 && (string(mark[:2]) == "\xff\xfe" || string(mark[:2]) == "\xfe\xff"):
		return t, errors.New("the file is text in UTF-16: save it as UTF-8")
	}
	return t, nil
}

// unread makes words the next ones.
func (t *tokens) unread(words ...string) { t.kept = append(words, t.kept...) }

// next returns the next word, which lasts until the next call, or io.EOF.
func (t *tokens) next() ([]byte, error) {
	if len(t.kept) > 0 {
		word := t.kept[0]
		t.kept = t.kept[1:]
		return []byte(word), nil
	}
	n := 0
	for {
		b, err := t.r.ReadByte()
		switch {
		case err != nil && n > 0:
			return t.word[:n], nil // the error occurs again in the next call, unless it was temporary
		case err != nil:
			t.wordLine = t.line
			return nil, err
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			if b == '\n' && n == 0 {
				t.line++
			}
			if n > 0 {
				if b == '\n' {
					_ = t.r.UnreadByte() // the next call counts it, so that wordLine is right until then
				}
				return t.word[:n], nil
			}
			continue
		case b == '#' && n == 0:
			if _, err := t.r.ReadSlice('\n'); err == nil {
				_ = t.r.UnreadByte() // as above
			} else if err != io.EOF {
				return nil, fmt.Errorf("a comment is longer than %d characters", t.r.Size())
			}
			continue
		case n == maxToken:
			return nil, fmt.Errorf("word %q… is longer than %d characters: this is not an ESRI ASCII grid; %s", t.word[:20],
				maxToken, conversionAdvice)
		}
		t.word[n], t.wordLine = b, t.line
		n++
	}
}
