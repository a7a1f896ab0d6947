// Package ptx ties compiled kernels to the CUDA C that they were compiled from.
package ptx

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Header is the first line of a compiled file: what it was compiled from, and how.
func Header(source string, options []string) string {
	sum := sha256.Sum256([]byte(strings.Join(options, "\n") + "\n\n" + source))
	return fmt.Sprintf("// sha256 of options and source: %x\n", sum)
}

// Current tells whether compiled was made from source with the options.
func Current(compiled, source string, options []string) bool {
	return strings.HasPrefix(compiled, Header(source, options))
}
