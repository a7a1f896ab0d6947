package dynlib

import (
	"strings"
	"testing"
)

// TestOpenTriesAllNames needs a library that every process of the system has.
func TestOpenTriesAllNames(t *testing.T) {
	var handle uintptr
	var err error
	for _, libc := range []string{"libc.so.6", "libSystem.B.dylib", "libc.so.7", "libc.so.12"} {
		if handle, err = Open("libmissing-1.so", libc, "libmissing-2.so"); err == nil {
			break
		}
	}
	if !Supported {
		t.Skip("NOT TESTED: no libraries on this system")
	}
	if err != nil {
		t.Fatal(err)
	}
	if address, err := Symbol(handle, "labs"); err != nil || address == 0 {
		t.Errorf("labs is at %#x, error %v", address, err)
	}
	if _, err := Symbol(handle, "no_such_function"); err == nil {
		t.Error("a function that the library has not is found")
	}
}

func TestOpenTellsOfTheFirstName(t *testing.T) {
	if _, err := Open("libmissing-1.so", "libmissing-2.so"); err == nil || !strings.Contains(err.Error(), "libmissing-1") {
		t.Errorf("error %v", err)
	}
	if _, err := Open(); err == nil {
		t.Error("no name, and no error")
	}
}
