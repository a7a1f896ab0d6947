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

// RemoteSupervisor says how a supervisor takes part in a run that is launched elsewhere.
type RemoteSupervisor struct {
	Dial         func(ctx context.Context) (net.Conn, error) // the launcher, secured
	Local        LocalMember
	Args         []string // added to those of workers
	Token        string   // of the run
	Build        string   // of this program
	SilenceLimit time.Duration
	MaxOutage    time.Duration // how long the launcher may be away
	UntilDone    bool          // until the run is done: after a launcher that stops, another one comes
	Done         func() bool   // tells that the run is, where no launcher may be left to say so; nil for nobody
	Log          func(text string)
}

// RefusedError tells that the launcher has turned the supervisor away.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string {
	return "the launcher has turned this supervisor away: " + e.Reason
}

// LauncherLostError tells that no launcher was found for too long.
type LauncherLostError struct {
	MaxOutage time.Duration
	Err       error
}

func (e *LauncherLostError) Error() string {
	return fmt.Sprintf("no launcher for %v: %v", e.MaxOutage, e.Err)
}
func (e *LauncherLostError) Unwrap() error { return e.Err }

// Join takes part until the run is over. When the launcher is lost its workers are killed, and it is called again and
// again: the next launcher of the run goes on with the places that come. When ctx ends the place asks to go, and does
// when its workers have saved their state.
func (v *RemoteSupervisor) Join(ctx context.Context) error {
	lost, told := time.Now(), time.Now()
	pause := 100 * time.Millisecond
	for {
		if v.Done != nil && v.Done() {
			return nil
		}
		conn, err := v.dial(ctx)
		end := strange
		if err == nil {
			end, err = v.stay(ctx, conn)
			var refused *RefusedError
			if end == over || errors.As(err, &refused) || ctx.Err() != nil {
				return err
			}
		}
		if end == known {
			v.Log(fmt.Sprintf("the launcher is lost: %v; its ranks here are killed, and it is called again", err))
			lost, told, pause = time.Now(), time.Now(), 100*time.Millisecond
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if time.Since(lost) > v.MaxOutage {
			return &LauncherLostError{v.MaxOutage, err}
		}
		if time.Since(told) > waitReportInterval {
			told = time.Now()
			v.Log(fmt.Sprintf("waits for the launcher: %v (%v so far)", err, time.Since(lost).Round(time.Second)))
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
			pause = min(2*pause, 2*time.Second)
		}
	}
}

func (v *RemoteSupervisor) dial(ctx context.Context) (net.Conn, error) {
	ctx, stop := context.WithTimeout(ctx, v.SilenceLimit)
	defer stop()
	return v.Dial(ctx)
}

// ending is how a connection ended.
type ending uint8

const (
	strange ending = iota // whoever answered has not let the supervisor in
	known                 // by the loss of the launcher
	over                  // as it was meant to
)

// stay takes part over one connection. No worker is left when it returns.
func (v *RemoteSupervisor) stay(ctx context.Context, conn net.Conn) (end ending, err error) {
	w := newMessageConn(conn, v.SilenceLimit)
	defer w.close()
	idle := make(chan struct{}, 1)
	running := 0
	h := newLocalMember(v.Local, func(e Event) {
		switch e := e.(type) {
		case Exited:
			w.send(message{Kind: kindExited, Epoch: e.Epoch, Exit: &e.Exit})
		case AllExited:
			w.send(message{Kind: kindEnded, Epoch: e.Epoch, Rendezvous: e.Rendezvous})
			idle <- struct{}{}
		case logged:
			v.Log(string(e))
		}
	})
	defer func() {
		h.kill()
		for ; running > 0; running-- {
			<-idle
		}
		h.close()
	}()
	w.send(message{Kind: kindHello, Hello: &hello{v.Local.Name, v.Local.Slots, h.reserveRendezvous(), v.Local.Ordinal,
		v.Build, v.Token}})
	heard, failed := v.receive(w)
	leaving := ctx.Done()
	for {
		select {
		case m := <-heard:
			switch {
			case m.Kind == kindWelcome:
				end = known
				h.Workers.Dir = m.Dir
				h.Workers.Env = append(v.workerEnv(), m.Env...)
			case m.Kind == kindRefused:
				return end, &RefusedError{m.Text}
			case m.Kind == kindOver:
				h.runOver(Outcome{Stopped: m.Text == ""})
				if v.UntilDone && !m.Done {
					return end, errors.New("it has stopped")
				}
				return over, nil
			case m.Kind == kindStart && m.Start != nil && len(m.Args) > 0 && m.Args[0] == "run":
				running++
				h.start(*m.Start, slices.Concat(m.Args, v.Args))
			case m.Kind == kindEnd && m.End != nil:
				h.endWorkers(*m.End)
			default:
				return end, fmt.Errorf("the launcher says %q, which has no meaning", m.Kind)
			}
		case err := <-failed:
			return end, err
		case <-idle:
			if running--; leaving == nil {
				v.leave(w, heard, failed)
				return over, nil
			}
		case <-leaving:
			if running == 0 { // and the run is not to take it for lost
				v.leave(w, heard, failed)
				return over, nil
			}
			leaving = nil
			w.send(message{Kind: kindSlots}) // none from now on
		}
	}
}

// leave tells the launcher that the place goes, and waits until it has heard that, and all that was said before.
func (v *RemoteSupervisor) leave(w *messageConn, heard <-chan message, failed <-chan error) {
	w.send(message{Kind: kindSlots, Last: true})
	late := time.After(v.SilenceLimit)
	for {
		select {
		case <-heard:
		case <-failed: // it has closed the connection
			return
		case <-late:
			return
		}
	}
}

// workerEnv is that of workers, but for what the launcher adds.
func (v *RemoteSupervisor) workerEnv() []string {
	if v.Local.Workers.Env == nil {
		return os.Environ()
	}
	return slices.Clone(v.Local.Workers.Env)
}

// receive hears messages until the connection ends.
func (v *RemoteSupervisor) receive(w *messageConn) (<-chan message, <-chan error) {
	heard, failed := make(chan message), make(chan error, 1)
	go func() {
		for {
			m, err := w.receive()
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
