// Package source reads a Go package of kernels. [Load] parses and type-checks the package and those that it imports,
// and reads the //atoll: marks of kernels, types and loops. The result is a [Package] with its [Kernel]s. Mistakes are
// collected with their positions, as [Refused] errors.
package source

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/reductions"
)

// Package is a Go package whose kernels can be translated.
type Package struct {
	Dir     string
	Name    string
	Kernels []*Kernel // in the order of files and lines

	Fset     *token.FileSet
	files    []*ast.File             // of this package and of those that it imports from source
	sources  map[*types.Package]bool // whose functions and types can be translated: this one, and what it imports
	Info     *types.Info
	Types    *types.Package
	Decls    map[*types.Func]*ast.FuncDecl
	Comments map[*types.Func]ast.CommentMap
	Specs    map[*types.TypeName]typeDecl
	Machine  []string             // GPUs for which //atoll:machine requests machine code
	Rare     map[*types.Func]bool // functions marked //atoll:rare, whose callers vector code collects
	Refusals refusals
}

// typeDecl is the declaration of a type, with its comment and mark.
type typeDecl struct {
	Spec     *ast.TypeSpec
	Doc      *ast.CommentGroup
	Constant bool // marked //atoll:constant
}

// isGenerated reports whether a file is generated and not read: those of reductions are, since they have kernels.
func isGenerated(name string) bool {
	return strings.HasSuffix(name, "_gen.go") && name != reductions.File
}

// Load parses and type-checks the package in dir, with the packages that it imports except the standard library, and
// finds its kernels. It ignores tests and files that end in _gen.go. The error lists all mistakes with file, line and
// column.
func Load(dir string) (*Package, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	found, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, fmt.Errorf("kernelgen: %w", err)
	}
	p := &Package{
		Dir:      dir,
		Name:     found.Name,
		Fset:     token.NewFileSet(),
		sources:  map[*types.Package]bool{},
		Decls:    map[*types.Func]*ast.FuncDecl{},
		Comments: map[*types.Func]ast.CommentMap{},
		Specs:    map[*types.TypeName]typeDecl{},
		Rare:     map[*types.Func]bool{},
		Info: &types.Info{
			Types:      map[ast.Expr]types.TypeAndValue{},
			Defs:       map[*ast.Ident]types.Object{},
			Uses:       map[*ast.Ident]types.Object{},
			Implicits:  map[ast.Node]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
			Instances:  map[*ast.Ident]types.Instance{},
			Scopes:     map[ast.Node]*types.Scope{},
		},
	}
	if err := newLoader(p).load(found); err != nil {
		return nil, fmt.Errorf("kernelgen: %w", err)
	}
	if err := p.Refusals.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// Sizes are the sizes of types on amd64, which CUDA shares: every number is aligned to its size.
var Sizes = types.SizesFor("gc", "amd64")

// declarations records the functions and types of a package's files, and the kernels if it is the package that is
// translated. Kernels of other packages are ordinary functions.
func (p *Package) declarations(pkg *types.Package, files []*ast.File) {
	p.sources[pkg] = true
	p.files = append(p.files, files...)
	for _, file := range files {
		p.fileDeclarations(file, pkg == p.Types)
	}
}

func (p *Package) fileDeclarations(file *ast.File, isKernelPackage bool) {
	comments := ast.NewCommentMap(p.Fset, file, file.Comments)
	if isKernelPackage {
		p.machineCode(file)
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			fn, ok := p.Info.Defs[d.Name].(*types.Func)
			if !ok {
				continue
			}
			p.Decls[fn] = d
			p.Comments[fn] = comments
			if !isKernelPackage {
				continue
			}
			for _, words := range p.Directives(d.Doc) {
				p.kernel(fn, d, words)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok {
					p.typeDecl(d, s)
				}
			}
		}
	}
}

func (p *Package) typeDecl(d *ast.GenDecl, s *ast.TypeSpec) {
	name, ok := p.Info.Defs[s.Name].(*types.TypeName)
	if !ok {
		return
	}
	t := typeDecl{Spec: s, Doc: s.Doc}
	if t.Doc == nil && len(d.Specs) == 1 {
		t.Doc = d.Doc
	}
	for _, words := range p.Directives(t.Doc) {
		if words[0] == "constant" && len(words) == 1 {
			t.Constant = true
			continue
		}
		p.Refuse(s, "//atoll:%s before a type: a type can only be marked //atoll:constant", strings.Join(words, " "))
	}
	p.Specs[name] = t
}

// Directives returns the words after //atoll: of each such line of a comment.
func (p *Package) Directives(doc *ast.CommentGroup) [][]string {
	if doc == nil {
		return nil
	}
	var directives [][]string
	for _, c := range doc.List {
		text, ok := strings.CutPrefix(c.Text, "//atoll:")
		if !ok {
			continue
		}
		words := strings.Fields(text)
		if len(words) == 0 {
			p.Refuse(c, "//atoll: without a word: write //atoll:kernel or //atoll:constant")
			continue
		}
		directives = append(directives, words)
	}
	return directives
}

// Refused is an error about something that kernels may not contain.
type Refused struct {
	At     token.Position
	Reason string
}

func (r Refused) Error() string { return fmt.Sprintf("%v: %s", r.At, r.Reason) }

type refusals []Refused

// Err returns all refusals in the order of their positions, without duplicates, or nil.
func (r refusals) Err() error {
	slices.SortStableFunc(r, func(a, b Refused) int {
		return cmp.Or(cmp.Compare(a.At.Filename, b.At.Filename), cmp.Compare(a.At.Offset, b.At.Offset),
			cmp.Compare(a.Reason, b.Reason))
	})
	var errs []error
	for i, refused := range r {
		if i == 0 || refused != r[i-1] {
			errs = append(errs, refused)
		}
	}
	return errors.Join(errs...)
}

// Refuse adds a mistake at a node to p.Refusals.
func (p *Package) Refuse(at ast.Node, format string, args ...any) {
	p.Refusals = append(p.Refusals, Refused{p.Fset.Position(at.Pos()), fmt.Sprintf(format, args...)})
}

// Location returns the file and line of a node. A file of another package is preceded by the name of its folder.
func (p *Package) Location(n ast.Node) string {
	at := p.Fset.Position(n.Pos())
	name := filepath.Base(at.Filename)
	if dir := filepath.Dir(at.Filename); dir != p.Dir {
		name = filepath.Base(dir) + "/" + name
	}
	return fmt.Sprintf("%s:%d", name, at.Line)
}

// machineCode records the GPUs for which a package requests machine code, by a line in one of its files:
//
//	//atoll:machine sm_80 sm_90
func (p *Package) machineCode(file *ast.File) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if names, ok := strings.CutPrefix(c.Text, "//atoll:machine "); ok {
				p.Machine = append(p.Machine, strings.Fields(names)...)
			}
		}
	}
	slices.Sort(p.Machine)
}
