package kerneltest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Main runs the tests of a package, for its TestMain. They fail, too, if they leave out a kernel of those in dir, in
// one of its precisions or variants: each has to be run as it was translated. Where there is no GNU g++, or not all
// tests are asked for, nothing can be said of that.
func Main(m *testing.M, dir string) {
	code := m.Run()
	if code == 0 && complete() {
		if err := ranAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// complete tells whether all tests were asked for, and can run.
func complete() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return missing() == nil
}

// ranAll names the kernels in dir that were not run.
func ranAll(dir string) error {
	path, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	libraries.Lock()
	compiled := libraries.in[path] != nil
	libraries.Unlock()
	if !compiled {
		return fmt.Errorf("kerneltest: no test runs the kernels in %s: use kerneltest.Compile", dir)
	}
	l, err := library(dir)
	if err != nil {
		return err
	}
	if names := l.missed(); len(names) > 0 {
		return fmt.Errorf("kerneltest: no test runs %s of the kernels in %s: add them to those that do",
			strings.Join(names, ", "), dir)
	}
	return nil
}

// missed are the entries that were not run, by name.
func (l *Library) missed() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var names []string
	for _, symbol := range slices.Sorted(maps.Keys(l.entries)) {
		if l.entries[symbol].launches == 0 {
			names = append(names, symbol)
		}
	}
	return names
}
