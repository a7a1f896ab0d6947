package words

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	options := []string{"ranks", "threads", "transport"}
	for word, want := range map[string]string{
		"ranks": "ranks", "rank": "ranks", "Rnaks": "ranks", "thread": "threads", "transprot": "transport",
		"backend": "", "": "", strings.Repeat("ranks", 20): "",
	} {
		if got := Nearest(word, options, 2); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
