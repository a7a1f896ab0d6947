package lint

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// maxLine is how many characters a line may have. A tab is one character.
const maxLine = 120

// TestLinesAreShort checks all Go files that are not generated. Lines with directives, //go: and //atoll:, may be
// longer, since a directive is one line.
func TestLinesAreShort(t *testing.T) {
	eachText(t, func(name string, text []byte) {
		for _, n := range longLines(string(text)) {
			t.Errorf("%s:%d: the line has more than %d characters: break it", name, n, maxLine)
		}
	})
}

// longLines returns the numbers of the lines that are too long.
func longLines(text string) (numbers []int) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		directive := strings.HasPrefix(line, "//go:") || strings.HasPrefix(line, "//atoll:")
		if utf8.RuneCountInString(line) > maxLine && !directive {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

func TestLongLines(t *testing.T) {
	full := strings.Repeat("µ", maxLine)
	text := full + "\n" + full + "x\n//go:generate " + full + "\n\t" + full
	if got := longLines(text); len(got) != 2 || got[0] != 2 || got[1] != 4 {
		t.Errorf("got long lines %v, want 2 and 4", got)
	}
}
