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

// Server accepts supervisors of other machines as members.
type Server struct {
	Listener net.Listener // secured, where others can reach it
	Token    string       // which they must present, "" for none
	Build    string       // of the program that they must run
	// without a message, // without a message, // without a message, after which one is taken for lost
	SilenceLimit time.Duration
	Dir          string   // in which workers run
	Env          []string // added to the environment of workers

	// CertifiedOrdinal returns the ordinal that a supervisor's certificate names; nil where certificates name none.
	CertifiedOrdinal func(conn net.Conn) (order int, err error)

	send        func(Event)
	lock        sync.Mutex
	connections map[string]int // by name, how often each has connected

	refused    int                      // refusals since the last that was logged
	lastLogged time.Time                // when one was logged
	remotes    map[string]*remoteMember // by the name of the supervisor
	tasks      sync.WaitGroup
}

// maxPending bounds the connections that have not said hello yet.
const maxPending = 64

// remoteMember is the member of a remote supervisor.
type remoteMember struct {
	*messageConn
	name string
	gone chan struct{} // closed when its Leave has been sent
}

func (d *Server) start(send func(Event)) {
	d.send, d.remotes, d.connections = send, map[string]*remoteMember{}, map[string]int{}
	d.tasks.Go(func() {
		guests := make(chan struct{}, maxPending)
		for {
			conn, err := d.Listener.Accept()
			if err != nil {
				return
			}
			select {
			case guests <- struct{}{}:
			default:
				_ = conn.Close() // too many at once: it tries again
				continue
			}
			d.tasks.Go(func() { d.admit(conn, func() { <-guests }) })
		}
	})
}

// close ends all connections, once the last messages are written.
func (d *Server) close() {
	_ = d.Listener.Close()
	d.lock.Lock()
	all := make([]*remoteMember, 0, len(d.remotes))
	for _, v := range d.remotes {
		all = append(all, v)
	}
	d.lock.Unlock()
	for _, v := range all {
		select {
		case <-v.written:
		case <-time.After(time.Second):
		}
		v.messageConn.close()
	}
	d.tasks.Wait()
}

// admit serves a connection. known is called when it has said hello, or failed to.
func (d *Server) admit(conn net.Conn, known func()) {
	w := newMessageConn(conn, d.SilenceLimit)
	defer w.close()
	m, err := w.receive()
	known()
	if err != nil || m.Kind != kindHello || m.Hello == nil {
		d.logRefusal(fmt.Sprintf("%s: it is no supervisor", conn.RemoteAddr()))
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
	close(v.gone)
}

// logRefusal logs a refusal. Of those that follow within waitReportInterval only the number is logged, with the next.
func (d *Server) logRefusal(who string) {
	d.lock.Lock()
	d.refused++
	n := d.refused - 1
	quiet := time.Since(d.lastLogged) < waitReportInterval
	if !quiet {
		d.refused, d.lastLogged = 0, time.Now()
	}
	d.lock.Unlock()
	switch {
	case quiet:
	case n > 0:
		d.send(logged(fmt.Sprintf("refused %d more, and %s", n, who)))
	default:
		d.send(logged("refused " + who))
	}
}

// refusal says why a supervisor is refused, or "".
func (d *Server) refusal(conn net.Conn, h *hello) string {
	if d.CertifiedOrdinal != nil {
		if order, err := d.CertifiedOrdinal(conn); err != nil {
			return err.Error()
		} else if order != h.Ordinal {
			return fmt.Sprintf("it claims rank %d with the certificate of rank %d", h.Ordinal, order)
		}
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(h.Token), []byte(d.Token)) != 1 && d.Token != "":
		return "it does not have the token of the run"
	case h.Build != d.Build:
		return fmt.Sprintf("it is of build %q, the launcher of %q: start the same program everywhere", h.Build, d.Build)
	case h.Slots < 1 || h.Slots > 1<<16 || h.Ordinal < 0 || len(h.Name) == 0 || len(h.Name) > 256:
		return fmt.Sprintf("it offers %d ranks as %q", h.Slots, h.Name)
	}
	return ""
}

// register makes a supervisor a member. One that connects again has lost its earlier connection, which is closed here.
func (d *Server) register(h *hello, w *messageConn) *remoteMember {
	d.lock.Lock()
	before := d.remotes[h.Name]
	d.connections[h.Name]++
	v := &remoteMember{messageConn: w, name: h.Name, gone: make(chan struct{})}
	if n := d.connections[h.Name]; n > 1 {
		v.name = fmt.Sprintf("%s, connection %d", h.Name, n)
	}
	d.remotes[h.Name] = v
	d.lock.Unlock()
	if before != nil {
		before.messageConn.close()
		<-before.gone
	}
	return v
}

// receiveEvents passes on what a supervisor sends, until it leaves or is lost.
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
		case m.Kind == kindSlots && m.Slots >= 0 && m.Slots <= 1<<16:
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
