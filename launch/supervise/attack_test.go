//go:build linux

package supervise

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/internal/guard/guardtest"
	"github.com/atoll-hpc/atoll/launch"
)

// attacks are what strangers do with a connection to the port for supervisors. Each returns when it has nothing more
// to send; the connection then stays open until the server closes it.
var attacks = map[string]func(c net.Conn){
	"idle": func(net.Conn) {},
	"heartbeats": func(c net.Conn) {
		for write(c, `{"kind":"heartbeat"}`+"\n") {
			time.Sleep(time.Millisecond)
		}
	},
	"byte by byte": func(c net.Conn) {
		for i := 0; write(c, greeting[i%len(greeting):][:1]); i++ {
			time.Sleep(50 * time.Millisecond)
		}
	},
	"garbage": func(c net.Conn) { write(c, strings.Repeat("\x00\xff\n\x7f", 500)) },
	"a long line": func(c net.Conn) {
		for err := error(nil); err == nil; {
			_, err = c.Write(manyBytes)
		}
	},
	"HTTP":        func(c net.Conn) { write(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") },
	"TLS":         func(c net.Conn) { write(c, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03") },
	"hello alone": func(c net.Conn) { write(c, greeting) },
	"hello and a lie": func(c net.Conn) {
		write(c, greeting+`{"kind":"proof","proof":"`+strings.Repeat("A", 43)+`="}`+"\n")
	},
	"commands": func(c net.Conn) {
		write(c, greeting+`{"kind":"slots","slots":9}`+"\n"+`{"kind":"exited","epoch":1,"exit":{"rank":0,"code":0}}`+"\n")
	},
	"a reflected proof": func(c net.Conn) {
		write(c, greeting)
		lines := bufio.NewScanner(c)
		lines.Scan()
		var m message
		_ = json.Unmarshal(lines.Bytes(), &m)
		line, _ := json.Marshal(message{Kind: kindProof, Proof: m.Proof})
		write(c, string(line)+"\n")
	},
	"nested JSON": func(c net.Conn) { write(c, strings.Repeat("[", 20_000)+"\n") },
}

// manyBytes are sent by all strangers, so that they need little memory themselves.
var manyBytes = bytes.Repeat([]byte("x"), 1<<16)

// greeting is a hello as a supervisor sends it.
var greeting = fmt.Sprintf(`{"kind":"hello","hello":{"name":"stranger","slots":1,"build":"b1","nonce":"%s="}}`+"\n",
	strings.Repeat("A", 43))

func write(c net.Conn, text string) bool {
	_, err := c.Write([]byte(text))
	return err == nil
}

// TestStrangersKeepNobodyOut: while strangers hold more connections than the server accepts, of each kind of attacks,
// and open others for those that it closes, a supervisor joins, a rank is lost, and the run ends as without them.
// No stranger becomes a member, or is heard as one, and the process, strangers included, needs little memory.
func TestStrangersKeepNobodyOut(t *testing.T) {
	s := start(t.Context(), t, Limits{Ranks: 2, MinRanks: 1, MaxRanks: 2, Retries: 2}, 1)
	s.awaitEpoch(1, 1)
	ctx, stop := context.WithCancel(t.Context())
	before := guardtest.LiveBytes()
	var strangers sync.WaitGroup
	perAttack := unverified.Connections/len(attacks) + 8
	for _, attack := range attacks {
		for range perAttack {
			strangers.Go(func() {
				for ctx.Err() == nil {
					c, err := net.Dial("unix", s.address)
					if err != nil {
						return // the run is over
					}
					release := context.AfterFunc(ctx, func() { _ = c.Close() })
					attack(c)
					_, _ = io.Copy(io.Discard, c) // until the server closes it
					_ = c.Close()
					release()
					time.Sleep(20 * time.Millisecond)
				}
			})
		}
	}
	remote := s.join(t.Context(), "remote", 1, nil)
	s.awaitEpoch(2, 2)
	growth := guardtest.LiveBytes() - before
	if t.Logf("the process uses %d KB more under attack", growth>>10); growth > guardtest.MaxBytes {
		t.Errorf("want at most %d KB", guardtest.MaxBytes>>10)
	}
	s.endEpoch(2, launch.ExitDone)
	if o := <-s.outcome; o.Reason != "" || len(o.Exits) != 2 {
		t.Errorf("got outcome %+v, want two exits and no reason", o)
	}
	if err := <-remote; err != nil {
		t.Error(err)
	}
	stop()
	strangers.Wait()
	close(s.events)
	for e := range s.events {
		if strings.Contains(fmt.Sprintf("%+v", e), "stranger") {
			t.Errorf("the run has the event %T %+v of a stranger", e, e)
		}
	}
	close(s.log)
	var refusals []string
	for line := range s.log {
		if strings.Contains(line, "refused") {
			refusals = append(refusals, line)
		}
	}
	if len(refusals) == 0 || len(refusals) > 10 || slices.ContainsFunc(refusals, func(line string) bool {
		return len(line) > 500
	}) {
		t.Errorf("the log has %d lines about refusals: %.2000q", len(refusals), refusals)
	}
}
