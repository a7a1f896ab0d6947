package kube

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"
)

// JobLabel is on all objects of a job, with its name.
const JobLabel = "atoll-hpc.github.io/job"

// Secrets are the certificates of a job's ranks: [rank][file name] is the content of a file.
type Secrets []map[string][]byte

// manifests returns the Secret objects, in YAML, of a job's ranks.
func (s Secrets) manifests(name string) ([]byte, error) {
	var manifests [][]byte
	for rank, files := range s {
		text, err := yaml.Marshal(map[string]any{
			"apiVersion": "v1", "kind": "Secret", "data": files,
			"metadata": map[string]any{"name": fmt.Sprintf("%s-rank-%d", name, rank),
				"labels": map[string]string{JobLabel: name}},
		})
		if err != nil {
			return nil, err
		}
		manifests = append(manifests, text)
	}
	return bytes.Join(manifests, []byte("\n---\n")), nil
}

// Submit starts a job. A job of the same name must not exist. If the server refuses the job, Submit removes the objects
// that it has made.
func (c *Client) Submit(ctx context.Context, j *Job, secrets Secrets) error {
	text, err := j.Render()
	if err != nil {
		return err
	}
	var existing job
	switch err := c.get(ctx, "Job", j.Name, &existing); {
	case err == nil:
		return fmt.Errorf("the job %s exists in namespace %s: use another --name, follow that job with --attach, or "+
			"remove it with --delete", j.Name, c.Namespace)
	case !NotFound(err):
		return err
	}
	if err := c.apply(ctx, text, true); err != nil {
		return fmt.Errorf("the cluster refuses the job: %w", err)
	}
	if len(secrets) > 0 {
		manifests, err := secrets.manifests(j.Name)
		if err != nil {
			return err
		}
		if err := c.apply(ctx, manifests, false); err != nil {
			return err
		}
	}
	if err := c.apply(ctx, text, false); err != nil {
		return errors.Join(err, c.Remove(context.WithoutCancel(ctx), j.Name, false))
	}
	return nil
}

// Remove deletes all objects of a job; the volume with its output only if output is true.
func (c *Client) Remove(ctx context.Context, name string, output bool) error {
	var errs []error
	kinds := []string{"Job", "Service", "NetworkPolicy", "ConfigMap", "Secret", "ServiceAccount"}
	if output {
		kinds = append(kinds, "PersistentVolumeClaim")
	}
	for _, kind := range kinds {
		var objects struct{ Items []struct{ Metadata metadata } }
		if err := c.list(ctx, kind, JobLabel+"="+name, &objects); err != nil {
			errs = append(errs, err)
			continue
		}
		for _, o := range objects.Items {
			errs = append(errs, c.remove(ctx, kind, o.Metadata.Name))
		}
	}
	return errors.Join(append(errs, c.remove(ctx, "Pod", filesPod(name)))...)
}
