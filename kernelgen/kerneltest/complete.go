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

// Main runs the tests of a package, for its TestMain. They also fail if they do not run the translation of each kernel
// in dir in all precisions and variants. This is not checked if GNU g++ is missing or only some tests are run.
func Main(m *testing.M, dir string) {
	code := m.Run()
	if code == 0 && allTestsRan() {
		if err := checkAllRan(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// allTestsRan reports whether all tests of the package were run.
func allTestsRan() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return missing() == nil
}

// checkAllRan returns an error that names the kernels in dir that were not run.
func checkAllRan(dir string) error {
	path, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	libraries.Lock()
	compiled := libraries.byFolder[path] != nil
	libraries.Unlock()
	if !compiled {
		return fmt.Errorf("kerneltest: no test runs the kernels in %s: use kerneltest.Compile", dir)
	}
	l, err := library(dir)
	if err != nil {
		return err
	}
	if names := l.notRun(); len(names) > 0 {
		return fmt.Errorf("kerneltest: no test runs %s of the kernels in %s: add them to a test",
			strings.Join(names, ", "), dir)
	}
	return nil
}

// notRun returns the names of the entries that were not run.
func (l *Library) notRun() []string {
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
