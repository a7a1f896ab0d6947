package solvers

import (
	"context"

	"github.com/atoll-hpc/atoll/config"
)

// Command is a command of the program that a solver adds. It makes a case of its arguments, which is run on ranks of
// one process without an output folder, and reports the outcome.
type Command struct {
	Use, Short, Long, Example string // Use begins with its name

	Args  []string // what its arguments are
	Flags []Flag   // that stand for keys of a case, all of them text

	// Foreign are words with one dash that users of another program of its kind type. The name of a flag with one dash
	// needs none: it is that flag.
	Foreign []Foreign

	// Make is the case that arguments and flags stand for, and how to report of it. Errors are BadInput.
	Make func(args []string, flag func(name string) (value string, given bool)) (*config.Case, Reporter, error)
}

// Flag is a flag that stands for a key of a case. A switch needs no value: it is true where it is given.
type Flag struct {
	Name, Key, Usage string
	Switch           bool
}

// Foreign is a flag of another program, with its dash: it stands for Args, which may be none, or is refused for the
// reason that Refused tells.
type Foreign struct {
	Name    string
	Args    []string
	Refused string
}

// Reporter finishes a run: it writes what the command is to write, on rank 0, and reports, on all ranks the same but
// for what rank 0 alone can tell. All ranks call it.
type Reporter func(ctx context.Context, s Solver, o Outcome) (Report, error)

// Outcome is what is known of a run that has ended.
type Outcome struct {
	Steps          int
	Hash           string             // of the state
	Drifts         map[string]float64 // of the totals of fields, by their names
	SetUp, Seconds float64            // of setting up, and of the steps
}

// Report tells of a run.
type Report interface {
	Text() string          // for people
	JSON() ([]byte, error) // for programs
	Warning() string       // what is wrong with the result, "" for nothing
	Refused() error        // why nothing was written, nil if it was
}
