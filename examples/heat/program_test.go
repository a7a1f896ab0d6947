package heat

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// guide returns the page that explains this solver.
func guide(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "new-solver.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestGuideHasTheSource proves that the listings of the guide are the source files, line by line, and that the solver
// is short.
func TestGuideHasTheSource(t *testing.T) {
	var listed, source []string
	lineCount := 0
	for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```\n").FindAllStringSubmatch(guide(t), -1) {
		listed = append(listed, lines(m[1])...)
	}
	for _, file := range []string{"kernels/kernels.go", "heat.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, lines(string(text))...)
		lineCount += strings.Count(string(text), "\n")
	}
	for n := range max(len(listed), len(source)) {
		if n >= len(listed) || n >= len(source) || listed[n] != source[n] {
			t.Fatalf("line %d of the listings is %q, of the source %q", n+1, lineAt(listed, n), lineAt(source, n))
		}
	}
	if lineCount > 200 {
		t.Errorf("the solver has %d lines", lineCount)
	}
}

// lines returns the lines of a text that are not blank.
func lines(text string) (found []string) {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			found = append(found, line)
		}
	}
	return found
}

func lineAt(lines []string, n int) string {
	if n < len(lines) {
		return lines[n]
	}
	return "end of file"
}

// TestCommandsOfTheGuide builds the program with the line that the guide adds, and runs its commands.
func TestCommandsOfTheGuide(t *testing.T) {
	page := guide(t)
	imported := regexp.MustCompile(`\n    (_ "github\.com/.*")\n`).FindStringSubmatch(page)
	commands := regexp.MustCompile(`\n    bin/atoll (.*)`).FindAllStringSubmatch(page, -1)
	if imported == nil || len(commands) < 6 {
		t.Fatalf("the guide imports %q and has the commands %q", imported, commands)
	}
	dir := t.TempDir()
	atoll := build(t, dir, imported[1])
	if err := os.CopyFS(filepath.Join(dir, "examples", "heat"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	for _, command := range commands {
		words := strings.Fields(strings.ReplaceAll(command[1], "'", ""))
		if words[0] == "run" && !strings.Contains(command[1], "--check") && len(words) > 4 {
			words = append(words, "--force") // the same case on other ranks writes to the same folder
		}
		run := exec.Command(atoll, words...)
		run.Dir = dir
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command[1], err, out)
		}
	}
	pictures, err := filepath.Glob(filepath.Join(dir, "out", "decay", "plots", "*.png"))
	if err != nil || len(pictures) < 3 {
		t.Errorf("pictures %q, error %v", pictures, err)
	}
}

// build builds the program with an additional import.
func build(t *testing.T, dir, imported string) string {
	t.Helper()
	kinds, err := filepath.Abs(filepath.Join("..", "..", "cmd", "atoll", "kinds.go"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(kinds)
	if err != nil {
		t.Fatal(err)
	}
	overlayFile := filepath.Join(dir, "kinds.go")
	text = []byte(strings.Replace(string(text), "import (\n", "import (\n\t"+imported+"\n", 1))
	if err := os.WriteFile(overlayFile, text, 0o666); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {kinds: overlayFile}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	atoll := filepath.Join(dir, "atoll.exe")
	out, err := exec.Command("go", "build", "-ldflags=-w", "-overlay", list, "-o", atoll,
		"../../cmd/atoll").CombinedOutput()
	if err != nil {
		t.Fatalf("the program with %s: %v\n%s", imported, err, out)
	}
	return atoll
}
