// Package broken has tests of file readers: with files that are malformed in known ways, and with fuzzed files.
package broken

import (
	"strings"
	"testing"
)

// Case is a change that makes a valid file malformed, and a part of the error that the reader must return.
type Case = struct {
	Change func(data []byte) []byte
	Want   string
}

// Refused tests that a reader accepts a valid file, and returns the wanted error after each of the changes.
func Refused(t *testing.T, read func(data []byte) error, valid func() []byte, cases ...Case) {
	t.Helper()
	for _, c := range cases {
		if err := read(c.Change(valid())); err == nil || !strings.Contains(err.Error(), c.Want) {
			t.Errorf("got error %v, want one with %q", err, c.Want)
		}
	}
	if err := read(valid()); err != nil {
		t.Error(err)
	}
}

// Fuzz tests that a reader returns for any file, and that its errors begin with the file's name. valid are seeds: valid
// files.
func Fuzz(f *testing.F, name string, read func(data []byte) error, valid ...[]byte) {
	for _, data := range valid {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := read(data); err != nil && !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("got error %v, want one that begins with %q", err, name+": ")
		}
	})
}
