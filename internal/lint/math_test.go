package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// leftToTheProcessor are functions of package math whose last bits depend on it, and those that call them.
var leftToTheProcessor = []string{"Exp", "Exp2", "Log", "Pow", "Sinh", "Cosh", "Tanh", "Erf", "Erfc", "Gamma", "Lgamma"}

// stateless are folders of what makes no state of a run.
var stateless = []string{"bench", "plot", "study", "testdata", "verify"}

// TestStatesDependOnNoProcessor: what makes a state takes such functions from internal/portable.
func TestStatesDependOnNoProcessor(t *testing.T) {
	files := 0
	for _, folder := range []string{"config", "grid", "mesh", "partition", "run", "solvers"} {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, d fs.DirEntry, err error) error {
			switch name := d.Name(); {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains(stateless, name):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			files++
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, call := range callsOfMath(f) {
				t.Errorf("%s: math.%s: its last bits depend on the processor; take it from internal/portable",
					fset.Position(call.Pos()), call.Name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 150 {
		t.Errorf("only %d files looked at: the tree was not found", files)
	}
}

// callsOfMath finds where a file names functions that are left to the processor.
func callsOfMath(f *ast.File) (found []*ast.Ident) {
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "math" && slices.Contains(leftToTheProcessor, s.Sel.Name) {
			found = append(found, s.Sel)
		}
		return true
	})
	return found
}

func TestCallsOfMathAreFound(t *testing.T) {
	const source = "package p\nvar f, x = math.Pow, math.Sin(math.Exp(1)) + portable.Exp(2)"
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if found := callsOfMath(f); len(found) != 2 || found[0].Name != "Pow" || found[1].Name != "Exp" {
		t.Errorf("found %v, want Pow and Exp", found)
	}
}
