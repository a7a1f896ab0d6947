package supervise

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// Server accepts supervisors on other machines as members.
type Server struct {
	Listener     net.Listener  // of secure connections
	Token        string        // which supervisors must present, "" for none
	Build        string        // identifies the program that supervisors must run
	SilenceLimit time.Duration // time without a message after which a supervisor is lost
	Dir          string        // working directory of workers
	Env          []string      // added to the environment of workers

	// CertifiedOrdinal returns the ordinal in a supervisor's certificate; nil if certificates have none.
	CertifiedOrdinal func(conn net.Conn) (ordinal int, err error)

	send        func(Event)
	lock        sync.Mutex
	connections map[string]int // supervisor's name → how often it has connected

	refused    int                      // refusals since the last logged one
	lastLogged time.Time                // when a refusal was logged last
	remotes    map[string]*remoteMember // by the name of the supervisor
	tasks      sync.WaitGroup
}

const (
	maxPending = 64      // connections that have not sent hello yet
	maxSlots   = 1 << 16 // of a supervisor
	maxName    = 256     // bytes of a supervisor's name
)

// remoteMember is a supervisor on another machine, as the launcher sees it: the connection to it.
type remoteMember struct {
	*messageConn
	name string
	left chan struct{} // closed when the event Leave has been sent
}

func (d *Server) start(send func(Event)) {
	d.send, d.remotes, d.connections = send, map[string]*remoteMember{}, map[string]int{}
	d.tasks.Go(func() {
		pending := make(chan struct{}, maxPending)
		for {
			conn, err := d.Listener.Accept()
			if err != nil {
				return
			}
			select {
			case pending <- struct{}{}:
			default:
				_ = conn.Close() // too many at once: the supervisor dials again
				continue
			}
			d.tasks.Go(func() { d.admit(conn, func() { <-pending }) })
		}
	})
}

// close closes all connections when their last messages are written.
func (d *Server) close() {
	_ = d.Listener.Close()
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

// admit serves a connection. It calls greeted when hello has arrived, or receiving it has failed.
func (d *Server) admit(conn net.Conn, greeted func()) {
	w := newMessageConn(conn, d.SilenceLimit)
	defer w.close()
	m, err := w.receive()
	greeted()
	if err != nil || m.Kind != kindHello || m.Hello == nil {
		d.logRefusal(fmt.Sprintf("a connection from %s: it is not from a supervisor", conn.RemoteAddr()))
		return
	}
	if why := d.refusal(conn, m.Hello); why != "" {
		d.logRefusal(fmt.Sprintf("a supervisor at %s: %s", conn.RemoteAddr(), why))
		w.sendLast(message{Kind: kindRefused, Text: why})
		return
	}
	w.send(message{Kind: kindWelcome, Dir: d.Dir, Env: d.Env})
	v := d.register(m.Hello, w)
	d.send(connected{Join{v.name, m.Hello.Slots, m.Hello.Rendezvous, m.Hello.Ordinal}, v})
	err = d.receiveEvents(v)
	d.lock.Lock()
	if d.remotes[m.Hello.Name] == v {
		delete(d.remotes, m.Hello.Name)
	}
	d.lock.Unlock()
	d.send(Leave{v.name, err.Error()})
	close(v.left)
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
	case subtle.ConstantTimeCompare([]byte(h.Token), []byte(d.Token)) != 1 && d.Token != "":
		return "it does not have the token of the run"
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
