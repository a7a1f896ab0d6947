//go:build !linux

package launch

import (
	"runtime"
	"syscall"
)

func supported() error {
	return &usageError{"ranks as processes of one machine need Linux, this is " + runtime.GOOS}
}

func attributes() *syscall.SysProcAttr { return nil }

func awaitExit(int) {}

func killGroup(int) {}
