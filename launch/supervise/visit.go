package supervise

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"
)

// Visit says how a supervisor takes part in a run that is launched elsewhere.
type Visit struct {
	Dial    func(ctx context.Context) (net.Conn, error) // the launcher, secured
	Host    Host
	Args    []string // added to those of workers
	Token   string   // of the run
	Build   string   // of this program
	Silence time.Duration
	Wait    time.Duration // how long the launcher may be away
	Stay    bool          // until the run is done: after a launcher that stops, another one comes
	Done    func() bool   // tells that the run is, where no launcher may be left to say so; nil for nobody
	Tell    func(text string)
}

// RefusedError tells that the launcher has turned the supervisor away.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string {
	return "the launcher has turned this supervisor away: " + e.Why
}

// AwayError tells that no launcher was found for too long.
type AwayError struct {
	Wait time.Duration
	Err  error
}

func (e *AwayError) Error() string { return fmt.Sprintf("no launcher for %v: %v", e.Wait, e.Err) }
func (e *AwayError) Unwrap() error { return e.Err }

// Join takes part until the run is over. When the launcher is lost its workers are killed, and it is called again and
// again: the next launcher of the run goes on with the places that come. When ctx ends the place asks to go, and does
// when its workers have saved their state.
func (v *Visit) Join(ctx context.Context) error {
	lost, told := time.Now(), time.Now()
	pause := 100 * time.Millisecond
	for {
		if v.Done != nil && v.Done() {
			return nil
		}
		conn, err := v.dial(ctx)
		if err == nil {
			var over bool
			over, err = v.stay(ctx, conn)
			var refused *RefusedError
			if over || errors.As(err, &refused) || ctx.Err() != nil {
				return err
			}
			v.Tell(fmt.Sprintf("the launcher is lost: %v; its ranks here are killed, and it is called again", err))
			lost, told, pause = time.Now(), time.Now(), 100*time.Millisecond
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if time.Since(lost) > v.Wait {
			return &AwayError{v.Wait, err}
		}
		if time.Since(told) > lookAgain {
			told = time.Now()
			v.Tell(fmt.Sprintf("waits for the launcher: %v (%v so far)", err, time.Since(lost).Round(time.Second)))
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
			pause = min(2*pause, 2*time.Second)
		}
	}
}

func (v *Visit) dial(ctx context.Context) (net.Conn, error) {
	ctx, stop := context.WithTimeout(ctx, v.Silence)
	defer stop()
	return v.Dial(ctx)
}

// stay takes part over one connection. No worker is left when it returns.
func (v *Visit) stay(ctx context.Context, conn net.Conn) (over bool, err error) {
	w := newWire(conn, v.Silence)
	defer w.close()
	idle := make(chan struct{}, 1)
	running := 0
	h := newHere(v.Host, func(e Event) {
		switch e := e.(type) {
		case Exited:
			w.say(message{Kind: kindExited, Epoch: e.Epoch, Exit: &e.Exit})
		case Ended:
			w.say(message{Kind: kindEnded, Epoch: e.Epoch, Meet: e.Meet})
			idle <- struct{}{}
		case told:
			v.Tell(string(e))
		}
	})
	defer func() {
		h.kill()
		for ; running > 0; running-- {
			<-idle
		}
		h.close()
	}()
	w.say(message{Kind: kindHello, Hello: &hello{v.Host.Name, v.Host.Slots, h.meet(), v.Host.Order, v.Build, v.Token}})
	heard, failed := v.listen(w)
	leaving := ctx.Done()
	for {
		select {
		case m := <-heard:
			switch {
			case m.Kind == kindWelcome:
				h.Workers.Dir = m.Dir
				h.Workers.Env = append(v.environment(), m.Env...)
			case m.Kind == kindRefused:
				return false, &RefusedError{m.Text}
			case m.Kind == kindOver:
				h.finish(Outcome{Stopped: m.Text == ""})
				if v.Stay && !m.Done {
					return false, errors.New("it has stopped")
				}
				return true, nil
			case m.Kind == kindStart && m.Start != nil && len(m.Args) > 0 && m.Args[0] == "run":
				running++
				h.start(*m.Start, slices.Concat(m.Args, v.Args))
			case m.Kind == kindEnd && m.End != nil:
				h.end(*m.End)
			default:
				return false, fmt.Errorf("the launcher says %q, which has no meaning", m.Kind)
			}
		case err := <-failed:
			return false, err
		case <-idle:
			if running--; leaving == nil {
				return true, nil
			}
		case <-leaving:
			if running == 0 {
				return true, nil
			}
			leaving = nil
			w.say(message{Kind: kindSlots}) // none from now on
		}
	}
}

// environment is that of workers, but for what the launcher adds.
func (v *Visit) environment() []string {
	if v.Host.Workers.Env == nil {
		return os.Environ()
	}
	return slices.Clone(v.Host.Workers.Env)
}

// listen hears messages until the connection ends.
func (v *Visit) listen(w *wire) (<-chan message, <-chan error) {
	heard, failed := make(chan message), make(chan error, 1)
	go func() {
		for {
			m, err := w.hear()
			if err != nil {
				failed <- err
				return
			}
			select {
			case heard <- m:
			case <-w.closed:
				return
			}
		}
	}()
	return heard, failed
}
