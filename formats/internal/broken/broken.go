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

// Refused tests that a reader accepts a valid file, and refuses it after each of the changes with the error wanted.
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

// Fuzz tests that the reader returns whatever the file holds, and that its errors begin with the file's name. whole are
// valid files to start from.
func Fuzz(f *testing.F, name string, read func(text []byte) error, whole ...[]byte) {
	for _, text := range whole {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := read(text); err != nil && !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("error that does not begin with the file: %v", err)
		}
	})
}
