package supervise

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// A remote supervisor and the launcher exchange messages as lines of JSON of bounded length. After the handshake each
// line ends with a tab and its authentication code. Each side sends a heartbeat when it has nothing else to send, and
// treats the other as lost when no message has arrived for the silence limit.
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
	Dir        string        `json:"dir,omitempty"`   // working directory of workers
	Token      string        `json:"token,omitempty"` // of the ranks
	Nonce      []byte        `json:"nonce,omitempty"` // of the handshake
	Proof      []byte        `json:"proof,omitempty"`
	Done       bool          `json:"done,omitempty"` // the run is complete, so no other launcher will continue it
	Last       bool          `json:"last,omitempty"` // the sender leaves: its last message
}

// Kinds of messages, and the fields that each kind sets.
const (
	// sent by a supervisor
	kindHello  = "hello"  // Hello; the first message
	kindProof  = "proof"  // Proof; the answer to a challenge
	kindExited = "exited" // Epoch, Exit
	kindEnded  = "ended"  // Epoch, Rendezvous: all workers have exited
	kindSlots  = "slots"  // Slots, Last
	kindLog    = "log"    // Text

	// sent by the launcher
	kindChallenge = "challenge" // Nonce, Proof; the answer to hello
	kindWelcome   = "welcome"   // Dir, Token; the first message after the handshake
	kindStart     = "start"     // Start, Args
	kindEnd       = "end"       // End
	kindOver      = "over"      // Text, Done; the last message

	// sent by both
	kindHeartbeat = "heartbeat"
	kindRefused   = "refused" // Text; the last message
)

// hello introduces a supervisor.
type hello struct {
	Name       string `json:"name"`            // of the supervisor, the same each time it connects
	Slots      int    `json:"slots"`           // how many ranks it runs at most
	Rendezvous string `json:"meet"`            // as in Join
	Ordinal    int    `json:"order,omitempty"` // as in Join
	Build      string `json:"build"`           // of its program, which must be that of the launcher
	Nonce      []byte `json:"nonce"`           // of the handshake
}

// messageConn sends and receives messages over a connection.
type messageConn struct {
	conn    net.Conn
	lines   *bufio.Scanner
	line    []byte        // the last one that read has returned
	silence time.Duration // limit
	out     chan message
	once    sync.Once
	closed  chan struct{}
	written chan struct{} // closed when writeLoop has ended

	seal, open *sealer // of the lines that are sent and received, nil before the end of the handshake
}

// sealer computes the authentication codes of the lines in one direction.
type sealer struct {
	mac    hash.Hash
	number uint64 // of the next line, so that none can be repeated or left out
}

func newSealer(key []byte) *sealer { return &sealer{mac: hmac.New(sha256.New, key)} }

// code returns the code of the next line.
func (s *sealer) code(line []byte) []byte {
	s.mac.Reset()
	_ = binary.Write(s.mac, binary.BigEndian, s.number) // a hash never fails
	_, _ = s.mac.Write(line)
	s.number++
	return base64.StdEncoding.AppendEncode(nil, s.mac.Sum(nil))
}

// newMessageConn returns a connection for a handshake, of which received is the data: those of conn.
func newMessageConn(conn net.Conn, received io.Reader, silence time.Duration) *messageConn {
	w := &messageConn{conn: conn, lines: bufio.NewScanner(received), silence: silence,
		closed: make(chan struct{}), written: make(chan struct{})}
	w.lines.Buffer(nil, maxLine)
	return w
}

// read returns the next message of the handshake.
func (w *messageConn) read() (m message, err error) {
	line, err := w.nextLine(handshakeTimeout)
	if err != nil {
		return m, err
	}
	w.line = bytes.Clone(line)
	if json.Unmarshal(line, &m) != nil {
		return m, errors.New("malformed message")
	}
	return m, nil
}

// write sends a message of the handshake.
func (w *messageConn) write(m message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return w.writeLine(line)
}

func (w *messageConn) writeLine(line []byte) error {
	_ = w.conn.SetWriteDeadline(time.Now().Add(handshakeTimeout))
	_, err := w.conn.Write(append(line, '\n'))
	return err
}

// secure ends the handshake: from now on lines are authenticated by keys, and messages may be queued. A stranger has no
// queue, which takes memory.
func (w *messageConn) secure(sendKey, receiveKey []byte) {
	w.out = make(chan message, maxQueued)
	w.seal, w.open = newSealer(sendKey), newSealer(receiveKey)
}

// start starts to send queued messages and heartbeats in the background. Call it after the handshake.
func (w *messageConn) start() { go w.writeLoop() }

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
	for {
		m := message{Kind: kindHeartbeat}
		select {
		case m = <-w.out:
		case <-tick.C:
		case <-w.closed:
			return
		}
		line, err := json.Marshal(m)
		if err == nil {
			_ = w.conn.SetWriteDeadline(time.Now().Add(w.silence))
			_, err = w.conn.Write(slices.Concat(line, []byte{'\t'}, w.seal.code(line), []byte{'\n'}))
		}
		if err != nil {
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
		line, err := w.nextLine(w.silence)
		if err != nil {
			return m, err
		}
		text, code, _ := bytes.Cut(line, []byte{'\t'})
		if !hmac.Equal(code, w.open.code(text)) {
			return m, errors.New("a message that the other side has not sent")
		}
		m = message{}
		if err := json.Unmarshal(text, &m); err != nil {
			return m, fmt.Errorf("malformed message: %w", err)
		}
		if m.Kind != kindHeartbeat {
			return m, nil
		}
	}
}

// nextLine returns the next line, which is valid until the next call.
func (w *messageConn) nextLine(timeout time.Duration) ([]byte, error) {
	_ = w.conn.SetReadDeadline(time.Now().Add(timeout))
	if w.lines.Scan() {
		return w.lines.Bytes(), nil
	}
	err := w.lines.Err()
	if err == nil {
		return nil, errors.New("the connection was closed")
	}
	if t, ok := err.(net.Error); ok && t.Timeout() {
		return nil, fmt.Errorf("no heartbeat for %v", timeout)
	}
	return nil, err
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
