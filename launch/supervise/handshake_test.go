//go:build linux

package supervise

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// pair returns both ends of a connection.
func pair(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if ours, err = net.Dial("tcp", l.Addr().String()); err == nil {
		theirs, err = l.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	return ours, theirs
}

// impostor answers a supervisor that has dialled it, instead of the launcher.
type impostor struct {
	net.Conn
	lines *bufio.Scanner
}

func (i *impostor) receive() (m message, line []byte) {
	i.lines.Scan()
	line = bytes.Clone(i.lines.Bytes())
	_ = json.Unmarshal(line, &m) // the supervisor's own
	return m, line
}

func (i *impostor) send(messages ...message) {
	for _, m := range messages {
		line, _ := json.Marshal(m)         // never fails
		_, _ = i.Write(append(line, '\n')) // fails when the supervisor has closed the connection
	}
}

// commands are what an impostor would like a supervisor to do.
var commands = []message{{Kind: kindWelcome, Dir: "/", Token: "mine"}, {Kind: kindStart, Start: &StartWorkers{
	Assignment: Assignment{Member: "x", Ranks: 1}, Size: 1, Epoch: 1, FirstEpoch: 1}, Args: []string{"run", "evil.toml"}},
	{Kind: kindEnd, End: &EndWorkers{Epoch: 1}}, {Kind: kindOver, Done: true}}

// TestSupervisorObeysOnlyTheLauncher: whatever listens at the launcher's address without the token of the run learns
// nothing that proves the token, and no command of it is executed. The supervisor says so, and gives up only if no
// launcher has accepted it before.
func TestSupervisorObeysOnlyTheLauncher(t *testing.T) {
	challenge := func(nonce, proof []byte) []message {
		return append([]message{{Kind: kindChallenge, Nonce: nonce, Proof: proof}}, commands...)
	}
	nonce := newNonce()
	for name, answer := range map[string]func(i *impostor, hello []byte, h *hello){
		"commands at once": func(i *impostor, _ []byte, _ *hello) { i.send(commands...) },
		"no proof":         func(i *impostor, _ []byte, _ *hello) { i.send(challenge(nonce, nil)...) },
		"random proof":     func(i *impostor, _ []byte, _ *hello) { i.send(challenge(nonce, newNonce())...) },
		"another token": func(i *impostor, line []byte, _ *hello) {
			i.send(challenge(nonce, newTranscript("guess", line, nonce).proof(launcherRole))...)
		},
		"no token": func(i *impostor, line []byte, _ *hello) {
			i.send(challenge(nonce, newTranscript("", line, nonce).proof(launcherRole))...)
		},
		"short nonce": func(i *impostor, line []byte, _ *hello) {
			i.send(challenge(nonce[:1], newTranscript("", line, nonce[:1]).proof(launcherRole))...)
		},
		"the supervisor's nonce": func(i *impostor, _ []byte, h *hello) { i.send(challenge(h.Nonce, h.Nonce)...) },
		"hello": func(i *impostor, _ []byte, h *hello) {
			i.send(message{Kind: kindHello, Hello: h}, commands[1])
		},
		"challenge, and again": func(i *impostor, _ []byte, _ *hello) {
			i.send(challenge(nonce, nonce)...)
			i.send(challenge(nonce, nonce)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var sent []byte
			over := make(chan struct{})
			v := &RemoteSupervisor{Token: "secret", Local: LocalMember{Name: "x", Slots: 1}, SilenceLimit: time.Minute,
				MaxOutage: time.Minute, Log: func(string) {}, Arguments: func(args []string) ([]string, error) {
					t.Errorf("the supervisor starts %q", args)
					return nil, errors.New("refused")
				}, Dial: func(context.Context) (net.Conn, error) {
					ours, theirs := pair(t)
					go func() {
						defer close(over)
						i := &impostor{theirs, bufio.NewScanner(theirs)}
						m, line := i.receive()
						sent = append(sent, line...)
						answer(i, line, m.Hello)
						for i.lines.Scan() {
							sent = append(sent, i.lines.Bytes()...)
						}
					}()
					return ours, nil
				}}
			if err := v.Join(t.Context()); !errors.As(err, new(*UnknownLauncherError)) {
				t.Errorf("got error %v, want that the launcher is unknown", err)
			}
			if <-over; bytes.Contains(sent, []byte("secret")) {
				t.Errorf("the supervisor has sent its token: %s", sent)
			}
		})
	}
}

// connect returns a supervisor and a launcher, with these tokens, and their errors after the handshake.
func connect(t *testing.T, supervisor, launcher string) (s, l *messageConn, errs [2]error) {
	t.Helper()
	ours, theirs := pair(t)
	s, l = newMessageConn(ours, ours, time.Minute), newMessageConn(theirs, theirs, time.Minute)
	t.Cleanup(s.close)
	t.Cleanup(l.close)
	done := make(chan error)
	go func() {
		_, err := l.welcome(launcher)
		done <- err
	}()
	errs[0] = s.greet(hello{Name: "x", Slots: 1}, supervisor)
	errs[1] = <-done
	return s, l, errs
}

// TestTokensMustAgree: both sides notice that the other has another token, and the token is never sent.
func TestTokensMustAgree(t *testing.T) {
	for _, c := range []struct {
		supervisor, launcher string
		agree                bool
	}{{"secret", "secret", true}, {"", "", true}, {"secret", "", false}, {"", "secret", false},
		{"secret", "secres", false}, {"secret", "secret ", false}} {
		_, _, errs := connect(t, c.supervisor, c.launcher)
		if (errs[0] == nil) != c.agree || (errs[1] == nil) != c.agree {
			t.Errorf("tokens %q and %q: %v", c.supervisor, c.launcher, errs)
		}
	}
}

// sealed returns the lines that a side sends for messages.
func sealed(w *messageConn, messages ...message) (lines []string) {
	for _, m := range messages {
		text, _ := json.Marshal(m) // never fails
		lines = append(lines, fmt.Sprintf("%s\t%s\n", text, w.seal.code(text)))
	}
	return lines
}

// TestLinesAreAuthenticated: between a supervisor and the launcher nobody can add, repeat, leave out, change or reflect
// a command, although he forwards their handshake.
func TestLinesAreAuthenticated(t *testing.T) {
	type change = func(lines, own []string) []string // of the lines of the launcher, and one of the supervisor
	for name, c := range map[string]struct {
		change
		valid int // messages that arrive before an error
	}{
		"nothing":  {func(l, _ []string) []string { return l }, 4},
		"added":    {func(l, _ []string) []string { return slices.Insert(l, 1, `{"kind":"over"}`+"\n") }, 1},
		"old code": {func(l, _ []string) []string { return slices.Insert(l, 1, "{}\t"+l[0][len(l[0])-45:]) }, 1},
		"repeated": {func(l, _ []string) []string { return slices.Insert(l, 2, l[1]) }, 2},
		"left out": {func(l, _ []string) []string { return slices.Delete(l, 0, 1) }, 0},
		"swapped":  {func(l, _ []string) []string { return []string{l[0], l[2], l[1], l[3]} }, 1},
		"changed":  {func(l, _ []string) []string { return []string{l[0], strings.Replace(l[1], "evil", "fine", 1)} }, 1},
		"code cut": {func(l, _ []string) []string { return append(l[:3], l[3][:len(l[3])-3]+"\n") }, 3},
		"no code":  {func(l, _ []string) []string { return append(l[:3], l[3][:len(l[3])-46]+"\n") }, 3},
		"own line": {func(l, own []string) []string { return append(own, l...) }, 0},
		"joined":   {func(l, _ []string) []string { return []string{l[0], strings.TrimSuffix(l[1], "\n"), l[2]} }, 1},
		"empty":    {func(l, _ []string) []string { return append([]string{"\n"}, l...) }, 0},
	} {
		s, l, errs := connect(t, "secret", "secret")
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		changed := c.change(sealed(l, commands...), sealed(s, commands[3]))
		go func() {
			_, _ = l.conn.Write([]byte(strings.Join(changed, ""))) // fails if the supervisor closes the connection first
			l.close()
		}()
		n := 0
		for _, err := s.receive(); err == nil; _, err = s.receive() {
			n++
		}
		if n != c.valid {
			t.Errorf("%s: %d messages were accepted, want %d", name, n, c.valid)
		}
		s.close()
	}
}
