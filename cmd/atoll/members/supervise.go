package members

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/launch/supervise"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/summary"
)

// superviseFlags are the flags of atoll supervise.
type superviseFlags struct {
	launcher       string
	slots, threads int
	wait, stuck    time.Duration
	logRanks       bool
	logOut, logErr io.Writer
	listen, certs  string
	insecure       bool
}

// SuperviseCommand returns the command atoll supervise, which writes lines of ranks to out and errors.
func SuperviseCommand(out, errors io.Writer) *cobra.Command {
	f := superviseFlags{logOut: out, logErr: errors}
	c := &cobra.Command{
		Use:   "supervise --join ADDR",
		Short: "Run ranks of a run that is launched on another machine",
		Long: "Run ranks of a run that atoll run --places ADDR has launched on another machine.\n" +
			"The case and its output folder must have the same paths on both machines. The command runs until the run ends.\n" +
			"If the launcher dies, the ranks here end, and the command waits for a new launcher. " +
			"After a signal the run saves\nits state and continues without this machine.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) },
	}
	p := c.Flags()
	p.StringVar(&f.launcher, "join", "", "where the launcher listens, its --places: host:port or unix:/path")
	p.IntVar(&f.slots, "slots", runtime.GOMAXPROCS(0), "how many ranks this machine runs at most")
	p.IntVar(&f.threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.DurationVar(&f.wait, "wait", 10*time.Minute, "how long to wait for a lost launcher to return")
	p.DurationVar(&f.stuck, "stuck", 30*time.Minute, "how long a rank here may complete no step and no part of the "+
		"set-up before it counts as hung; 0 for no limit")
	p.StringVar(&f.listen, "listen", "",
		"where ranks here accept connections over gRPC: an address of this machine, as in "+
			"10.0.0.7 (default: loopback)")
	p.StringVar(&f.certs, "certs", "", "folder of the job's certificates, as atoll certs makes it, with one for each rank")
	p.BoolVar(&f.insecure, "insecure", false, "take part over a network in plaintext: anybody who can reach it can "+
		"read and change the run")
	p.BoolVar(&f.logRanks, "log-ranks", false, "print the output of the ranks, each line with its rank before it")
	_ = c.MarkFlagRequired("join") // fails only for an unknown flag
	return c
}

func (f *superviseFlags) run(ctx context.Context) error {
	switch {
	case f.slots < 1 || f.slots > MaxRanks:
		return badInput(fmt.Errorf("--slots %d: want 1 to %d", f.slots, MaxRanks))
	case f.stuck != 0 && f.stuck < time.Second:
		return badInput(fmt.Errorf("--stuck %v: want at least 1s, or 0 for no limit", f.stuck))
	case f.threads < 0:
		return badInput(fmt.Errorf("--threads %d: want at least 1, or 0 for a share of the cores", f.threads))
	}
	dial, err := f.dialer()
	if err != nil {
		return err
	}
	token := os.Getenv(EnvToken)
	if f.certs == "" {
		if token, err = plaintextToken(f.launcher, f.insecure, token); err != nil {
			return err
		}
	}
	var args []string
	address := "127.0.0.1"
	if f.listen != "" {
		address = f.listen
		args = append(args, "--listen", net.JoinHostPort(address, "0"), "--announce", net.JoinHostPort(address, "0"))
	}
	if f.certs != "" { // workers run in the launcher's folder
		args = append(args, "--certs", absolute(f.certs))
	}
	if f.insecure {
		args = append(args, "--insecure")
	}
	v := supervise.RemoteSupervisor{
		Dial: dial, Args: args,
		Local: supervise.LocalMember{Name: Name(), Slots: f.slots, Address: address,
			Workers: launch.LocalConfig{Threads: f.threads, Stdout: os.Stdout, Stderr: os.Stderr, LogRanks: f.logRanks,
				LogOut: f.logOut, LogErr: f.logErr, Drain: run.Drain, Stuck: f.stuck}},
		Token: token, Arguments: workerArguments, Build: summary.BuildID(), SilenceLimit: SilenceLimit, MaxOutage: f.wait,
		Log: func(text string) { fmt.Fprintln(os.Stderr, "atoll: warning:", text) },
	}
	err = v.Join(ctx)
	if errors.As(err, new(*supervise.RefusedError)) || errors.As(err, new(*supervise.UnknownLauncherError)) {
		return badInput(err)
	}
	return err
}

// dialer returns a function that connects to the launcher: by mutual TLS, or in plaintext on this machine or with
// --insecure.
func (f *superviseFlags) dialer() (func(ctx context.Context) (net.Conn, error), error) {
	network, address := splitAddress(f.launcher)
	if f.certs == "" {
		return func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, network, address) }, nil
	}
	// A member has no fixed rank: it uses the only certificate in the folder, or that of rank 0.
	store, err := openCertificates(f.certs, 0)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (net.Conn, error) {
		return (&tls.Dialer{Config: store.Client(certs.Coordinator)}).DialContext(ctx, network, address)
	}, nil
}

// absolute returns the absolute path, or path itself if the working folder is unknown.
func absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}
