package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// browser is a headless Chromium that tests control over its DevTools protocol.
type browser struct{ address string }

var listening = regexp.MustCompile(`DevTools listening on ws://([^/]+)/`)

func openBrowser(t *testing.T) *browser {
	t.Helper()
	dir, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(needs.Program(t, "chromium", "chromium"), "--headless=new", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--remote-debugging-port=0", "--remote-allow-origins=*", "--user-data-dir="+dir,
		"about:blank")
	stderr, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
		_ = os.RemoveAll(dir) // fails if a child process still writes to it
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return &browser{m[1]}
		}
	}
	t.Fatal("chromium ended before it opened its port: ", lines.Err())
	return nil
}

// tab is a page in the browser.
type tab struct {
	socket *websocket.Conn
	calls  int
	errors []string // on its console
}

// open loads a page.
func (b *browser) open(t *testing.T, url string) *tab {
	t.Helper()
	r, err := http.NewRequest(http.MethodPut, "http://"+b.address+"/json/new?about:blank", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var target struct{ WebSocketDebuggerURL string }
	if err := json.NewDecoder(answer.Body).Decode(&target); err != nil {
		t.Fatal(err)
	}
	p := &tab{}
	if p.socket, err = websocket.Dial(target.WebSocketDebuggerURL, "", "http://"+b.address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.socket.Close() })
	for _, domain := range []string{"Runtime.enable", "Log.enable", "Page.enable"} {
		p.call(t, domain, nil)
	}
	p.call(t, "Page.navigate", map[string]any{"url": url})
	return p
}

// call sends a request, and records errors that the console reports before the response arrives.
func (p *tab) call(t *testing.T, method string, params any) json.RawMessage {
	t.Helper()
	p.calls++
	call := map[string]any{"id": p.calls, "method": method, "params": params}
	if err := websocket.JSON.Send(p.socket, call); err != nil {
		t.Fatal(err)
	}
	_ = p.socket.SetReadDeadline(time.Now().Add(20 * time.Second))
	for {
		var m struct {
			ID             int
			Method         string
			Result, Params json.RawMessage
			Error          struct{ Message string }
		}
		if err := websocket.JSON.Receive(p.socket, &m); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		switch {
		case m.ID == p.calls && m.Error.Message != "":
			t.Fatalf("%s: %s", method, m.Error.Message)
		case m.ID == p.calls:
			return m.Result
		case consoleError(m.Method, m.Params):
			p.errors = append(p.errors, string(m.Params))
		}
	}
}

// consoleError reports whether an event is an error on the console.
func consoleError(method string, params json.RawMessage) bool {
	var event struct {
		Type  string
		Entry struct{ Level string }
	}
	if json.Unmarshal(params, &event) != nil {
		return false
	}
	return method == "Runtime.exceptionThrown" || method == "Runtime.consoleAPICalled" && event.Type == "error" ||
		method == "Log.entryAdded" && event.Entry.Level == "error"
}

// eval returns the value of a JavaScript expression as text.
func (p *tab) eval(t *testing.T, expression string) string {
	t.Helper()
	var answer struct{ Result struct{ Value any } }
	text := p.call(t, "Runtime.evaluate", map[string]any{"expression": expression})
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Result.Value == nil {
		return ""
	}
	return fmt.Sprint(answer.Result.Value)
}

// picture writes a screenshot of the page for a screen of width x height pixels, with fullPage also of what is
// below it.
func (p *tab) picture(t *testing.T, path string, width, height int, fullPage bool) {
	t.Helper()
	p.call(t, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height,
		"deviceScaleFactor": 1, "mobile": width < 600})
	time.Sleep(300 * time.Millisecond) // for the layout
	var answer struct{ Data string }
	text := p.call(t, "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": fullPage})
	err := json.Unmarshal(text, &answer)
	data, bad := base64.StdEncoding.DecodeString(answer.Data)
	if err := errors.Join(err, bad, os.WriteFile(path, data, 0o666)); err != nil {
		t.Fatal(err)
	}
}
