package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pagesWithCommands are the README and the tutorials: a reader can type every command in them.
func pagesWithCommands(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../../docs/tutorials/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("tutorials %v, %v", pages, err)
	}
	return append(pages, "../../README.md")
}

// shorter are overrides by which runs of an example take a fifth of their time.
var shorter = map[string]string{"valley.toml": "mesh.cells=1000", "ocean.toml": "mesh.cells=2000",
	"terrain.toml": "time.end='10 min'"}

// TestPagesRun runs every command of atoll in the README and the tutorials, in the order of each page, in a folder that
// is empty at first, but some cases on coarser meshes or for a shorter time. Pictures and files that commands name
// exist afterwards.
func TestPagesRun(t *testing.T) {
	for _, page := range pagesWithCommands(t) {
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			dir, commands := t.TempDir(), 0
			for line := range strings.Lines(string(text)) {
				command, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    atoll ")
				if !found {
					continue
				}
				commands++
				args := shellWords(command)
				if set := shorter[args[min(1, len(args)-1)]]; args[0] == "run" && set != "" {
					args = append(args, "--set", set)
				}
				c := atoll(t, dir, nil, args...)
				if code := c.code(t); code != exitDone {
					t.Fatalf("%s: exit code %d\n%s%s", command, code, c.stdout.String(), c.stderr.String())
				}
				if i := slices.Index(args, "--out"); i > 0 {
					if _, err := os.Stat(filepath.Join(dir, args[i+1])); err != nil && !slices.Contains(args, "--check") {
						t.Errorf("%s: %v", command, err)
					}
				}
			}
			if commands < 5 {
				t.Errorf("the page has %d commands", commands)
			}
		})
	}
}

// shellWords splits a command as a shell does: words may be within apostrophes.
func shellWords(command string) []string {
	var words []string
	for _, w := range regexp.MustCompile(`(?:'[^']*'|[^\s'])+`).FindAllString(command, -1) {
		words = append(words, strings.ReplaceAll(w, "'", ""))
	}
	return words
}

// TestReadmeIsShort: the README has at most 700 words.
func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if n := len(strings.Fields(string(text))); err != nil || n > 700 {
		t.Errorf("the README has %d words, want at most 700: %v", n, err)
	}
}
