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

// Client sends requests to the API server of a cluster.
type Client struct {
	Namespace string
	server    string
	token     string
	http      *http.Client
}

// StatusError is the error of a request that the API server refused.
type StatusError struct {
	Code            int    // HTTP status
	Reason, Message string // of the server's Status object
}

func (e *StatusError) Error() string { return e.Message }

// NotFound reports whether err means that an object does not exist.
func NotFound(err error) bool {
	e, ok := err.(*StatusError)
	return ok && e.Code == http.StatusNotFound
}

// collections maps a kind of object to the path of its objects, with %s for the namespace.
var collections = map[string]string{
	"Pod": "api/v1/namespaces/%s/pods", "Service": "api/v1/namespaces/%s/services",
	"ConfigMap": "api/v1/namespaces/%s/configmaps", "Secret": "api/v1/namespaces/%s/secrets",
	"ServiceAccount":        "api/v1/namespaces/%s/serviceaccounts",
	"PersistentVolumeClaim": "api/v1/namespaces/%s/persistentvolumeclaims", "Event": "api/v1/namespaces/%s/events",
	"Job":           "apis/batch/v1/namespaces/%s/jobs",
	"NetworkPolicy": "apis/networking.k8s.io/v1/namespaces/%s/networkpolicies",
}

// path returns the path of an object or, if name is "", of all objects of a kind.
func (c *Client) path(kind, name string) string {
	path := "/" + fmt.Sprintf(collections[kind], c.Namespace)
	if name != "" {
		path += "/" + name
	}
	return path
}

// open sends a request, and returns the body of the response. contentType is that of body, "" for none.
func (c *Client) open(ctx context.Context, method, path string, query url.Values, contentType string, body []byte) (
	io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.server, "/")+path+"?"+query.Encode(),
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 300 {
		return response.Body, nil
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	e := &StatusError{Code: response.StatusCode}
	if json.Unmarshal(text, e) != nil || e.Message == "" {
		e.Message = fmt.Sprintf("%s %s: %s: %s", method, path, response.Status, bytes.TrimSpace(text))
	}
	e.Code = response.StatusCode
	return nil, e
}

// do sends a request, and decodes the response into result, unless that is nil.
func (c *Client) do(ctx context.Context, method, path string, query url.Values, contentType string, body []byte,
	result any) error {
	response, err := c.open(ctx, method, path, query, contentType, body)
	if err != nil {
		return err
	}
	defer response.Close()
	if result == nil {
		_, err = io.Copy(io.Discard, response)
		return err
	}
	return json.NewDecoder(response).Decode(result)
}

// get reads an object into result.
func (c *Client) get(ctx context.Context, kind, name string, result any) error {
	return c.do(ctx, http.MethodGet, c.path(kind, name), nil, "", nil, result)
}

// list reads the objects of a kind that have a label into result.
func (c *Client) list(ctx context.Context, kind, label string, result any) error {
	return c.do(ctx, http.MethodGet, c.path(kind, ""), url.Values{"labelSelector": {label}}, "", nil, result)
}

// apply creates or updates the objects of manifests, in YAML, by server-side apply. With dryRun the server only checks
// them.
func (c *Client) apply(ctx context.Context, manifests []byte, dryRun bool) error {
	for _, text := range bytes.Split(manifests, []byte("\n---\n")) {
		var o struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := yaml.Unmarshal(text, &o); err != nil {
			return err
		}
		if collections[o.Kind] == "" {
			return fmt.Errorf("the manifest has an object of unknown kind %q", o.Kind)
		}
		query := url.Values{"fieldManager": {"atoll"}, "force": {"true"}}
		if dryRun {
			query.Set("dryRun", "All")
		}
		path := c.path(o.Kind, o.Metadata.Name)
		err := c.do(ctx, http.MethodPatch, path, query, "application/apply-patch+yaml", text, nil)
		if err != nil {
			return fmt.Errorf("%s %s: %w", o.Kind, o.Metadata.Name, err)
		}
	}
	return nil
}

// remove deletes an object and its dependents. If the object does not exist, remove returns nil.
func (c *Client) remove(ctx context.Context, kind, name string) error {
	err := c.do(ctx, http.MethodDelete, c.path(kind, name), url.Values{"propagationPolicy": {"Background"}}, "", nil, nil)
	if NotFound(err) {
		return nil
	}
	return err
}

// log reads the log of a pod's container: with follow=true in the query, until the container ends.
func (c *Client) log(ctx context.Context, pod string, query url.Values) (io.ReadCloser, error) {
	return c.open(ctx, http.MethodGet, c.path("Pod", pod)+"/log", query, "", nil)
}

// proxy sends a GET request to a port of a pod, through the API server's proxy.
func (c *Client) proxy(ctx context.Context, pod string, port int, path string) (io.ReadCloser, error) {
	return c.open(ctx, http.MethodGet, fmt.Sprintf("%s:%d/proxy/%s", c.path("Pod", pod), port, path), nil, "", nil)
}
