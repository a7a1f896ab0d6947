package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"sigs.k8s.io/yaml"
)

// Client speaks to the API server of a cluster.
type Client struct {
	Namespace string
	server    string
	token     string
	http      *http.Client
}

// StatusError is what the API server says of a request that it refused.
type StatusError struct {
	Code            int
	Reason, Message string
}

func (e *StatusError) Error() string { return e.Message }

// NotFound reports whether an error is that something is not there.
func NotFound(err error) bool {
	e, ok := err.(*StatusError)
	return ok && e.Code == http.StatusNotFound
}

// collections are where objects of a kind are.
var collections = map[string]string{
	"Pod": "api/v1/namespaces/%s/pods", "Service": "api/v1/namespaces/%s/services",
	"ConfigMap": "api/v1/namespaces/%s/configmaps", "Secret": "api/v1/namespaces/%s/secrets",
	"ServiceAccount":        "api/v1/namespaces/%s/serviceaccounts",
	"PersistentVolumeClaim": "api/v1/namespaces/%s/persistentvolumeclaims", "Event": "api/v1/namespaces/%s/events",
	"Job":           "apis/batch/v1/namespaces/%s/jobs",
	"NetworkPolicy": "apis/networking.k8s.io/v1/namespaces/%s/networkpolicies",
}

// path is that of an object, or of all of a kind.
func (c *Client) path(kind, name string) string {
	path := "/" + fmt.Sprintf(collections[kind], c.Namespace)
	if name != "" {
		path += "/" + name
	}
	return path
}

// open asks, and returns the body of the answer.
func (c *Client) open(ctx context.Context, method, path string, query url.Values, kind string, body []byte) (
	io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.server, "/")+path+"?"+query.Encode(),
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode < 300 {
		return answer.Body, nil
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	e := &StatusError{Code: answer.StatusCode}
	if json.Unmarshal(text, e) != nil || e.Message == "" {
		e.Message = fmt.Sprintf("%s %s: %s: %s", method, path, answer.Status, bytes.TrimSpace(text))
	}
	e.Code = answer.StatusCode
	return nil, e
}

// ask asks, and decodes the answer into to, unless that is nil.
func (c *Client) ask(ctx context.Context, method, path string, query url.Values, kind string, body []byte,
	to any) error {
	answer, err := c.open(ctx, method, path, query, kind, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	if to == nil {
		_, err = io.Copy(io.Discard, answer)
		return err
	}
	return json.NewDecoder(answer).Decode(to)
}

// get reads an object.
func (c *Client) get(ctx context.Context, kind, name string, to any) error {
	return c.ask(ctx, http.MethodGet, c.path(kind, name), nil, "", nil, to)
}

// list reads the objects of a kind that have a label.
func (c *Client) list(ctx context.Context, kind, label string, to any) error {
	return c.ask(ctx, http.MethodGet, c.path(kind, ""), url.Values{"labelSelector": {label}}, "", nil, to)
}

// apply makes the objects of a text in YAML what the text says. With dry the server only checks them.
func (c *Client) apply(ctx context.Context, manifests []byte, dry bool) error {
	for _, text := range bytes.Split(manifests, []byte("\n---\n")) {
		var o struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := yaml.Unmarshal(text, &o); err != nil {
			return err
		}
		if collections[o.Kind] == "" {
			return fmt.Errorf("an object of kind %q is not known", o.Kind)
		}
		query := url.Values{"fieldManager": {"atoll"}, "force": {"true"}}
		if dry {
			query.Set("dryRun", "All")
		}
		path := c.path(o.Kind, o.Metadata.Name)
		err := c.ask(ctx, http.MethodPatch, path, query, "application/apply-patch+yaml", text, nil)
		if err != nil {
			return fmt.Errorf("%s %s: %w", o.Kind, o.Metadata.Name, err)
		}
	}
	return nil
}

// remove deletes an object and what belongs to it; that it is gone already is no error.
func (c *Client) remove(ctx context.Context, kind, name string) error {
	err := c.ask(ctx, http.MethodDelete, c.path(kind, name), url.Values{"propagationPolicy": {"Background"}}, "", nil, nil)
	if NotFound(err) {
		return nil
	}
	return err
}

// log is what a pod's container says, until it ends where that is asked for.
func (c *Client) log(ctx context.Context, pod string, query url.Values) (io.ReadCloser, error) {
	return c.open(ctx, http.MethodGet, c.path("Pod", pod)+"/log", query, "", nil)
}

// proxy reads from a port of a pod, by way of the API server.
func (c *Client) proxy(ctx context.Context, pod string, port int, path string) (io.ReadCloser, error) {
	return c.open(ctx, http.MethodGet, fmt.Sprintf("%s:%d/proxy/%s", c.path("Pod", pod), port, path), nil, "", nil)
}
