package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
)

// RemoteSupervisor supervises ranks on this machine, for a launcher on another machine.
type RemoteSupervisor struct {
	Dial  func(ctx context.Context) (net.Conn, error) // connects to the launcher by a secure connection
	Local LocalMember
	Args  []string // added to the arguments of workers
	Token string   // the run's token, which this supervisor and the launcher prove to each other that they have
	// Arguments returns, of the arguments that the launcher wants for a worker, those that this program knows and accepts
	// from another machine, or an error.
	Arguments    func(args []string) ([]string, error)
	Build        string // identifies this program; the launcher's must be equal
	SilenceLimit time.Duration
	MaxOutage    time.Duration // how long Join dials a launcher that does not answer
	UntilDone    bool          // a launcher that stops before the run is done will be replaced: Join dials the next one
	// Done asks whether the run is done, in case the launcher ended before it could tell this supervisor; nil if that
	// cannot be known.
	Done func() bool
	Log  func(text string)
}

// RefusedError: the launcher has refused the supervisor.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string {
	return "the launcher has refused this supervisor: " + e.Reason
}

// LauncherLostError: no launcher was reached for MaxOutage.
type LauncherLostError struct {
	MaxOutage time.Duration
	Err       error
}

func (e *LauncherLostError) Error() string {
	return fmt.Sprintf("no launcher was reached for %v: %v", e.MaxOutage, e.Err)
}
func (e *LauncherLostError) Unwrap() error { return e.Err }

const (
	minRedialPause = 100 * time.Millisecond
	maxRedialPause = 2 * time.Second
)

