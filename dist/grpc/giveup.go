package grpc

import (
	"time"

	"github.com/atoll-hpc/atoll/proto"
)

// question asks all ranks how many collectives they have entered, after one has given up a collective.
type question struct {
	from    *rankState
	text    string
	waiting map[*rankState]bool // for their answers
}

// answerTimeout is how long the coordinator waits for the answers: a rank that does not answer is named too.
const answerTimeout = 200 * time.Millisecond

// giveUp ends the run because a rank has given up waiting for others. If it was in a collective, the verdict names a
// rank that has not entered it. The caller holds the lock.
func (c *coordinator) giveUp(state *rankState, text string) {
	if c.verdict != nil || c.asked != nil {
		return
	}
	if state.entered == 0 || c.joined < c.size {
		c.decide(faultVerdict(uint32(state.rank), text))
		return
	}
	c.asked = &question{from: state, text: text, waiting: map[*rankState]bool{}}
	for _, o := range c.ranks {
		if o != state && !o.left {
			c.asked.waiting[o] = true
			o.out <- &proto.FromCoordinator{Kind: &proto.FromCoordinator_Beat{Beat: &proto.Beat{Ask: true}}}
		}
	}
	c.tasks.Go(func() {
		select {
		case <-time.After(answerTimeout):
			c.mu.Lock()
			c.decideGivenUp()
			c.mu.Unlock()
		case <-c.over:
		}
	})
	c.answered(state)
}

// answered records that a rank has told how many collectives it has entered. The caller holds the lock.
func (c *coordinator) answered(state *rankState) {
	if c.asked == nil || c.verdict != nil {
		return
	}
	if delete(c.asked.waiting, state); len(c.asked.waiting) == 0 {
		c.decideGivenUp()
	}
}

// decideGivenUp ends the run after the answers. The caller holds the lock.
func (c *coordinator) decideGivenUp() {
	v := faultVerdict(uint32(c.asked.from.rank), c.asked.text)
	for _, o := range c.ranks {
		if o.entered < c.asked.from.entered {
			v.WaitingFor = int32(o.rank)
			break
		}
	}
	c.decide(v)
}
