// Command atoll runs cases, makes and inspects meshes, draws results, reproduces the published tables, and measures.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/cmd/atoll/members"
	"github.com/atoll-hpc/atoll/cmd/atoll/meshes"
	"github.com/atoll-hpc/atoll/internal/process"
	"github.com/atoll-hpc/atoll/kernelgen/lanes"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// Exit codes; docs/operations.md has a table of their causes.
const (
	exitDone   = launch.ExitDone
	exitFailed = 1                     // while running
	exitUsage  = launch.ExitUsage      // bad usage or input
	exitSaved  = launch.ExitStopped    // stopped with its state saved: the same command continues
	exitLost   = launch.ExitPeerFailed // of a worker: another rank was lost, or has failed
)

// processStart is the time at which the process started, approximately.
var processStart = time.Now()

// The outputs of a run, which goes on if nobody reads them.
var (
	stdout = process.NewOutput(os.Stdout)
	stderr = process.NewOutput(os.Stderr)
)

// readerPatience is how long this process, at its end, waits for a reader of its output that reads nothing.
const readerPatience = 5 * time.Second

// errClosedOutput is the cause of a context that is cancelled since the reader of an output, such as head, has ended.
var errClosedOutput = errors.New("the reader of the output has ended")

// flushOutput waits until what this process has printed is read.
func flushOutput(ctx context.Context) {
	if !stdout.Flush(readerPatience) && !errors.Is(context.Cause(ctx), errClosedOutput) {
		fmt.Fprintln(stderr, "atoll: warning: nobody has read the last lines of standard output")
	}
	stderr.Flush(readerPatience) // if it fails nobody would read a message either
}

// endReplaced ends this process, with its ranks: another run has taken its output folder.
func endReplaced(err error) {
	fmt.Fprintln(stderr, "atoll:", err)
	flushOutput(context.Background())
	os.Exit(exitFailed)
}

func main() {
	if slices.Equal(os.Args[1:], []string{"--version"}) { // at once, without making all commands
		fmt.Println("atoll version", summary.Describe())
		os.Exit(exitDone)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	stopBySignal(func() { stop(nil) })
	process.OnClosedOutput(func() { stop(errClosedOutput) })
	code := execute(ctx, os.Args[1:])
	flushOutput(ctx)
	os.Exit(code)
}

// stopBySignal calls stop at the first signal that asks the process to end, unless it was ignored at the start. A
// second signal ends the process at once, unless it follows within 300 ms: timeout(1) signals both a process and its
// group, so that one request arrives twice.
func stopBySignal(stop func()) {
	const echo = 300 * time.Millisecond
	signals := make(chan os.Signal, 1)
	process.NotifyEnd(signals)
	go func() {
		<-signals
		stop()
		time.Sleep(echo)
		signal.Stop(signals)
	}()
}

// about returns the beginning of the help text: the solvers that cases can name.
func about() string {
	var b strings.Builder
	b.WriteString("Distributed solvers: the same bits on any number of ranks, on CPUs and on GPUs.\n\nCases name one of\n")
	for _, name := range solvers.Names() {
		kind, _ := solvers.Find(name)
		fmt.Fprintf(&b, "  %-14s %s\n", name, kind.Title)
	}
	return strings.TrimSpace(b.String())
}

// usageError is a wrong command line.
type usageError struct{ error }

// rootCommand returns the program's command, with all those below it.
func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "atoll",
		Short:         "Distributed solvers: the same bits on any number of ranks, on CPUs and on GPUs",
		Long:          about(),
		Version:       summary.Describe(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := lanes.Problem(); err != nil {
				return usageError{err}
			}
			return nil
		},
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(runCommand(), studyCommand(), scaleCommand(), replayCommand(), auditCommand(), checkpointCommand(),
		members.RanksCommand(), members.SuperviseCommand(stdout, stderr))
	root.AddCommand(kindCommands()...)
	root.AddCommand(meshes.Command(), launchCommand(), plotCommand(), verifyCommand(),
		benchCommand(), certsCommand(), doctorCommand(), exampleCommand(), schemaCommand(), versionCommand(root),
		filesCommand())
	complete(root)
	return root
}

