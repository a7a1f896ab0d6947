package kernelgen

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
)

// Package is a Go package whose kernels can be translated.
type Package struct {
	Dir     string
	Name    string
	Kernels []*Kernel // in the order of files and lines

	fset     *token.FileSet
	files    []*ast.File             // of this package and of those that it imports from source
	sources  map[*types.Package]bool // whose functions and types can be translated: this one, and what it imports
	info     *types.Info
	types    *types.Package
	decls    map[*types.Func]*ast.FuncDecl
	comments map[*types.Func]ast.CommentMap
	specs    map[*types.TypeName]typeDecl
	machine  []string             // GPUs that there is machine code for
	rare     map[*types.Func]bool // functions that vector code leaves to Go
	refusals refusals
}

// typeDecl is where a type is declared and what its comments say.
type typeDecl struct {
	spec     *ast.TypeSpec
	doc      *ast.CommentGroup
	constant bool // marked //atoll:constant
}

// generated ends the names of files that this package writes; they are no input.
const generated = "_gen.go"

// Load parses and type-checks the package in dir, with all that it imports but the standard library, and finds its
// kernels. Files that end in _gen.go and tests are left out. The error names file, line and column of everything that
// is wrong.
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
		fset:     token.NewFileSet(),
		sources:  map[*types.Package]bool{},
		decls:    map[*types.Func]*ast.FuncDecl{},
		comments: map[*types.Func]ast.CommentMap{},
		specs:    map[*types.TypeName]typeDecl{},
		rare:     map[*types.Func]bool{},
		info: &types.Info{
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
	if err := p.refusals.err(); err != nil {
		return nil, err
	}
	return p, nil
}

// sizes are those of Go on amd64, and of CUDA: every number is aligned to its size.
var sizes = types.SizesFor("gc", "amd64")

// declarations notes the functions and types of a package's files, and the kernels of the package that is translated:
// the kernels of another one are plain functions here.
func (p *Package) declarations(pkg *types.Package, files []*ast.File) {
	p.sources[pkg] = true
	p.files = append(p.files, files...)
	for _, file := range files {
		p.fileDeclarations(file, pkg == p.types)
	}
}

func (p *Package) fileDeclarations(file *ast.File, own bool) {
	comments := ast.NewCommentMap(p.fset, file, file.Comments)
	if own {
		p.machineCode(file)
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			fn, ok := p.info.Defs[d.Name].(*types.Func)
			if !ok {
				continue
			}
			p.decls[fn] = d
			p.comments[fn] = comments
			if !own {
				continue
			}
			for _, words := range p.directives(d.Doc) {
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
	name, ok := p.info.Defs[s.Name].(*types.TypeName)
	if !ok {
		return
	}
	t := typeDecl{spec: s, doc: s.Doc}
	if t.doc == nil && len(d.Specs) == 1 {
		t.doc = d.Doc
	}
	for _, words := range p.directives(t.doc) {
		if words[0] == "constant" && len(words) == 1 {
			t.constant = true
			continue
		}
		p.refuse(s, "//atoll:%s stands before a type: a type can only be marked //atoll:constant", strings.Join(words, " "))
	}
	p.specs[name] = t
}

// directives returns the words of each //atoll: line of a comment.
func (p *Package) directives(doc *ast.CommentGroup) [][]string {
	if doc == nil {
		return nil
	}
	var all [][]string
	for _, c := range doc.List {
		text, ok := strings.CutPrefix(c.Text, "//atoll:")
		if !ok {
			continue
		}
		words := strings.Fields(text)
		if len(words) == 0 {
			p.refuse(c, "//atoll: without a word: write //atoll:kernel or //atoll:constant")
			continue
		}
		all = append(all, words)
	}
	return all
}

// Refused is something that kernels may not contain.
type Refused struct {
	At     token.Position
	Reason string
}

func (r Refused) Error() string { return fmt.Sprintf("%v: %s", r.At, r.Reason) }

type refusals []Refused

// err returns all refusals in the order of their positions, each once, or nil.
func (r refusals) err() error {
	slices.SortStableFunc(r, func(a, b Refused) int {
		return cmp.Or(cmp.Compare(a.At.Filename, b.At.Filename), cmp.Compare(a.At.Offset, b.At.Offset),
			cmp.Compare(a.Reason, b.Reason))
	})
	var all []error
	for i, one := range r {
		if i == 0 || one != r[i-1] {
			all = append(all, one)
		}
	}
	return errors.Join(all...)
}

func (p *Package) refuse(at ast.Node, format string, args ...any) {
	p.refusals = append(p.refusals, Refused{p.fset.Position(at.Pos()), fmt.Sprintf(format, args...)})
}

// place is the file and line of a node: of the package itself without the folder, of another one with its last part.
func (p *Package) place(n ast.Node) string {
	at := p.fset.Position(n.Pos())
	name := filepath.Base(at.Filename)
	if dir := filepath.Dir(at.Filename); dir != p.Dir {
		name = filepath.Base(dir) + "/" + name
	}
	return fmt.Sprintf("%s:%d", name, at.Line)
}

// machineCode notes for which GPUs a package asks for machine code beside its PTX, by a line in one of its files:
//
//	//atoll:machine sm_80 sm_90
func (p *Package) machineCode(file *ast.File) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if names, ok := strings.CutPrefix(c.Text, "//atoll:machine "); ok {
				p.machine = append(p.machine, strings.Fields(names)...)
			}
		}
	}
	slices.Sort(p.machine)
}
