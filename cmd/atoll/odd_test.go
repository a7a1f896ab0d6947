package main

import (
	"strings"
	"testing"
)

// TestOddCasesAreNoted: a valid case that is probably a mistake gives a note, with --check and in a run; the run
// continues.
func TestOddCasesAreNoted(t *testing.T) {
	for want, set := range map[string]string{
		"note: [initial] shape: no cell of the grid holds":                     "initial.shape=circle(5, 5, 0.5)",
		"note: [initial] shape: it fills the whole grid":                       "initial.shape=circle(0.5, 0.5, 5)",
		"note: [initial] the upper layer is absent everywhere: set layers = 1": "initial.h1=0",
	} {
		text := "solver = 'vof'\ngrid = { bounds = [0, 0, 1, 1], cells = 8 }\n" +
			"initial = { shape = 'circle(0.5, 0.5, 0.2)' }\n" +
			"velocity = { field = 'rotation', period = 8 }\ntime = { end = 0.1 }\noutput = { dir = 'out' }\n"
		if strings.HasPrefix(set, "initial.h1") {
			text = smallCase
		}
		dir := caseFile(t, text)
		for _, more := range []string{"--check", "--quiet"} {
			c := atoll(t, dir, nil, "run", "case.toml", "--set", set, "--set", "time.end=0.01", more)
			if code := c.code(t); code != 0 || !strings.Contains(c.stdout.String()+c.stderr.String(), want) {
				t.Errorf("%s %s: exit code %d: %s%s", set, more, code, c.stdout.String(), c.stderr.String())
			}
		}
	}
}
