// Package words writes numbers of things for people.
package words

import (
	"fmt"
	"strings"
)

// Count is a number of things, such as 1 triangle or 3 vertices. what is one of them.
func Count[N int | int32 | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %s", n, Plural(what))
}

// Plural is what several things are called.
func Plural(what string) string {
	switch {
	case strings.HasSuffix(what, "vertex"):
		return strings.TrimSuffix(what, "ex") + "ices"
	case strings.HasSuffix(what, "hedron"):
		return strings.TrimSuffix(what, "on") + "a"
	}
	return what + "s"
}
