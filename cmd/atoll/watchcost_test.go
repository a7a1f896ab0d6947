package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkWatchedRun measures the cost of 200 browsers that follow a run, together with one client that reads a
// byte a second and one that reads nothing: the relative increase of processor time and wall time over a run
// without --serve. Both are medians over pairs of consecutive runs.
func BenchmarkWatchedRun(b *testing.B) {
	var processor, wall []float64
	for b.Loop() {
		unwatched, watched := costs(b, false), costs(b, true)
		processor = append(processor, watched[0]/unwatched[0]-1)
		wall = append(wall, watched[1]/unwatched[1]-1)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*median(processor), "%processor")
	b.ReportMetric(100*median(wall), "%wall")
}

func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[n/2] + values[(n-1)/2]) / 2
}

// costs returns the processor time and the wall time of a run on two ranks, in s.
func costs(b *testing.B, watched bool) (spent [2]float64) {
	path, err := filepath.Abs(filepath.Join("..", "..", "examples", "dam-break.toml"))
	if err != nil {
		b.Fatal(err)
	}
	args := []string{"run", path, "--ranks", "2", "--threads", "1", "--transport", "local", "--out", "out", "--set",
		"time.max_steps=2000", "--set", "time.end=100", "--set", "output.every=50"}
	if watched {
		args = append(args, "--serve", ":0")
	}
	c := atoll(b, b.TempDir(), nil, args...)
	c.Stdout = nil
	out, err := c.StdoutPipe()
	begin := time.Now()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "watch "); ok {
			simulateReaders(ctx, strings.TrimSpace(address))
		}
	}
	if err := errors.Join(lines.Err(), c.Wait()); err != nil {
		b.Fatal(err, c.stderr.String())
	}
	state := c.ProcessState
	return [2]float64{(state.UserTime() + state.SystemTime()).Seconds(), time.Since(begin).Seconds()}
}

var pictures = regexp.MustCompile(`/picture\.png\?n=\d+`)

// simulateReaders simulates 200 browsers that follow a page, and two clients that do not keep up.
func simulateReaders(ctx context.Context, url string) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 400}}
	get := func(path string) io.ReadCloser {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+path, nil)
		if err != nil {
			return nil
		}
		response, err := client.Do(r)
		if err != nil {
			return nil // the run has ended
		}
		return response.Body
	}
	for range 200 {
		go func() {
			events, last := get("/events"), ""
			if events == nil {
				return
			}
			defer events.Close()
			lines := bufio.NewReader(events)
			for {
				line, err := lines.ReadBytes('\n')
				if err != nil {
					return
				}
				if path := string(pictures.Find(line)); path != "" && path != last && bytes.Contains(line, []byte("img")) {
					last = path
					if picture := get(path); picture != nil {
						_, _ = io.Copy(io.Discard, picture)
						picture.Close()
					}
				}
			}
		}()
	}
	go func() {
		if slow := get("/events"); slow != nil {
			for buffer := make([]byte, 1); ; time.Sleep(time.Second) {
				if _, err := slow.Read(buffer); err != nil {
					return
				}
			}
		}
	}()
	go get("/events") // never reads
}
