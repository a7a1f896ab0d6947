package kube

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"sigs.k8s.io/yaml"
)

// FilesPort is where the pod that reads a job's output answers.
const FilesPort = 8081

func filesPod(name string) string { return name + "-files" }

// Fetch brings what a job has written to a folder, by a pod that mounts the same volume and that the API server asks.
func (c *Client) Fetch(ctx context.Context, name, image, pull, claim, dir string, checkpoints bool) (files int,
	err error) {
	text, err := yaml.Marshal(reader(name, image, pull, claim))
	if err != nil {
		return 0, err
	}
	if err := c.apply(ctx, text, false); err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, c.remove(context.WithoutCancel(ctx), "Pod", filesPod(name)))
	}()
	body, err := c.answer(ctx, filesPod(name), checkpoints)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	return unpack(body, dir)
}

// answer waiting for the pod to answer.
func (c *Client) answer(ctx context.Context, name string, checkpoints bool) (io.ReadCloser, error) {
	path := "files.tar"
	if checkpoints {
		path = "all.tar"
	}
	for deadline := time.Now().Add(2 * time.Minute); ; {
		var p pod
		if err := c.get(ctx, "Pod", name, &p); err != nil {
			return nil, err
		}
		why, _ := p.obstacle()
		err := errors.New(why)
		if p.running() {
			var body io.ReadCloser
			if body, err = c.proxy(ctx, name, FilesPort, path); err == nil {
				return body, nil
			}
		}
		if code, ended := p.ended(); ended {
			return nil, fmt.Errorf("the pod that reads the output ended with exit code %d", code)
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("the pod that reads the output does not answer: %w", err)
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// reader is the pod that reads the output.
func reader(name, image, pull, claim string) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": filesPod(name), "labels": map[string]string{JobLabel: name}},
		"spec": map[string]any{
			"restartPolicy": "Never", "automountServiceAccountToken": false, "activeDeadlineSeconds": 3600,
			"terminationGracePeriodSeconds": 1,
			"securityContext": map[string]any{"runAsNonRoot": true, "runAsUser": 65532, "runAsGroup": 65532,
				"seccompProfile": map[string]string{"type": "RuntimeDefault"}},
			"containers": []any{map[string]any{
				"name": "files", "image": image, "imagePullPolicy": pull,
				"args": []string{"files", "/output", "--listen", fmt.Sprintf(":%d", FilesPort)},
				"securityContext": map[string]any{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
					"capabilities": map[string]any{"drop": []string{"ALL"}}},
				"resources": map[string]any{"requests": map[string]string{"cpu": "50m", "memory": "128Mi"},
					"limits": map[string]string{"memory": "128Mi"}},
				"volumeMounts": []any{map[string]any{"name": "output", "mountPath": "/output", "readOnly": true}},
			}},
			"volumes": []any{map[string]any{"name": "output",
				"persistentVolumeClaim": map[string]any{"claimName": claim}}},
		},
	}
}

// unpack writes the files of an archive, none of them outside the folder.
func unpack(archive io.Reader, dir string) (files int, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	for t := tar.NewReader(archive); ; files++ {
		h, err := t.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return files, fmt.Errorf("the output came in part: %w", err)
		}
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(h.Name)), 0o777); err != nil {
			return files, err
		}
		f, err := root.Create(filepath.FromSlash(h.Name))
		if err != nil {
			return files, err
		}
		_, err = io.Copy(f, t)
		if err := errors.Join(err, f.Close()); err != nil {
			return files, err
		}
	}
}
