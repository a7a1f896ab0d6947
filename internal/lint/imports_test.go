// Package lint holds checks of the source tree as tests.
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

// mayImport is the layering: what of ours the packages of each folder may import besides their own. Arrows point down
// only. The longest matching folder counts; = before a name means that package without those in its folder.
var mayImport = map[string][]string{
	"backend":      {},
	"backend/cuda": {"backend", "kernelgen", "internal/dynlib"}, // how generated kernels are launched
	"cmd/atoll":    {"*"},
	"config":       {"internal/portable", "internal/words"},
	"dist":         {"proto"},
	"dist/grpc":    {"proto", "dist", "internal/atomicfile"}, // how certificates are written
	"examples": {"=solvers", "solvers/common", "config", "halo", "grid", "mesh", "backend", "dist",
		"kernelgen/abi"}, // those that are solvers
	"examples/heat/kernels": {"backend", "kernelgen"},
	"formats":               {"internal/atomicfile", "internal/parallel", "internal/needs"}, // needs in tests
	"grid":                  {},
	"halo":                  {"dist", "backend"},
	"kernelgen":             {"internal/dynlib", "internal/needs"}, // needs in what tests use: kerneltest
	"k8s":                   {},
	"launch":                {"internal/atomicfile", "dist"},
	"mesh":                  {"internal/atomicfile", "internal/parallel"},
	"partition":             {"internal/dynlib", "internal/parallel"},
	"proto":                 {},
	"run": {"internal/atomicfile", "internal/parallel", "internal/words", "config", "formats", "=solvers", "halo", "grid",
		"mesh", "partition", "dist", "backend", "kernelgen/lanes"},
	"run/runtest":      {"run", "=solvers", "config", "mesh", "dist", "backend", "internal/needs"}, // which only tests use
	"launch/kube":      {"k8s"},
	"launch/slurmtest": {"internal/needs"}, // which only tests use
	"solvers": {"internal/atomicfile", "internal/parallel", "internal/portable", "internal/words", "config", "formats",
		"grid", "mesh", "halo", "partition", "backend", "dist", "kernelgen/abi", "kernelgen/atomics"},
	"solvers/common": {"=solvers", "internal/parallel", "config", "formats", "grid", "mesh", "halo", "partition", "dist",
		"kernelgen/abi", "kernelgen/atomics"},
	"solvers/verify": {"run", "=solvers", "solvers/common", "config", "halo", "grid", "mesh", "partition", "dist",
		"backend", "kernelgen/abi"}, // of any solver, as solvers/bench
	"solvers/kernels": {"solvers/common", "backend", "kernelgen"}, // of any solver: pure functions and their launchers
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
			t.Errorf("%s: the folder has no place in the layering: add it to mayImport", name)
			return
		}
		for _, spec := range f.Imports {
			target, _ := strconv.Unquote(spec.Path.Value)
			target, ok := strings.CutPrefix(target, module)
			if ok && !inside(target, own) && !slices.ContainsFunc(allowed, func(a string) bool { return inside(target, a) }) {
				t.Errorf("%s imports %s: %s may import only %q of ours", name, target, rule, allowed)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("only %d files looked at: the tree was not found", files)
	}
}

// ruleOf finds the rule of a folder, the folder that counts as its own, and what else it may import.
func ruleOf(folder string) (rule, own string, allowed []string) {
	parts := strings.Split(folder, "/")
	if len(parts) > 2 && parts[0] == "solvers" && parts[1] != "common" {
		own := strings.Join(parts[:2], "/")
		switch parts[2] {
		case "kernels":
			return "solvers/kernels", own + "/kernels", mayImport["solvers/kernels"]
		case "verify", "bench":
			return "solvers/verify", own, mayImport["solvers/verify"]
		}
	}
	for n := len(parts); n > 0; n-- {
		rule := strings.Join(parts[:n], "/")
		if a, ok := mayImport[rule]; ok {
			return rule, rule, a
		}
	}
	return "", "", nil
}

// inside reports whether a package is in a folder; * is any, and = before a name is that package alone.
func inside(target, folder string) bool {
	if alone, ok := strings.CutPrefix(folder, "="); ok {
		return target == alone
	}
	return folder == "*" || target == folder || strings.HasPrefix(target, folder+"/")
}

// knowsSolvers are the places that may name a solver: the solvers, what is written for readers, and the list of those
// that are in the program.
func knowsSolvers(path string) bool {
	return inside(path, "solvers") || inside(path, "examples") || inside(path, "docs") || path == "cmd/atoll/kinds.go"
}

// TestNoSolverIsKnown: everywhere else nothing imports a solver, and no text has as a word what a solver or its
// checks are called in cases and commands, or the folder of one.
func TestNoSolverIsKnown(t *testing.T) {
	root := filepath.Join("..", "..")
	names := solverNames(t, root)
	if len(names) < 7 {
		t.Fatalf("the solvers were not found: %q", names)
	}
	err := eachFile(root, func(path string, f *ast.File) {
		if knowsSolvers(path) {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if !ok || text.Kind != token.STRING {
				return true
			}
			value, _ := strconv.Unquote(text.Value)
			if name := named(value, names); name != "" {
				t.Errorf("%s names %q in %q: ask the registry of package solvers", path, name, value)
			}
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// named returns the first of the names that a text has as a word; of a path only the folders of solvers count.
func named(text string, names []string) string {
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

func TestNamesAreFound(t *testing.T) {
	names := []string{"level-set", "vof"}
	for text, want := range map[string]string{"of vof: more": "vof", "a level-set": "level-set", "level": "", "vofs": "",
		module + "solvers/vof/bench": "vof", module + "solvers/common": ""} {
		if got := named(text, names); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

// solverNames are the folders of solvers, and what they register there: kinds, and suites of checks.
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
			of, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			kind, ok := of.Type.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Kind", "Suite"}, kind.Sel.Name) {
				return true
			}
			for _, e := range of.Elts {
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

// eachFile calls f with every file of Go that is no test, by its path from the root.
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
