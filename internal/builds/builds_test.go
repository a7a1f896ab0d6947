package builds

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes a folder with sources whose binary prints a word.
func tree(t *testing.T, dir, word string) {
	t.Helper()
	for name, text := range map[string]string{
		"go.mod":   "module stand-in\n",
		"Makefile": "build:\n\tmkdir -p bin && cp program bin/atoll && chmod +x bin/atoll\n",
		"program":  "#!/bin/sh\necho " + word + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// prints says what the binary that what names prints.
func prints(t *testing.T, what string) (word, line string) {
	t.Helper()
	path, line, err := Binary(t.Context(), what, t.TempDir(), "old")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out)), line
}

// TestBinary: commits, folders with changes, binaries and compressed ones are each what they are.
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
	tree(t, dir, "first")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	tree(t, dir, "second")
	git("commit", "-q", "-a", "-m", "two")
	tree(t, dir, "changed")
	file := filepath.Join(t.TempDir(), "binary")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho file\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Pack(file, file+".gz"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, word, line string }{
		{"HEAD~1", "first", " one"}, {"HEAD", "second", " two"}, {".", "changed", "the working tree ."},
		{file, "file", file}, {file + ".gz", "file", file + ".gz"},
	} {
		if word, line := prints(t, c.what); word != c.word || !strings.HasSuffix(line, c.line) {
			t.Errorf("%s: %s, %s", c.what, word, line)
		}
	}
	if out, err := exec.Command("git", "worktree", "list").Output(); err != nil || strings.Count(string(out), "\n") != 1 {
		t.Errorf("%v: worktrees are left: %s", err, out)
	}
}

func TestRefusals(t *testing.T) {
	broken := t.TempDir()
	tree(t, broken, "x")
	if err := os.Remove(filepath.Join(broken, "program")); err != nil {
		t.Fatal(err)
	}
	junk := filepath.Join(t.TempDir(), "junk.gz")
	if err := os.WriteFile(junk, []byte("this is not gzip, but text"), 0o666); err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]string{
		"no-such-thing": "no-such-thing is no binary, no folder with a go.mod and no commit",
		broken:          "building " + broken,
		junk:            "gzip: invalid header",
	} {
		_, _, err := Binary(t.Context(), what, t.TempDir(), "new")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
