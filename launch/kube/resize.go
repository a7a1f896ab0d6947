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

// WatchPort is the port at which rank 0 serves metrics of the run.
const WatchPort = 8080

// resizeTimeout is how long a job may take to run on the requested number of ranks: its pods may have to be scheduled,
// and their images pulled.
const resizeTimeout = 10 * time.Minute

// bounds returns the least and the largest number of ranks of a job, from the environment of its pods.
func (j *job) bounds() (minRanks, maxRanks int, err error) {
	for _, c := range j.Spec.Template.Spec.Containers {
		for _, e := range c.Env {
			if e.Name == "ATOLL_ELASTIC" {
				return parseBounds(e.Value)
			}
		}
	}
	return 0, 0, errors.New("its pods run without supervisors, so its number of ranks is fixed")
}

// Resize changes the number of ranks of a job, and waits until its run has that number. It calls log with progress
// messages.
func (c *Client) Resize(ctx context.Context, name string, ranks int, log func(line string)) error {
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
	// Kubernetes accepts a change of parallelism and completions only if both change together.
	text := fmt.Appendf(nil, `{"spec":{"parallelism":%d,"completions":%[1]d}}`, ranks)
	const merge = "application/merge-patch+json"
	if err := c.do(ctx, http.MethodPatch, c.path("Job", name), nil, merge, text, nil); err != nil {
		return err
	}
	timeout := fmt.Errorf("the job %s does not run on %d ranks after %v: check that the cluster has room for its pods",
		name, ranks, resizeTimeout)
	ctx, stop := context.WithTimeoutCause(ctx, resizeTimeout, timeout)
	defer stop()
	logged := -1
	for {
		now, err := c.Ranks(ctx, name)
		switch {
		case err == nil && now == ranks:
			return nil
		case err != nil && errors.As(err, new(*endedError)):
			return err
		case err == nil && now != logged:
			logged = now
			log(fmt.Sprintf("the job %s runs on %d ranks; waiting for %d", name, now, ranks))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pollInterval):
		}
	}
}

// endedError is the error of a request to a job that has ended.
type endedError struct{ name string }

func (e *endedError) Error() string { return fmt.Sprintf("the job %s has ended", e.name) }

// Ranks returns the number of ranks of a job's run, from the metrics of its rank 0.
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
	var jobPods pods
	if err := c.list(ctx, "Pod", "batch.kubernetes.io/job-name="+name, &jobPods); err != nil {
		return 0, err
	}
	for i := range jobPods.Items {
		if p := &jobPods.Items[i]; p.index() == "0" && p.running() && p.Metadata.DeletionTimestamp == "" {
			body, err := c.proxy(ctx, p.Metadata.Name, WatchPort, "metrics")
			if err != nil {
				return 0, err
			}
			defer body.Close()
			return parseRanks(body)
		}
	}
	return 0, fmt.Errorf("rank 0 of the job %s does not run", name)
}

// parseRanks reads the number of ranks from metrics.
func parseRanks(metrics io.Reader) (ranks int, err error) {
	for lines := bufio.NewScanner(metrics); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "atoll_ranks "); ok {
			_, err := fmt.Sscan(value, &ranks)
			return ranks, err
		}
	}
	return 0, errors.New("the metrics of rank 0 have no line atoll_ranks")
}
