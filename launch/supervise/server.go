package supervise

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/internal/guard"
	"github.com/atoll-hpc/atoll/launch"
)

// Server accepts supervisors on other machines as members.
type Server struct {
	Listener     net.Listener
	TLS          *tls.Config   // of connections; nil for plaintext
	Token        string        // which supervisors must have, "" if TLS alone authenticates them
	RankToken    string        // which supervisors get for their workers, if Token is ""
	Build        string        // identifies the program that supervisors must run
	SilenceLimit time.Duration // time without a message after which a supervisor is lost
	Dir          string        // working directory of workers

	// CertifiedOrdinal returns the ordinal in a supervisor's certificate; nil if certificates have none.
	CertifiedOrdinal func(conn net.Conn) (ordinal int, err error)

	send        func(Event)
	guarded     *guard.Listener
	lock        sync.Mutex
	connections map[string]int // supervisor's name → how often it has connected

	refused    int                      // refusals since the last logged one
	lastLogged time.Time                // when a refusal was logged last
	remotes    map[string]*remoteMember // by the name of the supervisor
	tasks      sync.WaitGroup
}

const (
	maxSlots = 1 << 16 // of a supervisor
	maxName  = 256     // bytes of a supervisor's name

	acceptPause = 50 * time.Millisecond // after Accept has failed, as when there are too many open files
)

// unverified are the limits of connections whose supervisor has not proved that it has the token.
var unverified = guard.Limits{Connections: 128, Time: handshakeTimeout, Bytes: 16 << 10}

// remoteMember is a supervisor on another machine, as the launcher sees it: the connection to it.
type remoteMember struct {
	*messageConn
	name string
	left chan struct{} // closed when the event Leave has been sent
}

func (d *Server) start(send func(Event)) {
	d.send, d.remotes, d.connections = send, map[string]*remoteMember{}, map[string]int{}
	d.guarded = &guard.Listener{Listener: d.Listener, Limits: unverified, Refused: func(c *guard.Conn, why guard.Cause) {
		text := fmt.Sprintf("without a hello within %v", unverified.Time)
		if why == guard.TooMany {
			text = fmt.Sprintf("without a hello, when %d newer ones were open", unverified.Connections)
		}
		d.logRefusal(fmt.Sprintf("a connection from %s %s", c.Origin(), text))
	}}
	d.tasks.Go(func() {
		for {
			conn, err := d.guarded.Accept()
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil:
				time.Sleep(acceptPause)
			default:
				d.tasks.Go(func() { d.admit(conn.(*guard.Conn)) })
			}
		}
	})
}

// close closes all connections when their last messages are written.
func (d *Server) close() {
	_ = d.guarded.Close()
	d.lock.Lock()
	remotes := make([]*remoteMember, 0, len(d.remotes))
	for _, v := range d.remotes {
		remotes = append(remotes, v)
	}
	d.lock.Unlock()
	for _, v := range remotes {
		select {
		case <-v.written:
		case <-time.After(time.Second):
		}
		v.messageConn.close()
	}
	d.tasks.Wait()
}

// admit serves a connection.
func (d *Server) admit(guarded *guard.Conn) {
	conn, received, err := d.open(guarded)
	defer func() { _ = conn.Close() }() // it is closed already, unless it was refused
	var w *messageConn
	var h *hello
	if err == nil {
		w = newMessageConn(conn, received, d.SilenceLimit)
		h, err = w.welcome(d.Token)
	}
	if err == nil && !guarded.Trust() {
		return // it was refused, and that was logged
	}
	if err != nil {
		if guarded.Close() == nil { // else it was refused, and that was logged
			d.logRefusal(fmt.Sprintf("a connection from %s: %s", guarded.Origin(), certs.Explain(err)))
		}
		return
	}
	defer w.close()
	w.start()
	if why := d.refusal(conn, h); why != "" {
		d.logRefusal(fmt.Sprintf("a supervisor at %s: %s", guarded.Origin(), why))
		w.sendLast(message{Kind: kindRefused, Text: why})
		return
	}
	welcome := message{Kind: kindWelcome, Dir: d.Dir}
	if d.Token == "" {
		welcome.Token = d.RankToken
	}
	w.send(welcome)
	v := d.register(h, w)
	d.send(connected{Join{v.name, h.Slots, h.Rendezvous, h.Ordinal}, v})
	err = d.receiveEvents(v)
	d.lock.Lock()
	if d.remotes[h.Name] == v {
		delete(d.remotes, h.Name)
	}
	d.lock.Unlock()
	d.send(Leave{v.name, err.Error()})
	close(v.left)
}

