package launch

import (
	"fmt"
	"strconv"
	"strings"
)

// maxCPU bounds the numbers of processors. Linux supports 1024 by default.
const maxCPU = 1024

// processorBlocks divides the processors of this process into one block of consecutive processors per rank, so that
// ranks keep their caches and their NUMA node. It returns nil, for no binding, unless the ranks' threads use all
// processors: with fewer threads, other programs may want some of them.
func processorBlocks(cpus []int, ranks, threads int) [][]int {
	if ranks < 2 || len(cpus)/ranks != threads {
		return nil
	}
	b := make([][]int, ranks)
	for r := range b {
		b[r] = cpus[r*len(cpus)/ranks : (r+1)*len(cpus)/ranks]
	}
	return b
}

// formatCPUs returns sorted numbers in the kernel's notation: 0-3,8.
func formatCPUs(cpus []int) string {
	var b strings.Builder
	for i := 0; i < len(cpus); {
		first := cpus[i]
		last := first
		for i++; i < len(cpus) && cpus[i] == last+1; i++ {
			last++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(first))
		if last > first {
			fmt.Fprintf(&b, "-%d", last)
		}
	}
	return b.String()
}

// parseCPUs parses the notation of formatCPUs: ascending, distinct numbers below maxCPU. "" is the empty set.
func parseCPUs(text string) ([]int, error) {
	var cpus []int
	if text == "" {
		return nil, nil
	}
	next := 0
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(low)
		last := first
		if err == nil && isRange {
			last, err = strconv.Atoi(high)
		}
		if err != nil || first < next || last < first || last >= maxCPU {
			return nil, fmt.Errorf("processors %.40q: want ascending numbers below %d, as in 0-3,8", text, maxCPU)
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
		next = last + 1
	}
	return cpus, nil
}
