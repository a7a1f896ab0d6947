// Package colouring divides the vertices of a mesh into sets without edges between their vertices. A colouring
// depends only on the ids of vertices, not on goroutines or ranks: Colour works on a whole mesh, OverRanks on the
// parts of all ranks.
package colouring

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/mesh"
)

// Kind is an algorithm for colouring.
type Kind string

const (
	JonesPlassmann Kind = "jones-plassmann" // priority by degree, then by a hash of the id: about 6 sets
	FirstFit       Kind = "first-fit"       // priority by id, like a serial loop: about 5 sets, but it is less parallel
)

// Kinds are all algorithms.
var Kinds = []Kind{JonesPlassmann, FirstFit}

// MaxColours is the number of bits in a set of colours. One is never used, so that a free one is always found.
const MaxColours = 64

// Colour gives each vertex that moves the lowest colour that no neighbour of higher priority has, by M. T. Jones
// and P. E. Plassmann (SIAM J. Sci. Comput. 14 (1993) 654), and -1 to vertices that do not move. Only neighbours of
// the same class, a number that the caller chooses for vertices that move together, must have different colours; a
// vertex with a negative class does not move. The result depends only on the ids of vertices. At most `threads`
// goroutines work on it, one for every ten thousand vertices.
func Colour(kind Kind, rings *mesh.Rings, class []int8, threads int) ([]int32, error) {
	return colourOn(kind, rings, class, max(1, min(threads, len(class)/10_000)))
}

// colourOn is Colour with a given number of goroutines.
func colourOn(kind Kind, rings *mesh.Rings, class []int8, threads int) ([]int32, error) {
	if kind != JonesPlassmann && kind != FirstFit {
		return nil, fmt.Errorf("colouring %q is not known; choose %s or %s", kind, JonesPlassmann, FirstFit)
	}
	n := len(class)
	c := &colourer{rings: rings, class: class, hashed: kind == JonesPlassmann, colour: make([]int32, n),
		pending: make([]int32, n)}
	each := func(f func(v int32, stack []int32) []int32) {
		var wait sync.WaitGroup
		for t := range threads {
			wait.Go(func() {
				var stack []int32
				for v := n * t / threads; v < n*(t+1)/threads; v++ {
					stack = f(int32(v), stack)
				}
			})
		}
		wait.Wait()
	}
	each(c.countPending)
	each(c.colourFrom)
	if c.exhausted.Load() {
		return nil, errors.New("a vertex has more than 63 neighbours of higher priority: too many for a colouring")
	}
	return c.colour, nil
}

// colourer colours a vertex when its last neighbour of higher priority has a colour. Any goroutine may do it, with
// the same result.
type colourer struct {
	rings     *mesh.Rings
	class     []int8
	hashed    bool
	colour    []int32
	pending   []int32 // number of neighbours of higher priority without a colour; or taken
	exhausted atomic.Bool
}

// taken marks a vertex that was ready at the start, so that it is not coloured twice.
const taken = -1

// precedes reports whether u has a higher priority than v.
func (c *colourer) precedes(u, v int32) bool {
	if !c.hashed {
		return u < v
	}
	du, dv := c.rings.Start[u+1]-c.rings.Start[u], c.rings.Start[v+1]-c.rings.Start[v]
	if du != dv {
		return du > dv
	}
	return cmp.Or(cmp.Compare(Hash(u), Hash(v)), cmp.Compare(u, v)) < 0
}

func (c *colourer) countPending(v int32, stack []int32) []int32 {
	c.colour[v] = -1
	if c.class[v] < 0 {
		return stack
	}
	for _, u := range c.rings.Of(v) {
		if c.class[u] == c.class[v] && c.precedes(u, v) {
			c.pending[v]++
		}
	}
	if c.pending[v] == 0 {
		c.pending[v] = taken
	}
	return stack
}

// colourFrom colours a vertex that was ready at the start, and all that become ready as a result.
func (c *colourer) colourFrom(v int32, stack []int32) []int32 {
	if c.class[v] < 0 || atomic.LoadInt32(&c.pending[v]) != taken {
		return stack
	}
	stack = append(stack[:0], v)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		used := uint64(0)
		for _, u := range c.rings.Of(v) {
			if c.class[u] == c.class[v] && c.precedes(u, v) {
				used |= 1 << c.colour[u]
			}
		}
		c.colour[v] = int32(bits.TrailingZeros64(^used))
		if c.colour[v] >= MaxColours-1 {
			c.exhausted.Store(true)
			return stack
		}
		for _, u := range c.rings.Of(v) {
			if c.class[u] == c.class[v] && c.precedes(v, u) && atomic.AddInt32(&c.pending[u], -1) == 0 {
				stack = append(stack, u)
			}
		}
	}
	return stack
}

// Hash is the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
func Hash(v int32) uint64 {
	z := (uint64(v) + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Check refuses a colouring in which neighbours of one class share a colour, or a moving vertex has none.
func Check(rings *mesh.Rings, class []int8, colour []int32) error {
	for v := range int32(len(class)) {
		if (class[v] >= 0) != (colour[v] >= 0) {
			return fmt.Errorf("vertex %d of class %d has colour %d", v, class[v], colour[v])
		}
		for _, u := range rings.Of(v) {
			if class[u] >= 0 && class[u] == class[v] && colour[u] == colour[v] {
				return fmt.Errorf("vertices %d and %d are neighbours, and both have colour %d", v, u, colour[v])
			}
		}
	}
	return nil
}
