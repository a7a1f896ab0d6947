package summary

import (
	"bufio"
	"os"
	"runtime"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/lanes"
)

// Host is the machine of rank 0 and the Go release of the binary.
type Host struct {
	Go    string `json:"go"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	CPU   string `json:"cpu"` // model; empty if unknown
	Cores int    `json:"cores"`

	Vectors string `json:"vectors,omitempty"` // vector instructions of kernels: off, avx2 or avx512
}

// ThisHost returns the description of this machine.
func ThisHost() Host {
	return Host{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuModel(), Cores: runtime.NumCPU(),
		Vectors: lanes.Used().String()}
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
