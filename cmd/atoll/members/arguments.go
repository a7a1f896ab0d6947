package members

import (
	"fmt"
	"strings"
)

// argument says what a supervisor does with a flag of a worker that the launcher on another machine wants.
type argument uint8

const (
	unknown argument = iota // refuse the worker
	value                   // pass the flag on with its value
	on                      // pass the flag on, which has no value
	own                     // leave the flag and its value out: the supervisor uses a value of its own, or none
	ownOn                   // leave the flag out, which has no value
)

// workerFlags are the flags with which a launcher starts workers.
var workerFlags = map[string]argument{
	"--transport": value, "--backend": value, "--halo": value, "--silence": value, "--join": value, "--set": value,
	"--out": value, "--summary": value, "--time-limit": value, "--serve": value,
	"--serve-metrics": value, "--serve-host": value,
	"--quiet": on, "--log-ranks": on, "--force": on, "--restart": on,
	"--listen": own, "--announce": own, "--certs": own, "--insecure": ownOn,
}

// workerArguments returns the arguments of a worker, atoll run CASE with flags, that a supervisor starts for a launcher
// on another machine: only of workerFlags, each as a word of its own, and one case.
func workerArguments(args []string) ([]string, error) {
	if len(args) < 2 || args[0] != "run" || args[1] == "" || strings.HasPrefix(args[1], "-") {
		return nil, fmt.Errorf("arguments %.200q: want run and a case file", args)
	}
	checked := []string{args[0], args[1]}
	for rest := args[2:]; len(rest) > 0; {
		flag := rest[0]
		kind, n := workerFlags[flag], 1
		if kind == value || kind == own {
			n = 2
		}
		if kind == unknown || len(rest) < n {
			return nil, fmt.Errorf("argument %.200q is not one of a worker", flag)
		}
		if kind == value || kind == on {
			checked = append(checked, rest[:n]...)
		}
		rest = rest[n:]
	}
	return checked, nil
}
