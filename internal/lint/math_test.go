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

// processorDependent are the functions of package math whose last bits depend on the processor (see package portable).
var processorDependent = []string{"Exp", "Exp2", "Log", "Pow", "Sinh", "Cosh", "Tanh", "Erf", "Erfc", "Gamma", "Lgamma"}

// stateless are the folders whose packages do not affect the state of a run.
var stateless = []string{"bench", "plot", "study", "testdata", "verify"}

// TestStatesDoNotDependOnTheProcessor: packages that affect the state of a run use internal/portable instead of these
// functions.
func TestStatesDoNotDependOnTheProcessor(t *testing.T) {
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
			for _, call := range processorDependentUses(f) {
				t.Errorf("%s: the last bits of math.%s depend on the processor: use internal/portable",
					fset.Position(call.Pos()), call.Name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 150 {
		t.Errorf("checked only %d files, want 150 or more: the tree was not found", files)
	}
}

// processorDependentUses returns the uses of processorDependent functions in a file.
func processorDependentUses(f *ast.File) (found []*ast.Ident) {
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "math" && slices.Contains(processorDependent, s.Sel.Name) {
			found = append(found, s.Sel)
		}
		return true
	})
	return found
}

func TestProcessorDependentUses(t *testing.T) {
	const source = "package p\nvar f, x = math.Pow, math.Sin(math.Exp(1)) + portable.Exp(2)"
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if found := processorDependentUses(f); len(found) != 2 || found[0].Name != "Pow" || found[1].Name != "Exp" {
		t.Errorf("got %v, want Pow and Exp", found)
	}
}
