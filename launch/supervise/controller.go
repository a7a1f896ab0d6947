package supervise

import (
	"context"
	"time"
)

// Journal keeps what must outlive the launcher, where the run has its output.
type Journal interface {
	// Raise makes the epoch grow by one, durably, and tells after how many steps the state is saved, -1 if it is not.
	Raise(shares []Assignment) (epoch uint64, saved int, err error)
	// TakeRequest returns what was asked for since, if anything was.
	TakeRequest() (ResizeRequest, bool)
	// Reply answers it.
	Reply(ResizeReply) error
}

// Config says what Run runs, and where.
type Config struct {
	Limits
	Journal Journal
	Local   LocalMember // the place of this process
	Server  *Server     // through which other places come, nil for none
	Command Command     // what workers do
	Log     func(text string)

	Trace func(Event, []Action) // hears all that happens, nil for nobody
}

// Command returns the arguments of the workers of an epoch. first is set in that in which the command began.
type Command func(first bool) []string

// pollInterval is how often the journal is looked at for what is asked for.
const pollInterval = 200 * time.Millisecond

// member is a place as the conductor sees it. Its methods do not block; what comes of them are events.
type member interface {
	start(s StartWorkers, args []string)
	endWorkers(e EndWorkers)
	runOver(o Outcome)
}

// controller carries out what its machine decides.
type controller struct {
	Config
	machine *StateMachine
	events  chan Event
	closed  chan struct{} // closed when nobody takes events any more
	members map[string]member
	outcome *Outcome
}

// connected is that a place has come; it comes before any other event of it.
type connected struct {
	Join
	member member
}

// logged is what a place has to tell whoever watches the run.
type logged string

func (logged) event() {}

// Run takes a run to its end, on this place and on those that come. When ctx ends the run is told to stop.
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
	told := ctx.Done()
	for c.outcome == nil {
		select {
		case e := <-c.events:
			c.handle(e)
		case <-told:
			told = nil
			c.handle(Stop{})
		case <-poll.C:
			if ask, ok := config.Journal.TakeRequest(); ok {
				c.handle(ask)
			}
		}
	}
	for _, s := range c.members {
		s.runOver(*c.outcome)
	}
	return *c.outcome
}

// post brings an event to the conductor.
func (c *controller) post(e Event) {
	select {
	case c.events <- e:
	case <-c.closed:
	}
}

// handle takes an event, and does what follows from it.
func (c *controller) handle(e Event) {
	if j, ok := e.(connected); ok {
		if _, twice := c.members[j.Member]; twice {
			j.member.runOver(Outcome{Reason: "there is a place called " + j.Member})
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
