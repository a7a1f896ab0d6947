package cpu

import (
	"bytes"
	"math"
	"os"
	"strconv"
)

// MemoryInfo returns how many bytes the machine can still give to programs, with what it can swap, and how many it
// has: no more than the control group of this process may use. Where the system does not say, there is no limit.
func (*Device) MemoryInfo() (free, total uint64, err error) {
	info, _ := os.ReadFile("/proc/meminfo")
	kib := map[string]uint64{}
	for line := range bytes.Lines(info) {
		if words := bytes.Fields(line); len(words) > 1 {
			kib[string(words[0])], _ = strconv.ParseUint(string(words[1]), 10, 53)
		}
	}
	free, total = (kib["MemAvailable:"]+kib["SwapFree:"])<<10, kib["MemTotal:"]<<10
	if free == 0 {
		free, total = math.MaxInt64, math.MaxInt64
	}
	text, _ := os.ReadFile("/sys/fs/cgroup/memory.max") // "max" where there is no limit
	if limit, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 63); err == nil {
		free, total = min(free, limit), min(total, limit)
	}
	return free, total, nil
}
