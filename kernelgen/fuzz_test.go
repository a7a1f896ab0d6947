package kernelgen_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen"
)

// FuzzTranslate proves that no Go file makes the translator panic: it is translated, or refused with an error.
func FuzzTranslate(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.go", "internal/language/[a-z]*s.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	f.Add(oneKernel)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.ImportsOnly)
		if err != nil {
			return // no Go file
		}
		for _, i := range file.Imports {
			switch i.Path.Value {
			case `"math"`, `"math/bits"`, `"sync/atomic"`:
			default:
				return // Load would search other folders for the package
			}
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := kernelgen.Load(dir)
		if err != nil {
			return
		}
		if _, _, err := p.CUDA(); err != nil {
			return
		}
		if _, err := p.Launchers(); err != nil && !strings.Contains(err.Error(), "p.go:") {
			t.Errorf("launchers: %v", err)
		}
	})
}
