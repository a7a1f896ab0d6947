// Package broken has what the tests of readers of formats share: files that are broken in known ways, and fuzzed ones.
package broken

import (
	"strings"
	"testing"
)

// Case is a way to break a file, and what its refusal says.
type Case = struct {
	Change func(text []byte) []byte
	Want   string
}

// Refused tests that a reader takes a whole file, and refuses what each change makes of it.
func Refused(t *testing.T, read func(text []byte) error, whole func() []byte, cases ...Case) {
	t.Helper()
	for _, c := range cases {
		if err := read(c.Change(whole())); err == nil || !strings.Contains(err.Error(), c.Want) {
			t.Errorf("error %v does not say %q", err, c.Want)
		}
	}
	if err := read(whole()); err != nil {
		t.Error(err)
	}
}

// Fuzz tests that whatever a file of this name holds, reading ends, with an error that names the file or without.
func Fuzz(f *testing.F, name string, read func(text []byte) error, whole ...[]byte) {
	for _, text := range whole {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := read(text); err != nil && !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("error without place: %v", err)
		}
	})
}
