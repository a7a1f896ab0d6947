package supervise

import (
	"crypto/subtle"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// Doors let supervisors of other machines in.
type Doors struct {
	Listener net.Listener  // secured, where others can reach it
	Token    string        // which they must bring, "" for none
	Build    string        // which they must be of
	Silence  time.Duration // after which one is taken for lost
	Dir      string        // in which workers run
	Env      []string      // which workers have besides

	// Certified returns the order in whose name a supervisor's certificate is; nil where they are not told apart.
	Certified func(conn net.Conn) (order int, err error)

	send  func(Event)
	lock  sync.Mutex
	times map[string]int      // how often each has come
	here  map[string]*visitor // by the name of the supervisor
	tasks sync.WaitGroup
}

// mostGuests is how many connections there may be of which nothing is known yet.
const mostGuests = 64

// visitor is a supervisor elsewhere.
type visitor struct {
	*wire
	place string
	gone  chan struct{} // closed when its Leave has been sent
}

func (d *Doors) open(send func(Event)) {
	d.send, d.here, d.times = send, map[string]*visitor{}, map[string]int{}
	d.tasks.Go(func() {
		guests := make(chan struct{}, mostGuests)
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

// close ends all connections, when the last messages are on their way.
func (d *Doors) close() {
	_ = d.Listener.Close()
	d.lock.Lock()
	all := make([]*visitor, 0, len(d.here))
	for _, v := range d.here {
		all = append(all, v)
	}
	d.lock.Unlock()
	for _, v := range all {
		select {
		case <-v.written:
		case <-time.After(time.Second):
		}
		v.wire.close()
	}
	d.tasks.Wait()
}

// admit serves a connection. known is called when it is known who comes, or that nobody does.
func (d *Doors) admit(conn net.Conn, known func()) {
	w := newWire(conn, d.Silence)
	defer w.close()
	m, err := w.hear()
	known()
	if err != nil || m.Kind != kindHello || m.Hello == nil {
		d.send(told(fmt.Sprintf("turned away %s, which is no supervisor", conn.RemoteAddr())))
		return
	}
	if why := d.misfit(conn, m.Hello); why != "" {
		d.send(told(fmt.Sprintf("turned away a supervisor at %s: %s", conn.RemoteAddr(), why)))
		w.last(message{Kind: kindRefused, Text: why})
		return
	}
	w.say(message{Kind: kindWelcome, Dir: d.Dir, Env: d.Env})
	v := d.welcome(m.Hello, w)
	d.send(joined{Join{v.place, m.Hello.Slots, m.Hello.Meet, m.Hello.Order}, v})
	err = d.serve(v)
	d.lock.Lock()
	if d.here[m.Hello.Name] == v {
		delete(d.here, m.Hello.Name)
	}
	d.lock.Unlock()
	d.send(Leave{v.place, err.Error()})
	close(v.gone)
}

// misfit says why a supervisor is turned away, or "".
func (d *Doors) misfit(conn net.Conn, h *hello) string {
	if d.Certified != nil {
		if order, err := d.Certified(conn); err != nil {
			return err.Error()
		} else if order != h.Order {
			return fmt.Sprintf("it says that it is for rank %d, with the certificate of rank %d", h.Order, order)
		}
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(h.Token), []byte(d.Token)) != 1 && d.Token != "":
		return "it has not the token of the run"
	case h.Build != d.Build:
		return fmt.Sprintf("it is of build %q, the launcher of %q: start the same program everywhere", h.Build, d.Build)
	case h.Slots < 1 || h.Slots > 1<<16 || h.Order < 0 || len(h.Name) == 0 || len(h.Name) > 256:
		return fmt.Sprintf("it offers %d ranks as %q", h.Slots, h.Name)
	}
	return ""
}

// welcome takes a supervisor in. One that comes again has lost its connection, whatever is known of that here.
func (d *Doors) welcome(h *hello, w *wire) *visitor {
	d.lock.Lock()
	before := d.here[h.Name]
	d.times[h.Name]++
	v := &visitor{wire: w, place: h.Name, gone: make(chan struct{})}
	if n := d.times[h.Name]; n > 1 {
		v.place = fmt.Sprintf("%s, connection %d", h.Name, n)
	}
	d.here[h.Name] = v
	d.lock.Unlock()
	if before != nil {
		before.wire.close()
		<-before.gone
	}
	return v
}

// serve passes on what a supervisor says, until it is gone.
func (d *Doors) serve(v *visitor) error {
	for {
		m, err := v.hear()
		if err != nil {
			return err
		}
		switch {
		case m.Kind == kindExited && m.Exit != nil:
			d.send(Exited{v.place, m.Epoch, *m.Exit})
		case m.Kind == kindEnded:
			d.send(Ended{v.place, m.Epoch, m.Meet})
		case m.Kind == kindSlots && m.Slots >= 0 && m.Slots <= 1<<16:
			d.send(Slots{v.place, m.Slots})
		case m.Kind == kindTold:
			d.send(told(v.place + ": " + m.Text))
		default:
			return fmt.Errorf("it says %q, which has no meaning", m.Kind)
		}
	}
}

func (v *visitor) start(s Start, args []string) {
	v.say(message{Kind: kindStart, Start: &s, Args: args})
}

func (v *visitor) end(e End) { v.say(message{Kind: kindEnd, End: &e}) }

func (v *visitor) finish(o Outcome) {
	done := !o.Stopped && o.Why == "" && o.Err == nil && launch.Verdict(o.Exits, nil) == nil
	v.say(message{Kind: kindOver, Text: o.Why, Done: done})
}
