package lint

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	maxLines   = 2500 // of the Go files of a package that are neither tests nor generated
	maxMethods = 40   // of a type
)

// Packages and types that are larger than that, with how large they may be. Divide them by concept, and lower or remove
// their numbers; no others may be added.
var (
	largePackages = map[string]int{
		"backend/cuda": 3400, "cmd/atoll": 3800, "dist/grpc": 3800, "kernelgen": 5800, "mesh": 4000,
		"mesh/vtk": 3100, "run/plot": 3300, "run/plot/chart": 3000, "solvers": 2900,
		"solvers/common/shape": 3540, "solvers/shallow": 3698, "solvers/shallow/kernels": 3215,
		"solvers/shallow/verify": 3500, "solvers/smooth/problem": 2900,
		"solvers/vof/kernels": 3600,
	}
	largeTypes = map[string]int{
		"backend/cuda.Device": 84, "config.Section": 48, "dist/mpi.comm": 48, "kernelgen.function": 135,
		"mesh.Mesh": 75, "mesh/gmsh.reader": 70,
	}
)

// TestPackagesAreSmall: no package has more than maxLines, so that it has one concept, unless largePackages lists it.
func TestPackagesAreSmall(t *testing.T) {
	lines := map[string]int{}
	eachText(t, func(name string, text []byte) {
		if !strings.HasSuffix(name, "_test.go") {
			lines[filepath.ToSlash(filepath.Dir(name))] += bytes.Count(text, []byte("\n"))
		}
	})
	checkSizes(t, lines, maxLines, largePackages, "lines: move a concept to a package of its own")
}

// TestTypesAreSmall: no type has more than maxMethods methods, unless largeTypes lists it.
func TestTypesAreSmall(t *testing.T) {
	methods := map[string]int{}
	eachHandWritten(t, func(name string, _ *token.FileSet, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[filepath.ToSlash(filepath.Dir(name))+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
	})
	checkSizes(t, methods, maxMethods, largeTypes, "methods: move some to a type of their own")
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// checkSizes checks sizes against a limit, and that larger ones are listed with a number that is not much too large.
func checkSizes(t *testing.T, sizes map[string]int, limit int, large map[string]int, remedy string) {
	t.Helper()
	for name, n := range sizes {
		if most := max(limit, large[name]); n > most {
			t.Errorf("%s has %d, want at most %d %s", name, n, most, remedy)
		}
	}
	for name, most := range large {
		switch n := sizes[name]; {
		case n <= limit:
			t.Errorf("%s has %d, no more than %d: remove it from the list", name, n, limit)
		case n < most*3/4:
			t.Errorf("%s has %d, much fewer than the %d in the list: lower that", name, n, most)
		}
	}
}

// eachHandWritten calls f with every Go file that is not generated, and its path from the root.
func eachHandWritten(t *testing.T, f func(name string, fset *token.FileSet, file *ast.File)) {
	t.Helper()
	eachText(t, func(name string, text []byte) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		f(name, fset, file)
	})
}

// eachText calls f with the text of every Go file that is not generated, and its path from the root.
func eachText(t *testing.T, f func(name string, text []byte)) {
	t.Helper()
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (name == "testdata" || name == ".git" || name == "bin" || name == "out"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.HasPrefix(text, []byte("// Code generated ")) {
			return err
		}
		name, err := filepath.Rel(root, path)
		files++
		f(name, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 300 {
		t.Errorf("checked only %d files, want 300 or more: the tree was not found", files)
	}
}