// execute runs the command of a command line and returns the exit code.
func execute(ctx context.Context, args []string) int {
	root := rootCommand()
	return reportEnd(ctx, process.Guard(func() error {
		translated, err := translateForeignFlags(root, args)
		if err != nil {
			return err
		}
		root.SetArgs(translated)
		return root.ExecuteContext(ctx)
	}))
}

// reportEnd prints the error that a command ended with, unless another process prints it, and returns the exit
// code.
func reportEnd(ctx context.Context, err error) int {
	closed := errors.Is(context.Cause(ctx), errClosedOutput)
	if err == nil || closed && slices.ContainsFunc(os.Args[1:], printsOnly) {
		return exitDone
	}
	var stoppedRun *stopError
	if errors.As(err, &stoppedRun) {
		fmt.Fprintln(stderr, "atoll:", stoppedRun.text)
		return stoppedRun.code
	}
	var rankError *launch.RankError
	if errors.As(err, &rankError) {
		code := launch.ExitCode(err)
		requested := ctx.Err() != nil && rankError.Code == exitFailed && len(rankError.Killed) == 0
		if code != exitUsage && code != exitSaved && !requested { // otherwise rank 0 has printed the reason
			fmt.Fprintln(stderr, "atoll:", err)
		}
		return code
	}
	prefix := "atoll:"
	var failure *rankFailure
	if errors.As(err, &failure) {
		failure.awaitSignal(ctx)
		failure.leaveReport(ctx.Err() != nil)
		if prefix = failure.prefix() + prefix; !failure.shouldPrint(ctx.Err() != nil) {
			return exitCode(ctx, err)
		}
	}
	var interrupted *run.Interrupted
	var stopped *run.Stopped
	switch {
	case errors.As(err, &stopped) && closed && !stopped.AtTimeLimit:
		fmt.Fprintf(stderr, "%s stopped %s: %v%s\n", prefix, stopped.Where, errClosedOutput, savedText)
	case errors.As(err, &stopped):
		fmt.Fprintf(stderr, "%s %v%s\n", prefix, stopped, savedText)
	case closed && errors.As(err, &interrupted):
		fmt.Fprintf(stderr, "%s stopped %s: %v\n", prefix, interrupted.Where, errClosedOutput)
	case closed:
		fmt.Fprintf(stderr, "%s stopped: %v\n", prefix, errClosedOutput)
	case ctx.Err() != nil && errors.As(err, &interrupted):
		fmt.Fprintln(stderr, prefix, "stopped by a signal", interrupted.Where+continuesText(err))
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, prefix, "stopped by a signal"+continuesText(err))
	default:
		fmt.Fprintln(stderr, prefix, err)
	}
	return exitCode(ctx, err)
}

// printsOnly reports whether a word of a command line makes it a command that only prints.
func printsOnly(word string) bool {
	return slices.Contains([]string{"--check", "--check=true", "info", "doctor"}, word)
}

// exitCode returns the exit code of a command that has failed.
func exitCode(ctx context.Context, err error) int {
	if errors.As(err, new(*run.Stopped)) {
		return exitSaved
	}
	var failure *rankFailure
	if errors.As(err, &failure) && failure.isConsequence(ctx.Err() != nil) {
		return exitLost
	}
	if ctx.Err() != nil {
		if errors.As(err, new(*continuable)) {
			return exitSaved
		}
		return exitFailed
	}
	if solvers.IsFault(err) {
		return exitFailed
	}
	var usage usageError
	var bad *solvers.BadInput
	if errors.As(err, &usage) || errors.As(err, &bad) || isCobraUsage(err) ||
		launch.ExitCode(err) == exitUsage {
		return exitUsage
	}
	return exitFailed
}

// isCobraUsage reports whether cobra found an error in the command line; such errors have no type.
func isCobraUsage(err error) bool {
	for _, prefix := range []string{"unknown command", "accepts ", "requires ", "required flag", "invalid argument"} {
		if len(err.Error()) >= len(prefix) && err.Error()[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}

// badInput marks an error that the user's input caused.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return &solvers.BadInput{Err: err}
}
