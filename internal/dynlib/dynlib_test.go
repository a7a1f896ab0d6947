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
		t.Skip("NOT TESTED: dynlib does not support this system")
	}
	if err != nil {
		t.Fatal(err)
	}
	if address, err := Symbol(handle, "labs"); err != nil || address == 0 {
		t.Errorf("got address %#x of labs, error %v", address, err)
	}
	if _, err := Symbol(handle, "no_such_function"); err == nil {
		t.Error("got no error for an unknown function")
	}
}

func TestErrorOfOpenHasTheFirstName(t *testing.T) {
	if _, err := Open("libmissing-1.so", "libmissing-2.so"); err == nil || !strings.Contains(err.Error(), "libmissing-1") {
		t.Errorf("got error %v, want one with libmissing-1", err)
	}
	if _, err := Open(); err == nil {
		t.Error("got no error without names")
	}
}
