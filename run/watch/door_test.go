package watch

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/internal/guard/guardtest"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestHostsOfTheServer: requests with the name of another host are refused, except for /healthz.
func TestHostsOfTheServer(t *testing.T) {
	s, err := Listen(Config{Address: "localhost:0", Hosts: []string{"Node3.Example.org"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.End("")
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for host, known := range map[string]bool{"localhost": true, "LocalHost:8080": true, "127.0.0.1:1": true,
		"[::1]:80": true, "10.1.2.3": true, "node3.example.org": true, "NODE3.example.org.:8080": true, name: true,
		"attacker.example":    false,
		"attacker.example:80": false, "localhost.attacker.example": false, "127.0.0.1.attacker.example": false,
		"node3.example.org.attacker": false, "x": false, "0x7f000001.": false, "[::1": true} {
		for path, exempt := range map[string]bool{"/": false, "/metrics": false, "/events": false, "/picture.png": false,
			"/page.js": false, "/healthz": true} {
			status := request(t, s.Address(), "GET "+path+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
			if refused := strings.Contains(status, " 421 "); refused != (!known && !exempt) {
				t.Errorf("GET %s for host %s: %s", path, host, status)
			}
		}
	}
}

// request sends a request and returns the first line of the answer, "" if there is none.
func request(t *testing.T, address, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		return ""
	}
	line, _ := bufio.NewReader(c).ReadString('\n')
	return strings.TrimSpace(line)
}

// get is a request of a well-behaved client.
func get(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
}

// head is the beginning of a request.
const head = " HTTP/1.1\r\nHost: localhost\r\n"

// pageAttacks are what strangers send: text, then again and again, if it is not "".
var pageAttacks = []struct{ name, text, again string }{
	{"idle", "", ""},
	{"half a request line", "GET /ev", ""},
	{"half a header", "GET /" + head + "X-A: ", ""},
	{"endless header", "GET /" + head + "X-A: ", "a"},
	{"endless headers", "GET /" + head, "X-A: b\r\n"},
	{"folded headers", "GET /" + head, " x\r\n"},
	{"long line", "GET /" + strings.Repeat("a", 8<<10), "a"},
	{"long host", "GET / HTTP/1.1\r\nHost: " + strings.Repeat("a", 8<<10), "a"},
	{"many headers", "GET /" + head + strings.Repeat("X: y\r\n", 4000) + "\r\n", ""},
	{"no version", "GET /\r\n\r\n", ""},
	{"wrong version", "GET / HTTP/9.9\r\n\r\n", ""},
	{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x00\x00\x00\x04\x00\x00\x00\x00\x00"},
	{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "\x00"},
	{"zeros", "\x00\x00\x00\x00", "\x00"},
	{"line breaks", "\r\n\r\n\r\n", "\r\n"},
	{"unsent body", "GET /" + head + "Content-Length: 9\r\n\r\n", ""},
	{"unsent body of /events", "GET /events" + head + "Content-Length: 9\r\n\r\n", ""},
	{"unsent body of /metrics", "GET /metrics" + head + "Content-Length: 9\r\n\r\n", ""},
	{"huge body", "GET /" + head + "Content-Length: 99999999999\r\n\r\n", strings.Repeat("a", 1<<16)},
	{"chunked body", "GET /" + head + "Transfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"},
	{"huge chunk", "GET /" + head + "Transfer-Encoding: chunked\r\n\r\nffffffff\r\n", strings.Repeat("a", 1<<16)},
	{"chunked and length", "GET /" + head + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", "a"},
	{"negative length", "GET /" + head + "Content-Length: -1\r\n\r\n", ""},
	{"expected body", "GET /" + head + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n", ""},
	{"POST", "POST /" + head + "Content-Length: 1\r\n\r\n", ""},
	{"PUT", "PUT /metrics" + head + "Content-Length: 1\r\n\r\na", ""},
	{"CONNECT", "CONNECT a:1" + head + "\r\n", "a"},
	{"WebSocket", "GET /events" + head + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", "\x81\x00"},
	{"TRACE", "TRACE /" + head + "\r\n", ""},
	{"other files", "GET /../../etc/passwd" + head + "\r\n", ""},
	{"other host", "GET / HTTP/1.1\r\nHost: attacker.example\r\n\r\n", ""},
	{"two hosts", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: attacker.example\r\n\r\n", ""},
	{"pipelined pages", "GET /" + head + "\r\n", "GET /" + head + "\r\n"},
	{"pipelined metrics", "GET /metrics" + head + "\r\n", "GET /metrics" + head + "\r\n"},
	{"events", "GET /events" + head + "\r\n", ""},
	{"pictures", "GET /picture.png" + head + "\r\n", "GET /picture.png" + head + "\r\n"},
}

// TestStrangersDelayNobody: while strangers hold connections of each kind, never read an answer, and dial again when
// they are closed, every probe is answered, a page too once some have gone, and the run never waits. The process,
// strangers included, needs little memory.
func TestStrangersDelayNobody(t *testing.T) {
	s := startServer(t)
	begin(s)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	before, most := guardtest.LiveBytes(), int64(0)
	var strangers sync.WaitGroup
	var dialled sync.WaitGroup
	for _, a := range pageAttacks {
		text, again := []byte(a.text), []byte(a.again) // of all strangers, so that they need little memory themselves
		for range 8 {                                  // 288 in all, of which 192 may be idle
			dialled.Add(1)
			strangers.Go(func() { attackPage(ctx, s.Address(), text, again, dialled.Done) })
		}
	}
	dialled.Wait()
	for range 10 {
		for path, want := range map[string]string{"/healthz": "HTTP/1.1 200 OK", "/metrics": "HTTP/1.1 200 OK"} {
			if got := request(t, s.Address(), get(path)); got != want && got != "" { // "": closed in favour of newer ones
				t.Errorf("GET %s under attack: %q, want %q", path, got, want)
			}
		}
		s.Step(solvers.Clock{Time: 0.5, Steps: 7, Dt: 0.1})
		s.Wants()
		most = max(most, guardtest.LiveBytes()-before)
	}
	if t.Logf("the process uses %d KB more under attack", most>>10); most > guardtest.MaxBytes {
		t.Errorf("want at most %d KB", guardtest.MaxBytes>>10)
	}
	stop()
	strangers.Wait()
	if got := request(t, s.Address(), get("/")); got != "HTTP/1.1 200 OK" {
		t.Errorf("GET / after the attack: %q", got)
	}
	s.End("done")
}

// attackPage sends text, then again as long as the server reads it, and holds the connection without reading an
// answer. When the server closes it, the next one begins.
func attackPage(ctx context.Context, address string, text, again []byte, dialled func()) {
	for first := true; ctx.Err() == nil; first = false {
		c, err := net.Dial("tcp", address)
		if first {
			dialled()
		}
		if err != nil {
			return
		}
		release := context.AfterFunc(ctx, func() { _ = c.Close() })
		_, err = c.Write(text)
		for n := 0; err == nil && len(again) > 0 && n < 300; n++ { // a client may send more; the limits are the same
			_, err = c.Write(again)
		}
		buffer := make([]byte, 1) // reads one byte every 50 ms: an answer of more bytes takes longer than the test
		for err == nil {
			if _, err = c.Read(buffer); err == nil {
				time.Sleep(50 * time.Millisecond)
			}
		}
		_ = c.Close()
		release()
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// TestMetricsHaveAListenerOfTheirOwn: if asked for, with /healthz, and nothing else.
func TestMetricsHaveAListenerOfTheirOwn(t *testing.T) {
	s, err := Listen(Config{Address: ":0", Metrics: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.End("")
	for path, want := range map[string]int{"/metrics": 200, "/healthz": 200, "/": 404, "/events": 404,
		"/picture.png": 404} {
		r, err := http.Get("http://" + s.MetricsAddress() + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("GET %s: %s, want %d", path, r.Status, want)
		}
	}
	for _, address := range []string{"8080", s.Address()} {
		if _, err := Listen(Config{Address: ":0", Metrics: address}); err == nil {
			t.Errorf("metrics at %s: want an error", address)
		}
	}
}

// TestViewersAreLimited: one viewer too many is refused, and what is left of a stream serves the next.
func TestViewersAreLimited(t *testing.T) {
	s := startServer(t)
	defer s.End("")
	open := func() net.Conn {
		c, err := net.Dial("tcp", s.Address())
		if err == nil {
			_, err = fmt.Fprintf(c, "GET /events%s\r\n", head)
		}
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	status := func(c net.Conn) string {
		line, _ := bufio.NewReader(c).ReadString('\n')
		return line
	}
	viewers := make([]net.Conn, maxViewers)
	for i := range viewers {
		viewers[i] = open()
		defer viewers[i].Close()
		if got := status(viewers[i]); !strings.Contains(got, " 200 ") {
			t.Fatalf("viewer %d: %s", i, got)
		}
	}
	late := open()
	defer late.Close()
	if got := status(late); !strings.Contains(got, " 503 ") {
		t.Errorf("one viewer more than the limit: %s", got)
	}
	for _, path := range []string{"/", "/metrics", "/healthz"} {
		if got := request(t, s.Address(), get(path)); !strings.Contains(got, " 200 ") {
			t.Errorf("GET %s beside all viewers: %s", path, got)
		}
	}
	_ = viewers[0].Close()
	for { // until the server notices that it has gone
		c := open()
		got := status(c)
		_ = c.Close()
		if strings.Contains(got, " 200 ") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
