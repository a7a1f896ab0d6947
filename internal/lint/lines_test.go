package lint

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// most is how many characters a line may have, of which a tab is one.
const most = 120

// TestLinesAreShort looks at every Go file that people write. The arguments of a directive stand in one line.
func TestLinesAreShort(t *testing.T) {
	eachText(t, func(name string, text []byte) {
		for _, n := range long(string(text)) {
			t.Errorf("%s:%d: more than %d characters: break the line", name, n, most)
		}
	})
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
