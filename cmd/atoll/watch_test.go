package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// startWatchedRun starts a run on 4 ranks with --serve, and returns the address of its page. The run ends with the
// test.
func startWatchedRun(t *testing.T, example string, args ...string) (url string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "examples", example))
	if err != nil {
		t.Fatal(err)
	}
	c := atoll(t, t.TempDir(), nil, append([]string{"run", path, "--ranks", "4", "--threads", "1", "--serve", ":0",
		"--out", "out"}, args...)...)
	c.Stdout = nil
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "watch "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return strings.TrimSpace(address)
		}
	}
	t.Fatalf("the run ended without an address: %v\n%s", lines.Err(), c.stderr.String())
	return ""
}

// read returns the body of an HTTP response.
func read(t *testing.T, url string) []byte {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, r.Status, err)
	}
	return body
}

// TestPageFollowsARun: on the page of a run of each solver, on 4 ranks, the numbers and the picture change, and the
// browser's console has no error. Prometheus' parser reads the metrics. If ATOLL_SCREENSHOTS names a folder,
// screenshots are written there.
func TestPageFollowsARun(t *testing.T) {
	b := openBrowser(t)
	for example, args := range map[string][]string{
		// Small meshes, so that pictures follow soon: a run spends at most 1% of its time on them.
		"dam-break.toml": {"--transport", "grpc", "--set", "mesh.cells=2000", "--set", "time.end=1e4", "--set",
			"output.every=1e3"},
		"vortex.toml": {"--transport", "local", "--set", "grid.cells=[64,64]", "--set", "time.end=1e4", "--set",
			"output.every=1e3"},
		"enright-levelset.toml": {"--transport", "local", "--set", "grid.cells=[24,24,24]", "--set", "time.end=1e4",
			"--set", "output.every=1e3"},
		// With a small relaxation factor vertices keep moving during the test, so that the picture changes.
		"smooth-linear.toml": {"--transport", "local", "--set", "mesh.cells=5000", "--set", "stop.move=0", "--set",
			"method.relax=0.001", "--set", "method.sweeps=1000000", "--set", "output.every=1000000"},
	} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			url := startWatchedRun(t, example, args...)
			page := b.open(t, url)
			const picture, facts = `document.querySelector('#picture')?.src`, `document.querySelector('.facts')?.innerText`
			wait := func(what, expression string, good func(now string) bool) string {
				for range 600 { // a minute: a run spends at most 1% of its time on pictures, and the machine may be busy
					if now := page.eval(t, expression); good(now) {
						return now
					}
					time.Sleep(100 * time.Millisecond)
				}
				t.Fatalf("%s: the page shows %q", what, page.eval(t, "document.body.innerText"))
				return ""
			}
			src := wait("a picture", picture, func(now string) bool { return now != "" })
			image := read(t, src)
			numbers := wait("numbers", facts, func(now string) bool { return now != "" })
			wait("numbers that move", facts, func(now string) bool { return now != numbers })
			wait("another picture", picture, func(now string) bool { return now != src && !bytes.Equal(image, read(t, now)) })
			if ranks := page.eval(t, `document.querySelectorAll('.wide tr').length`); ranks != "6" {
				t.Errorf("the table of ranks has %s rows: want a title, 4 ranks, and their sum", ranks)
			}
			if dir := os.Getenv("ATOLL_SCREENSHOTS"); dir != "" {
				time.Sleep(5 * time.Second)
				name := filepath.Join(dir, strings.TrimSuffix(example, ".toml"))
				page.picture(t, name+"-laptop.png", 1280, 1000, false)
				page.picture(t, name+"-phone.png", 390, 844, true)
			}
			if len(page.errors) > 0 {
				t.Errorf("on the console: %q", page.errors)
			}
			parser := expfmt.NewTextParser(model.UTF8Validation)
			families, err := parser.TextToMetricFamilies(bytes.NewReader(read(t, url+"metrics")))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"atoll_steps", "atoll_progress_ratio", "atoll_quantity", "atoll_phase_seconds"} {
				if len(families[name].GetMetric()) == 0 {
					t.Errorf("no %s among the metrics", name)
				}
			}
		})
	}
}

// TestWorstCellIsShown: the page of a run that smooths a mesh shows the worst cell, which rows of the table lack.
func TestWorstCellIsShown(t *testing.T) {
	url := startWatchedRun(t, "smooth-linear.toml", "--transport", "local", "--set", "mesh.cells=2000", "--set",
		"stop.move=0", "--set", "method.relax=0.001", "--set", "method.sweeps=1000000", "--set", "output.every=1000000")
	for range 600 { // a minute
		page, metrics := read(t, url), read(t, url+"metrics")
		if bytes.Contains(page, []byte("worst_cell")) && bytes.Contains(metrics, []byte(`name="worst_cell"`)) &&
			bytes.Contains(page, []byte("quality_min")) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("no worst cell after a minute")
}

// TestServeRefuses: the server rejects POST requests, and an address in use or invalid ends the run with an error.
func TestServeRefuses(t *testing.T) {
	url := startWatchedRun(t, "vortex.toml")
	r, err := http.Post(url, "text/plain", strings.NewReader("stop"))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("status of a POST: %s", r.Status)
	}
	inUse := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
	dir := caseFile(t, smallCase)
	for _, flags := range [][]string{{"--serve", inUse}, {"--serve", "8080"}, {"--serve", ":http"},
		{"--serve", "host:99999"}, {"--serve", ":0", "--serve-metrics", inUse}, {"--serve-metrics", ":0"},
		{"--serve-host", "a.example"}} {
		c := atoll(t, dir, nil, append([]string{"run", "case.toml", "--ranks", "2"}, flags...)...)
		if code := c.code(t); code != exitUsage || strings.Count(c.stderr.String(), "--serve") == 0 {
			t.Errorf("%s: exit code %d\n%s", flags, code, c.stderr.String())
		}
	}
}

// TestPictureWhileFramesAreWritten: a run shows its picture although there is always a frame being written.
func TestPictureWhileFramesAreWritten(t *testing.T) {
	url := startWatchedRun(t, "smooth-linear.toml", "--transport", "local", "--set", "mesh.cells=20000", "--set",
		"stop.move=0",
		"--set", "method.relax=0.001", "--set", "method.sweeps=1000000", "--set", "output.every=1")
	for range 600 { // a minute
		r, err := http.Get(strings.TrimSuffix(url, "/") + "/picture.png")
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		if r.StatusCode == http.StatusOK {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("there is no picture after a minute")
}
