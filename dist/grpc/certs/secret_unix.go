//go:build unix

package certs

import (
	"fmt"
	"os"
	"syscall"
)

// checkSecret returns an error if users other than the owner of a file with a key can read it. Of a file that belongs
// to root the group may, as in volumes of Kubernetes secrets (fsGroup), unless this process runs as root.
func checkSecret(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	forbidden := os.FileMode(0o077)
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		forbidden = 0o007
	}
	if mode := info.Mode().Perm(); mode&forbidden != 0 {
		return fmt.Errorf("certificates: other users can read the key %s (mode %04o), or change it: chmod 600 %s, and make "+
			"new certificates with atoll certs if somebody may have read it", path, mode, path)
	}
	return nil
}
