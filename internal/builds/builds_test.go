package builds

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// writeSources writes a source folder whose binary prints a word.
func writeSources(t *testing.T, dir, word string) {
	t.Helper()
	for name, text := range map[string]string{
		"go.mod":   "module example\n",
		"Makefile": "build:\n\tmkdir -p bin && cp program bin/atoll && chmod +x bin/atoll\n",
		"program":  "#!/bin/sh\necho " + word + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// run returns the output and the description of the binary that source names.
func run(t *testing.T, source string) (word, description string) {
	t.Helper()
	path, description, err := Binary(t.Context(), source, t.TempDir(), "old")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out)), description
}

// TestBinary checks the binaries of commits, of a folder with uncommitted changes, and of plain and compressed files.
func TestBinary(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	writeSources(t, dir, "first")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	writeSources(t, dir, "second")
	git("commit", "-q", "-a", "-m", "two")
	writeSources(t, dir, "changed")
	file := filepath.Join(t.TempDir(), "binary")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho file\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Pack(file, file+".gz"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ source, word, description string }{
		{"HEAD~1", "first", " one"}, {"HEAD", "second", " two"}, {".", "changed", "the working tree ."},
		{file, "file", file}, {file + ".gz", "file", file + ".gz"},
	} {
		if word, description := run(t, c.source); word != c.word || !strings.HasSuffix(description, c.description) {
			t.Errorf("%s: got %s, %s; want %s, %s", c.source, word, description, c.word, c.description)
		}
	}
	if out, err := exec.Command("git", "worktree", "list").Output(); err != nil || strings.Count(string(out), "\n") != 1 {
		t.Errorf("got worktrees %s, %v; want only the first", out, err)
	}
}

func TestRefusals(t *testing.T) {
	broken := t.TempDir()
	writeSources(t, broken, "x")
	if err := os.Remove(filepath.Join(broken, "program")); err != nil {
		t.Fatal(err)
	}
	junk := filepath.Join(t.TempDir(), "junk.gz")
	if err := os.WriteFile(junk, []byte("this is not gzip, but text"), 0o666); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"unknown": "unknown is not a binary, a folder with a go.mod or a commit",
		broken:    "building " + broken,
		junk:      "gzip: invalid header",
	} {
		_, _, err := Binary(t.Context(), source, t.TempDir(), "new")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", source, err, want)
		}
	}
}