// Join is a member of the run until the run is over. When the connection to the launcher breaks, Join kills its workers
// and dials until that launcher or its successor answers. When ctx ends, the member announces that it leaves, and Join
// returns when its workers have saved their state.
func (v *RemoteSupervisor) Join(ctx context.Context) error {
	lost, logged := time.Now(), time.Now()
	pause := minRedialPause
	accepted, explained := false, false // a launcher has accepted this supervisor; a failed handshake was explained
	for {
		if v.Done != nil && v.Done() {
			return nil
		}
		state := sessionGreeting
		conn, err := v.dial(ctx)
		if err == nil {
			state, err = v.serve(ctx, conn)
			_ = conn.Close() // it is closed already, unless the handshake failed
			if state == sessionOver || errors.As(err, new(*RefusedError)) || ctx.Err() != nil ||
				!accepted && errors.As(err, new(*UnknownLauncherError)) {
				return err
			}
		}
		accepted = accepted || state != sessionGreeting
		if state != sessionGreeting {
			v.Log(fmt.Sprintf("lost the connection to the launcher: %v; killed its ranks on this machine; dialling again",
				err))
			lost, logged, pause = time.Now(), time.Now(), minRedialPause
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		why := certs.Explain(err)
		if time.Since(lost) > v.MaxOutage {
			return &LauncherLostError{v.MaxOutage, errors.New(why)}
		}
		atOnce := !explained && (why != err.Error() || errors.As(err, new(*UnknownLauncherError)))
		if time.Since(logged) > waitReportInterval || atOnce {
			logged, explained = time.Now(), explained || atOnce
			v.Log(fmt.Sprintf("waiting for the launcher: %s (%v so far)", why, time.Since(lost).Round(time.Second)))
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
			pause = min(2*pause, maxRedialPause)
		}
	}
}

func (v *RemoteSupervisor) dial(ctx context.Context) (net.Conn, error) {
	ctx, stop := context.WithTimeout(ctx, v.SilenceLimit)
	defer stop()
	return v.Dial(ctx)
}

// sessionState is the state of a session. If the connection breaks in sessionGreeting, the launcher has not accepted
// this supervisor yet.
//
//	from             to              when
//	sessionGreeting  sessionWorking  the launcher sends welcome
//	sessionGreeting  sessionLeaving  ctx ends while workers run
//	sessionWorking   sessionLeaving  ctx ends while workers run
//	any              sessionOver     the launcher sends over, or ctx has ended and no worker runs
type sessionState uint8

const (
	sessionGreeting sessionState = iota // the launcher has proved nothing, or has not sent welcome: nothing is obeyed
	sessionWorking                      // the launcher may start workers
	sessionLeaving                      // the member has announced that it leaves; its workers are ending
	sessionOver
)

// session is one connection to the launcher.
type session struct {
	*RemoteSupervisor
	conn     *messageConn
	member   *localMember
	state    sessionState
	epochs   int           // number of epochs with running workers
	ended    chan struct{} // receives when all workers of an epoch have ended
	received <-chan message
	failed   <-chan error
}

// serve runs one session. When it returns, all workers have ended.
func (v *RemoteSupervisor) serve(ctx context.Context, conn net.Conn) (sessionState, error) {
	s := &session{RemoteSupervisor: v, conn: newMessageConn(conn, conn, v.SilenceLimit), ended: make(chan struct{}, 1)}
	defer s.conn.close()
	s.member = newLocalMember(v.Local, s.forward)
	defer func() {
		s.member.kill()
		for ; s.epochs > 0; s.epochs-- {
			<-s.ended
		}
		s.member.close()
	}()
	stop := context.AfterFunc(ctx, s.conn.close)
	err := s.conn.greet(hello{Name: v.Local.Name, Slots: v.Local.Slots, Rendezvous: s.member.reserveRendezvous(),
		Ordinal: v.Local.Ordinal, Build: v.Build}, v.Token)
	stop()
	if err == nil {
		s.conn.start()
		s.received, s.failed = v.receive(s.conn)
		err = s.run(ctx)
	}
	return s.state, err
}

// forward sends the events of the workers to the launcher.
func (s *session) forward(e Event) {
	switch e := e.(type) {
	case Exited:
		s.conn.send(message{Kind: kindExited, Epoch: e.Epoch, Exit: &e.Exit})
	case AllExited:
		s.conn.send(message{Kind: kindEnded, Epoch: e.Epoch, Rendezvous: e.Rendezvous})
		s.ended <- struct{}{}
	case logged:
		s.Log(string(e))
	}
}

// run handles messages and events until the session is over, or fails.
func (s *session) run(ctx context.Context) error {
	stop := ctx.Done()
	for s.state != sessionOver {
		select {
		case m := <-s.received:
			if err := s.handle(m); err != nil {
				return err
			}
		case err := <-s.failed:
			return err
		case <-s.ended:
			if s.epochs--; s.state == sessionLeaving {
				s.leave()
			}
		case <-stop:
			stop = nil
			if s.epochs == 0 { // no workers to wait for
				s.leave()
				continue
			}
			s.state = sessionLeaving
			s.conn.send(message{Kind: kindSlots}) // Slots is 0
		}
	}
	return nil
}

// handle handles a message of the launcher.
func (s *session) handle(m message) error {
	switch {
	case m.Kind == kindWelcome:
		if s.state == sessionGreeting {
			s.state = sessionWorking
		}
		s.member.Workers.Dir = m.Dir
		s.member.Workers.Env = s.workerEnv(cmp.Or(s.Token, m.Token))
	case m.Kind == kindRefused:
		return &RefusedError{m.Text}
	case m.Kind == kindOver:
		s.member.runEnded(Outcome{Stopped: m.Text == ""}) // without a reason: stopped, or done
		if s.UntilDone && !m.Done {
			return errors.New("the launcher has stopped")
		}
		s.state = sessionOver
	case m.Kind == kindStart && m.Start != nil && s.state != sessionGreeting:
		args, err := s.Arguments(m.Args)
		if err != nil {
			return fmt.Errorf("the launcher wants a worker that this supervisor does not start: %w", err)
		}
		s.epochs++
		s.member.start(*m.Start, slices.Concat(args, s.Args))
	case m.Kind == kindEnd && m.End != nil && s.state != sessionGreeting:
		s.member.endWorkers(*m.End)
	default:
		return fmt.Errorf("unexpected message %q from the launcher", m.Kind)
	}
	return nil
}

// leave announces that the member leaves, and waits until the launcher has received all messages: it then closes the
// connection.
func (s *session) leave() {
	s.state = sessionOver
	s.conn.send(message{Kind: kindSlots, Last: true})
	timeout := time.After(s.SilenceLimit)
	for {
		select {
		case <-s.received:
		case <-s.failed:
			return
		case <-timeout:
			return
		}
	}
}

// workerEnv returns the environment of workers: that of this process and the token, and nothing else from the launcher.
func (v *RemoteSupervisor) workerEnv(token string) []string {
	env := v.Local.Workers.Env
	if env == nil {
		env = os.Environ()
	}
	return append(slices.Clone(env), EnvToken+"="+token)
}

// receive starts to receive messages, and returns channels for the messages and for the error that ends them.
func (v *RemoteSupervisor) receive(w *messageConn) (<-chan message, <-chan error) {
	received, failed := make(chan message), make(chan error, 1)
	go func() {
		for {
			m, err := w.receive()
			if err != nil {
				failed <- err
				return
			}
			select {
			case received <- m:
			case <-w.closed:
				return
			}
		}
	}()
	return received, failed
}
