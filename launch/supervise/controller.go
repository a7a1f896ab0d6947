package supervise

import (
	"context"
	"time"
)

// Journal keeps what must outlive the launcher, in the folder of the run.
type Journal interface {
	// Raise increments the epoch, durably, and returns the step of the latest checkpoint, -1 without one.
	Raise(assignments []Assignment) (epoch uint64, saved int, err error)
	// TakeRequest returns a request that was made since the last call, if there is one.
	TakeRequest() (ResizeRequest, bool)
	// Reply answers it.
	Reply(ResizeReply) error
}

// Config says what Run starts, and where.
type Config struct {
	Limits
	Journal Journal
	Local   LocalMember // the member that this process is
	Server  *Server     // by which other members join, nil for none
	Command Command     // arguments of the workers
	Log     func(text string)

	Trace func(Event, []Action) // is called with each event and its actions; nil for none
}

// Command returns the arguments of the workers of an epoch. first is set in the first epoch of this launcher's command.
type Command func(first bool) []string

// pollInterval is how often the journal is polled for requests.
const pollInterval = 200 * time.Millisecond

// member is a member as the controller sees it. Its methods do not block; their results are events.
type member interface {
	start(s StartWorkers, args []string)
	endWorkers(e EndWorkers)
	runEnded(o Outcome)
}

// controller passes events to the state machine, and carries its actions out.
type controller struct {
	Config
	machine *StateMachine
	events  chan Event
	closed  chan struct{} // closed when no more events are handled
	members map[string]member
	outcome *Outcome
}

// connected: a member has joined. It precedes all other events of that member.
type connected struct {
	Join
	member member
}

// logged is a line for the log that comes from a member.
type logged string

func (logged) event() {}

// Run takes a run to its end, on this member and on those that join. When ctx ends the run is told to stop.
func Run(ctx context.Context, config Config) Outcome {
	c := &controller{Config: config, machine: NewStateMachine(config.Limits), events: make(chan Event, 64),
		closed: make(chan struct{}), members: map[string]member{}}
	here := newLocalMember(config.Local, c.post)
	defer here.close()
	if config.Server != nil {
		config.Server.start(c.post)
		defer config.Server.close()
	}
	defer close(c.closed)
	c.handle(connected{here.join(), here})
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	stop := ctx.Done()
	for c.outcome == nil {
		select {
		case e := <-c.events:
			c.handle(e)
		case <-stop:
			stop = nil
			c.handle(Stop{})
		case <-poll.C:
			if ask, ok := config.Journal.TakeRequest(); ok {
				c.handle(ask)
			}
		}
	}
	for _, s := range c.members {
		s.runEnded(*c.outcome)
	}
	return *c.outcome
}

// post queues an event for the controller.
func (c *controller) post(e Event) {
	select {
	case c.events <- e:
	case <-c.closed:
	}
}

// handle passes an event to the state machine, and carries out the actions that follow.
func (c *controller) handle(e Event) {
	if j, ok := e.(connected); ok {
		if _, twice := c.members[j.Member]; twice {
			j.member.runEnded(Outcome{Reason: "there is already a member named " + j.Member})
			return
		}
		c.members[j.Member] = j.member
		e = j.Join
	}
	switch e := e.(type) {
	case logged:
		c.Log(string(e))
		return
	case Leave:
		delete(c.members, e.Member)
	}
	actions := c.machine.Step(e)
	if c.Trace != nil {
		c.Trace(e, actions)
	}
	for _, a := range actions {
		c.execute(a)
	}
}

func (c *controller) execute(a Action) {
	switch a := a.(type) {
	case RaiseEpoch:
		epoch, saved, err := c.Journal.Raise(a.Assignments)
		c.handle(EpochRaised{epoch, saved, err})
	case StartWorkers:
		c.members[a.Member].start(a, c.Command(a.Epoch == a.FirstEpoch))
	case EndWorkers:
		c.members[a.Member].endWorkers(a)
	case SetTimer:
		time.AfterFunc(a.After, func() { c.post(TimerFired{a.ID}) })
	case LogLine:
		c.Log(a.Text)
	case ResizeReply:
		if err := c.Journal.Reply(a); err != nil {
			c.Log(err.Error())
		}
	case Finish:
		c.outcome = &a.Outcome
	}
}
