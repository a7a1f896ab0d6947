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

// maxFiles is how many Go files a folder may have that are neither tests nor generated.
const maxFiles = 25

// TestFoldersAreSmall: no folder has more than maxFiles, so that its list of files shows what it contains.
func TestFoldersAreSmall(t *testing.T) {
	count := map[string]int{}
	eachHandWritten(t, func(name string, _ *token.FileSet, _ *ast.File) {
		if !strings.HasSuffix(name, "_test.go") {
			count[filepath.ToSlash(filepath.Dir(name))]++
		}
	})
	for folder, n := range count {
		if n > maxFiles {
			t.Errorf("%s has %d Go files, want at most %d: move some to a package of their own", folder, n, maxFiles)
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
