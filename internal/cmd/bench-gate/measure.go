package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/internal/builds"
)

// timing is a measurement, as atoll bench --json prints it.
type timing struct {
	Name      string  `json:"name"`
	Updates   int64   `json:"updates"`
	Wall      float64 `json:"wall_s"`
	Processor float64 `json:"processor_s"` // 0 if unknown
}

// series is the measurements of one case of a bench, in seconds per update.
type series struct {
	name    string
	seconds []float64
}

// measure runs a bench once and returns its cases in the order of its output. On the CPU it uses processor time, since
// other programs on the machine affect it less than wall time; on a GPU wall time.
func measure(ctx context.Context, onCPU bool, command, args []string) (cases []series, err error) {
	c := exec.CommandContext(ctx, command[0], slices.Concat(command[1:], args)...)
	if onCPU {
		c.Env = append(os.Environ(), "GOMAXPROCS=1")
	}
	out, err := c.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%s: %w: %s", command[len(command)-1], err, builds.LastLine(exit.Stderr))
			if bytes.Contains(exit.Stderr, []byte("unknown flag: --json")) {
				err = fmt.Errorf("%w: the build is older than this flag; compare a newer build", err)
			}
		}
		return nil, err
	}
	for line := range bytes.Lines(out) {
		var t timing
		if err := json.Unmarshal(line, &t); err != nil || t.Updates < 1 || t.Wall <= 0 {
			return nil, fmt.Errorf("%s: the line %q of the output is not a measurement", command[len(command)-1], line)
		}
		seconds := t.Wall
		if onCPU && t.Processor > 0 {
			seconds = t.Processor
		}
		if len(cases) == 0 || cases[len(cases)-1].name != t.Name {
			cases = append(cases, series{name: t.Name})
		}
		current := &cases[len(cases)-1]
		current.seconds = append(current.seconds, seconds/float64(t.Updates))
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s: the bench printed no measurements", command[len(command)-1])
	}
	return cases, nil
}

// pinCommand returns the words to put before a command so that it runs on one core; nil for a GPU, or without taskset.
func (g *gate) pinCommand() ([]string, error) {
	if g.backend != "cpu" {
		return nil, nil
	}
	if _, err := exec.LookPath("taskset"); err != nil {
		fmt.Fprintln(g.out, "taskset is not installed: runs are not bound to a core")
		return nil, nil
	}
	core := g.core
	if core < 0 {
		var err error
		if core, err = lastCore(); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(g.out, "on core %d\n", core)
	return []string{"taskset", "-c", strconv.Itoa(core)}, nil
}

// lastCore returns the last of the cores on which this process may run.
func lastCore() (int, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("cannot find the available cores: %w; give a core with --core", err)
	}
	_, rest, _ := strings.Cut(string(text), "Cpus_allowed_list:")
	list, _, _ := strings.Cut(rest, "\n")
	cores := strings.FieldsFunc(list, func(r rune) bool { return r < '0' || r > '9' })
	if len(cores) == 0 {
		return 0, errors.New("/proc/self/status has no Cpus_allowed_list: give a core with --core")
	}
	return strconv.Atoi(cores[len(cores)-1])
}
