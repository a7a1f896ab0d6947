package kernelgen_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/kernelgen"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/nvrtc"
	"github.com/atoll-hpc/atoll/kernelgen/zig"
)

// kernelFolders returns the folders of the repository with generated kernels.
func kernelFolders(t *testing.T) []string {
	var dirs []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "kernels_gen.cu" {
			dirs = append(dirs, filepath.Dir(path))
		}
		return err
	})
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no generated kernels found: %v", err)
	}
	return dirs
}

// TestGeneratedFilesAreCurrent proves that every PTX was compiled from the present kernels and has no fused
// multiply-add.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	for _, dir := range kernelFolders(t) {
		if err := kernelgen.Check(dir, nvrtc.Options); err != nil {
			t.Error(err)
		}
		if err := zig.Check(dir); err != nil {
			t.Error(err)
		}
		ptx, err := os.ReadFile(filepath.Join(dir, "kernels_gen.ptx"))
		if err != nil {
			t.Error(err)
		}
		if bytes.Contains(ptx, []byte("fma.")) {
			t.Errorf("%s: the PTX has a fused multiply-add", dir)
		}
	}
}

// TestEveryKernelCompilesForTheGPU compiles every kernel with NVRTC. With -dlto the compiler stops after its front end,
// which reports the errors; the back end takes half a minute.
func TestEveryKernelCompilesForTheGPU(t *testing.T) {
	c, err := nvrtc.Load()
	if errors.Is(err, nvrtc.ErrMissing) {
		needs.Missing(t, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	options := append(slices.Clone(nvrtc.Options), "-dlto")
	for _, dir := range kernelFolders(t) {
		source, err := os.ReadFile(filepath.Join(dir, "kernels_gen.cu"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Compile(filepath.Join(dir, "kernels_gen.cu"), string(source), options...); err != nil {
			t.Error(err)
		}
	}
}

// TestEveryKernelIsRun proves that the tests of each package of kernels use kerneltest.Main, which finds untested
// kernels.
func TestEveryKernelIsRun(t *testing.T) {
	call := regexp.MustCompile(`kerneltest\.Main\(m, "([^"]+)"\)`)
	tested := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range call.FindAllSubmatch(text, -1) {
			tested[filepath.Join(filepath.Dir(path), string(m[1]))] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range kernelFolders(t) {
		if !tested[dir] {
			t.Errorf("%s: no TestMain calls kerneltest.Main for its kernels", dir)
		}
	}
}

const oneKernel = "package p\n\n//atoll:kernel\nfunc Double(i int, x []float64) { x[i] *= 2 }\n"

// fakeCompiler stands for NVRTC in tests and counts the calls of Compile.
type fakeCompiler struct{ calls int }

func (f *fakeCompiler) Compile(name, source string, options ...string) (string, error) {
	f.calls++
	return "ptx of " + options[0], nil
}

func TestGenerateAndCheck(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	compiler := &fakeCompiler{}
	generate := func(option string) []string {
		t.Helper()
		written, err := kernelgen.Generate(dir, func() (kernelgen.Compiler, error) { return compiler, nil }, []string{option})
		if err != nil {
			t.Fatal(err)
		}
		return written
	}
	check := func(option, want string) {
		t.Helper()
		err := kernelgen.Check(dir, []string{option})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("Check returns %v, want %q", err, want)
		}
	}

	write("p.go", oneKernel)
	check("-a", "kernels_gen.ptx: no such file")
	if w := generate("-a"); len(w) != 4 {
		t.Errorf("wrote %v, want four files", w)
	}
	check("-a", "")
	if w := generate("-a"); len(w) != 0 || compiler.calls != 1 {
		t.Errorf("second run: wrote %v, compiled %d times, want no file and 1", w, compiler.calls)
	}
	check("-b", "not compiled from")
	write("p.go", strings.Replace(oneKernel, "2", "3", 1))
	check("-a", "kernels_gen.cu is stale")
	generate("-a")
	write("p.go", strings.Replace(strings.Replace(oneKernel, "2", "3", 1), "//atoll", "// Double does.\n//\n//atoll", 1))
	check("-a", "kernels_gen.cu is stale")
	if w := generate("-a"); len(w) != 1 || compiler.calls != 2 {
		t.Errorf("after a change of a comment: wrote %v, compiled %d times, want the CUDA C and 2", w, compiler.calls)
	}
	write("kernels_gen.ptx",
		".visible .entry F_f32(\n)\n{\n.local .align 8 .b8 __local_depot0[312];\n.visible .entry G(\n")
	if local, err := kernelgen.LocalMemory(dir); err != nil || len(local) != 1 || local["F_f32"] != 312 {
		t.Errorf("local memory %v %v, want 312 bytes in F_f32", local, err)
	}
	write("kernels_gen.ptx", "something else")
	check("-a", "not compiled from")
	write("p.go", "package p\n")
	if _, err := kernelgen.Generate(dir, nil, nil); err == nil ||
		!strings.Contains(err.Error(), "no function marked //atoll:kernel") {
		t.Errorf("a package without kernels: %v", err)
	}
}

// TestMachineCode proves that machine code is compiled for the GPUs of //atoll:machine, and is bound to its PTX.
func TestMachineCode(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	withMark := strings.Replace(oneKernel, "\n", "\n\n//atoll:machine sm_90 sm_80\n", 1)
	options := []string{"--gpu-architecture=compute_70"}
	compiler := &fakeCompiler{}
	generate := func(text string, calls int) {
		t.Helper()
		write("p.go", text)
		compiler.calls = 0
		_, err := kernelgen.Generate(dir, func() (kernelgen.Compiler, error) { return compiler, nil }, options)
		if err != nil || compiler.calls != calls || kernelgen.Check(dir, options) != nil {
			t.Errorf("%v, compiled %d times, want %d; %v", err, compiler.calls, calls, kernelgen.Check(dir, options))
		}
	}
	generate(oneKernel, 1)
	generate(withMark, 2) // the PTX is current
	generate(withMark, 0)
	generate(strings.Replace(withMark, "*= 2", "*= 3", 1), 3)
	archive, err := os.ReadFile(filepath.Join(dir, "kernels_gen.zip"))
	if err != nil {
		t.Fatal(err)
	}
	m := &abi.Module{Archive: string(archive)}
	code, err := m.MachineFor(8, 6)
	if err != nil || string(code) != "ptx of --gpu-architecture=sm_80" {
		t.Errorf("machine code %q, error %v", code, err)
	}
	ptx, err := m.PTX()
	if err != nil {
		t.Fatal(err)
	}
	write("kernels_gen.ptx", strings.Replace(ptx, ": ", ": 0", 1))
	if err := kernelgen.Check(dir, options); err == nil || !strings.Contains(err.Error(), "was not made from") {
		t.Errorf("with other PTX Check returns %v", err)
	}
}

// TestGenerateWithoutCompiler proves that without a compiler outdated PTX is replaced by a line that says so, that all
// other files are written, and that a later run with a compiler writes the PTX.
func TestGenerateWithoutCompiler(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/p\n")
	write("p.go", oneKernel)
	write("kernels_gen.ptx", "// of other kernels\n")
	errNoCompiler := errors.New("nowhere")
	noCompiler := func() (kernelgen.Compiler, error) { return nil, errNoCompiler }
	for _, want := range []int{4, 0} {
		written, err := kernelgen.Generate(dir, noCompiler, nil)
		var missing kernelgen.Uncompiled
		if len(written) != want || !errors.As(err, &missing) || !errors.Is(err, errNoCompiler) ||
			missing.Path != filepath.Join(dir, "kernels_gen.ptx") {
			t.Errorf("wrote %v, want %d files: %v", written, want, err)
		}
	}
	ptx, err := os.ReadFile(filepath.Join(dir, "kernels_gen.ptx"))
	if err != nil || string(ptx) != abi.Uncompiled("example.com/p")+"\n" {
		t.Errorf("PTX %q %v", ptx, err)
	}
	if err := kernelgen.Check(dir, nil); err == nil ||
		!strings.Contains(err.Error(), "kernels_gen.ptx: no PTX of example.com/p") {
		t.Errorf("Check returns %v", err)
	}
	fake := func() (kernelgen.Compiler, error) { return &fakeCompiler{}, nil }
	written, err := kernelgen.Generate(dir, fake, []string{"-a"})
	if err != nil || len(written) != 2 || kernelgen.Check(dir, []string{"-a"}) != nil {
		t.Errorf("with a compiler: wrote %v, %v, %v", written, err, kernelgen.Check(dir, []string{"-a"}))
	}
	if _, err := kernelgen.Generate(dir, noCompiler, []string{"-a"}); err != nil {
		t.Errorf("current PTX without a compiler: %v", err)
	}
}

// TestGrain proves that a loop has a method Grain if its kernel is marked grain=N or tile.
func TestGrain(t *testing.T) {
	for text, want := range map[string]string{
		"//atoll:kernel grain=64\nfunc F(i int, x []float64) { x[i] = 1 }\n":                          "return 64 ",
		"//atoll:kernel tile\nfunc F(t int, x []float64) {\nfor i := range 9 {\nx[9*t+i] = 1\n}\n}\n": "return 4 ",
		"//atoll:kernel\nfunc F(i int, x []float64) { x[i] = 1 }\n":                                   "",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte("package p\n\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := kernelgen.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Launchers()
		if err != nil {
			t.Fatal(err)
		}
		_, grain, hasGrain := strings.Cut(string(out), ") Grain() int { ")
		if hasGrain != (want != "") || !strings.HasPrefix(grain, want) {
			t.Errorf("%s: launcher\n%s", text, out)
		}
	}
}

func TestLaunchersRefuse(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"stages": {"package p\n\n//atoll:kernel stages=4\nfunc F(i int, x []float64) { x[i] = 1 }\n",
			"p.go:4:1: kernel F: stages=N needs"},
		"name": {"package p\n\n//atoll:kernel\nfunc F(i int, box []float64) { box[i] = 1 }\n", "p.go:4:1: parameter box"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := kernelgen.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Launchers(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
