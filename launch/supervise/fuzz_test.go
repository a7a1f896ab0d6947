//go:build linux

package supervise

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"
)

// received is a connection on which arbitrary data arrive, and which accepts everything.
type received struct {
	net.Conn
	io.Reader
}

func (r received) Read(p []byte) (int, error)     { return r.Reader.Read(p) }
func (received) Write(p []byte) (int, error)      { return len(p), nil }
func (received) Close() error                     { return nil }
func (received) SetReadDeadline(time.Time) error  { return nil }
func (received) SetWriteDeadline(time.Time) error { return nil }

// FuzzStranger: no data from a client without the token make it a supervisor, or a launcher, or panic.
func FuzzStranger(f *testing.F) {
	f.Add([]byte(greeting))
	f.Add([]byte(greeting + `{"kind":"proof","proof":"AAAA"}` + "\n"))
	f.Add([]byte(`{"kind":"challenge","nonce":"AAAA","proof":"AAAA"}` + "\n" + `{"kind":"welcome","dir":"/"}` + "\n"))
	f.Add([]byte(`{"kind":"refused","text":"no"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := received{Reader: bytes.NewReader(data)}
		if _, err := newMessageConn(c, c, time.Second).welcome("secret"); err == nil {
			t.Error("a stranger was accepted as a supervisor")
		}
		c.Reader = bytes.NewReader(data)
		if err := newMessageConn(c, c, time.Second).greet(hello{Name: "x"}, "secret"); err == nil {
			t.Error("a stranger was accepted as the launcher")
		}
		c.Reader = bytes.NewReader(data)
		w := newMessageConn(c, c, time.Second)
		w.secure([]byte("a"), []byte("b"))
		if m, err := w.receive(); err == nil {
			t.Errorf("message %+v of a stranger was accepted", m)
		}
	})
}
