package zig

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// assemblyFiles returns all files of vector code in the repository.
func assemblyFiles(t *testing.T) []string {
	var all []string
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), "lanes_f") && strings.HasSuffix(d.Name(), "_amd64.s") {
			all = append(all, path)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("no vector code found: %v", err)
	}
	return all
}

var (
	quads  = regexp.MustCompile(`QUAD \$0x([0-9a-f]{16})`)
	fused  = regexp.MustCompile(`\tvfn?m(add|sub)`)
	vector = regexp.MustCompile(`\tv(add|mul|sub)p[sd]`)
)

// TestNothingIsFused proves that vector code has no fused multiply-adds, by disassembling it.
func TestNothingIsFused(t *testing.T) {
	objdump := needs.Program(t, "objdump", "binutils")
	for _, path := range assemblyFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var code []byte
		for _, m := range quads.FindAllStringSubmatch(string(text), -1) {
			word, err := strconv.ParseUint(m[1], 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			code = binary.LittleEndian.AppendUint64(code, word)
		}
		file := filepath.Join(t.TempDir(), "code")
		if err := os.WriteFile(file, code, 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(objdump, "-D", "-b", "binary", "-m", "i386:x86-64", file).Output()
		if err != nil {
			t.Fatal(err)
		}
		if len(vector.FindAll(out, -1)) < 10 {
			t.Errorf("%s: the disassembly has fewer than 10 vector operations", path)
		}
		if found := fused.Find(out); found != nil {
			t.Errorf("%s: %s", path, found)
		}
	}
}

// TestCompilerReproducesCommittedCode proves that the pinned compiler reproduces the committed code of one package, of
// each set of vectors and in each precision. The other files, which are larger, take a minute.
func TestCompilerReproducesCommittedCode(t *testing.T) {
	c, err := Load()
	if errors.Is(err, ErrMissing) {
		needs.Missing(t, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := Recompile(filepath.Join("..", "..", "solvers", "smooth", "kernels"), c, "lanes_f64_avx2_amd64.s",
		"lanes_f32_avx512_amd64.s"); err != nil {
		t.Error(err)
	}
}

// TestErrorsOfCompile proves that calls of undefined functions are errors, and that errors name the source line.
func TestErrorsOfCompile(t *testing.T) {
	c, err := Load()
	if err != nil {
		needs.Missing(t, "%v", err)
	}
	for source, want := range map[string]string{
		"extern \"C\" int other(int);\nextern \"C\" int f(int x) { return other(x) + 1; }\n": `needs "other"`,
		"#line 7 \"flux.go\"\nextern \"C\" int f(int x) { return y; }\n":                     "flux.go:7:",
	} {
		if _, err := c.Compile(source, Targets[0], 4, 8); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", source, err, want)
		}
	}
}
