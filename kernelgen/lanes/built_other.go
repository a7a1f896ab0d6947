//go:build !amd64 || race

package lanes

const built = false
