//go:build !unix

package backendtest

// protectedPages returns ordinary memory on systems where these tests cannot protect pages.
func protectedPages(n int) ([]byte, error) { return make([]byte, n), nil }

func protect([]byte, bool) error { return nil }

func freePages([]byte) error { return nil }
