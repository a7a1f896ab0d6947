//go:build !amd64 || windows

package cuda

import "github.com/ebitengine/purego"

func invoke(fn uintptr, args [maxArgs]uintptr) int32 {
	r, _, _ := purego.SyscallN(fn, args[:]...)
	return int32(r)
}
