package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var testInfo = Info{Solver: "heat", Case: "plate", CaseSHA256: "ab", Version: "v1"}

// write creates files in a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// names returns the paths of all files in a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}

func TestOneRunAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	first, err := Claim(dir, testInfo, Fresh)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []Mode{Fresh, Replace, Resume} {
		if _, err := Claim(dir, testInfo, mode); err == nil || !strings.Contains(err.Error(), "is in use by process ") {
			t.Errorf("mode %v: error %v", mode, err)
		}
		if err := Check(dir, testInfo, mode); err == nil || !strings.Contains(err.Error(), "is in use by process ") {
			t.Errorf("mode %v: checked, error %v", mode, err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Claim(dir, testInfo, Fresh)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestForeignResultsAreRefused(t *testing.T) {
	const other = `{"solver": "heat", "case": "rod", "case_sha256": "cd"}`
	for name, test := range map[string]struct {
		files map[string]string
		want  string // "" if Claim succeeds
	}{
		"empty":               {nil, ""},
		"unrelated files":     {map[string]string{"notes.txt": "", "plate.csv": ""}, ""},
		"the same case":       {map[string]string{"run.json": `{"case_sha256": "ab"}`, "frames/a.vtu": ""}, ""},
		"another":             {map[string]string{"run.json": other, "frames/a.vtu": ""}, "another case, rod of solver heat"},
		"old format, another": {map[string]string{"summary.json": other}, "another case, rod"},
		"old format, same":    {map[string]string{"summary.json": `{"case_sha256": "ab"}`}, ""},
		"without a case":      {map[string]string{"frames/a.pvtu": ""}, "an unknown case, such as frames/a.pvtu"},
		"newer format":        {map[string]string{"run.json": `{"format": 99}`}, "format 99"},
		"damaged":             {map[string]string{"run.json": `{`}, "run.json: "},
	} {
		dir := t.TempDir()
		write(t, dir, test.files)
		before := names(t, dir)
		checked := Check(dir, testInfo, Fresh)
		if got := names(t, dir); got != before {
			t.Errorf("%s: Check changed the files to %q from %q", name, got, before)
		}
		f, err := Claim(dir, testInfo, Fresh)
		switch {
		case (checked == nil) != (err == nil):
			t.Errorf("%s: checked %v, claimed %v", name, checked, err)
		case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
		if got := strings.TrimPrefix(names(t, dir), ".lock"); strings.TrimSpace(got) != before {
			t.Errorf("%s: Claim changed the files from %q to %q", name, before, got)
		}
		if err != nil {
			f, err = Claim(dir, testInfo, Replace)
		}
		if err != nil {
			t.Fatalf("%s, with force: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBeginRemovesResults checks that Begin removes the results of an earlier run and no other files.
func TestBeginRemovesResults(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"summary.json": `{"case_sha256": "ab"}`, "conservation.csv": "", "plate.pvd": "", "gauges/a.csv": "",
		"frames/a.pvtu":      "",
		"frames/a_r0000.vtu": "", "frames/b.stl": "", "better.msh": "", "notes.txt": "", "frames/notes.txt": "",
		"own.csv": "",
	})
	f, err := Claim(dir, testInfo, Fresh)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Begin("better.msh", "/abs.msh", "../up.msh", ""); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); got != ".lock frames/notes.txt notes.txt own.csv run.json" {
		t.Errorf("remaining files: %s", got)
	}
	for _, state := range []State{Running, Stopped, Done} {
		if err := f.SetState(state); err != nil {
			t.Fatal(err)
		}
		want := testInfo
		want.Format, want.State = Format, state
		if got, err := Read(dir); err != nil || got != want {
			t.Errorf("got %+v, error %v, want %+v", got, err, want)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
