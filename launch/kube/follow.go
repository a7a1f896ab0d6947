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

// Follow says what a job does until it has ended.
type Follow struct {
	Client   *Client
	Name     string
	Out, Log io.Writer     // of what rank 0 prints, and of what is told of the job
	Patience time.Duration // how long the job may stay pending before it is given up

	ran   bool            // a pod of rank 0 was at work
	input bool            // a pod said that its input was wrong
	told  map[string]bool // of obstacles
	read  map[string]bool // pods whose logs are
	mu    sync.Mutex
	lines sync.WaitGroup
}

// Failed is that a job did not come to its end.
type Failed struct {
	Why   string
	Input bool // the case or its options were wrong
}

func (e *Failed) Error() string { return e.Why }

// often is how often the job is looked at.
const often = time.Second

// Until follows the job to its end. The end of the context is not the job's.
func (f *Follow) Until(ctx context.Context) error {
	f.told, f.read = map[string]bool{}, map[string]bool{}
	defer f.lines.Wait()
	ticks := time.NewTicker(often)
	defer ticks.Stop()
	last := time.Now() // that nothing was in the way
	for failures := 0; ; {
		done, held, err := f.look(ctx)
		var refused *StatusError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			failures = 0
		case errors.As(err, new(*Failed)), errors.As(err, &refused) && refused.Code < 500:
			return err
		default: // the network, or a server that starts again
			if failures++; failures == 1 {
				f.tell("the cluster does not answer: %v", err)
			}
			if failures > 60 {
				return fmt.Errorf("the cluster does not answer: %w; the job may still run: come back with --attach", err)
			}
		}
		if done {
			return nil
		}
		if held == "" || f.ran {
			last = time.Now()
		} else if time.Since(last) > f.Patience {
			return &Failed{Why: fmt.Sprintf("the job did not start within %v: %s", f.Patience, held)}
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look takes in what there is of the job. held is what keeps its pods from starting, "" for nothing.
func (f *Follow) look(ctx context.Context) (done bool, held string, err error) {
	var j job
	if err := f.Client.get(ctx, "Job", f.Name, &j); err != nil {
		return false, "", err
	}
	var all pods
	if err := f.Client.list(ctx, "Pod", "batch.kubernetes.io/job-name="+f.Name, &all); err != nil {
		return false, "", err
	}
	slices.SortFunc(all.Items, func(a, b pod) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	for i := range all.Items {
		p := &all.Items[i]
		why, lasting := p.obstacle()
		if lasting {
			return false, "", &Failed{Why: why}
		}
		if why != "" {
			held = why
			f.once(why, "%s", why)
		}
		code, _ := p.ended()
		f.input = f.input || code == 2
		f.ran = f.ran || p.running() && p.index() == "0"
		f.pod(ctx, p)
	}
	switch {
	case len(all.Items) > 0:
	case f.ran && j.Status.Succeeded == 0:
		f.once("none", "no pod is left; the cluster makes new ones, the later the more have failed")
	case !f.ran:
		held = "no pod was made for it"
	}
	for _, c := range j.Status.Conditions {
		switch {
		case c.Status != "True":
		case c.Type == "Complete":
			return true, "", nil
		case c.Type == "Failed":
			f.lines.Wait()
			return false, "", &Failed{Why: "the job failed: " + strings.TrimSuffix(c.Reason+": "+c.Message, ": "),
				Input: c.Reason == "PodFailurePolicy" && f.input}
		case c.Type == "Suspended":
			held = ""
			f.once(c.Type, "the job waits for its queue: %s", c.Message)
		}
	}
	return false, held, nil
}

// pod begins to read what a pod says: rank 0 all along, the others once they have failed.
func (f *Follow) pod(ctx context.Context, p *pod) {
	name := p.Metadata.Name
	code, ended := p.ended()
	if f.read[name] || !ended && !(p.index() == "0" && p.running()) || ended && code == 0 && p.index() != "0" {
		return
	}
	f.read[name] = true
	query, prefix, out := url.Values{"follow": {"true"}}, "", f.Out
	if p.index() != "0" {
		query, prefix, out = url.Values{"tailLines": {"5"}}, "[rank "+p.index()+"] ", f.Log
		if code == 75 {
			f.tell("pod %s has left the run, with its state saved", p.index())
			return
		}
		f.tell("pod %s ended with exit code %d", p.index(), code)
	}
	f.lines.Go(func() {
		body, err := f.Client.log(ctx, name, query)
		if err != nil {
			f.tell("what rank %s said cannot be had: %v", p.index(), err)
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

func (f *Follow) once(key, format string, args ...any) {
	if !f.told[key] {
		f.told[key] = true
		f.tell(format, args...)
	}
}

func (f *Follow) tell(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(f.Log, "atoll: "+format+"\n", args...)
}
