// Package pattern has regular expressions that are compiled at their first use, so that programs that do not need them
// start at once.
package pattern

import (
	"regexp"
	"sync"
)

// Of returns the function that returns a regular expression. The expression is wrong only by a mistake in the program:
// then the first use panics.
func Of(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
