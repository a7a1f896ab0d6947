package zig

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"go/format"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen"
)

// The Go files that Generate writes beside the kernels: for amd64, and for other architectures and race builds.
const (
	goFile    = "lanes_gen.go"
	otherFile = "lanes_other_gen.go"
)

// precisions are the types of numbers, by the suffixes of their entries.
var precisions = []struct {
	name string
	kind types.BasicKind
	size int
}{{"f32", types.Float32, 4}, {"f64", types.Float64, 8}}

// assembly is the vector code of a package for one precision, target and number of lanes.
type assembly struct {
	source      string   // in C++
	suffix      string   // of the assembly functions: "_" and the name of the target
	code        string   // symbol of the machine code
	file        string   // name of the file
	head        string   // its first line: see hashLine
	entries     []string // names of the functions in the source, without the suffix
	target      Target
	lanes, size int // indices computed at a time; bytes of a number
}

// assemblies returns the units of a package, each for one assembly file; none if it has no kernel marked lanes.
func assemblies(p *kernelgen.Package) ([]assembly, error) {
	var units []assembly
	for _, t := range Targets {
		for _, f := range precisions {
			narrow, wide := t.lanes(f.size, false), t.lanes(f.size, true)
			for _, n := range slices.Compact([]int{narrow, wide}) {
				include := func(k *kernelgen.Kernel) bool { return t.lanes(f.size, k.Wide) == n }
				source, entries, err := p.Lanes(f.kind, include)
				if err != nil {
					return nil, err
				}
				if len(entries) == 0 {
					continue
				}
				name := f.name + "_" + t.Name
				if n != narrow {
					name += fmt.Sprintf("_by%d", n)
				}
				units = append(units, assembly{
					source: source, suffix: "_" + t.Name, code: "code_" + name, entries: entries, target: t, lanes: n,
					size: f.size, file: "lanes_" + name + "_amd64.s", head: hashLine(source, t.Options(n, f.size)),
				})
			}
		}
	}
	return units, nil
}

// hashLine returns the first line of assembly: the SHA-256 of its source and options. Comments and line numbers are
// left out, so that the code stays current when a kernel moves to another line.
func hashLine(source string, options []string) string {
	hash := sha256.New()
	for _, o := range options {
		fmt.Fprintln(hash, o)
	}
	for line := range strings.Lines(source) {
		text := strings.TrimSpace(line)
		if text != "" && !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "#line ") {
			fmt.Fprintln(hash, text)
		}
	}
	return fmt.Sprintf("// sha256 of options and source: %x", hash.Sum(nil))
}

// Generate writes the vector code of the kernels in dir that are marked lanes, as Go assembly, and the functions that
// find and call it. It does not write files that are current, and compiles only changed sources. It returns the names
// of the written files. If a file is not current and there is no compiler, it removes the package's vector code, and
// the error is an [Uncompiled]: the kernels then run as plain Go.
func Generate(dir string, load func() (*Compiler, error)) ([]string, error) {
	p, err := kernelgen.Load(dir)
	if err != nil {
		return nil, err
	}
	all, err := assemblies(p)
	if err != nil || len(all) == 0 {
		return nil, errors.Join(err, removeOthers(dir, nil))
	}
	var written []string
	write := func(name, text string) error {
		if old, err := os.ReadFile(filepath.Join(dir, name)); err == nil && string(old) == text {
			return nil
		}
		written = append(written, name)
		return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
	}
	if err := write(otherFile, otherFileText(p.Name)); err != nil {
		return written, err
	}
	for _, u := range all {
		if u.checkCurrent(dir) == nil {
			continue
		}
		c, err := load()
		if err != nil {
			return written, errors.Join(Uncompiled{err}, removeOthers(dir, nil), write(goFile, goFileText(p.Name, nil)),
				write(otherFile, otherFileText(p.Name)))
		}
		text, err := u.compile(c)
		if err != nil {
			return written, err
		}
		if err := write(u.file, text); err != nil {
			return written, err
		}
	}
	return written, errors.Join(write(goFile, goFileText(p.Name, all)), removeOthers(dir, all))
}

// Uncompiled is the error of a package without vector code because there was no compiler.
type Uncompiled struct{ Cause error }

func (u Uncompiled) Error() string {
	return fmt.Sprintf("kernels marked lanes run as plain Go, which is slower: %v", u.Cause)
}

func (u Uncompiled) Unwrap() error { return u.Cause }

func (u *assembly) compile(c *Compiler) (string, error) {
	o, err := c.Compile(u.source, u.target, u.lanes, u.size)
	if err != nil {
		return "", err
	}
	return o.Assembly(u.head, u.entries, u.suffix, u.code)
}

// checkCurrent returns an error if the unit's assembly was not compiled from its present source.
func (u *assembly) checkCurrent(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, u.file))
	if err != nil {
		return err
	}
	if first, _, _ := strings.Cut(string(text), "\n"); first != u.head {
		return fmt.Errorf("%s is not compiled from the present kernels: run go generate there, on a machine with "+
			"ziglang %s", filepath.Join(dir, u.file), Version)
	}
	return nil
}

