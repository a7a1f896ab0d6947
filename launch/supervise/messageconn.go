package supervise

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// A remote supervisor and the controller exchange lines of JSON, of bounded length, over a connection that the caller
// has secured. Each sends a heartbeat when it has nothing else to send, and takes the other for lost after a silence.
const (
	maxLine           = 1 << 20
	heartbeatInterval = 500 * time.Millisecond
	maxQueued         = 256 // messages that may wait for a slow receiver
)

// message is a line. Kind says which of the other fields have a meaning.
type message struct {
	Kind       string        `json:"kind"`
	Hello      *hello        `json:"hello,omitempty"`
	Start      *StartWorkers `json:"start,omitempty"`
	Args       []string      `json:"args,omitempty"`
	End        *EndWorkers   `json:"end,omitempty"`
	Exit       *launch.Exit  `json:"exit,omitempty"`
	Epoch      uint64        `json:"epoch,omitempty"`
	Rendezvous string        `json:"meet,omitempty"`
	Slots      int           `json:"slots,omitempty"`
	Text       string        `json:"text,omitempty"`
	Dir        string        `json:"dir,omitempty"`
	Env        []string      `json:"env,omitempty"`
	Done       bool          `json:"done,omitempty"`
	Last       bool          `json:"last,omitempty"` // the sender leaves
}

// Kinds of messages, and the fields that they have: the first ones come from a supervisor, the others from the
// controller.
const (
	kindHello  = "hello"  // Hello: first, once
	kindExited = "exited" // Epoch, Exit
	kindEnded  = "ended"  // Epoch, Meet
	kindSlots  = "slots"  // Slots
	kindLog    = "told"   // Text

	kindWelcome = "welcome" // Dir, Env: first, once
	kindRefused = "refused" // Text: last
	kindStart   = "start"   // Start, Args
	kindEnd     = "end"     // End
	kindOver    = "over"    // Text, Done: last

	kindHeartbeat = "beat"
)

// hello introduces a supervisor.
type hello struct {
	Name       string `json:"name"` // of the supervisor, the same each time it connects
	Slots      int    `json:"slots"`
	Rendezvous string `json:"meet"`
	Ordinal    int    `json:"order,omitempty"`
	Build      string `json:"build"`
	Token      string `json:"token"`
}

// messageConn is a connection that carries messages.
type messageConn struct {
	conn    net.Conn
	lines   *bufio.Scanner
	silence time.Duration
	out     chan message
	once    sync.Once
	closed  chan struct{}
	written chan struct{} // closed when nothing more is written
}

func newMessageConn(conn net.Conn, silence time.Duration) *messageConn {
	w := &messageConn{conn: conn, lines: bufio.NewScanner(conn), silence: silence, out: make(chan message, maxQueued),
		closed: make(chan struct{}), written: make(chan struct{})}
	w.lines.Buffer(nil, maxLine)
	go w.writeLoop()
	return w
}

// send queues a message, unless the connection is closed. A receiver whose queue is full is disconnected.
func (w *messageConn) send(m message) {
	select {
	case w.out <- m:
	case <-w.closed:
	default:
		w.close()
	}
}

// writeLoop writes queued messages, and heartbeats.
func (w *messageConn) writeLoop() {
	defer close(w.written)
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	to := json.NewEncoder(w.conn)
	for {
		m := message{Kind: kindHeartbeat}
		select {
		case m = <-w.out:
		case <-tick.C:
		case <-w.closed:
			return
		}
		_ = w.conn.SetWriteDeadline(time.Now().Add(w.silence))
		if to.Encode(m) != nil {
			w.close()
			return
		}
		if m.Kind == kindOver || m.Kind == kindRefused || m.Last {
			return
		}
	}
}

// receive returns the next message that is no heartbeat.
func (w *messageConn) receive() (m message, err error) {
	for {
		_ = w.conn.SetReadDeadline(time.Now().Add(w.silence))
		if !w.lines.Scan() {
			if err = w.lines.Err(); err == nil {
				return m, fmt.Errorf("the connection has ended")
			}
			if t, ok := err.(net.Error); ok && t.Timeout() {
				err = fmt.Errorf("no sign of life for %v", w.silence)
			}
			return m, err
		}
		m = message{}
		if err := json.Unmarshal(w.lines.Bytes(), &m); err != nil {
			return m, fmt.Errorf("malformed message: %w", err)
		}
		if m.Kind != kindHeartbeat {
			return m, nil
		}
	}
}

func (w *messageConn) close() {
	w.once.Do(func() {
		close(w.closed)
		_ = w.conn.Close() // says only that it was closed before
	})
}

// sendLast sends a message, waits until it is written, and closes.
func (w *messageConn) sendLast(m message) {
	w.send(m)
	select {
	case <-w.written:
	case <-time.After(w.silence):
	}
	w.close()
}
