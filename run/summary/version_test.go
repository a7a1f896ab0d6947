package summary

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestReleaseIsTheLastChange: the version of the source is that of the last entry of CHANGELOG.md and of CITATION.cff.
func TestReleaseIsTheLastChange(t *testing.T) {
	for file, pattern := range map[string]string{"CHANGELOG.md": `(?m)^## (\S+)`, "CITATION.cff": `(?m)^version: (\S+)$`} {
		text, err := os.ReadFile(filepath.Join("..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(pattern).FindSubmatch(text); m == nil || string(m[1]) != Release {
			t.Errorf("%s has version %q, and version.go %s", file, m, Release)
		}
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$`).MatchString(Release) {
		t.Errorf("%s is not a semantic version", Release)
	}
}
