// Package words formats counts, sizes and times for messages, and finds the nearest option to a misspelt word.
package words

import (
	"fmt"
	"strings"
)

// Count returns a number with its noun, which is given in the singular, such as 1 triangle or 3 vertices.
func Count[N int | int32 | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s", n, Plural(noun))
}

// Plural returns the plural of a noun.
func Plural(noun string) string {
	switch {
	case strings.HasSuffix(noun, "vertex"):
		return strings.TrimSuffix(noun, "ex") + "ices"
	case strings.HasSuffix(noun, "hedron"):
		return strings.TrimSuffix(noun, "on") + "a"
	}
	return noun + "s"
}
