//go:build !unix

package vof

// protectedPages are ordinary memory on systems whose pages these tests cannot protect: they find less there.
func protectedPages(n int) ([]byte, error) { return make([]byte, n), nil }

func protect([]byte, bool) error { return nil }

func freePages([]byte) error { return nil }
