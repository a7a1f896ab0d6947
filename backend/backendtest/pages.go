//go:build unix

package backendtest

import "syscall"

// protectedPages returns pages that cannot be accessed.
func protectedPages(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, n, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

func protect(pages []byte, on bool) error {
	if on {
		return syscall.Mprotect(pages, syscall.PROT_NONE)
	}
	return syscall.Mprotect(pages, syscall.PROT_READ|syscall.PROT_WRITE)
}

func freePages(pages []byte) error { return syscall.Munmap(pages) }
