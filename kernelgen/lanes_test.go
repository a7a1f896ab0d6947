package kernelgen_test

import (
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen"
)

// loadText loads a package of one file.
func loadText(t *testing.T, text string) (*kernelgen.Package, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte("package p\n\n"+text), 0o666); err != nil {
		t.Fatal(err)
	}
	return kernelgen.Load(dir)
}

// TestPointersToElements proves that vector code copies an element for a pointer only if the function does not write
// elements of its type, itself or by another function, and does not return the pointer.
func TestPointersToElements(t *testing.T) {
	const head = "type Float interface{ float32 | float64 }\n\ntype Node[F Float] struct{ X, Y F }\n\n" +
		"func clear[F Float](v []Node[F], i int) { v[i].Y = 0 }\n\n" +
		"func at[F Float](v []Node[F], k int32) *Node[F] { return &v[k] }\n\n" +
		"func sum[F Float](v []Node[F], k int32) F {\n\tb := &v[k]\n\treturn b.X + b.Y\n}\n\n" +
		"//atoll:kernel lanes\nfunc K[F Float](i int, next []int32, v []Node[F], x []F) {\n"
	for body, copies := range map[string]bool{
		"b := &v[next[i]]\nx[i] = b.X + b.Y":             true,
		"b := &v[next[i]]\nv[i].X = 1\nx[i] = b.X":       false,
		"b := &v[next[i]]\nb.X = 1":                      false,
		"b := &v[next[i]]\nclear(v, i)\nx[i] = b.Y":      false,
		"b := at(v, next[i])\nv[i].X = 1\nx[i] = b.X":    false,
		"y := sum(v, next[i])\nv[i].X = y":               true,
		"b := &v[next[i]]\nc := *b\nc.X = 1\nx[i] = c.X": true,
		"b := &v[next[i]]\nv[i] = Node[F]{}\nx[i] = b.X": false,
	} {
		p, err := loadText(t, head+body+"\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := p.Lanes(types.Float64, func(*kernelgen.Kernel) bool { return true })
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		_, code, _ := strings.Cut(text, "typedef Node_f64_lanes type")
		if got := strings.Contains(code, "= fetch("); got != copies {
			t.Errorf("%s: copied: %v, want %v", body, got, copies)
		}
	}
}

// TestWide proves that only kernels marked lanes may be wide, and that a call of vector code computes a vector or a
// sixteenth of a grain.
func TestWide(t *testing.T) {
	const kernel = "func K[F float32 | float64](i int, x []F) { x[i] = 1 }\n"
	p, err := loadText(t, "//atoll:kernel wide\n"+kernel)
	if err == nil {
		_, err = p.Launchers()
	}
	if err == nil || !strings.Contains(err.Error(), "p.go:4:1: kernel K is marked wide") {
		t.Errorf("wide alone: %v", err)
	}
	if p, err = loadText(t, "//atoll:kernel lanes wide grain=320\n"+kernel); err != nil {
		t.Fatal(err)
	}
	if out, err := p.Launchers(); err != nil || !strings.Contains(string(out), "min(hi-lo, max(loop.code.Lanes, 20))") {
		t.Errorf("a kernel with a grain: %v\n%s", err, out)
	}
}
