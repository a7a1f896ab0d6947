package solvers

import (
	"context"
	"io"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
)

// Command is a command that a solver adds. It makes a case from its arguments, runs it without an output folder, and
// reports the outcome.
type Command struct {
	Use, Short, Long, Example string // texts for the usage message; Use begins with the command's name

	Args  []string // positional arguments, as the usage shows them
	Flags []Flag   // flags that set keys of the case; their values are text

	// Foreign lists flags of another program, which have a single dash. The command's own are accepted with one too.
	Foreign []ForeignFlag

	// Make makes the case from arguments and flags, and the function that reports the run. Its errors are BadInput.
	Make func(args []string, flag func(name string) (value string, given bool)) (*config.Case, Reporter, error)
	// Run, set instead of Make, does the work of a command that is no run of a case, on all ranks; rank 0's result counts.
	Run func(ctx context.Context, w Work) (Report, error)
}

// Work is what a command without a case is called with.
type Work struct {
	Args    []string
	Flag    func(name string) (value string, given bool)
	Comm    dist.Comm
	Threads int
	Device  backend.Device // that --backend selects, nil for processors
	Log     io.Writer      // receives the progress; nil for none
}

// Flag sets a key of the case. A Switch takes no value: it is true if present.
type Flag struct {
	Name, Key, Usage string
	Switch           bool
}

// ForeignFlag is another program's flag, with its dash: replaced by Args, which may be empty, or refused for a reason.
type ForeignFlag struct {
	Name, Refused string
	Args          []string
	Number        bool // it may have a number, which then replaces the last of Args
}

// Reporter finishes a run on all ranks, with one report, except for what only rank 0, which writes files, can know.
type Reporter func(ctx context.Context, s Solver, o Outcome) (Report, error)

// Outcome summarizes a run that has ended.
type Outcome struct {
	Steps          int
	Hash           string             // of the state
	Drifts         map[string]float64 // of the totals of fields, by quantity name
	SetUp, Seconds float64            // wall-clock time of the set-up and of the steps
}

// Report describes the result of a run.
type Report interface {
	Text() string          // for people
	JSON() ([]byte, error) // for programs
	Warning() string       // what is wrong with the result; "" for nothing
	Refused() error        // why nothing was written; nil if it was
}
