package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/cmd/atoll/members"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/launch/health"
	"github.com/atoll-hpc/atoll/launch/supervise"
	"github.com/atoll-hpc/atoll/run"
)

// superviseFlags are the flags of a supervised run.
type superviseFlags struct {
	retries           int
	elastic           string
	listenSupervisors string
	slots             int
	health            string
	stuck             time.Duration

	minRanks, maxRanks int // of elastic, 0 without
}

func (f *superviseFlags) register(p *pflag.FlagSet) {
	p.IntVar(&f.retries, "retries", 5, "with ranks that are processes: how many losses of ranks in succession, "+
		"without a new checkpoint in between, end the run; 0 to end at the first loss")
	p.DurationVar(&f.stuck, "stuck", 30*time.Minute, "with ranks that are processes: how long a rank may complete no "+
		"step and no part of the set-up before it counts as hung and all ranks restart; 0 for no limit")
	p.StringVar(&f.elastic, "elastic", "",
		"MIN:MAX ranks: the run continues with fewer ranks while other machines are missing, and with "+
			"more when they join; atoll ranks can request a number in this range")
	p.StringVar(&f.listenSupervisors, "places", "", "host:port or unix:/path at which atoll supervise on other machines "+
		"joins the run; in a pod of an indexed Job, the address of pod 0, which the others join")
	p.StringVar(&f.health, "health", "", "host:port of a health service for probes of containers (grpc_health_v1), with "+
		"--places; :7712 is for this machine alone")
	p.IntVar(&f.slots, "slots", members.MaxRanks, "how many ranks this machine runs at most, with --places")
}

func (f *superviseFlags) validate() error {
	if f.slots < 0 || f.slots > members.MaxRanks {
		return usageError{fmt.Errorf("--slots %d: want 0 to %d", f.slots, members.MaxRanks)}
	}
	if f.stuck != 0 && f.stuck < time.Second {
		return usageError{fmt.Errorf("--stuck %v: at least 1s, or 0 for no limit", f.stuck)}
	}
	if f.retries < 0 {
		return usageError{fmt.Errorf("--retries %d: at least 0", f.retries)}
	}
	if f.health != "" && (f.listenSupervisors == "" || !isValidAddress(f.health)) {
		return usageError{fmt.Errorf("--health %q: want host:port or :port, together with --places", f.health)}
	}
	if f.elastic == "" {
		return nil
	}
	low, high, found := strings.Cut(f.elastic, ":")
	var err, other error
	f.minRanks, err = strconv.Atoi(low)
	f.maxRanks, other = strconv.Atoi(high)
	if !found || err != nil || other != nil || f.minRanks < 1 || f.maxRanks < f.minRanks || f.maxRanks > members.MaxRanks {
		return usageError{fmt.Errorf("--elastic %q: want MIN:MAX, as in 2:8", f.elastic)}
	}
	return nil
}

// limits returns the limits of the run for its supervisor.
func (f *runFlags) limits() supervise.Limits {
	l := supervise.Limits{Ranks: f.ranks, MinRanks: f.ranks, MaxRanks: f.maxRanks, Retries: f.retries,
		RetryFailures: f.backend != "cpu", Drain: run.Drain}
	if f.maxRanks > 0 {
		l.MinRanks = f.minRanks
	}
	return l
}

