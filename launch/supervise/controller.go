package supervise

import (
	"context"
	"time"
)

// Journal stores, in the run's folder, the state that must outlive the launcher: the epoch and resize requests.
type Journal interface {
	// Raise increments the epoch, durably, and returns the new epoch and the step of the latest checkpoint, -1 without
	// one.
	Raise(assignments []Assignment) (epoch uint64, saved int, err error)
	// TakeRequest returns a request that a user has made since the last call, if there is one.
	TakeRequest() (ResizeRequest, bool)
	// Reply answers the request that TakeRequest returned last.
	Reply(ResizeReply) error
}

// Config configures Run.
type Config struct {
	Limits
	Journal Journal
	Local   LocalMember // the member of this process
	Server  *Server     // accepts other members, nil for none
	Command Command     // returns the arguments of the workers
	Log     func(text string)

	Trace func(Event, []Action) // called with each event and its actions; nil for none
}

// Command returns the arguments of the workers of an epoch. first is true in the first epoch of this launcher process.
type Command func(first bool) []string

// pollInterval is how often the journal is polled for requests.
const pollInterval = 200 * time.Millisecond

// member is a local or remote member. Its methods do not block; their results arrive as events.
type member interface {
	start(s StartWorkers, args []string)
	endWorkers(e EndWorkers)
	runEnded(o Outcome)
}

// controller passes events to the state machine and executes its actions.
type controller struct {
	Config
	machine *StateMachine
	events  chan Event
	closed  chan struct{} // closed when no more events are handled
	members map[string]member
	outcome *Outcome
}

// connected is the first event of a member: it has joined.
type connected struct {
	Join
	member member
}

// logged is a log line from a member.
type logged string

func (logged) event() {}

// Run controls a run until it is over, on the local member and on those that join. When ctx ends, Run stops the run.
func Run(ctx context.Context, config Config) Outcome {
	c := &controller{Config: config, machine: NewStateMachine(config.Limits), events: make(chan Event, 64),
		closed: make(chan struct{}), members: map[string]member{}}
	local := newLocalMember(config.Local, c.post)
	defer local.close()
	if config.Server != nil {
		config.Server.start(c.post)
		defer config.Server.close()
	}
	defer close(c.closed)
	c.handle(connected{local.join(), local})
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
			if request, ok := config.Journal.TakeRequest(); ok {
				c.handle(request)
			}
		}
	}
	for _, m := range c.members {
		m.runEnded(*c.outcome)
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

// handle passes an event to the state machine and executes its actions.
func (c *controller) handle(e Event) {
	if j, ok := e.(connected); ok {
		if _, exists := c.members[j.Member]; exists {
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
