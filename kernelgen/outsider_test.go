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

// firstExample are the Go files of the guide's first section by name, and what it says that the program prints.
func firstExample(t *testing.T) (files map[string]string, prints string) {
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
	said := regexp.MustCompile(`go run \./cmd/decay +# (.*)\n`).FindStringSubmatch(section)
	if len(files) != 3 || len(files) != strings.Count(section, "```go") || said == nil {
		t.Fatalf("the first section has the files %v, and the program prints %q", files, said)
	}
	return files, said[1]
}

// outside is a module of its own that uses this one, without a network.
type outside struct {
	t   *testing.T
	dir string
	env []string
}

// command runs a command there and returns what it prints. It fails the test if the command's success is another. Flags
// of builds are those of this test, so that it finds most packages compiled.
func (o *outside) command(succeeds bool, words ...string) string {
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

// TestFirstExampleOfTheGuide does what docs/kernels.md tells an outsider to do, with its files as they are printed,
// first where there is no NVRTC.
func TestFirstExampleOfTheGuide(t *testing.T) {
	files, prints := firstExample(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	o := &outside{t: t, dir: t.TempDir(), env: []string{nvrtc.Variable + "=" + filepath.Join(root, "nowhere")}}
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

	if said := o.command(true, "go", "generate"); !strings.Contains(said, "kernels_gen.ptx holds no PTX") {
		t.Errorf("without NVRTC go generate says\n%s", said)
	}
	if got := o.command(true, "go", "run", "./cmd/decay"); got != prints+"\n" {
		t.Errorf("the program prints %q, the guide says %q", got, prints)
	}
	// The tool of make lint, which has looked at what these packages import.
	o.command(true, "go", "build", "-C", filepath.Join(root, "internal", "cmd", "vet"), "-o", filepath.Join(o.dir, "vet"))
	o.command(true, "go", "vet", "-vettool=vet", "./...")
	o.command(true, "go", "test", "-vet=off")
	if said := o.command(false, "go", "tool", "kernelgen", "-check"); !strings.Contains(said,
		"no PTX of example.com/decay, which was generated without NVRTC") {
		t.Errorf("without NVRTC the check says\n%s", said)
	}

	if _, err := nvrtc.Load(); err != nil {
		needs.Missing(t, "the example with PTX: %v", err)
	}
	o.env = nil
	if said := o.command(true, "go", "generate"); said != "wrote kernels_gen.ptx\n" {
		t.Errorf("with NVRTC go generate says\n%s", said)
	}
	o.command(true, "go", "tool", "kernelgen", "-check")
}
