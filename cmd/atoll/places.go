package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/launch/supervise"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/summary"
)

// envToken is the secret of a job, which whoever takes part must know.
const envToken = "ATOLL_TOKEN"

// placeSilence is how long a supervisor, or the launcher, may give no sign of life.
const placeSilence = 3 * time.Second

// visitFlags are the flags of atoll supervise.
type visitFlags struct {
	join           string
	slots, threads int
	wait           time.Duration
	logRanks       bool
}

func superviseCommand() *cobra.Command {
	var f visitFlags
	c := &cobra.Command{
		Use:   "supervise --join ADDR",
		Short: "Run ranks of a run that is launched on another machine",
		Long: "Run ranks of a run that atoll run --places ADDR has launched on another machine.\n" +
			"The case and the folder of its output must be there under the same paths. It stays until the run is over: when\n" +
			"the launcher dies its ranks here end, and it waits for the next one. A signal has it go: the run saves its state\n" +
			"and goes on without it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) },
	}
	p := c.Flags()
	p.StringVar(&f.join, "join", "", "where the launcher listens, its --places: host:port or unix:/path")
	p.IntVar(&f.slots, "slots", runtime.GOMAXPROCS(0), "how many ranks this machine runs at most")
	p.IntVar(&f.threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.DurationVar(&f.wait, "wait", 10*time.Minute, "how long the launcher may be away")
	p.BoolVar(&f.logRanks, "log-ranks", false, "print the output of the ranks, each line with its rank before it")
	_ = c.MarkFlagRequired("join") // fails only for a flag that is not there
	return c
}

func (f *visitFlags) run(ctx context.Context) error {
	switch {
	case f.slots < 1 || f.slots > mostRanks:
		return usageError{fmt.Errorf("--slots %d: 1 to %d", f.slots, mostRanks)}
	case f.threads < 0:
		return usageError{fmt.Errorf("--threads %d: at least 1, or 0 for a share of the cores", f.threads)}
	}
	if err := nearby(f.join); err != nil {
		return err
	}
	network, address := split(f.join)
	v := supervise.Visit{
		Dial: func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, network, address) },
		Host: supervise.Host{Name: placeName(), Slots: f.slots, Meet: meetAt("127.0.0.1"),
			Workers: launch.LocalConfig{Threads: f.threads, Stdout: os.Stdout, Stderr: os.Stderr, LogRanks: f.logRanks,
				Drain: run.Drain}},
		Token: os.Getenv(envToken), Build: summary.BuildID(), Silence: placeSilence, Wait: f.wait,
		Tell: func(text string) { fmt.Fprintln(os.Stderr, "atoll: warning:", text) },
	}
	err := v.Join(ctx)
	if errors.As(err, new(*supervise.RefusedError)) {
		return badInput(err)
	}
	return err
}

// placeName is a name that no other supervisor has.
func placeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine"
	}
	return fmt.Sprintf("%s (process %d)", host, os.Getpid())
}

// split takes an address apart into what package net wants.
func split(address string) (network, where string) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return "unix", path
	}
	return "tcp", address
}

// nearby refuses addresses that others than this machine can reach.
func nearby(address string) error {
	if strings.HasPrefix(address, "unix:") {
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return usageError{fmt.Errorf("%q is neither unix:/path nor host:port", address)}
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return usageError{fmt.Errorf("%s is beyond this machine, which needs mutual TLS", address)}
}

// meetAt returns addresses of a host at which ranks can meet: whose port was free a moment ago.
func meetAt(host string) func() (string, error) {
	return func() (string, error) {
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			return "", err
		}
		return l.Addr().String(), l.Close()
	}
}

// doors opens what supervisors of other machines come through, nil if none is to.
func (f *superviseFlags) doors() (*supervise.Doors, error) {
	if f.places == "" {
		return nil, nil
	}
	if err := nearby(f.places); err != nil {
		return nil, err
	}
	network, address := split(f.places)
	if network == "unix" { // of a launcher that has died
		_ = os.Remove(address)
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, badInput(fmt.Errorf("--places: %w", err))
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &supervise.Doors{Listener: l, Token: os.Getenv(envToken), Build: summary.BuildID(), Silence: placeSilence,
		Dir: dir}, nil
}
