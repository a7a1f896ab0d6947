package kube

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// WatchPort is where rank 0 serves what a run measures.
const WatchPort = 8080

// untilResized is how long a job may take until it runs on as many ranks as were asked for: pods need room and images.
const untilResized = 10 * time.Minute

// bounds are how many ranks a job may have, which its pods are told.
func (j *job) bounds() (least, most int, err error) {
	for _, c := range j.Spec.Template.Spec.Containers {
		for _, e := range c.Env {
			if e.Name == "ATOLL_ELASTIC" {
				return parseBounds(e.Value)
			}
		}
	}
	return 0, 0, errors.New("its pods run no supervisors, without which its number of ranks is fixed")
}

// Resize has a job continue with so many ranks, and waits until it does. tell is told what is waited for.
func (c *Client) Resize(ctx context.Context, name string, ranks int, tell func(line string)) error {
	var j job
	if err := c.get(ctx, "Job", name, &j); err != nil {
		return err
	}
	least, most, err := j.bounds()
	if err != nil {
		return fmt.Errorf("the job %s: %w", name, err)
	}
	if ranks < least || ranks > most {
		return fmt.Errorf("%d ranks: the job %s was launched for %d to %d (atoll launch k8s --elastic)", ranks, name, least,
			most)
	}
	// Kubernetes accepts a change of both together, and of neither alone.
	text := fmt.Appendf(nil, `{"spec":{"parallelism":%d,"completions":%[1]d}}`, ranks)
	const merge = "application/merge-patch+json"
	if err := c.ask(ctx, http.MethodPatch, c.path("Job", name), nil, merge, text, nil); err != nil {
		return err
	}
	late := fmt.Errorf("the job %s does not run on %d ranks yet: is there room for its pods?", name, ranks)
	ctx, stop := context.WithTimeoutCause(ctx, untilResized, late)
	defer stop()
	told := ""
	for {
		now, err := c.Ranks(ctx, name)
		switch {
		case err == nil && now == ranks:
			return nil
		case err != nil && errors.As(err, new(*endedError)):
			return err
		case err == nil && fmt.Sprint(now) != told:
			told = fmt.Sprint(now)
			tell(fmt.Sprintf("the job %s is on %d ranks, and %d were asked for", name, now, ranks))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(often):
		}
	}
}

// endedError is that a job has come to its end.
type endedError struct{ name string }

func (e *endedError) Error() string { return fmt.Sprintf("the job %s has ended", e.name) }

// Ranks is how many ranks the run of a job is on, as its rank 0 says.
func (c *Client) Ranks(ctx context.Context, name string) (int, error) {
	var j job
	if err := c.get(ctx, "Job", name, &j); err != nil {
		return 0, err
	}
	for _, c := range j.Status.Conditions {
		if c.Status == "True" && (c.Type == "Complete" || c.Type == "Failed") {
			return 0, &endedError{name}
		}
	}
	var all pods
	if err := c.list(ctx, "Pod", "batch.kubernetes.io/job-name="+name, &all); err != nil {
		return 0, err
	}
	for i := range all.Items {
		if p := &all.Items[i]; p.index() == "0" && p.running() && p.Metadata.DeletionTimestamp == "" {
			body, err := c.proxy(ctx, p.Metadata.Name, WatchPort, "metrics")
			if err != nil {
				return 0, err
			}
			defer body.Close()
			return ranksIn(body)
		}
	}
	return 0, fmt.Errorf("the job %s has no rank 0 at work", name)
}

// ranksIn reads the number of ranks from metrics.
func ranksIn(metrics io.Reader) (ranks int, err error) {
	for lines := bufio.NewScanner(metrics); lines.Scan(); {
		if value, is := strings.CutPrefix(lines.Text(), "atoll_ranks "); is {
			_, err := fmt.Sscan(value, &ranks)
			return ranks, err
		}
	}
	return 0, errors.New("rank 0 does not say on how many ranks the run is")
}
