package local

import (
	"container/heap"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// delayer delivers messages with a random delay. Its goroutine runs while messages are queued.
type delayer struct {
	world    *world
	seed     uint64
	maxDelay time.Duration

	mu        sync.Mutex
	idle      *sync.Cond
	queue     delayQueue
	last      map[route]routeState
	inTransit []int // messages in the queue, by sender
	running   bool
}

// route identifies messages that must not overtake each other.
type route struct{ source, dest, tag int }

type routeState struct {
	due time.Time // of the last message
	n   uint64    // messages so far
}

type delayedMessage struct {
	due    time.Time
	source int
	op     *pending.Op
	seq    uint64 // keeps the order of messages that are due at the same time
}

func newDelayer(w *world, seed uint64, maxDelay time.Duration) *delayer {
	p := &delayer{world: w, seed: seed, maxDelay: maxDelay, last: map[route]routeState{}, inTransit: make([]int, w.size)}
	p.idle = sync.NewCond(&p.mu)
	return p
}

func (p *delayer) accept(source int, o *pending.Op) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := route{source, o.Peer, o.Tag}
	state := p.last[key]
	state.n++
	// The delay depends on the message alone, not on timing.
	rng := rand.New(rand.NewPCG(p.seed^uint64(source)<<32^uint64(o.Peer), uint64(o.Tag)<<32^state.n))
	due := time.Now().Add(time.Duration(rng.Int64N(int64(p.maxDelay) + 1)))
	if due.Before(state.due) {
		due = state.due
	}
	state.due = due
	p.last[key] = state
	heap.Push(&p.queue, delayedMessage{due, source, o, state.n})
	p.inTransit[source]++
	if !p.running {
		p.running = true
		go p.run()
	}
}

func (p *delayer) run() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) > 0 {
		if wait := time.Until(p.queue[0].due); wait > 0 {
			p.mu.Unlock()
			time.Sleep(wait)
			p.mu.Lock()
			continue
		}
		l := heap.Pop(&p.queue).(delayedMessage)
		// The lock is held while the message moves to its lane, so that withdraw finds it in the queue or in the lane.
		p.world.lane(l.source, l.op.Peer).send(l.op)
		p.inTransit[l.source]--
		p.idle.Broadcast()
	}
	p.running = false
}

// withdraw cancels o and reports whether it was still queued.
func (p *delayer) withdraw(o *pending.Op) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, l := range p.queue {
		if l.op == o {
			heap.Remove(&p.queue, i)
			p.inTransit[l.source]--
			p.idle.Broadcast()
			return true
		}
	}
	return false
}

// flush waits until all messages of a rank are delivered, which takes at most maxDelay.
func (p *delayer) flush(source int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.inTransit[source] > 0 {
		p.idle.Wait()
	}
}

type delayQueue []delayedMessage

func (l delayQueue) Len() int { return len(l) }
func (l delayQueue) Less(i, j int) bool {
	if !l[i].due.Equal(l[j].due) {
		return l[i].due.Before(l[j].due)
	}
	return l[i].seq < l[j].seq
}
func (l delayQueue) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *delayQueue) Push(x any)   { *l = append(*l, x.(delayedMessage)) }
func (l *delayQueue) Pop() any {
	old := *l
	x := old[len(old)-1]
	*l = old[:len(old)-1]
	return x
}
