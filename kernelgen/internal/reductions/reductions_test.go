package reductions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRefusals proves that a wrong mark or tag is an error with its line and what to do.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"no names":       {"//atoll:reduce\nfunc f(i int) s { return s{} }", "is followed by the names of the kernel"},
		"a method":       {"//atoll:reduce K R\nfunc (s) f(i int) s { return s{} }", "marks a function"},
		"no result":      {"//atoll:reduce K R\nfunc f(i int) {}", "f returns no struct of this package"},
		"a number":       {"//atoll:reduce K R\nfunc f(i int) float64 { return 0 }", "f returns no struct of this package"},
		"no index":       {"//atoll:reduce K R\nfunc f(x []int) s { return s{} }", "f has no index"},
		"no parameter":   {"//atoll:reduce K R\nfunc f() s { return s{} }", "f has no index"},
		"a name":         {"//atoll:reduce K R\nfunc f(i int, to []int) s { return s{} }", "parameter to of f has a name"},
		"an unknown tag": {"//atoll:reduce K R\nfunc f(i int) u { return u{} }", `u.A has the tag reduce:"mean": use sum`},
		"no tag":         {"//atoll:reduce K R\nfunc f(i int) v { return v{} }", `v.A has the tag reduce:""`},
		"another type":   {"//atoll:reduce K R\nfunc f(i int) w { return w{} }", `w.A is a int32: with the tag reduce:`},
	} {
		dir := t.TempDir()
		text := "package p\n\ntype s struct{ A float64 `reduce:\"sum\"` }\ntype u struct{ A float64 `reduce:\"mean\"` }\n" +
			"type v struct{ A float64 }\ntype w struct{ A int32 `reduce:\"count\"` }\n\n" + c.source + "\n"
		if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Text(dir)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "p.go:") {
			t.Errorf("%s: got %v, want %q with the line", name, err, c.want)
		}
	}
}

// TestNoMark proves that a package without a mark has no file.
func TestNoMark(t *testing.T) {
	dir := t.TempDir()
	text := []byte("package p\n\n// F is not marked.\nfunc F(i int) {}\n")
	if err := os.WriteFile(filepath.Join(dir, "p.go"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := Text(dir); err != nil || text != "" {
		t.Errorf("got %q, %v, want nothing", text, err)
	}
}
