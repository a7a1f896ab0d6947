package kube

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// elasticJob simulates an API server with a running job. After a patch, the first read of the job's metrics returns the
// old number of ranks, and later reads the new one.
type elasticJob struct {
	bounds    string
	ranks     int
	patches   []string
	requested int
}

func (j *elasticJob) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case r.Method == http.MethodPatch && r.Header.Get("Content-Type") == "application/merge-patch+json":
		text, _ := io.ReadAll(r.Body)
		j.patches = append(j.patches, string(text))
		_, _ = fmt.Sscanf(string(text), `{"spec":{"parallelism":%d`, &j.requested)
	case strings.HasSuffix(path, "/jobs/wave"):
		const text = `{"spec":{"template":{"spec":{"containers":[{"env":[{"name":"ATOLL_ELASTIC","value":%q}]}]}}}}`
		fmt.Fprintf(w, text, j.bounds)
	case strings.HasSuffix(path, "/pods"):
		fmt.Fprintf(w, `{"items":[%s]}`, onePod("0", `{"containerStatuses":[{"state":{"running":{}}}]}`))
	case strings.HasSuffix(path, "/pods/wave-0-x:8080/proxy/metrics"):
		fmt.Fprintf(w, "# TYPE atoll_ranks gauge\natoll_ranks %d\n", j.ranks)
		j.ranks = j.requested
	default:
		http.NotFound(w, r)
	}
}

// TestResize: Resize changes parallelism and completions together, within the job's bounds, and waits for the run.
func TestResize(t *testing.T) {
	j := &elasticJob{bounds: "2:6", ranks: 4}
	s := httptest.NewServer(j)
	defer s.Close()
	c := &Client{Namespace: "lab", server: s.URL, http: s.Client()}
	var log []string
	if err := c.Resize(t.Context(), "wave", 6, func(line string) { log = append(log, line) }); err != nil {
		t.Fatal(err)
	}
	if want := `{"spec":{"parallelism":6,"completions":6}}`; len(j.patches) != 1 || j.patches[0] != want {
		t.Errorf("got patches %q, want %q", j.patches, want)
	}
	if want := "the job wave runs on 4 ranks; waiting for 6"; len(log) != 1 || log[0] != want {
		t.Errorf("got log %q, want %q", log, want)
	}
	for _, n := range []int{1, 7} {
		if err := c.Resize(t.Context(), "wave", n, nil); err == nil || !strings.Contains(err.Error(), "for 2 to 6") {
			t.Errorf("%d ranks: got error %v, want one with the bounds", n, err)
		}
	}
	j.bounds = ""
	if err := c.Resize(t.Context(), "wave", 2, nil); err == nil || len(j.patches) != 1 {
		t.Errorf("got error %v and patches %q for a job without bounds, want an error and no new patch", err, j.patches)
	}
}
