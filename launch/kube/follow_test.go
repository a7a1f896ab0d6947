package kube

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// cluster simulates an API server with one job, in the state that the test sets.
type cluster struct {
	job, pods string // JSON
	logs      map[string]string
}

func (c *cluster) client(t *testing.T) *Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const prefix = "/api/v1/namespaces/lab/pods"
		switch path := r.URL.Path; {
		case r.Header.Get("Authorization") != "Bearer secret":
			http.Error(w, `{"message":"unauthorized","code":401}`, http.StatusUnauthorized)
		case path == "/apis/batch/v1/namespaces/lab/jobs/wave":
			fmt.Fprint(w, c.job)
		case path == prefix:
			fmt.Fprint(w, c.pods)
		case strings.HasSuffix(path, "/log"):
			fmt.Fprint(w, c.logs[strings.TrimSuffix(strings.TrimPrefix(path, prefix+"/"), "/log")])
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "config")
	text := `
current-context: other
contexts: [{name: mine, context: {cluster: c, user: u, namespace: lab}}]
clusters: [{name: c, cluster: {server: "` + s.URL + `"}}]
users: [{name: u, user: {exec: {command: echo, args: ['{"status":{"token":"secret"}}'],
  apiVersion: client.authentication.k8s.io/v1}}}]
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Connect(file, "", ""); err == nil || !strings.Contains(err.Error(), `no context "other"`) {
		t.Errorf("got error %v, want one that names the unknown context", err)
	}
	client, err := Connect(file, "mine", "")
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func onePod(index, status string) string {
	return fmt.Sprintf(`{"metadata":{"name":"wave-%s-x","annotations":{"batch.kubernetes.io/job-completion-index":%q}},
"status":%s}`, index, index, status)
}

func waiting(reason, message string) string {
	const state = `{"containerStatuses":[{"state":{"waiting":{"reason":%q,"message":%q}}}]}`
	return onePod("0", fmt.Sprintf(state, reason, message))
}

func ended(index string, code int) string {
	return onePod(index, fmt.Sprintf(`{"containerStatuses":[{"state":{"terminated":{"exitCode":%d}}}]}`, code))
}

func conditions(kind, reason string) string {
	return fmt.Sprintf(`{"status":{"conditions":[{"type":%q,"status":"True","reason":%q,"message":"so"}]}}`, kind, reason)
}

// TestFollowReportsObstacles: Follow logs what keeps a job from starting, and returns an error if waiting is useless.
func TestFollowReportsObstacles(t *testing.T) {
	for name, c := range map[string]struct {
		cluster
		want     string // in the error; "" for no error
		logged   string
		badInput bool
	}{
		"done": {cluster{conditions("Complete", ""), ended("0", 0), map[string]string{"wave-0-x": "state 1\n"}}, "",
			"state 1", false},
		"bad input": {cluster{conditions("Failed", "PodFailurePolicy"), ended("3", 2),
			map[string]string{"wave-3-x": "no such key\n"}}, "PodFailurePolicy: so", "[rank 3] no such key", true},
		"too many failures": {cluster{conditions("Failed", "FailedIndexes"), ended("0", 1), nil}, "FailedIndexes", "", false},
		"never pulled": {cluster{"{}", waiting("ErrImageNeverPull", "not present"), nil}, "the image is unavailable", "",
			false},
		"not pulled": {cluster{"{}", waiting("ImagePullBackOff", "back-off"), nil}, "did not start within",
			"ImagePullBackOff: back-off", false},
		"no secret": {cluster{"{}", waiting("CreateContainerConfigError", "no secret"), nil}, "did not start within",
			"no secret", false},
		"no room": {cluster{"{}", onePod("0", `{"conditions":[{"type":"PodScheduled","status":"False","message":"0/1"}]}`),
			nil}, "did not start within", "no node accepts the pod: 0/1", false},
		"no pod": {cluster{"{}", "", nil}, "the cluster has created no pod", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.pods = `{"items":[` + c.pods + `]}`
			var out, log bytes.Buffer
			f := Follow{Client: c.client(t), Name: "wave", Out: &out, Log: &log, StartTimeout: 10 * time.Millisecond}
			err := f.Wait(t.Context())
			var failed *FailedError
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
			if errors.As(err, &failed) && failed.BadInput != c.badInput {
				t.Errorf("got BadInput %v, want %v", failed.BadInput, c.badInput)
			}
			if got := out.String() + log.String(); !strings.Contains(got, c.logged) {
				t.Errorf("got output %q, want %q in it", got, c.logged)
			}
		})
	}
}

// TestUnpack: unpack writes no file outside its folder, and returns an error for an incomplete archive.
func TestUnpack(t *testing.T) {
	pack := func(name string) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&tar.Header{Name: name, Size: 2, Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("hi")); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	dir := filepath.Join(t.TempDir(), "out")
	if files, err := unpack(bytes.NewReader(pack("frames/a.vtu")), dir); err != nil || files != 1 {
		t.Errorf("%d files, %v", files, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "frames", "a.vtu")); err != nil || string(text) != "hi" {
		t.Errorf("got the file %q, %v; want hi", text, err)
	}
	if _, err := unpack(bytes.NewReader(pack("../a")), dir); err == nil {
		t.Error("a file was written outside the folder")
	}
	if _, err := unpack(bytes.NewReader(pack("b")[:513]), dir); err == nil {
		t.Error("got no error for an incomplete archive")
	}
}