// open makes a connection secure, if the server has certificates, and returns it with a reader of its data.
func (d *Server) open(guarded *guard.Conn) (net.Conn, io.Reader, error) {
	if d.TLS != nil {
		conn := tls.Server(guarded, d.TLS)
		ctx, stop := context.WithTimeout(context.Background(), handshakeTimeout)
		defer stop()
		return conn, conn, conn.HandshakeContext(ctx)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(guarded, first); err != nil {
		return guarded, nil, errors.New("it has sent nothing")
	}
	if certs.IsTLS(first[0]) {
		return guarded, nil, errors.New(certs.SpeaksTLS)
	}
	return guarded, io.MultiReader(bytes.NewReader(first), guarded), nil
}

// logRefusal logs a refusal, at most one per waitReportInterval; the next logged line has the number of those between.
func (d *Server) logRefusal(text string) {
	d.lock.Lock()
	d.refused++
	n := d.refused - 1
	skip := time.Since(d.lastLogged) < waitReportInterval
	if !skip {
		d.refused, d.lastLogged = 0, time.Now()
	}
	d.lock.Unlock()
	switch {
	case skip:
	case n > 0:
		d.send(logged(fmt.Sprintf("refused %s (and %d more connections since the last such line)", text, n)))
	default:
		d.send(logged("refused " + text))
	}
}

// refusal returns the reason to refuse a supervisor, or "" to accept it.
func (d *Server) refusal(conn net.Conn, h *hello) string {
	if d.CertifiedOrdinal != nil {
		if ordinal, err := d.CertifiedOrdinal(conn); err != nil {
			return err.Error()
		} else if ordinal != h.Ordinal {
			return fmt.Sprintf("it claims rank %d with the certificate of rank %d", h.Ordinal, ordinal)
		}
	}
	switch {
	case h.Build != d.Build:
		return fmt.Sprintf("its build is %q, the launcher's %q: start the same program on all machines", h.Build, d.Build)
	case h.Slots < 1 || h.Slots > maxSlots || h.Ordinal < 0 || len(h.Name) == 0 || len(h.Name) > maxName:
		return fmt.Sprintf("malformed hello: %d slots, ordinal %d, name %.40q; want 1 to %d slots, an ordinal from 0 and a "+
			"name of 1 to %d bytes", h.Slots, h.Ordinal, h.Name, maxSlots, maxName)
	}
	return ""
}

// register makes a supervisor a member. If the supervisor has connected before, register closes the earlier connection.
func (d *Server) register(h *hello, w *messageConn) *remoteMember {
	d.lock.Lock()
	before := d.remotes[h.Name]
	d.connections[h.Name]++
	v := &remoteMember{messageConn: w, name: h.Name, left: make(chan struct{})}
	if n := d.connections[h.Name]; n > 1 {
		v.name = fmt.Sprintf("%s, connection %d", h.Name, n)
	}
	d.remotes[h.Name] = v
	d.lock.Unlock()
	if before != nil {
		before.messageConn.close()
		<-before.left
	}
	return v
}

// receiveEvents sends the events of a supervisor to the controller, until it leaves or is lost.
func (d *Server) receiveEvents(v *remoteMember) error {
	for {
		m, err := v.receive()
		if err != nil {
			return err
		}
		switch {
		case m.Kind == kindExited && m.Exit != nil:
			d.send(Exited{v.name, m.Epoch, *m.Exit})
		case m.Kind == kindEnded:
			d.send(AllExited{v.name, m.Epoch, m.Rendezvous})
		case m.Kind == kindSlots && m.Slots >= 0 && m.Slots <= maxSlots:
			d.send(Slots{v.name, m.Slots})
			if m.Last {
				return errors.New("it has left")
			}
		case m.Kind == kindLog:
			d.send(logged(v.name + ": " + m.Text))
		default:
			return fmt.Errorf("unexpected message %q", m.Kind)
		}
	}
}

func (v *remoteMember) start(s StartWorkers, args []string) {
	v.send(message{Kind: kindStart, Start: &s, Args: args})
}

func (v *remoteMember) endWorkers(e EndWorkers) { v.send(message{Kind: kindEnd, End: &e}) }

func (v *remoteMember) runEnded(o Outcome) {
	done := !o.Stopped && o.Reason == "" && o.Err == nil && launch.Verdict(o.Exits, nil) == nil
	v.send(message{Kind: kindOver, Text: o.Reason, Done: done})
}
