package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/atoll-hpc/atoll/cmd/atoll/members"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/launch/supervise"
	"github.com/atoll-hpc/atoll/solvers"
)

// pod supervises the rank of a pod of an indexed Job. The policy of the Job for exit codes: 1 and 2 fail the Job,
// since the run has been retried already; after 75 and 76 the pod is recreated, and 76 counts as a failure of the pod.
// A run that was given up because files could not be written or read ends with 76: that may be mended meanwhile.
func (f *runFlags) pod(ctx context.Context, path string, p *members.Pod) error {
	text, err := readCase(path, false)
	if err != nil {
		return badInput(err)
	}
	c, err := f.load(path, text, p.Index)
	if err != nil {
		return err
	}
	f.transport, f.ranks = launch.GRPC, max(f.ranks, 1)
	limit := cmp.Or(f.maxRanks, f.ranks)
	if p.Index >= limit {
		fmt.Fprintf(stderr, "atoll: warning: the run was started for at most %d ranks and does not use pod %d\n", limit,
			p.Index)
		return nil
	}
	p.Out, p.Supervisors, p.Announce = cmp.Or(f.out, c.Output.Dir), f.listenSupervisors, f.announce
	p.Certs, p.Insecure, p.Args = f.certs, f.insecure, f.connectFlags.args()
	p.Workers = launch.LocalConfig{Threads: f.threads, Stdout: os.Stdout, Stderr: os.Stderr, LogRanks: f.logRanks,
		LogOut: stdout, LogErr: stderr, Stuck: f.stuck}
	_, outage := f.waits(limit)
	p.SilenceLimit, p.MaxOutage = cmp.Or(f.silence, members.SilenceLimit), outage
	health, err := f.healthService()
	if err != nil {
		return err
	}
	defer health.Close()
	p.OnActive = health.SetReady
	if p.Done() {
		return nil
	}
	if p.Index > 0 {
		return podError(ctx, p, p.Join(ctx))
	}
	return podError(ctx, p, f.podZero(ctx, path, p))
}

// podZero controls the run from pod 0.
func (f *runFlags) podZero(ctx context.Context, path string, p *members.Pod) error {
	address, err := p.ListenAddress()
	if err != nil {
		return err
	}
	token, err := members.PrepareTokens(address, f.certs, f.insecure)
	if err != nil {
		return err
	}
	j, err := p.AwaitJournal(ctx, p.MaxOutage)
	if err != nil {
		return &retryableError{err}
	}
	server, err := members.Listen(members.ServerConfig{Address: address, Certs: f.certs, Insecure: f.insecure,
		JoinToken: token, Aligned: true})
	if err != nil {
		return errors.Join(err, j.Close())
	}
	limits := p.Limits(f.ranks, f.minRanks, f.maxRanks, p.MaxOutage)
	limits.Retries, limits.RetryFailures, limits.Drain = f.retries, f.backend != "cpu", p.Member().Workers.Drain
	o := f.supervise(ctx, path, j, supervise.Config{Limits: limits, Local: p.Member(), Server: server})
	err = errors.Join(outcomeError(ctx, o, j.Saved()), j.Close())
	if err != nil && (o.MembersMissing || o.Err != nil || o.Faulty) {
		return &retryableError{err}
	}
	return err
}

// retryableError is an error that may go away when the pod is recreated.
type retryableError struct{ error }

func (e *retryableError) Unwrap() error { return e.error }

// podError returns the error with which a pod ends, whose exit code its Job handles.
func podError(ctx context.Context, p *members.Pod, err error) error {
	var stoppedRun *stopError
	switch {
	case p.Done():
		return nil
	case ctx.Err() != nil && errors.As(err, &stoppedRun):
		return &stopError{stoppedRun, stoppedRun.text, exitSaved}
	case ctx.Err() != nil:
		text := fmt.Sprintf("pod %d has left the run, which continues when the pod returns", p.Index)
		return &stopError{context.Cause(ctx), text, exitSaved}
	case solvers.IsFault(err), errors.As(err, new(*retryableError)), errors.As(err, new(*supervise.LauncherLostError)),
		errors.As(err, new(*supervise.RefusedError)), errors.As(err, new(*supervise.UnknownLauncherError)):
		return &stopError{err, err.Error(), exitLost}
	}
	return err
}
