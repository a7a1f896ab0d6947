package examples

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestWrite writes each example to a folder of its own: its case comes first, and files that it names are there, except
// meshes and rasters that programs make, and data that are to be had elsewhere.
func TestWrite(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		if seen[e.Name] || len(e.Doc) < 10 {
			t.Errorf("%s: the name occurs twice, or the description %q is too short", e.path, e.Doc)
		}
		seen[e.Name] = true
		dir := t.TempDir()
		written, err := Write(e.Name, dir)
		if err != nil || written[0] != filepath.Join(dir, e.Name+".toml") {
			t.Fatalf("%s: wrote %v: %v", e.Name, written, err)
		}
		if again, err := Write(e.Name, dir); err != nil || len(again) != len(written) {
			t.Errorf("%s: written again over the same files: %v", e.Name, err)
		}
		text, err := os.ReadFile(written[0])
		if err != nil {
			t.Fatal(err)
		}
		for word := range strings.SplitSeq(string(text), `"`) {
			_, notNumber := strconv.ParseFloat(word, 64)
			made := strings.HasSuffix(word, ".msh") || word == "dem.asc" || strings.HasPrefix(word, "hipims/")
			extension := len(filepath.Ext(word))
			if notNumber == nil || made || extension == 0 || extension > 4 || strings.ContainsAny(word, " */(=\n") {
				continue
			}
			if _, err := os.Stat(filepath.Join(dir, word)); err != nil {
				t.Errorf("%s names %s: %v", e.Name, word, err)
			}
		}
	}
	if !seen["valley"] || !seen["vortex"] || !seen["bay"] || !seen["harbour"] {
		t.Errorf("the examples are %v", seen)
	}
}

// TestWriteRefuses: unknown names are an error with the nearest one, and other files are kept.
func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Write("vorteks", dir); err == nil || !strings.Contains(err.Error(), "did you mean vortex?") {
		t.Errorf("an unknown name: %v", err)
	}
	if _, err := Write("nothing like it", dir); err == nil || !strings.Contains(err.Error(), "dam-break") {
		t.Errorf("an unknown name: %v", err)
	}
	mine := filepath.Join(dir, "vortex.toml")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Write("vortex", dir); err == nil || !strings.Contains(err.Error(), "exists and differs") {
		t.Errorf("a file of the same name: %v", err)
	}
	if text, err := os.ReadFile(mine); string(text) != "mine" {
		t.Errorf("the file has become %q, %v", text, err)
	}
}
