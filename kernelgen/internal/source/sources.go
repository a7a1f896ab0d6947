package source

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

// Packages that the translator treats specially.
const (
	ABIPath     = "github.com/atoll-hpc/atoll/kernelgen/abi"
	AtomicsPath = "github.com/atoll-hpc/atoll/kernelgen/atomics"
)

// loader type-checks a package of kernels and its imports. It reads only the declarations of the standard library, and
// the source of all other packages, so that their functions and types can be translated too.
type loader struct {
	p        *Package
	standard types.ImporterFrom
	checked  map[string]*types.Package // by import path; nil while it is being checked
	module   string                    // the module path of the package's go.mod, or empty
	root     string                    // the folder of that go.mod
}

// load checks the package of the kernels itself.
func (l *loader) load(found *build.Package) error {
	pkg, files, err := l.check(found, l.importPath(found))
	if err != nil {
		return err
	}
	l.p.Types = pkg
	l.p.declarations(pkg, files)
	return nil
}

func newLoader(p *Package) *loader {
	l := &loader{
		p: p, checked: map[string]*types.Package{},
		standard: importer.ForCompiler(p.Fset, "source", nil).(types.ImporterFrom),
	}
	l.root, l.module = moduleOf(p.Dir)
	return l
}

// Import is never called: types.Checker prefers ImportFrom.
func (l *loader) Import(path string) (*types.Package, error) { return l.ImportFrom(path, l.p.Dir, 0) }

// ImportFrom returns the package that a file in dir imports as path.
func (l *loader) ImportFrom(path, dir string, mode types.ImportMode) (*types.Package, error) {
	if pkg, ok := l.checked[path]; ok {
		if pkg == nil {
			return nil, fmt.Errorf("import cycle through %s", path)
		}
		return pkg, nil
	}
	found, err := l.find(path, dir)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return l.standard.ImportFrom(path, dir, mode)
	}
	pkg, files, err := l.check(found, path)
	if err != nil {
		return nil, err
	}
	if path != ABIPath && path != AtomicsPath {
		l.p.declarations(pkg, files)
	}
	return pkg, nil
}

// find returns the package of an import, or nil if it belongs to the standard library.
func (l *loader) find(path, dir string) (*build.Package, error) {
	if path == "unsafe" || path == "C" {
		return nil, nil
	}
	if inside, ok := strings.CutPrefix(path+"/", l.module+"/"); ok && l.module != "" {
		return build.ImportDir(filepath.Join(l.root, filepath.FromSlash(inside)), 0)
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		if found, err := os.Stat(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(path))); err == nil &&
			found.IsDir() {
			return nil, nil
		}
	}
	return build.Import(path, dir, 0) // another module: go/build asks the go command
}

// check parses and type-checks a package.
func (l *loader) check(found *build.Package, path string) (*types.Package, []*ast.File, error) {
	l.checked[path] = nil
	p := l.p
	var files []*ast.File
	for _, name := range found.GoFiles {
		if isGenerated(name) {
			continue
		}
		file, err := parser.ParseFile(p.Fset, filepath.Join(found.Dir, name), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
	}
	var wrong []error
	config := types.Config{Importer: l, Sizes: Sizes, Error: func(err error) { wrong = append(wrong, err) }}
	pkg, _ := config.Check(path, p.Fset, files, p.Info)
	if len(wrong) > 0 {
		return nil, nil, errors.Join(wrong...)
	}
	l.checked[path] = pkg
	return pkg, files, nil
}

// moduleOf returns the folder of the go.mod that governs dir, and its module path, or empty strings.
func moduleOf(dir string) (root, path string) {
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			for line := range strings.Lines(string(text)) {
				if words := strings.Fields(line); len(words) == 2 && words[0] == "module" {
					return dir, strings.Trim(words[1], `"`)
				}
			}
			return "", ""
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
	}
}

// importPath returns the import path of the package of kernels, or its name if there is no module.
func (l *loader) importPath(found *build.Package) string {
	if rel, err := filepath.Rel(l.root, l.p.Dir); err == nil && l.module != "" {
		return strings.TrimSuffix(l.module+"/"+filepath.ToSlash(rel), "/.")
	}
	return found.Name
}

// IsSource reports whether the functions and types of a package can be translated.
func (p *Package) IsSource(pkg *types.Package) bool { return pkg != nil && p.sources[pkg] }

// IsPackageVariable reports whether a variable is declared at package level.
func IsPackageVariable(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// Qualify is a types.Qualifier: it returns nothing for the package of the kernels, and the name of any other.
func (p *Package) Qualify(other *types.Package) string {
	if other == p.Types {
		return ""
	}
	return other.Name()
}
