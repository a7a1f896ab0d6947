package kube

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"sigs.k8s.io/yaml"
)

// FilesPort is the port of the pod that serves a job's output.
const FilesPort = 8081

func filesPod(name string) string { return name + "-files" }

// Fetch copies the output of the job called name to the folder dir, and returns the number of files. It starts a pod
// that mounts claim, the volume claim of the output, and reads from it through the API server. The pod runs image,
// which is pulled as pull says (Always, IfNotPresent or Never). Checkpoints are copied only if checkpoints is true.
func (c *Client) Fetch(ctx context.Context, name, image, pull, claim, dir string, checkpoints bool) (files int,
	err error) {
	text, err := yaml.Marshal(filesManifest(name, image, pull, claim))
	if err != nil {
		return 0, err
	}
	if err := c.apply(ctx, text, false); err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, c.remove(context.WithoutCancel(ctx), "Pod", filesPod(name)))
	}()
	body, err := c.openArchive(ctx, filesPod(name), checkpoints)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	return unpack(body, dir)
}

// openArchive waits until the pod answers, and returns its tar archive of the output, with or without checkpoints.
func (c *Client) openArchive(ctx context.Context, name string, checkpoints bool) (io.ReadCloser, error) {
	path := "files.tar"
	if checkpoints {
		path = "all.tar"
	}
	for deadline := time.Now().Add(2 * time.Minute); ; {
		var p pod
		if err := c.get(ctx, "Pod", name, &p); err != nil {
			return nil, err
		}
		reason, _ := p.obstacle()
		err := errors.New(cmp.Or(reason, "it has not started"))
		if p.running() {
			var body io.ReadCloser
			if body, err = c.proxy(ctx, name, FilesPort, path); err == nil {
				return body, nil
			}
		}
		if code, ended := p.exitCode(); ended {
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

// filesManifest is the manifest of the pod that serves the output.
func filesManifest(name, image, pull, claim string) map[string]any {
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

// unpack writes the files of a tar archive to dir. A file outside dir is an error.
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
			return files, fmt.Errorf("the transfer of the output broke off after %d files: %w", files, err)
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