// supervisedProcesses starts a worker process for each rank, atoll run again, and restarts all of them after a loss
// until the run ends. With --check there is nothing to continue from, and the ranks are not supervised.
func (f *runFlags) supervisedProcesses(ctx context.Context, path string, c *config.Case) error {
	workers := launch.LocalConfig{Ranks: f.ranks, Threads: f.threads, Stdout: os.Stdout, Stderr: os.Stderr,
		LogRanks: f.logRanks, LogOut: stdout, LogErr: stderr, Drain: run.Drain, Stuck: f.stuck}
	if f.check {
		if err := ensureToken(); err != nil {
			return err
		}
		workers.Args = f.workerArgs(path, true, 0)
		return launch.Local(ctx, workers)
	}
	dir := f.out
	if dir == "" {
		dir = c.Output.Dir
	}
	j, err := members.OpenJournal(dir)
	if err != nil {
		return err
	}
	token := ""
	if f.listenSupervisors == "" {
		err = ensureToken()
	} else {
		token, err = members.PrepareTokens(f.listenSupervisors, f.certs, f.insecure)
	}
	if err != nil {
		return errors.Join(err, j.Close())
	}
	health, err := f.healthService()
	if err != nil {
		return errors.Join(err, j.Close())
	}
	defer health.Close()
	host := supervise.LocalMember{Name: "here", Slots: f.slots, Workers: workers, OnActive: health.SetReady}
	var server *supervise.Server
	if f.listenSupervisors != "" {
		host.Name, host.Address = members.Name(), f.advertisedHost()
		server, err = members.Listen(members.ServerConfig{Address: f.listenSupervisors, Certs: f.certs, Insecure: f.insecure,
			JoinToken: token})
		if err != nil {
			return errors.Join(err, j.Close())
		}
	}
	o := f.supervise(ctx, path, j, supervise.Config{Limits: f.limits(), Local: host, Server: server})
	return errors.Join(outcomeError(ctx, o, j.Saved()), j.Close())
}

// supervise runs the supervisor until the run ends.
func (f *runFlags) supervise(ctx context.Context, path string, j *members.Journal,
	c supervise.Config) supervise.Outcome {
	c.Journal = j
	c.Command = func(first bool) []string { return f.workerArgs(path, first, time.Since(processStart)) }
	c.Log = func(text string) { fmt.Fprintln(stderr, "atoll: warning:", text) }
	j.Watch(c.Log, endReplaced)
	return supervise.Run(ctx, c)
}

// healthService opens the service for --health, nil without that flag.
func (f *runFlags) healthService() (*health.Server, error) {
	if f.health == "" {
		return nil, nil
	}
	s, err := health.Open(f.health)
	if err != nil {
		return nil, usageError{fmt.Errorf("--health: %w", err)}
	}
	return s, nil
}

// advertisedHost returns the host at which other machines reach the ranks of this one.
func (f *runFlags) advertisedHost() string {
	for _, address := range []string{f.announce, f.listen} {
		if host, _, err := net.SplitHostPort(address); err == nil && host != "" {
			return host
		}
	}
	return "127.0.0.1"
}

// outcomeError returns the error of a supervised run from its outcome; saved says that there is a checkpoint to
// continue from.
func outcomeError(ctx context.Context, o supervise.Outcome, saved bool) error {
	var stop error
	if o.Stopped {
		stop = context.Cause(ctx)
	}
	err := launch.Verdict(o.Exits, stop)
	switch {
	case o.Err != nil:
		return o.Err
	case o.Stopped && len(o.Exits) == 0 && saved:
		return &stopError{stop, "stopped by a signal" + continuesText(&continuable{stop}), exitSaved}
	case o.Stopped && len(o.Exits) == 0:
		return fmt.Errorf("no rank was running: %w", stop)
	case o.Reason != "":
		return fmt.Errorf("given up: %s", o.Reason)
	}
	if o.Stopped || launch.ExitCode(err) == exitSaved {
		return newStopError(o.Exits, saved, err)
	}
	return err
}

// workerArgs returns the arguments of a worker; elapsed is the part of the time limit that has passed, and first is
// true in the first epoch.
func (f *runFlags) workerArgs(path string, first bool, elapsed time.Duration) []string {
	args := []string{"run", path, "--transport", f.transport, "--backend", f.backend, "--halo", f.halo}
	args = append(args, f.connectFlags.args()...)
	args = append(args, f.serveFlags.args()...)
	for _, s := range f.set {
		args = append(args, "--set", s)
	}
	limit := ""
	if f.timeLimit > 0 {
		limit = max(f.timeLimit-elapsed, time.Nanosecond).String()
	}
	for _, flag := range []struct{ name, value string }{
		{"--out", f.out}, {"--summary", f.summary}, {"--time-limit", limit},
	} {
		if flag.value != "" {
			args = append(args, flag.name, flag.value)
		}
	}
	for _, flag := range []struct {
		name string
		on   bool
	}{{"--check", f.check}, {"--quiet", f.quiet}, {"--log-ranks", f.logRanks}, {"--force", f.force},
		{"--restart", f.restart && first}} {
		if flag.on {
			args = append(args, flag.name)
		}
	}
	return args
}
