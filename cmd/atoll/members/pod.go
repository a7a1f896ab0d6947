package members

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/launch/supervise"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/summary"
)

// Pod is a pod of an indexed Kubernetes Job: it supervises the rank of the same index. Pod 0 also controls the run.
type Pod struct {
	Index        int
	Job          string // the UID of its Job, "" if ATOLL_JOB_UID does not give it
	Out          string // output folder of the run, on a volume that all pods mount
	Supervisors  string // host:port at which pod 0 listens for the others
	Announce     string // host:port at which other pods reach the rank
	Certs        string // folder of its certificate, "" for none
	Insecure     bool
	Args         []string // further arguments of its worker
	Workers      launch.LocalConfig
	SilenceLimit time.Duration
	MaxOutage    time.Duration // for pod 0
	OnActive     func(bool)    // called with true when the rank starts, with false when it has exited
}

// envJob names the environment variable with the UID of the Job.
const envJob = "ATOLL_JOB_UID"

// JoinDelay is how long pod 0 waits after a pod has joined for others that can join in the same epoch. Only tests
// change it.
var JoinDelay = 2 * time.Second

// FindPod describes the pod that this process runs in, and returns nil if it runs in none.
func FindPod() (*Pod, error) {
	index, found, err := launch.Pod()
	if err != nil || !found {
		return nil, badInput(err)
	}
	return &Pod{Index: index, Job: os.Getenv(envJob)}, nil
}

// Member describes the pod as a member of the run.
func (p *Pod) Member() supervise.LocalMember {
	p.Workers.Drain = run.Drain
	return supervise.LocalMember{Name: fmt.Sprintf("pod %d", p.Index), Slots: 1, Ordinal: p.Index, Rendezvous: p.Announce,
		OnActive: p.OnActive, Workers: p.Workers}
}

// ListenAddress returns the address at which pod 0 listens for the others: the port of Supervisors, on all interfaces.
func (p *Pod) ListenAddress() (string, error) {
	_, port, err := net.SplitHostPort(p.Supervisors)
	if err != nil {
		return "", badInput(fmt.Errorf("--places %q: in a pod want host:port of pod 0", p.Supervisors))
	}
	return net.JoinHostPort("", port), nil
}

// Limits returns the limits of a run on least to most pods, or on exactly ranks pods if least is 0. The run begins
// with ranks pods or, if pod 0 was recreated, with their last number. waitLimit is how long the run waits for
// enough pods.
func (p *Pod) Limits(ranks, least, most int, waitLimit time.Duration) supervise.Limits {
	if least == 0 {
		least, most = ranks, ranks
	}
	initial := min(max(ranks, least), most)
	if e, err := folder.ReadEpoch(p.Out); err == nil && p.Job != "" && e.Job == p.Job && e.Ranks >= least &&
		e.Ranks <= most {
		initial = e.Ranks
	}
	return supervise.Limits{Ranks: most, MinRanks: least, MaxRanks: most, InitialRanks: initial, Aligned: true,
		JoinDelay: JoinDelay, WaitLimit: waitLimit}
}

// Done reports whether the run of this Job is complete. A pod that is recreated after that exits at once.
func (p *Pod) Done() bool {
	e, err := folder.ReadEpoch(p.Out)
	if err != nil || p.Job == "" || e.Job != p.Job {
		return false
	}
	info, err := folder.Read(p.Out)
	return err == nil && info.State == folder.Done && info.Epoch == e.Epoch
}

// Join takes part in the run until it is complete. When ctx ends, the pod leaves the run and Join returns nil.
func (p *Pod) Join(ctx context.Context) error {
	dial, err := p.dial()
	if err != nil {
		return err
	}
	v := supervise.RemoteSupervisor{Dial: dial, Args: p.Args, Local: p.Member(), Token: os.Getenv(EnvToken),
		Arguments: workerArguments, Build: summary.BuildID(),
		SilenceLimit: p.SilenceLimit, MaxOutage: p.MaxOutage, UntilDone: true, Done: p.Done,
		Log: func(text string) { fmt.Fprintln(os.Stderr, "atoll: warning:", text) }}
	if err := v.Join(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

// dial returns a function that connects to pod 0 and expects the certificate of rank 0.
func (p *Pod) dial() (func(ctx context.Context) (net.Conn, error), error) {
	if p.Certs == "" {
		if !p.Insecure {
			return nil, badInput(errors.New("pods talk over a network, by mutual TLS: give --certs, or say that " +
				"everybody on the " +
				"network may read and change the run (--insecure)"))
		}
		return func(ctx context.Context) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", p.Supervisors)
		}, nil
	}
	store, err := openCertificates(p.Certs, p.Index)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (net.Conn, error) {
		return (&tls.Dialer{Config: store.Client(0)}).DialContext(ctx, "tcp", p.Supervisors)
	}, nil
}
