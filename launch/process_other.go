//go:build !linux

package launch

import (
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

func supported() error {
	return &usageError{"ranks as processes that this program starts need Linux, and this is " + runtime.GOOS +
		": take ranks of one process (atoll run --transport local)"}
}

func attributes() *syscall.SysProcAttr { return nil }

func awaitExit(int) {}

func killGroup(int) {}

func buffered(*os.File) (int64, error) { return 0, nil }

// ownedByUser cannot be told: files are those of this user, or cannot be opened.
func ownedByUser(fs.FileInfo) bool { return true }

func affinity() []int { return nil }

func bind([]int) error { return nil }
