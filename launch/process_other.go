//go:build !linux

package launch

import (
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

func supported() error {
	return &usageError{"ranks as processes of one machine need Linux, this is " + runtime.GOOS}
}

func attributes() *syscall.SysProcAttr { return nil }

func awaitExit(int) {}

func killGroup(int) {}

func heldBy(*os.File) (int64, error) { return 0, nil }

// ours cannot be told: files are those of this user, or cannot be opened.
func ours(fs.FileInfo) bool { return true }

func affinity() []int { return nil }

func bind([]int) error { return nil }
