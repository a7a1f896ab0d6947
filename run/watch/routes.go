package watch

import (
	"bytes"
	_ "embed"
	"net/http"
	"strconv"
	"time"
)

var (
	//go:embed page.css
	css []byte
	//go:embed page.js
	js []byte
)

// routes returns the handler of all pages. They are read-only.
func (s *Server) routes() http.Handler {
	mux := s.probes(http.NewServeMux())
	mux.HandleFunc("GET /{$}", s.servePage)
	mux.HandleFunc("GET /events", s.serveEvents)
	mux.HandleFunc("GET /picture.png", s.servePicture)
	for path, file := range map[string]struct {
		kind string
		body []byte
	}{
		"/page.css": {"text/css", css}, "/page.js": {"text/javascript", js},
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { respond(w, file.kind, file.body) })
	}
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent) // browsers ask for one
	})
	return mux
}

// probes adds what programs ask for to a handler.
func (s *Server) probes(mux *http.ServeMux) *http.ServeMux {
	mux.HandleFunc("GET /metrics", s.serveMetrics)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		respond(w, "text/plain", []byte("ok\n"))
	})
	return mux
}

// respond sends a complete body. Write errors mean that the client has gone, and are ignored.
func respond(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType+"; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

func (s *Server) noteRequest() { s.lastRequest.Store(time.Now().UnixNano()) }

func (s *Server) servePage(w http.ResponseWriter, _ *http.Request) {
	s.noteRequest()
	page, err := s.lastPage.get(s.fullPage)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	respond(w, "text/html", page)
}

func (s *Server) serveMetrics(w http.ResponseWriter, _ *http.Request) {
	s.noteRequest()
	text, _ := s.lastMetrics.get(func() ([]byte, error) { return s.metrics(), nil })
	respond(w, "text/plain; version=0.0.4", text)
}

func (s *Server) servePicture(w http.ResponseWriter, r *http.Request) {
	s.noteRequest()
	png, _, _ := s.picture.get()
	if png == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Length", strconv.Itoa(len(png)))
	_, _ = w.Write(png)
}

// serveEvents sends the body of the page each time it changes, until the client leaves or is too slow, or the run ends.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	s.noteRequest()
	s.viewers.Add(1)
	defer s.viewers.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	control := http.NewResponseController(w)
	send := func(b []byte) bool {
		if control.SetWriteDeadline(time.Now().Add(writeTimeout)) != nil {
			return false
		}
		if _, err := w.Write(b); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	if !send([]byte("retry: 3000\n\n")) {
		return
	}
	sent := uint64(0)
	latest := func() (<-chan struct{}, bool) {
		page, number, changed := s.page.get()
		if number == sent {
			return changed, true
		}
		sent = number
		return changed, send(page)
	}
	for {
		changed, ok := latest()
		if !ok {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		case <-s.lastPagePublished:
			latest()
			return
		}
	}
}

// event encodes text as a server-sent event.
func event(text []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			b.WriteString("data: ")
			b.Write(line)
			b.WriteByte('\n')
		}
	}
	b.WriteByte('\n')
	return b.Bytes()
}
