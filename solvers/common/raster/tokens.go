package raster

import (
	"bufio"
	"fmt"
)

// maxToken is the length of the longest word.
const maxToken = 64

// conversionAdvice ends messages about unsupported formats.
const conversionAdvice = "convert it by gdal_translate IN OUT.tif"

// tokens splits a file into words between white space.
type tokens struct {
	r        *bufio.Reader
	line     int // of the next byte
	wordLine int // line of the last word
	word     [maxToken]byte
}

// next returns the next word, which lasts until the next call, or io.EOF.
func (t *tokens) next() ([]byte, error) {
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
		case n == maxToken:
			return nil, fmt.Errorf("word %q… is longer than %d characters: this is not an ESRI ASCII grid; %s", t.word[:20],
				maxToken, conversionAdvice)
		}
		t.word[n], t.wordLine = b, t.line
		n++
	}
}
