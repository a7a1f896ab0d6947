package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOtherSystemsCompile type-checks the whole module, with its tests, for other operating systems. It reads imported
// packages of other modules as source, without function bodies, since building them for each system would take minutes.
// Bodies of a package with tests are checked only together with them.
func TestOtherSystemsCompile(t *testing.T) {
	sources := &sources{fset: token.NewFileSet(), files: map[string]*ast.File{}}
	for _, system := range []string{"windows/amd64", "darwin/arm64"} {
		t.Run(system, func(t *testing.T) {
			goos, goarch, _ := strings.Cut(system, "/")
			typeErrors, packages, err := sources.checkModule(filepath.Join("..", ".."), goos, goarch)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range typeErrors {
				t.Error(w)
			}
			if packages < 50 {
				t.Errorf("checked only %d packages of this module, want 50 or more: the tree was not found", packages)
			}
		})
	}
}

// listedPackage has the fields of a package that go list prints.
type listedPackage struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Standard        bool
	Module          *struct{ Main bool }
	Error           *struct{ Err string }
}

// sources has the files that have been parsed.
type sources struct {
	fset  *token.FileSet
	files map[string]*ast.File // [path]
}

// listModule lists the packages of the module at root and those that they import, which come before them. withTests has
// the packages that are listed again, with their tests.
func listModule(root, goos, goarch string) (listed []listedPackage, withTests map[string]bool, err error) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-e",
		"-json=ImportPath,Dir,GoFiles,ImportMap,Standard,Module,Error", "./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	text, err := cmd.Output()
	if err != nil {
		return nil, nil, err
	}
	withTests = map[string]bool{}
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return listed, withTests, nil
		} else if err != nil {
			return nil, nil, err
		}
		if path, test, _ := strings.Cut(p.ImportPath, " "); test == "["+path+".test]" {
			withTests[path] = true
		}
		listed = append(listed, p)
	}
}

// checkModule returns the type errors in the module at root, each once, and the number of packages of this module.
func (s *sources) checkModule(root, goos, goarch string) (typeErrors []string, packages int, err error) {
	listed, withTests, err := listModule(root, goos, goarch)
	if err != nil {
		return nil, 0, err
	}
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	report := func(err error) { // an error in a package occurs again in the package with its tests
		if text := err.Error(); !slices.Contains(typeErrors, text) {
			typeErrors = append(typeErrors, text)
		}
	}
	for _, p := range listed {
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // .test is a generated main package
			continue
		}
		inModule := p.Module != nil && p.Module.Main
		if inModule {
			packages++
			if p.Error != nil {
				report(errors.New(p.Error.Err))
			}
		}
		pkg, errs := s.check(&p, checked, goarch, inModule && !withTests[p.ImportPath])
		checked[p.ImportPath] = pkg
		for _, err := range errs {
			if inModule {
				report(err)
			}
		}
	}
	return typeErrors, packages, nil
}

// check type-checks a package whose imports have been checked. Without bodies it checks only declarations.
func (s *sources) check(p *listedPackage, checked map[string]*types.Package, goarch string, bodies bool) (
	_ *types.Package, typeErrors []error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := s.file(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, []error{err}
		}
		files = append(files, f)
	}
	config := types.Config{
		IgnoreFuncBodies: !bodies,
		Sizes:            types.SizesFor("gc", goarch),
		Error:            func(err error) { typeErrors = append(typeErrors, err) },
		Importer: importer(func(path string) (*types.Package, error) {
			if to, ok := p.ImportMap[path]; ok {
				path = to
			}
			if pkg := checked[path]; pkg != nil {
				return pkg, nil
			}
			return nil, fmt.Errorf("package %s was not checked before", path)
		}),
	}
	path, _, _ := strings.Cut(p.ImportPath, " ") // go list prints "path [path.test]" for a package with its tests
	pkg, _ := config.Check(path, s.fset, files, nil)
	return pkg, typeErrors
}

func (s *sources) file(path string) (*ast.File, error) {
	if f := s.files[path]; f != nil {
		return f, nil
	}
	f, err := parser.ParseFile(s.fset, path, nil, parser.SkipObjectResolution)
	s.files[path] = f
	return f, err
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
