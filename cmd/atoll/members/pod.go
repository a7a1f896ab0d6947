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

// Pod is a pod of an indexed Job: a supervisor of the rank that has its index. That of index 0 also
// controls the run.
type Pod struct {
	Index        int
	Job          string // the UID of its Job, "" if ATOLL_JOB_UID does not give it
	Out          string // folder of the run, which all pods see
	Supervisors  string // host:port at which pod 0 listens for the others
	Announce     string // host:port at which other pods reach the rank
	Certs        string // folder of its certificate, "" for none
	Insecure     bool
	Args         []string // of its worker, besides those of the run
	Workers      launch.LocalConfig
	SilenceLimit time.Duration
	MaxOutage    time.Duration // for pod 0
	OnActive     func(bool)    // is called when the rank starts, and when it has exited
}

// envJob is the variable with the UID of the Job.
const envJob = "ATOLL_JOB_UID"

// JoinDelay is how long pod 0 waits, once a pod has joined, for others that can be taken into the same epoch. Only
// tests set it.
var JoinDelay = 2 * time.Second

// FindPod describes the pod that this process runs in, and returns nil if it runs in none.
func FindPod() (*Pod, error) {
	index, is, err := launch.Pod()
	if err != nil || !is {
		return nil, bad(err)
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
		return "", bad(fmt.Errorf("--places %q: in a pod want host:port of pod 0", p.Supervisors))
	}
	return net.JoinHostPort("", port), nil
}

// Limits are those of a run on least to most pods, or on ranks of them if least is 0. It begins with ranks of them, or,
// if pod 0 was recreated, with as many as it had before. patience is how long it waits for enough of them.
func (p *Pod) Limits(ranks, least, most int, patience time.Duration) supervise.Limits {
	if least == 0 {
		least, most = ranks, ranks
	}
	begin := min(max(ranks, least), most)
	if e, err := folder.ReadEpoch(p.Out); err == nil && p.Job != "" && e.Job == p.Job && e.Ranks >= least &&
		e.Ranks <= most {
		begin = e.Ranks
	}
	return supervise.Limits{Ranks: most, MinRanks: least, MaxRanks: most, InitialRanks: begin, Aligned: true,
		JoinDelay: JoinDelay, WaitLimit: patience}
}

// Done reports whether the run of this Job has come to its end. A pod that is recreated after that has nothing to do.
func (p *Pod) Done() bool {
	e, err := folder.ReadEpoch(p.Out)
	if err != nil || p.Job == "" || e.Job != p.Job {
		return false
	}
	info, err := folder.Read(p.Out)
	return err == nil && info.State == folder.Done && info.Epoch == e.Epoch
}

// Join takes part in the run until it is done. When ctx ends the pod leaves the run, which is no error.
func (p *Pod) Join(ctx context.Context) error {
	dial, err := p.dial()
	if err != nil {
		return err
	}
	v := supervise.RemoteSupervisor{Dial: dial, Args: p.Args, Local: p.Member(), Token: os.Getenv(EnvToken),
		Build:        summary.BuildID(),
		SilenceLimit: p.SilenceLimit, MaxOutage: p.MaxOutage, UntilDone: true, Done: p.Done,
		Log: func(text string) { fmt.Fprintln(os.Stderr, "atoll: warning:", text) }}
	if err := v.Join(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

// dial returns a function that connects to pod 0, which has the certificate of rank 0.
func (p *Pod) dial() (func(ctx context.Context) (net.Conn, error), error) {
	if p.Certs == "" {
		if !p.Insecure {
			return nil, bad(errors.New("pods talk over a network, by mutual TLS: give --certs, or say that everybody on the " +
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
