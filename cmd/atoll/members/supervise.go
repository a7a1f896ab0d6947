package members

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
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
	listen, certs  string
	insecure       bool
}

// SuperviseCommand is atoll supervise.
func SuperviseCommand() *cobra.Command {
	var f superviseFlags
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
	p.DurationVar(&f.stuck, "stuck", 30*time.Minute, "how long a rank here that lives may end no step and no part of the "+
		"set-up, until it is taken for hung; 0 for ever")
	p.StringVar(&f.listen, "listen", "", "where ranks here take connections over gRPC: an address of this machine, as in "+
		"10.0.0.7 (default: loopback)")
	p.StringVar(&f.certs, "certs", "", "folder of the job's certificates, as atoll certs makes it, with one for each rank")
	p.BoolVar(&f.insecure, "insecure", false, "take part over a network in plaintext: who can reach it can read and "+
		"change the run")
	p.BoolVar(&f.logRanks, "log-ranks", false, "print the output of the ranks, each line with its rank before it")
	_ = c.MarkFlagRequired("join") // fails only for a flag that is not there
	return c
}

func (f *superviseFlags) run(ctx context.Context) error {
	switch {
	case f.slots < 1 || f.slots > MaxRanks:
		return bad(fmt.Errorf("--slots %d: 1 to %d", f.slots, MaxRanks))
	case f.stuck != 0 && f.stuck < time.Second:
		return bad(fmt.Errorf("--stuck %v: at least 1s, or 0 for ever", f.stuck))
	case f.threads < 0:
		return bad(fmt.Errorf("--threads %d: at least 1, or 0 for a share of the cores", f.threads))
	}
	secured, err := f.dialer()
	if err != nil {
		return err
	}
	var args []string
	at := "127.0.0.1"
	if f.listen != "" {
		at = f.listen
		args = append(args, "--listen", net.JoinHostPort(at, "0"), "--announce", net.JoinHostPort(at, "0"))
	}
	if f.certs != "" { // workers run in the launcher's folder
		args = append(args, "--certs", absolute(f.certs))
	}
	if f.insecure {
		args = append(args, "--insecure")
	}
	v := supervise.RemoteSupervisor{
		Dial: secured, Args: args,
		Local: supervise.LocalMember{Name: Name(), Slots: f.slots, Address: at,
			Workers: launch.LocalConfig{Threads: f.threads, Stdout: os.Stdout, Stderr: os.Stderr, LogRanks: f.logRanks,
				Drain: run.Drain, Stuck: f.stuck}},
		Token: os.Getenv(EnvToken), Build: summary.BuildID(), SilenceLimit: SilenceLimit, MaxOutage: f.wait,
		Log: func(text string) { fmt.Fprintln(os.Stderr, "atoll: warning:", text) },
	}
	err = v.Join(ctx)
	if errors.As(err, new(*supervise.RefusedError)) {
		return bad(err)
	}
	return err
}

// dialer is how the launcher is called: by mutual TLS, or in plaintext where only this machine listens, or where that
// was asked for.
func (f *superviseFlags) dialer() (func(ctx context.Context) (net.Conn, error), error) {
	network, address := split(f.launcher)
	if f.certs == "" {
		if err := requireLocal(f.launcher, f.insecure); err != nil {
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

// absolute is a path from anywhere, if that can be told.
func absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}
