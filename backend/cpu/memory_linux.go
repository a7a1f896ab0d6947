package cpu

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// MemoryInfo returns the free and total bytes of memory: see [HostMemory].
func (*Device) MemoryInfo() (free, total uint64, err error) { return HostMemory() }

// HostMemory returns the bytes of memory that programs can still allocate, swap included, and the total. Both are
// limited by the control groups of this process. A value that the system does not report counts as unlimited.
func HostMemory() (free, total uint64, err error) {
	free, total, _ = memoryLimits(controlGroups())
	return free, total, nil
}

// available returns how much memory this process can still allocate, and what limits it: this machine, or a control
// group.
func available() (free uint64, source string) {
	free, _, source = memoryLimits(controlGroups())
	return free, source
}

// memoryLimits returns the smallest free and total memory of the machine and of control groups, and what limits the
// free memory.
func memoryLimits(groups []controlGroup) (free, total uint64, source string) {
	info, _ := os.ReadFile("/proc/meminfo")
	kib := parseFields(info)
	free, total = (kib["MemAvailable:"]+kib["SwapFree:"])<<10, kib["MemTotal:"]<<10
	if free == 0 {
		free, total = math.MaxInt64, math.MaxInt64
	}
	source = thisMachine
	for _, g := range groups {
		if limit, unused, ok := g.memory(); ok {
			if unused < free {
				free, source = unused, "unused memory of the control group "+filepath.Dir(g.limit)
			}
			total = min(total, limit)
		}
	}
	return free, total, source
}

// controlGroups returns the control groups that can limit the memory of this process. It searches for them once, since
// this takes longer than reading their limits.
var controlGroups = sync.OnceValue(func() (groups []controlGroup) {
	selfCgroup, _ := os.ReadFile("/proc/self/cgroup")
	for _, dir := range cgroupDirs("/sys/fs/cgroup", string(selfCgroup)) {
		if g, ok := openGroup(dir); ok {
			groups = append(groups, g)
		}
	}
	return groups
})

// cgroupDirs returns the folders of a process's control groups and of their parents below root. selfCgroup is the
// text of /proc/self/cgroup. For control groups of version 1, only the groups that control memory are listed. The
// roots themselves come first: in a container they have the files of the container's own group.
func cgroupDirs(root, selfCgroup string) []string {
	dirs := []string{root, filepath.Join(root, "memory")}
	for line := range strings.Lines(selfCgroup) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 || parts[1] != "" && parts[1] != "memory" {
			continue
		}
		mount := filepath.Join(root, parts[1])
		for dir := filepath.Join(mount, parts[2]); len(dir) > len(mount); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// controlGroup has the names of the files that describe the memory of one control group.
type controlGroup struct {
	limit, used, stat string
	inactive          string // the field of file stat for cached files that are not in use
}

// openGroup returns the control group of a folder; ok is false if it has no files about memory.
func openGroup(dir string) (g controlGroup, ok bool) {
	for _, names := range [][3]string{
		{"memory.max", "memory.current", "inactive_file"},                         // version 2
		{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}, // version 1
	} {
		file := func(name string) string { return filepath.Join(dir, name) }
		g = controlGroup{file(names[0]), file(names[1]), file("memory.stat"), names[2]}
		if _, err := os.Stat(g.limit); err == nil {
			return g, true
		}
	}
	return controlGroup{}, false
}

// memory returns the group's limit and its unused bytes; ok is false without a limit. Cached files count as unused: the
// kernel evicts them.
func (g controlGroup) memory() (limit, unused uint64, ok bool) {
	if limit, ok = readUint(g.limit); !ok { // "max" where there is no limit
		return 0, 0, false
	}
	used, _ := readUint(g.used)
	stat, _ := os.ReadFile(g.stat)
	used -= min(used, parseFields(stat)[g.inactive])
	return limit, limit - min(limit, used), true
}

func readUint(path string) (uint64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 63)
	return n, err == nil
}

// parseFields parses lines of a name and a number, as in /proc/meminfo. Numbers have at most 53 bits, so that KiB
// can be converted to bytes without overflow.
func parseFields(text []byte) map[string]uint64 {
	fields := map[string]uint64{}
	for line := range bytes.Lines(text) {
		if words := bytes.Fields(line); len(words) > 1 {
			fields[string(words[0])], _ = strconv.ParseUint(string(words[1]), 10, 53)
		}
	}
	return fields
}
