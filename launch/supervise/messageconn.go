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

// A remote supervisor and the launcher exchange messages as lines of JSON of bounded length, over a connection that
// the caller has secured. Each sends a heartbeat when it has nothing else to send, and treats the other as lost when no
// message has arrived for the silence limit.
const (
	maxLine           = 1 << 20 // bytes
	heartbeatInterval = 500 * time.Millisecond
	maxQueued         = 256 // messages that may wait for a slow receiver
)

// message is one message. Kind determines which of the other fields are set.
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
	Dir        string        `json:"dir,omitempty"`  // working directory of workers
	Env        []string      `json:"env,omitempty"`  // added to the environment of workers
	Done       bool          `json:"done,omitempty"` // the run is complete, so no other launcher will continue it
	Last       bool          `json:"last,omitempty"` // the sender leaves: its last message
}

// Kinds of messages, and the fields that each kind sets.
const (
	// sent by a supervisor
	kindHello  = "hello"  // Hello; the first message
	kindExited = "exited" // Epoch, Exit
	kindEnded  = "ended"  // Epoch, Rendezvous: all workers have exited
	kindSlots  = "slots"  // Slots, Last
	kindLog    = "log"    // Text

	// sent by the launcher
	kindWelcome = "welcome" // Dir, Env; the first message
	kindRefused = "refused" // Text; the last message
	kindStart   = "start"   // Start, Args
	kindEnd     = "end"     // End
	kindOver    = "over"    // Text, Done; the last message

	// sent by both
	kindHeartbeat = "heartbeat"
)

// hello introduces a supervisor.
type hello struct {
	Name       string `json:"name"`            // of the supervisor, the same each time it connects
	Slots      int    `json:"slots"`           // how many ranks it runs at most
	Rendezvous string `json:"meet"`            // as in Join
	Ordinal    int    `json:"order,omitempty"` // as in Join
	Build      string `json:"build"`           // of its program, which must be that of the launcher
	Token      string `json:"token"`           // the secret of the job; "" for none
}

// messageConn sends and receives messages over a connection.
type messageConn struct {
	conn    net.Conn
	lines   *bufio.Scanner
	silence time.Duration // limit
	out     chan message
	once    sync.Once
	closed  chan struct{}
	written chan struct{} // closed when writeLoop has ended
}

func newMessageConn(conn net.Conn, silence time.Duration) *messageConn {
	w := &messageConn{conn: conn, lines: bufio.NewScanner(conn), silence: silence, out: make(chan message, maxQueued),
		closed: make(chan struct{}), written: make(chan struct{})}
	w.lines.Buffer(nil, maxLine)
	go w.writeLoop()
	return w
}

// send queues a message, unless the connection is closed. If the queue is full it closes the connection.
func (w *messageConn) send(m message) {
	select {
	case w.out <- m:
	case <-w.closed:
	default:
		w.close()
	}
}

// writeLoop writes queued messages and heartbeats, until the last message or until the connection is closed.
func (w *messageConn) writeLoop() {
	defer close(w.written)
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	encoder := json.NewEncoder(w.conn)
	for {
		m := message{Kind: kindHeartbeat}
		select {
		case m = <-w.out:
		case <-tick.C:
		case <-w.closed:
			return
		}
		_ = w.conn.SetWriteDeadline(time.Now().Add(w.silence))
		if encoder.Encode(m) != nil {
			w.close()
			return
		}
		if m.Kind == kindOver || m.Kind == kindRefused || m.Last {
			return
		}
	}
}

// receive returns the next message that is not a heartbeat.
func (w *messageConn) receive() (m message, err error) {
	for {
		_ = w.conn.SetReadDeadline(time.Now().Add(w.silence))
		if !w.lines.Scan() {
			if err = w.lines.Err(); err == nil {
				return m, fmt.Errorf("the connection was closed")
			}
			if t, ok := err.(net.Error); ok && t.Timeout() {
				err = fmt.Errorf("no heartbeat for %v", w.silence)
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
		_ = w.conn.Close() // fails only if it is closed already
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
