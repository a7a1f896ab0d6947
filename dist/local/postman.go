package local

import (
	"container/heap"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// postman delivers messages late. Its goroutine lives while there is something to deliver.
type postman struct {
	world *world
	seed  uint64
	most  time.Duration

	mu      sync.Mutex
	idle    *sync.Cond
	letters letters
	last    map[route]letterbox
	carried []int // letters on the way, by sender
	running bool
}

// route is what messages must not overtake each other on.
type route struct{ from, to, tag int }

type letterbox struct {
	due time.Time // of the last letter
	n   uint64    // letters so far
}

type letter struct {
	due  time.Time
	from int
	op   *pending.Op
	seq  uint64 // keeps the order of letters that are due together
}

func newPostman(w *world, seed uint64, most time.Duration) *postman {
	p := &postman{world: w, seed: seed, most: most, last: map[route]letterbox{}, carried: make([]int, w.size)}
	p.idle = sync.NewCond(&p.mu)
	return p
}

func (p *postman) accept(from int, o *pending.Op) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := route{from, o.Peer, o.Tag}
	box := p.last[key]
	box.n++
	// The delay depends on the message alone, not on what else happens meanwhile.
	rng := rand.New(rand.NewPCG(p.seed^uint64(from)<<32^uint64(o.Peer), uint64(o.Tag)<<32^box.n))
	due := time.Now().Add(time.Duration(rng.Int64N(int64(p.most) + 1)))
	if due.Before(box.due) {
		due = box.due
	}
	box.due = due
	p.last[key] = box
	heap.Push(&p.letters, letter{due, from, o, box.n})
	p.carried[from]++
	if !p.running {
		p.running = true
		go p.run()
	}
}

func (p *postman) run() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.letters) > 0 {
		if wait := time.Until(p.letters[0].due); wait > 0 {
			p.mu.Unlock()
			time.Sleep(wait)
			p.mu.Lock()
			continue
		}
		l := heap.Pop(&p.letters).(letter)
		// The lock is held while the letter is put into its lane, so that withdraw finds it in one of the two places.
		p.world.lane(l.from, l.op.Peer).send(l.op)
		p.carried[l.from]--
		p.idle.Broadcast()
	}
	p.running = false
}

// withdraw takes o back and tells whether it was still on its way.
func (p *postman) withdraw(o *pending.Op) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, l := range p.letters {
		if l.op == o {
			heap.Remove(&p.letters, i)
			p.carried[l.from]--
			p.idle.Broadcast()
			return true
		}
	}
	return false
}

// flush waits until all letters of a rank are delivered, which takes no longer than the greatest delay.
func (p *postman) flush(from int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.carried[from] > 0 {
		p.idle.Wait()
	}
}

type letters []letter

func (l letters) Len() int { return len(l) }
func (l letters) Less(i, j int) bool {
	if !l[i].due.Equal(l[j].due) {
		return l[i].due.Before(l[j].due)
	}
	return l[i].seq < l[j].seq
}
func (l letters) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *letters) Push(x any)   { *l = append(*l, x.(letter)) }
func (l *letters) Pop() any {
	old := *l
	x := old[len(old)-1]
	*l = old[:len(old)-1]
	return x
}
