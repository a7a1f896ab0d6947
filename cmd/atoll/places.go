package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/launch/supervise"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/summary"
)

// placeSilence is how long a supervisor, or the launcher, may give no sign of life.
const placeSilence = 3 * time.Second

// visitFlags are the flags of atoll supervise.
type visitFlags struct {
	launcher       string
	slots, threads int
	wait           time.Duration
	logRanks       bool
	listen, certs  string
	insecure       bool
}

func superviseCommand() *cobra.Command {
	var f visitFlags
	c := &cobra.Command{
		Use:   "supervise --join ADDR",
		Short: "Run ranks of a run that is launched on another machine",
		Long: "Run ranks of a run that atoll run --places ADDR has launched on another machine.\n" +
			"The case and the folder of its output must be there under the same paths. It stays until the run is over:\n" +
			"when the launcher dies its ranks here end, and it waits for the next one. A signal has it go: the run saves\n" +
			"its state and goes on without it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) },
	}
	p := c.Flags()
	p.StringVar(&f.launcher, "join", "", "where the launcher listens, its --places: host:port or unix:/path")
	p.IntVar(&f.slots, "slots", runtime.GOMAXPROCS(0), "how many ranks this machine runs at most")
	p.IntVar(&f.threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.DurationVar(&f.wait, "wait", 10*time.Minute, "how long the launcher may be away")
	p.StringVar(&f.listen, "listen", "", "where ranks here take connections over gRPC: an address of this machine, as in "+
		"10.0.0.7 (default: loopback)")
	p.StringVar(&f.certs, "certs", "", "folder of the job's certificates, as atoll certs makes it, with one for each rank")
	p.BoolVar(&f.insecure, "insecure", false, "take part over a network in plaintext: who can reach it can read and "+
		"change the run")
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
	secured, err := f.secured()
	if err != nil {
		return err
	}
	var args []string
	at := "127.0.0.1"
	if f.listen != "" {
		at = f.listen
		args = append(args, "--listen", net.JoinHostPort(at, "0"), "--announce", net.JoinHostPort(at, "0"))
	}
	if f.certs != "" {
		args = append(args, "--certs", f.certs)
	}
	if f.insecure {
		args = append(args, "--insecure")
	}
	v := supervise.Visit{
		Dial: secured, Args: args,
		Host: supervise.Host{Name: placeName(), Slots: f.slots, Meet: meetAt(at),
			Workers: launch.LocalConfig{Threads: f.threads, Stdout: os.Stdout, Stderr: os.Stderr, LogRanks: f.logRanks,
				Drain: run.Drain}},
		Token: os.Getenv(envToken), Build: summary.BuildID(), Silence: placeSilence, Wait: f.wait,
		Tell: func(text string) { fmt.Fprintln(os.Stderr, "atoll: warning:", text) },
	}
	err = v.Join(ctx)
	if errors.As(err, new(*supervise.RefusedError)) {
		return badInput(err)
	}
	return err
}

// secured is how the launcher is called: by mutual TLS, or in plaintext where only this machine listens, or where that
// was asked for.
func (f *visitFlags) secured() (func(ctx context.Context) (net.Conn, error), error) {
	network, address := split(f.launcher)
	if f.certs == "" {
		if err := nearby(f.launcher, f.insecure); err != nil {
			return nil, err
		}
		return func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, network, address) }, nil
	}
	store, err := openCertificates(f.certs, 0)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (net.Conn, error) {
		return (&tls.Dialer{Config: store.Client(certs.Coordinator)}).DialContext(ctx, network, address)
	}, nil
}

// openCertificates opens the certificate of a rank, or of the coordinator.
func openCertificates(dir string, rank int) (*certs.Store, error) {
	store, err := certs.Open(dir, rank, func(line string) { fmt.Fprintln(os.Stderr, "atoll:", line) })
	if err != nil {
		return nil, usageError{err}
	}
	return store, nil
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

// nearby refuses addresses that others than this machine can reach in plaintext, unless that was asked for.
func nearby(address string, insecure bool) error {
	if strings.HasPrefix(address, "unix:") {
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return usageError{fmt.Errorf("%q is neither unix:/path nor host:port", address)}
	}
	if ip := net.ParseIP(host); insecure || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return usageError{fmt.Errorf("%s is beyond this machine, which needs mutual TLS: give --certs, or say that everybody "+
		"on the network may read and change the run (--insecure)", address)}
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
func (f *runFlags) doors() (*supervise.Doors, error) {
	if f.places == "" {
		return nil, nil
	}
	var store *certs.Store
	var err error
	if f.certs != "" {
		store, err = openCertificates(f.certs, certs.Coordinator)
	} else {
		err = nearby(f.places, f.insecure)
	}
	if err != nil {
		return nil, err
	}
	token := os.Getenv(envToken)
	if f.insecure && token == "" {
		return nil, usageError{fmt.Errorf("--places %s with --insecure: set %s to a secret here and where atoll supervise "+
			"runs, or anybody can join", f.places, envToken)}
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
	if store != nil {
		l = tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS13,
			GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return store.Server(), nil }})
	}
	if err := giveToken(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &supervise.Doors{Listener: l, Token: token, Build: summary.BuildID(), Silence: placeSilence, Dir: dir,
		Env: []string{envToken + "=" + os.Getenv(envToken)}}, nil
}
