// Package lint has tests that check the source tree: layering of imports, sizes of folders, functions and lines,
// functions that depend on the processor, and compilation for other systems.
package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const module = "github.com/atoll-hpc/atoll/"

// mayImport is the layering: for each folder, the folders of this module, besides itself, whose packages its packages
// may import. The rule of the longest matching folder applies. * is any folder; = before a name means only the package
// in that folder, without those in its subfolders.
var mayImport = map[string][]string{
	"backend": {},
	"backend/cuda": {"backend", "kernelgen", "internal/dynlib",
		"internal/pattern"}, // kernelgen: to launch generated kernels
	"cmd/atoll": {"*"},
	"config":    {"internal/dates", "internal/pattern", "internal/portable", "internal/words", "formats/units"},
	"dist":      {"proto"},
	"dist/grpc": {"proto", "dist", "internal/atomicfile", "internal/guard"}, // atomicfile: to write certificates
	"examples": {"=solvers", "solvers/common", "solvers/engine", "config", "halo", "grid", "mesh", "backend", "dist",
		"kernelgen/abi",                          // for the examples that are solvers
		"internal/atomicfile", "internal/words"}, // for atoll example
	"examples/heat/kernels": {"backend", "kernelgen", "solvers/common/exact"},
	"formats": {"internal/atomicfile", "internal/dates", "internal/parallel", "internal/pattern",
		"internal/needs"}, // needs: in tests
	"grid":          {},
	"halo":          {"dist", "backend"},
	"halo/division": {"halo", "partition", "dist"},         // what set-up tells models of runs
	"kernelgen":     {"internal/dynlib", "internal/needs"}, // needs: in kerneltest, which only tests use
	"k8s":           {},
	"launch":        {"internal/atomicfile", "internal/guard", "dist"},
	"mesh": {"internal/atomicfile", "internal/disjoint", "internal/parallel", "internal/portable", "internal/words",
		"formats/netcdf"},
	"mesh/adapt": {"mesh", "internal/parallel", "partition", "backend", "kernelgen"},
	"partition":  {"internal/dynlib", "internal/parallel"},
	"proto":      {},
	"run": {"internal/atomicfile", "internal/checksum", "internal/guard", "internal/parallel", "internal/words", "config",
		"formats", "=solvers", "halo", "grid", "mesh", "partition", "dist", "backend", "kernelgen/lanes"},
	"run/runtest": {"run", "=solvers", "config", "mesh", "dist", "backend", "internal/atomicfile", "internal/checksum",
		"internal/needs"}, // only tests use it
	"launch/kube":      {"k8s", "internal/pattern"},
	"launch/slurmtest": {"internal/needs"}, // only tests use it
	"solvers": {"internal/atomicfile", "internal/parallel", "internal/portable", "internal/words", "config", "formats",
		"grid", "mesh", "halo", "partition", "backend", "dist", "kernelgen/abi",
		"kernelgen/atomics"}, // a solver may also import package solvers and solvers/common, but no other solver
	"solvers/common": {"=solvers", "internal/dates", "internal/disjoint", "internal/parallel", "internal/pattern",
		"config", "formats", "grid", "mesh", "halo", "partition", "dist",
		"kernelgen/abi", "kernelgen/atomics"},
	"solvers/verify": {"run", "=solvers", "solvers/common", "solvers/engine", "config", "halo", "grid", "mesh",
		"partition", "dist", "backend", "kernelgen/abi"}, // for solvers/*/verify and solvers/*/bench
	"solvers/engine":  {"=solvers", "halo", "grid", "backend", "dist", "kernelgen/abi"},
	"solvers/kernels": {"solvers/common", "backend", "kernelgen"}, // for solvers/*/kernels
}

