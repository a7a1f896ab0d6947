package lint

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// most is how many characters a line may have, of which a tab is one.
const most = 120

// TestLinesAreShort looks at every Go file that people write. The arguments of a directive stand in one line.
func TestLinesAreShort(t *testing.T) {
	files := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (name == "testdata" || name == ".git" || name == "bin" || name == "out"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.HasPrefix(text, []byte("// Code generated ")) {
			return err
		}
		files++
		for _, n := range long(string(text)) {
			t.Errorf("%s:%d: more than %d characters: break the line", path, n, most)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 300 {
		t.Errorf("only %d files looked at: the tree was not found", files)
	}
}

// long returns the numbers of lines that are too long.
func long(text string) (numbers []int) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if utf8.RuneCountInString(line) > most && !strings.HasPrefix(line, "//go:") {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

func TestLongLines(t *testing.T) {
	full := strings.Repeat("µ", most)
	text := full + "\n" + full + "x\n//go:generate " + full + "\n\t" + full
	if got := long(text); len(got) != 2 || got[0] != 2 || got[1] != 4 {
		t.Errorf("long lines %v, want 2 and 4", got)
	}
}
