package kube

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Follow reports the progress of a job until it has ended.
type Follow struct {
	Client       *Client
	Name         string
	Out, Log     io.Writer     // for the output of rank 0, and for messages about the job
	StartTimeout time.Duration // how long an obstacle may keep the job from starting before it is given up

	ran      bool            // a pod of rank 0 has run
	badInput bool            // a pod has exited with the code for wrong input
	logged   map[string]bool // messages that are logged only once
	logsRead map[string]bool // pods whose logs are being read, or have been
	mu       sync.Mutex
	readers  sync.WaitGroup
}

// FailedError is the error of a job that failed or did not start.
type FailedError struct {
	Reason   string
	BadInput bool // the case or its options were wrong
}

func (e *FailedError) Error() string { return e.Reason }

// Exit codes of atoll run, as in package launch.
const (
	exitUsage   = 2  // bad usage or input
	exitStopped = 75 // stopped, with its state saved
)

// pollInterval is how often the state of a job is read.
const pollInterval = time.Second

// Wait waits until the job has ended, and returns a *FailedError if it failed. When ctx ends, Wait returns but the job
// continues.
func (f *Follow) Wait(ctx context.Context) error {
	f.logged, f.logsRead = map[string]bool{}, map[string]bool{}
	defer f.readers.Wait()
	ticks := time.NewTicker(pollInterval)
	defer ticks.Stop()
	unobstructed := time.Now() // the last time when the job had no obstacle
	for failures := 0; ; {
		done, obstacle, err := f.poll(ctx)
		var refused *StatusError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			failures = 0
		case errors.As(err, new(*FailedError)), errors.As(err, &refused) && refused.Code < 500:
			return err
		default: // a temporary failure of the network or the server
			if failures++; failures == 1 {
				f.log("the cluster does not answer: %v", err)
			}
			if failures > 60 { // polls, for about a minute
				return fmt.Errorf("the cluster does not answer: %w; the job may still run: follow it with --attach", err)
			}
		}
		if done {
			return nil
		}
		if obstacle == "" || f.ran {
			unobstructed = time.Now()
		} else if time.Since(unobstructed) > f.StartTimeout {
			return &FailedError{Reason: fmt.Sprintf("the job did not start within %v: %s", f.StartTimeout, obstacle)}
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// poll reads the state of the job and its pods. obstacle is the reason why its pods do not start, "" for none.
func (f *Follow) poll(ctx context.Context) (done bool, obstacle string, err error) {
	var j job
	if err := f.Client.get(ctx, "Job", f.Name, &j); err != nil {
		return false, "", err
	}
	var jobPods pods
	if err := f.Client.list(ctx, "Pod", "batch.kubernetes.io/job-name="+f.Name, &jobPods); err != nil {
		return false, "", err
	}
	slices.SortFunc(jobPods.Items, func(a, b pod) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	for i := range jobPods.Items {
		p := &jobPods.Items[i]
		reason, permanent := p.obstacle()
		if permanent {
			return false, "", &FailedError{Reason: reason}
		}
		if reason != "" {
			obstacle = reason
			f.logOnce(reason, "%s", reason)
		}
		code, _ := p.exitCode()
		f.badInput = f.badInput || code == exitUsage
		f.ran = f.ran || p.running() && p.index() == "0"
		f.readLog(ctx, p)
	}
	switch {
	case len(jobPods.Items) > 0:
	case f.ran && j.Status.Succeeded == 0:
		f.logOnce("none", "the job has no pods; the cluster creates new ones, with a delay that grows with each failure")
	case !f.ran:
		obstacle = "the cluster has created no pod for it"
	}
	for _, c := range j.Status.Conditions {
		switch {
		case c.Status != "True":
		case c.Type == "Complete":
			return true, "", nil
		case c.Type == "Failed":
			f.readers.Wait()
			return false, "", &FailedError{Reason: "the job failed: " + strings.TrimSuffix(c.Reason+": "+c.Message, ": "),
				BadInput: c.Reason == "PodFailurePolicy" && f.badInput}
		case c.Type == "Suspended":
			obstacle = ""
			f.logOnce(c.Type, "the job waits for its queue: %s", c.Message)
		}
	}
	return false, obstacle, nil
}

// readLog starts to copy a pod's log: of rank 0 when it runs, of others the last lines when they have failed.
func (f *Follow) readLog(ctx context.Context, p *pod) {
	name := p.Metadata.Name
	code, ended := p.exitCode()
	if f.logsRead[name] || !ended && !(p.index() == "0" && p.running()) || ended && code == 0 && p.index() != "0" {
		return
	}
	f.logsRead[name] = true
	query, prefix, out := url.Values{"follow": {"true"}}, "", f.Out
	if p.index() != "0" {
		query, prefix, out = url.Values{"tailLines": {"5"}}, "[rank "+p.index()+"] ", f.Log
		if code == exitStopped {
			f.log("pod %s has left the run, with its state saved", p.index())
			return
		}
		f.log("pod %s ended with exit code %d", p.index(), code)
	}
	f.readers.Go(func() {
		body, err := f.Client.log(ctx, name, query)
		if err != nil {
			f.log("cannot read the log of rank %s: %v", p.index(), err)
			return
		}
		defer body.Close()
		for lines := bufio.NewScanner(body); lines.Scan(); {
			f.mu.Lock()
			fmt.Fprintln(out, prefix+lines.Text())
			f.mu.Unlock()
		}
	})
}

func (f *Follow) logOnce(key, format string, args ...any) {
	if !f.logged[key] {
		f.logged[key] = true
		f.log(format, args...)
	}
}

func (f *Follow) log(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(f.Log, "atoll: "+format+"\n", args...)
}