func TestImportsPointDown(t *testing.T) {
	files := 0
	err := eachFile(filepath.Join("..", ".."), func(name string, f *ast.File) {
		folder := path.Dir(name)
		if strings.HasPrefix(folder, "internal/") {
			return
		}
		files++
		rule, own, allowed := ruleOf(folder)
		if rule == "" {
			t.Errorf("%s: the layering has no rule for the folder: add it to mayImport", name)
			return
		}
		for _, spec := range f.Imports {
			target, _ := strconv.Unquote(spec.Path.Value)
			target, ok := strings.CutPrefix(target, module)
			if ok && !isInside(target, own) && !slices.ContainsFunc(allowed, func(a string) bool {
				return isInside(target,
					a)
			}) {
				t.Errorf("%s imports %s: of this module, %s may import only %q", name, target, rule, allowed)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("checked only %d files, want 50 or more: the tree was not found", files)
	}
}

// borrowed are the packages of another solver on which a solver stands.
var borrowed = map[string][]string{
	"twophase": {"solvers/vof/kernels", "solvers/vof/plic"}, // planes of interfaces, and the fluid that passes faces
}

// ruleOf returns the key of a folder's rule in mayImport, the folder ownFolder, whose packages it may always
// import, and the other folders that it may import.
func ruleOf(folder string) (rule, ownFolder string, allowed []string) {
	parts := strings.Split(folder, "/")
	if len(parts) > 2 && parts[0] == "solvers" && parts[1] != "common" {
		ownFolder := strings.Join(parts[:2], "/")
		switch parts[2] {
		case "kernels":
			allowed := slices.Concat(mayImport["solvers/kernels"], borrowed[parts[1]])
			return "solvers/kernels", ownFolder + "/kernels", allowed
		case "verify", "bench":
			return "solvers/verify", ownFolder, mayImport["solvers/verify"]
		}
	}
	if folder == "solvers" {
		return folder, "=solvers", append([]string{"solvers/common", "solvers/kernels"}, mayImport[folder]...)
	}
	if len(parts) > 1 && parts[0] == "solvers" && parts[1] != "common" && parts[1] != "kernels" {
		allowed := slices.Concat([]string{"=solvers", "solvers/common", "solvers/engine"}, mayImport["solvers"],
			borrowed[parts[1]])
		return "solvers", strings.Join(parts[:2], "/"), allowed
	}
	for n := len(parts); n > 0; n-- {
		rule := strings.Join(parts[:n], "/")
		if a, ok := mayImport[rule]; ok {
			return rule, rule, a
		}
	}
	return "", "", nil
}

// isInside reports whether a package is in a folder, which is written as in mayImport.
func isInside(target, folder string) bool {
	if pkg, ok := strings.CutPrefix(folder, "="); ok {
		return target == pkg
	}
	return folder == "*" || target == folder || strings.HasPrefix(target, folder+"/")
}

// mayNameSolvers reports whether a file may name a solver: the solvers, examples and documentation may, and the file
// that lists the solvers of the program.
func mayNameSolvers(path string) bool {
	return isInside(path, "solvers") || isInside(path, "examples") || isInside(path, "docs") ||
		path == "cmd/atoll/kinds.go"
}

// TestOtherPackagesDoNotNameSolvers: no other file imports a solver, or has a string with the name of a solver, of its
// verification suite or of its folder as a word.
func TestOtherPackagesDoNotNameSolvers(t *testing.T) {
	root := filepath.Join("..", "..")
	names := solverNames(t, root)
	if len(names) < 7 {
		t.Fatalf("the solvers were not found: %q", names)
	}
	err := eachFile(root, func(path string, f *ast.File) {
		if mayNameSolvers(path) {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if !ok || text.Kind != token.STRING {
				return true
			}
			value, _ := strconv.Unquote(text.Value)
			if name := firstNamed(value, names); name != "" {
				t.Errorf("%s has the solver's name %q in %q: use the registry of package solvers", path, name, value)
			}
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// firstNamed returns the first of the names that is a word of text, or "". If text is an import path of this module,
// it returns the solver's folder.
func firstNamed(text string, names []string) string {
	if path, ok := strings.CutPrefix(text, module); ok {
		folder, ok := strings.CutPrefix(path, "solvers/")
		folder, _, _ = strings.Cut(folder, "/")
		if ok && slices.Contains(names, folder) {
			return folder
		}
		return ""
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) }) {
		if slices.Contains(names, word) {
			return word
		}
	}
	return ""
}

func TestFirstNamed(t *testing.T) {
	names := []string{"level-set", "vof"}
	for text, want := range map[string]string{"of vof: more": "vof", "a level-set": "level-set", "level": "", "vofs": "",
		module + "solvers/vof/bench": "vof", module + "solvers/common": ""} {
		if got := firstNamed(text, names); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// solverNames returns the names of the folders of solvers, and the names of the kinds and verification suites that
// they register.
func solverNames(t *testing.T, root string) (names []string) {
	folders, err := filepath.Glob(filepath.Join(root, "solvers", "*", "kernels"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range folders {
		names = append(names, filepath.Base(filepath.Dir(path)))
	}
	err = eachFile(filepath.Join(root, "solvers"), func(_ string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			kind, ok := literal.Type.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Kind", "Suite"}, kind.Sel.Name) {
				return true
			}
			for _, e := range literal.Elts {
				pair, ok := e.(*ast.KeyValueExpr)
				if !ok || pair.Key.(*ast.Ident).Name != "Name" {
					continue
				}
				if text, ok := pair.Value.(*ast.BasicLit); ok {
					name, _ := strconv.Unquote(text.Value)
					names = append(names, name)
				}
			}
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// eachFile calls f with every Go file that is not a test, and its path from the root.
func eachFile(root string, f func(path string, file *ast.File)) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || name == ".git" || name == "bin" || name == "out") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f(filepath.ToSlash(rel), file)
		return nil
	})
}
