package cpu

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// MemoryInfo is HostMemory.
func (*Device) MemoryInfo() (free, total uint64, err error) { return HostMemory() }

// HostMemory returns how many bytes the machine can still give to programs, with what it can swap, and how many it
// has: no more than the control groups of this process may use. Where the system does not say, there is no limit.
func HostMemory() (free, total uint64, err error) {
	info, _ := os.ReadFile("/proc/meminfo")
	kib := fieldsOf(info)
	free, total = (kib["MemAvailable:"]+kib["SwapFree:"])<<10, kib["MemTotal:"]<<10
	if free == 0 {
		free, total = math.MaxInt64, math.MaxInt64
	}
	own, _ := os.ReadFile("/proc/self/cgroup")
	for _, dir := range groups("/sys/fs/cgroup", string(own)) {
		limit, left, ok := groupMemory(dir)
		if ok {
			free, total = min(free, left), min(total, limit)
		}
	}
	return free, total, nil
}

// groups are the folders of the control groups of a process, with those that they are in, as /proc/self/cgroup tells
// them: of version 2, and of version 1 those of memory. Within a container the root is its own.
func groups(root, own string) []string {
	dirs := []string{root, filepath.Join(root, "memory")}
	for line := range strings.Lines(own) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 || parts[1] != "" && parts[1] != "memory" {
			continue
		}
		top := filepath.Join(root, parts[1])
		for dir := filepath.Join(top, parts[2]); len(dir) > len(top); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// groupMemory is the limit of a control group, and what is left of it: files that are cached give way.
func groupMemory(dir string) (limit, left uint64, ok bool) {
	for _, names := range [][3]string{{"memory.max", "memory.current", "inactive_file"},
		{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}} {
		if limit, ok = number(filepath.Join(dir, names[0])); !ok { // "max" where there is no limit
			continue
		}
		used, _ := number(filepath.Join(dir, names[1]))
		stat, _ := os.ReadFile(filepath.Join(dir, "memory.stat"))
		used -= min(used, fieldsOf(stat)[names[2]])
		return limit, limit - min(limit, used), true
	}
	return 0, 0, false
}

func number(path string) (uint64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 63)
	return n, err == nil
}

// fieldsOf are the numbers of lines that have a name and a number.
func fieldsOf(text []byte) map[string]uint64 {
	fields := map[string]uint64{}
	for line := range bytes.Lines(text) {
		if words := bytes.Fields(line); len(words) > 1 {
			fields[string(words[0])], _ = strconv.ParseUint(string(words[1]), 10, 53)
		}
	}
	return fields
}
