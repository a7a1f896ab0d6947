//go:build !linux

package launch

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

func supported() error {
	return &usageError{"starting ranks as processes needs Linux, and this system is " + runtime.GOOS +
		": run them as goroutines of one process (atoll run --transport local)"}
}

func attributes() *syscall.SysProcAttr { return nil }

func awaitExit(int) {}

func killGroup(int) {}

func unreadBytes(*os.File) (int64, error) { return 0, nil }

// ownedByUser cannot find the owner on this system. The check is redundant: files of other users cannot be opened.
func ownedByUser(fs.FileInfo) bool { return true }

func affinity() []int { return nil }

func bind([]int) error { return nil }

func lockDirectory(string) (*os.File, error) { return nil, errors.ErrUnsupported }
