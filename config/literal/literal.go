// Package literal writes keys and texts of TOML.
package literal

import (
	"fmt"
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
