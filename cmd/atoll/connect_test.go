package main

import (
	"strings"
	"testing"
)

// TestImpatientRunsAreRefused: times that cannot be kept on a busy machine are refused, and a time of 0 does not mean
// the default.
func TestImpatientRunsAreRefused(t *testing.T) {
	t.Parallel()
	dir := caseFile(t, smallCase)
	for _, flag := range []string{"--silence=0", "--silence=99ms", "--join=0s", "--join=-3s"} {
		name, _, _ := strings.Cut(flag, "=")
		c := atoll(t, dir, nil, "run", "case.toml", flag)
		if code := c.code(t); code != exitUsage || !strings.Contains(c.stderr.String(), `"`+name+`" flag: at least 100ms`) {
			t.Errorf("%s: exit code %d, %s", flag, code, c.stderr.String())
		}
	}
}
