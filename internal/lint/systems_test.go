package lint

import (
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

// TestOtherSystemsCompile checks the types of the whole module, its tests included, for systems that this is not. What
// it takes from elsewhere is read as source, without the bodies of functions: to build it for each would take minutes.
func TestOtherSystemsCompile(t *testing.T) {
	sources := &sources{fset: token.NewFileSet(), files: map[string]*ast.File{}}
	for _, system := range []string{"windows/amd64", "darwin/arm64"} {
		t.Run(system, func(t *testing.T) {
			goos, goarch, _ := strings.Cut(system, "/")
			wrong, own, err := sources.checkModule(filepath.Join("..", ".."), goos, goarch)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range wrong {
				t.Error(w)
			}
			if own < 50 {
				t.Errorf("only %d packages of this module looked at: the tree was not found", own)
			}
		})
	}
}

// listed is what go list tells of a package.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Standard        bool
	Module          *struct{ Main bool }
	Error           *struct{ Err string }
}

// sources are files that have been read, by path.
type sources struct {
	fset  *token.FileSet
	files map[string]*ast.File
}

// checkModule returns the errors in the module at root, each once, and how many packages it has.
func (s *sources) checkModule(root, goos, goarch string) (wrong []string, own int, err error) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-e",
		"-json=ImportPath,Dir,GoFiles,ImportMap,Standard,Module,Error", "./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	tell := func(err error) { // what is in a package is in that with its tests too
		if text := err.Error(); !slices.Contains(wrong, text) {
			wrong = append(wrong, text)
		}
	}
	for list := json.NewDecoder(out); ; {
		var p listed
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			return wrong, own, cmd.Wait()
		} else if err != nil {
			return nil, 0, errors.Join(err, cmd.Wait())
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // whose main is generated
			continue
		}
		ours := p.Module != nil && p.Module.Main
		if ours {
			own++
			if p.Error != nil {
				tell(errors.New(p.Error.Err))
			}
		}
		found, errs := s.check(&p, checked, goarch, ours)
		checked[p.ImportPath] = found
		for _, err := range errs {
			if ours {
				tell(err)
			}
		}
	}
}

// check checks the types of a package; those that it imports have been. Without bodies only what it declares is looked
// at.
func (s *sources) check(p *listed, checked map[string]*types.Package, goarch string, bodies bool) (
	_ *types.Package, wrong []error) {
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
		Error:            func(err error) { wrong = append(wrong, err) },
		Importer: importer(func(path string) (*types.Package, error) {
			if to, ok := p.ImportMap[path]; ok {
				path = to
			}
			if found := checked[path]; found != nil {
				return found, nil
			}
			return nil, fmt.Errorf("no package %s", path)
		}),
	}
	path, _, _ := strings.Cut(p.ImportPath, " ") // of a package as its tests see it
	found, _ := config.Check(path, s.fset, files, nil)
	return found, wrong
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
