package kernelgen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/kernelgen/nvrtc"
)

// firstExample returns the Go files of the guide's first section by name, and the output that it states for the
// program.
func firstExample(t *testing.T) (files map[string]string, printed string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "kernels.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Write one\n")
	section, _, _ = strings.Cut(section, "\n## ")
	files = map[string]string{}
	file := regexp.MustCompile("(?s)`([a-z_/]+\\.go)`:\n\n```go\n(.*?)```\n")
	for _, m := range file.FindAllStringSubmatch(section, -1) {
		files[m[1]] = m[2]
	}
	output := regexp.MustCompile(`go run \./cmd/decay +# (.*)\n`).FindStringSubmatch(section)
	if len(files) != 3 || len(files) != strings.Count(section, "```go") || output == nil {
		t.Fatalf("the first section has the files %v, and the program prints %q", files, output)
	}
	return files, output[1]
}

// otherModule is another module that imports this one, in a folder without network access.
type otherModule struct {
	t   *testing.T
	dir string
	env []string
}

// command runs a command in the module's folder and returns its output. It fails the test if the command does not
// succeed or fail as expected. The build flags are those of this test, so that most packages are in the build cache.
func (o *otherModule) command(succeeds bool, words ...string) string {
	o.t.Helper()
	c := exec.Command(words[0], words[1:]...)
	c.Dir = o.dir
	c.Env = append(os.Environ(), append([]string{"GOFLAGS=" + os.Getenv("GOFLAGS") + " -mod=mod", "GOPROXY=off",
		"GOWORK=off", "GOTOOLCHAIN=local"}, o.env...)...)
	out, err := c.CombinedOutput()
	if (err == nil) != succeeds {
		o.t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return string(out)
}

// TestFirstExampleOfTheGuide follows the first section of docs/kernels.md with the files printed there, first without
// NVRTC and then with it.
func TestFirstExampleOfTheGuide(t *testing.T) {
	files, printed := firstExample(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	o := &otherModule{t: t, dir: t.TempDir(), env: []string{nvrtc.Variable + "=" + filepath.Join(root, "nowhere")}}
	files["go.sum"] = string(sums)
	for name, text := range files {
		path := filepath.Join(o.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o.command(true, "go", "mod", "init", "example.com/decay")
	o.command(true, "go", "mod", "edit", "-replace", "github.com/atoll-hpc/atoll="+root)
	o.command(true, "go", "get", "-tool", "github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen")

	if output := o.command(true, "go", "generate"); !strings.Contains(output, "kernels_gen.ptx holds no PTX") {
		t.Errorf("without NVRTC go generate prints\n%s", output)
	}
	if got := o.command(true, "go", "run", "./cmd/decay"); got != printed+"\n" {
		t.Errorf("the program prints %q, the guide says %q", got, printed)
	}
	// The analyzers of make lint.
	o.command(true, "go", "build", "-C", filepath.Join(root, "internal", "cmd", "vet"), "-o", filepath.Join(o.dir, "vet"))
	o.command(true, "go", "vet", "-vettool=vet", "./...")
	o.command(true, "go", "test", "-vet=off")
	if output := o.command(false, "go", "tool", "kernelgen", "-check"); !strings.Contains(output,
		"no PTX of example.com/decay, which was generated without NVRTC") {
		t.Errorf("without NVRTC the check prints\n%s", output)
	}

	if _, err := nvrtc.Load(); err != nil {
		needs.Missing(t, "the example with PTX: %v", err)
	}
	o.env = nil
	if output := o.command(true, "go", "generate"); output != "wrote kernels_gen.ptx\nwrote kernels_gen.zip\n" {
		t.Errorf("with NVRTC go generate prints\n%s", output)
	}
	o.command(true, "go", "tool", "kernelgen", "-check")
}
