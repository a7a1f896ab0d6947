package supervise

import (
	"context"
	"time"
)

// Journal keeps what must outlive the launcher, where the run has its output.
type Journal interface {
	// Raise makes the epoch grow by one, durably, and tells after how many steps the state is saved, -1 if it is not.
	Raise(shares []Share) (epoch uint64, saved int, err error)
	// Asked returns what was asked for since, if anything was.
	Asked() (Ask, bool)
	// Answer answers it.
	Answer(Answer) error
}

// Config says what Run runs, and where.
type Config struct {
	Limits
	Journal Journal
	Here    Host    // the place of this process
	Doors   *Doors  // through which other places come, nil for none
	Command Command // what workers do
	Tell    func(text string)

	Schedule func(Event, []Action) // hears all that happens, nil for nobody
}

// Command returns the arguments of the workers of an epoch. first is set in that in which the command began.
type Command func(first bool) []string

// asking is how often the journal is looked at for what is asked for.
const asking = 200 * time.Millisecond

// site is a place as the conductor sees it. Its methods do not block; what comes of them are events.
type site interface {
	start(s Start, args []string)
	end(e End)
	finish(o Outcome)
}

// conductor carries out what its machine decides.
type conductor struct {
	Config
	machine *Machine
	events  chan Event
	over    chan struct{} // closed when nobody takes events any more
	sites   map[string]site
	outcome *Outcome
}

// joined is that a place has come; it comes before any other event of it.
type joined struct {
	Join
	site site
}

// told is what a place has to tell whoever watches the run.
type told string

func (told) event() {}

// Run takes a run to its end, on this place and on those that come. When ctx ends the run is told to stop.
func Run(ctx context.Context, config Config) Outcome {
	c := &conductor{Config: config, machine: NewMachine(config.Limits), events: make(chan Event, 64),
		over: make(chan struct{}), sites: map[string]site{}}
	here := newHere(config.Here, c.send)
	defer here.close()
	if config.Doors != nil {
		config.Doors.open(c.send)
		defer config.Doors.close()
	}
	defer close(c.over)
	c.take(joined{here.join(), here})
	poll := time.NewTicker(asking)
	defer poll.Stop()
	told := ctx.Done()
	for c.outcome == nil {
		select {
		case e := <-c.events:
			c.take(e)
		case <-told:
			told = nil
			c.take(Stop{})
		case <-poll.C:
			if ask, ok := config.Journal.Asked(); ok {
				c.take(ask)
			}
		}
	}
	for _, s := range c.sites {
		s.finish(*c.outcome)
	}
	return *c.outcome
}

// send brings an event to the conductor.
func (c *conductor) send(e Event) {
	select {
	case c.events <- e:
	case <-c.over:
	}
}

// take takes an event, and does what follows from it.
func (c *conductor) take(e Event) {
	if j, ok := e.(joined); ok {
		if _, twice := c.sites[j.Place]; twice {
			j.site.finish(Outcome{Why: "there is a place called " + j.Place})
			return
		}
		c.sites[j.Place] = j.site
		e = j.Join
	}
	switch e := e.(type) {
	case told:
		c.Tell(string(e))
		return
	case Leave:
		delete(c.sites, e.Place)
	}
	actions := c.machine.Step(e)
	if c.Schedule != nil {
		c.Schedule(e, actions)
	}
	for _, a := range actions {
		c.carryOut(a)
	}
}

func (c *conductor) carryOut(a Action) {
	switch a := a.(type) {
	case Raise:
		epoch, saved, err := c.Journal.Raise(a.Shares)
		c.take(Raised{epoch, saved, err})
	case Start:
		c.sites[a.Place].start(a, c.Command(a.Epoch == a.Began))
	case End:
		c.sites[a.Place].end(a)
	case Wake:
		time.AfterFunc(a.After, func() { c.send(Woken{a.ID}) })
	case Tell:
		c.Tell(a.Text)
	case Answer:
		if err := c.Journal.Answer(a); err != nil {
			c.Tell(err.Error())
		}
	case Finish:
		c.outcome = &a.Outcome
	}
}
