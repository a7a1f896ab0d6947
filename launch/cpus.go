package launch

import (
	"fmt"
	"strconv"
	"strings"
)

// maxCPU bounds the numbers of processors: those of Linux, which counts to 1024 without being built otherwise.
const maxCPU = 1024

// formatCPUs writes sorted numbers in the kernel's notation: 0-3,8.
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

// parseCPUs reads what formatCPUs writes: ascending numbers below maxCPU, none twice. "" is the empty set.
func parseCPUs(text string) ([]int, error) {
	var cpus []int
	if text == "" {
		return nil, nil
	}
	next := 0
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		last := first
		if err == nil && isRange {
			last, err = strconv.Atoi(to)
		}
		if err != nil || first < next || last < first || last >= maxCPU {
			return nil, fmt.Errorf("the set of processors %.40q is not like 0-3,8, ascending and below %d", text, maxCPU)
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
		next = last + 1
	}
	return cpus, nil
}
