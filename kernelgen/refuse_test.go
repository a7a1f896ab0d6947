package kernelgen_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen"
	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// TestRefusals proves that each construct outside of the subset is refused at its line: every line with a comment
// "want: reason" is refused for that reason, and no other line is.
func TestRefusals(t *testing.T) {
	for _, dir := range []string{"testdata/refused", "testdata/marks"} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			p, err := kernelgen.Load(dir)
			if err == nil {
				_, _, err = p.CUDA()
			}
			if err == nil {
				t.Fatal("got no error")
			}
			joined, ok := err.(interface{ Unwrap() []error })
			if !ok {
				t.Fatal(err)
			}
			wanted := wantedReasons(t, dir)
			for _, e := range joined.Unwrap() {
				var r source.Refused
				if !errors.As(e, &r) {
					t.Fatal(e)
				}
				if !strings.HasPrefix(e.Error(), fmt.Sprintf("%s:%d:%d: ", r.At.Filename, r.At.Line, r.At.Column)) ||
					r.At.Column < 1 {
					t.Errorf("%v: does not begin with file, line and column", e)
				}
				at := fmt.Sprintf("%s:%d", filepath.Base(r.At.Filename), r.At.Line)
				found := false
				for i, reason := range wanted[at] {
					if reason != "" && strings.Contains(r.Reason, reason) {
						wanted[at][i], found = "", true
					}
				}
				if !found && !anyMatched(wanted[at]) {
					t.Errorf("unexpected: %v", e)
				}
			}
			for at, reasons := range wanted {
				for _, reason := range reasons {
					if reason != "" {
						t.Errorf("%s: got no error with %q", at, reason)
					}
				}
			}
		})
	}
}

// anyMatched reports whether a reason of a line was already reported: a construct may be refused in several precisions.
func anyMatched(reasons []string) bool {
	for _, r := range reasons {
		if r == "" {
			return true
		}
	}
	return false
}

// wantedReasons returns the reasons of comments "want: reason" in a folder and its subfolders, by file and line.
func wantedReasons(t *testing.T, dir string) map[string][]string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, deeper := range []string{"*/*.go", "*/*/*.go"} {
		imported, err := filepath.Glob(filepath.Join(dir, deeper))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, imported...)
	}
	reasons := map[string][]string{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			for _, reason := range strings.Split(lines.Text(), "// want: ")[1:] {
				at := fmt.Sprintf("%s:%d", filepath.Base(file), n)
				reasons[at] = append(reasons[at], strings.TrimSpace(reason))
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return reasons
}

func TestLoadReportsWhatDoesNotCompile(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"syntax": {"package p\nfunc f( {\n", "p.go:2:"},
		"type":   {"package p\n\nfunc f() int { return nowhere }\n", "p.go:3:23: undefined: nowhere"},
		"empty":  {"", "expected 'package'"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := kernelgen.Load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := kernelgen.Load(filepath.Join(dir, "missing")); err == nil {
		t.Error("loading a missing folder returns no error")
	}
}
