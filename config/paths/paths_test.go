package paths

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestProblem(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("backslashes separate folders here")
	}
	folder := t.TempDir()
	odd := `odd\name.msh`
	if err := os.WriteFile(filepath.Join(folder, odd), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, text, want string }{
		{"file", "data/a.msh", ""},
		{"file", `data\a.msh`, "backslashes"},
		{"file", "data\new.msh", "line end or tab"},
		{"file", odd, ""},
		{"file", filepath.Join(folder, odd), ""},
		{"shape", `stl("bodies\a.stl")`, "backslashes"},
		{"shape", `sphere(0, 0, 1)`, ""},
		{"title", `a\b`, ""},
	} {
		got := Problem(c.key, c.text, folder)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s = %q: %q, want %q", c.key, c.text, got, c.want)
		}
	}
}
