package launch

import "golang.org/x/sys/unix"

// affinity returns the ascending numbers of the processors on which this process may run, or nil if the system call
// fails.
func affinity() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	var cpus []int
	for cpu := range maxCPU {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// bind restricts the calling thread, and the processes that it starts later, to these processors.
func bind(cpus []int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	return unix.SchedSetaffinity(0, &set)
}
