package drive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
)

// Session is the connection of a run to its driver, which the ranks of this process share.
type Session struct {
	conn     *connection
	waiting  bool  // the driver waits for the end of steps
	lost     error // the driver has ended
	stopping atomic.Bool

	// What rank 0 has received, and what the ranks put together for it; ranks meet before others use it.
	request  *request
	numbers  []float64
	geometry gridReply
	shares   []*solvers.Snapshot
}

// Open connects to the driver that listens at a unix socket.
func Open(path string) (*Session, error) {
	c, err := dial(path)
	if err != nil {
		return nil, err
	}
	return &Session{conn: c}, nil
}

// Close ends the connection.
func (s *Session) Close() error { return s.conn.Close() }

// Interrupt makes the run stop, as if the driver had asked for it.
func (s *Session) Interrupt() {
	s.stopping.Store(true)
	s.conn.SetReadDeadline(time.Unix(1, 0)) //nolint:errcheck // an error means that the connection has ended
}

// order is what the driver wants next.
type order struct {
	until  float64 // take steps up to this time, the last of which ends there; +Inf for none
	toStep int     // at most up to this number of steps; math.MaxInt for any number
	stop   bool    // save the state, and end
}

// isDone reports whether the steps of an order are taken. There are none before the first order.
func (o *order) isDone(now solvers.Clock) bool {
	return o.toStep == 0 || now.Time >= o.until || now.Steps >= o.toStep
}

// Rank is one rank's share in a session.
type Rank struct {
	*Session
	Comm   dist.Comm
	Solver solvers.Restarter
	End    float64
	Sweeps bool
	Name   string       // of the solver
	Settle func() error // completes output that reads the present state

	order order
	// The same on all ranks, found at the first call of Next.
	about  *about
	counts map[string]int64 // entities of each grid, whose keys are 0 to the number minus 1
	dense  []int64          // of each field that its solver has: those of its space if the keys are such; else 0
}

// Limit returns the time and the number of further steps to which the present order limits steps.
func (r *Rank) Limit(until float64, steps int) (float64, int) {
	if r == nil {
		return until, steps
	}
	if r.order.toStep != math.MaxInt {
		steps = min(steps, r.order.toStep-r.Solver.Clock().Steps)
	}
	return min(until, r.order.until), steps
}

// Await returns, between two steps, if steps of the present order are left. Otherwise it carries out the requests of
// the driver until it orders steps or the end: then stop is true. All ranks call it, with the same arguments. ended
// says that the run has reached its end. Without a driver Await does nothing.
func (r *Rank) Await(ctx context.Context, now solvers.Clock, ended bool) (stop bool, err error) {
	if r == nil || !ended && !r.order.isDone(now) {
		return false, nil
	}
	if err := r.survey(ctx); err != nil {
		return false, err
	}
	r.order, err = r.next(ctx, now, ended)
	return r.order.stop, err
}

// next carries out requests until the driver orders steps or the end.
func (r *Rank) next(ctx context.Context, now solvers.Clock, ended bool) (order, error) {
	clock := Clock{Time: now.Time, Steps: now.Steps, Dt: now.Dt, Ended: ended}
	first := r.Comm.Rank() == 0
	if first && r.waiting {
		r.waiting = false
		r.lost = r.conn.send(reply{Clock: &clock}, nil)
	}
	for {
		if first {
			r.Session.request = r.receive(clock)
		}
		if err := r.Comm.Barrier(ctx); err != nil {
			return order{}, err
		}
		q := r.Session.request
		switch q.Do {
		case "stop":
			return order{stop: true}, r.Comm.Barrier(ctx)
		case "advance":
			o := order{until: math.Inf(1), toStep: math.MaxInt}
			if q.Until != nil {
				o.until = *q.Until
			}
			if q.Steps > 0 {
				o.toStep = now.Steps + q.Steps
			}
			if first {
				r.waiting = true
			}
			return o, r.Comm.Barrier(ctx)
		}
		if err := r.carryOut(ctx, q, clock); err != nil {
			return order{}, err
		}
		if err := r.Comm.Barrier(ctx); err != nil { // others may still read the request
			return order{}, err
		}
	}
}

// receive returns the next request that all ranks carry out: it answers others itself.
func (r *Rank) receive(clock Clock) *request {
	for r.lost == nil && !r.stopping.Load() {
		q, err := r.conn.receive(func(q *request) int64 {
			if v := r.find(q.Name); v != nil {
				return 8 * r.counts[v.Grid]
			}
			return 0
		})
		if err != nil {
			r.lost = err
			break
		}
		refused := r.check(q, clock)
		if refused == nil && q.Do != "describe" {
			return q
		}
		answer := reply{Clock: &clock, about: r.about}
		if refused != nil {
			answer = reply{Error: refused.Error()}
		}
		r.lost = r.conn.send(answer, nil)
	}
	return &request{Do: "stop"} // with the state saved, since the driver may not have wanted to end
}

// Lost returns why the connection ended before the driver has stopped the run; nil if it has.
func (s *Session) Lost() error {
	if s.lost == nil || errors.Is(s.lost, io.EOF) && !s.waiting {
		return nil
	}
	return s.lost
}

// find returns the variable of a name; nil if there is none.
func (r *Rank) find(name string) *variable {
	i := slices.IndexFunc(r.about.Variables, func(v variable) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &r.about.Variables[i]
}

// check returns why a request is refused.
func (r *Rank) check(q *request, now Clock) error {
	switch q.Do {
	case "describe", "stop":
		return nil
	case "advance":
		switch {
		case now.Ended:
			return fmt.Errorf("the run has reached its end at %g", now.Time)
		case q.Until != nil && !(*q.Until > now.Time):
			return fmt.Errorf("the time is %g already: cannot advance to %g", now.Time, *q.Until)
		case q.Until != nil && *q.Until > r.End:
			return fmt.Errorf("the run ends at %g: cannot advance to %g", r.End, *q.Until)
		case q.Until == nil && q.Steps < 1:
			return fmt.Errorf("advance by %d steps", q.Steps)
		}
		return nil
	case "grid":
		if r.counts[q.Name] == 0 || q.Name == scalar {
			return fmt.Errorf("there is no grid %q", q.Name)
		}
		return nil
	case "get", "set":
		v := r.find(q.Name)
		if v == nil {
			return fmt.Errorf("there is no variable %q", q.Name)
		}
		if q.Do == "get" {
			return nil
		}
		return r.checkValues(v, q, now)
	}
	return fmt.Errorf("there is no request %q", q.Do)
}

// checkValues returns why a variable cannot be set.
func (r *Rank) checkValues(v *variable, q *request, now Clock) error {
	switch {
	case now.Ended:
		return fmt.Errorf("the run has reached its end: %q cannot be set any more", v.Name)
	case !v.Settable:
		return fmt.Errorf("%q cannot be set: it follows from the state", v.Name)
	case q.Bytes != 8*r.counts[v.Grid]:
		return fmt.Errorf("%q has %d numbers, not %d", v.Name, r.counts[v.Grid], q.Bytes/8)
	}
	for i, x := range q.values {
		if math.IsNaN(x) || math.IsInf(x, 0) || x < v.least || x > v.most {
			if v.input != nil {
				return fmt.Errorf("%q is %g: the case allows %g to %g", v.Name, x, v.least, v.most)
			}
			return fmt.Errorf("%q of %s %d is %g", v.Name, v.Grid, i, x)
		}
	}
	return nil
}
