package kube

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// elasticJob is a job under way, whose run is on as many ranks as was asked for a look ago.
type elasticJob struct {
	bounds  string
	ranks   int
	patched []string
	asked   int
}

func (j *elasticJob) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case r.Method == http.MethodPatch && r.Header.Get("Content-Type") == "application/merge-patch+json":
		text, _ := io.ReadAll(r.Body)
		j.patched = append(j.patched, string(text))
		_, _ = fmt.Sscanf(string(text), `{"spec":{"parallelism":%d`, &j.asked)
	case strings.HasSuffix(path, "/jobs/wave"):
		const text = `{"spec":{"template":{"spec":{"containers":[{"env":[{"name":"ATOLL_ELASTIC","value":%q}]}]}}}}`
		fmt.Fprintf(w, text, j.bounds)
	case strings.HasSuffix(path, "/pods"):
		fmt.Fprintf(w, `{"items":[%s]}`, onePod("0", `{"containerStatuses":[{"state":{"running":{}}}]}`))
	case strings.HasSuffix(path, "/pods/wave-0-x:8080/proxy/metrics"):
		fmt.Fprintf(w, "# TYPE atoll_ranks gauge\natoll_ranks %d\n", j.ranks)
		j.ranks = j.asked
	default:
		http.NotFound(w, r)
	}
}

// TestResize: both numbers of a job are changed at once, within its bounds, and its run is waited for.
func TestResize(t *testing.T) {
	j := &elasticJob{bounds: "2:6", ranks: 4}
	s := httptest.NewServer(j)
	defer s.Close()
	c := &Client{Namespace: "lab", server: s.URL, http: s.Client()}
	var told []string
	if err := c.Resize(t.Context(), "wave", 6, func(line string) { told = append(told, line) }); err != nil {
		t.Fatal(err)
	}
	if want := `{"spec":{"parallelism":6,"completions":6}}`; len(j.patched) != 1 || j.patched[0] != want {
		t.Errorf("patched by %q", j.patched)
	}
	if len(told) != 1 || told[0] != "the job wave is on 4 ranks, and 6 were asked for" {
		t.Errorf("told %q", told)
	}
	for _, n := range []int{1, 7} {
		if err := c.Resize(t.Context(), "wave", n, nil); err == nil || !strings.Contains(err.Error(), "for 2 to 6") {
			t.Errorf("%d ranks: %v", n, err)
		}
	}
	j.bounds = ""
	if err := c.Resize(t.Context(), "wave", 2, nil); err == nil || len(j.patched) != 1 {
		t.Errorf("a job without bounds: %v", err)
	}
}
