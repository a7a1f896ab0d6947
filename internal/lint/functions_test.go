package lint

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// maxFunctionLines is how long a function may be. The comment of a longer function ends with the reason, after "In one
// piece: ".
const maxFunctionLines = 60

// longKernels are GPU functions that are longer, because the values that they keep in registers must be in one scope.
// They are listed here since a reason in their comments would become part of the generated code.
var longKernels = []string{
	"solvers/smooth/kernels/solid/climb.go climb",
	"solvers/smooth/kernels/tile.go pain",
}

// TestFunctionsAreShort checks all functions that are neither generated nor tests.
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
			if lines <= maxFunctionLines || strings.Contains(fn.Doc.Text(), "In one piece: ") {
				continue
			}
			name := path + " " + fn.Name.Name
			if !known[name] {
				t.Errorf("%s has %d lines, want at most %d: split it, or give a reason in its comment (In one piece: …)",
					name, lines, maxFunctionLines)
			}
			delete(known, name)
		}
	})
	for name := range known {
		t.Errorf("%s has at most %d lines: remove it from longKernels", name, maxFunctionLines)
	}
}
