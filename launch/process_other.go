//go:build !linux

package launch

import (
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

func supported() error {
	return &usageError{"starting ranks as processes needs Linux, and this is " + runtime.GOOS +
		": run them as goroutines of one process (atoll run --transport local)"}
}

func attributes() *syscall.SysProcAttr { return nil }

func awaitExit(int) {}

func killGroup(int) {}

func buffered(*os.File) (int64, error) { return 0, nil }

// ownedByUser is not known here, and not needed: files of other users cannot be opened.
func ownedByUser(fs.FileInfo) bool { return true }

func affinity() []int { return nil }

func bind([]int) error { return nil }
