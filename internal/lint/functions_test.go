package lint

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// mostLines is how long a function may be. One that is longer says why at the end of its comment: "In one piece: …".
const mostLines = 60

// longKernels are functions of GPUs that are longer: what they keep in registers is in one scope, and a comment of
// theirs is a part of the generated code.
var longKernels = []string{
	"solvers/smooth/kernels/solid/climb.go climb",
	"solvers/smooth/kernels/tile.go pain",
}

// TestFunctionsAreShort looks at functions that people write, but for tests.
func TestFunctionsAreShort(t *testing.T) {
	known := map[string]bool{}
	for _, name := range longKernels {
		known[name] = true
	}
	eachHandWritten(t, func(path string, fset *token.FileSet, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			lines := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1
			if lines <= mostLines || strings.Contains(fn.Doc.Text(), "In one piece: ") {
				continue
			}
			name := path + " " + fn.Name.Name
			if !known[name] {
				t.Errorf("%s has %d lines, more than %d: make functions of its parts, or say why not (In one piece: …)", name,
					lines, mostLines)
			}
			delete(known, name)
		}
	})
	for name := range known {
		t.Errorf("%s is not longer than %d lines: strike it off the list", name, mostLines)
	}
}
