package raster

import (
	"bufio"
	"fmt"
)

// maxToken is the length of the longest word in a file.
const maxToken = 64

// converted tells what to do with rasters that are not read.
const converted = "gdal_translate IN OUT.tif converts rasters of most other formats"

// tokens splits a file into words between white space.
type tokens struct {
	r    *bufio.Reader
	line int // of what is read next
	at   int // line of the last word
	word [maxToken]byte
}

// next returns the next word, which lasts until the next call, or io.EOF.
func (t *tokens) next() ([]byte, error) {
	n := 0
	for {
		b, err := t.r.ReadByte()
		switch {
		case err != nil && n > 0:
			return t.word[:n], nil // the error, unless temporary, comes again at the next call
		case err != nil:
			t.at = t.line
			return nil, err
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			if b == '\n' && n == 0 {
				t.line++
			}
			if n > 0 {
				if b == '\n' {
					_ = t.r.UnreadByte() // counted by the next call, so that at holds until then
				}
				return t.word[:n], nil
			}
			continue
		case n == maxToken:
			return nil, fmt.Errorf("word %q… is longer than %d characters: this is no ESRI ASCII grid; %s", t.word[:20],
				maxToken, converted)
		}
		t.word[n], t.at = b, t.line
		n++
	}
}
