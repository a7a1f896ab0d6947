// Package literal writes keys, texts and numbers of TOML.
package literal

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Key returns a key, in quotes if TOML needs them.
func Key(key string) string {
	bare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if key != "" && strings.TrimFunc(key, bare) == "" {
		return key
	}
	return Text(key)
}

// Text returns a basic string.
func Text(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range []byte(text) {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteByte(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", r)
		default:
			b.WriteByte(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Number returns a number, without an exponent if people would write none: coordinates and times have seven digits.
func Number(v float64) string {
	if size := math.Abs(v); size >= 1e6 && size < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