// removeOthers deletes old assembly files that belong to none of the units.
func removeOthers(dir string, all []assembly) error {
	found, err := filepath.Glob(filepath.Join(dir, "lanes_f??_*_amd64.s"))
	for _, path := range found {
		keep := false
		for _, u := range all {
			keep = keep || u.file == filepath.Base(path)
		}
		if !keep {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}

// Check returns an error if the generated files in dir are not current. It needs no compiler.
func Check(dir string) error {
	p, err := kernelgen.Load(dir)
	if err != nil {
		return err
	}
	all, err := assemblies(p)
	if err != nil || len(all) == 0 {
		return err
	}
	var wrong []error
	for _, u := range all {
		wrong = append(wrong, u.checkCurrent(dir))
	}
	for name, want := range map[string]string{goFile: goFileText(p.Name, all), otherFile: otherFileText(p.Name)} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && string(got) != want {
			err = fmt.Errorf("%s is stale: run go generate there", filepath.Join(dir, name))
		}
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

// Recompile compiles the kernels in dir of some files of assembly, and compares it with them.
func Recompile(dir string, c *Compiler, files ...string) error {
	p, err := kernelgen.Load(dir)
	if err != nil {
		return err
	}
	all, err := assemblies(p)
	all = slices.DeleteFunc(all, func(u assembly) bool { return !slices.Contains(files, u.file) })
	if err == nil && len(all) < len(files) {
		return fmt.Errorf("%s has only %d of the files %q", dir, len(all), files)
	}
	for _, u := range all {
		want, failed := u.compile(c)
		got, missing := os.ReadFile(filepath.Join(dir, u.file))
		err = errors.Join(err, failed, missing)
		if failed == nil && missing == nil && want != string(got) {
			err = errors.Join(err, fmt.Errorf("%s differs from the compiler's output", filepath.Join(dir, u.file)))
		}
	}
	return err
}

const callLanesHead = `
// callLanes runs code for indices lo to hi, all of them whole groups of lanes.
func callLanes(code lanes.Code, loop unsafe.Pointer, lo, hi, j, k int, result unsafe.Pointer) {
`

// goFileText returns the Go file that finds and calls the units' code.
func goFileText(name string, all []assembly) string {
	var s, find, call, declare strings.Builder
	n := 0
	for _, u := range all {
		fmt.Fprintf(&find, "lanes.%s: {\n", strings.ToUpper(u.target.Name))
		for _, e := range u.entries {
			n++
			fmt.Fprintf(&find, "%q: {Entry: %d, Lanes: %d},\n", e, n, u.lanes)
			fmt.Fprintf(&call, "case %d:\n%s%s(loop, lo, hi, j, k, result)\n", n, e, u.suffix)
			fmt.Fprintf(&declare, "\n//go:noescape\nfunc %s%s(loop unsafe.Pointer, lo, hi, j, k int, "+
				"result unsafe.Pointer)\n", e, u.suffix)
		}
		find.WriteString("},\n")
	}
	fmt.Fprintf(&s, "// Code generated by kernelgen. DO NOT EDIT.\n\n//go:build amd64 && !race\n\npackage %s\n\n"+
		"import (\n\"unsafe\"\n\n\"github.com/atoll-hpc/atoll/kernelgen/lanes\"\n)\n\n"+
		"// findLanes is the code of a kernel for a set of vectors.\n"+
		"func findLanes(set lanes.Set, kernel string) lanes.Code {\n"+
		"return laneCodes[set][kernel]\n}\n\nvar laneCodes = map[lanes.Set]map[string]lanes.Code{\n%s}\n%sswitch "+
		"code.Entry {\n%s}\n}\n%s", name, merge(find.String()), callLanesHead, call.String(), declare.String())
	out, err := format.Source([]byte(s.String()))
	if err != nil {
		panic(err) // the text above is wrong
	}
	return string(out)
}

// merge joins the tables of both precisions for each instruction set.
func merge(tables string) string {
	var s strings.Builder
	for _, t := range Targets {
		head := fmt.Sprintf("lanes.%s: {\n", strings.ToUpper(t.Name))
		parts := strings.Split(tables, head)
		if len(parts) < 2 {
			continue
		}
		s.WriteString(head)
		for _, part := range parts[1:] {
			lines, _, _ := strings.Cut(part, "\n},\n")
			s.WriteString(lines + "\n")
		}
		s.WriteString("},\n")
	}
	return s.String()
}

// otherFileText returns the Go file for builds without vector code.
func otherFileText(name string) string {
	return fmt.Sprintf(`// Code generated by kernelgen. DO NOT EDIT.

//go:build !amd64 || race

package %s

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/kernelgen/lanes"
)

func findLanes(lanes.Set, string) lanes.Code { return lanes.Code{} }

func callLanes(lanes.Code, unsafe.Pointer, int, int, int, int, unsafe.Pointer) {}
`, name)
}
