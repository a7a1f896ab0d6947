package launch

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// controlGroup identifies the control group of this process among all of this machine. In a container /proc/self/cgroup
// names the same group as in all others, and the root of the mounted groups is the container's own: its folder differs.
func controlGroup() string {
	text, _ := os.ReadFile("/proc/self/cgroup")
	id := "cgroup " + strings.TrimSpace(string(text))
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/memory"} { // of version 2 and 1
		if info, err := os.Stat(root); err == nil {
			if s, ok := info.Sys().(*syscall.Stat_t); ok {
				id += fmt.Sprintf(" %d:%d", s.Dev, s.Ino)
			}
		}
	}
	return id
}
