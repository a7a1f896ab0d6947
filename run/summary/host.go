package summary

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Host is the machine of rank 0 and the Go release of the binary.
type Host struct {
	Go    string `json:"go"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	CPU   string `json:"cpu"` // model; empty where the system does not say
	Cores int    `json:"cores"`
}

// ThisHost describes the machine that it runs on.
func ThisHost() Host {
	return Host{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuModel(), Cores: runtime.NumCPU()}
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

// Version returns the version of the binary: that of its module, or the commit with "+dirty" if files were changed.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	if revision := settings["vcs.revision"]; revision != "" {
		if settings["vcs.modified"] == "true" {
			revision += "+dirty"
		}
		return revision
	}
	return "unknown"
}

// Variables, so that the compiler cannot work out the product: x² = 1 + 2⁻²⁹ + 2⁻⁶⁰ exactly.
var (
	fmaFactor = 1 + 0x1p-30
	fmaTerm   = -(1 + 0x1p-29)
)

// FusesMultiplyAdd tells whether this binary computes x*y + z with one rounding. Then its results differ in the
// last bits from those of a binary that rounds twice.
func FusesMultiplyAdd() bool { return multiplyAdd(fmaFactor, fmaFactor, fmaTerm) != 0 }

//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }
