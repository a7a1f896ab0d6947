// Package ptx marks PTX with the hash of the CUDA C that it was compiled from, so that a test finds PTX that is not
// current.
package ptx

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Header returns the first line of a compiled file: the SHA-256 of the source and the compiler's options.
func Header(source string, options []string) string {
	sum := sha256.Sum256([]byte(strings.Join(options, "\n") + "\n\n" + source))
	return fmt.Sprintf("// sha256 of options and source: %x\n", sum)
}

// Current reports whether compiled was made from source with the options.
func Current(compiled, source string, options []string) bool {
	return strings.HasPrefix(compiled, Header(source, options))
}
