package smooth

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
)

// clusterSize is how many vertices a cluster of TwoLevel has.
const clusterSize = 32

// divide says which vertices that move do so at the same time. Sets of boundary vertices follow the others if they are
// to be apart. The coordinates are those of the mesh.
func (l *Layout) divide(at ...[]float64) error {
	switch l.options.Colouring {
	case TwoLevel:
		return l.divideClusters(at)
	case JonesPlassmann, FirstFit:
	default:
		return fmt.Errorf("colouring %q is not known; choose one of %q", l.options.Colouring, Colourings)
	}
	class := l.rivals(l.class)
	colour, err := Colour(l.options.Colouring, l.rings, class, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	if err := checkColours(l.rings, class, colour); err != nil {
		return err
	}
	l.set, l.sets = successive(class, colour, coloursOf(class, colour))
	l.turn, l.colours = l.set, l.sets
	return nil
}

// rivals are the classes within which colours must differ: one for all that move, unless sets are to be dedicated.
func (l *Layout) rivals(class []int8) []int8 {
	if l.options.Dedicated {
		return class
	}
	class = slices.Clone(class)
	for v := range class {
		class[v] = min(class[v], free)
	}
	return class
}

// coloursOf is how many colours each class has.
func coloursOf(class []int8, colour []int32) (count [2]int32) {
	for v, c := range class {
		if c >= 0 {
			count[c] = max(count[c], colour[v]+1)
		}
	}
	return count
}

// successive numbers the colours of all classes one after the other, and returns how many there are, which is also that
// of vertices without one.
func successive(class []int8, colour []int32, count [2]int32) ([]int32, int) {
	all := count[0] + count[1]
	for v, c := range class {
		switch c {
		case fixed:
			colour[v] = all
		case sliding:
			colour[v] += count[0]
		}
	}
	return colour, int(all)
}

// divideClusters colours clusters of vertices, and then the vertices of each cluster. Clusters of one colour share no
// edge: a set is all of them, of which each moves its vertices by their colours, one after the other; or one of these
// colours, which takes as many sets more.
func (l *Layout) divideClusters(at [][]float64) error {
	members, err := l.gather(at)
	if err != nil {
		return err
	}
	between, class := l.quotient(members)
	class = l.rivals(class)
	colour, err := Colour(JonesPlassmann, between, class, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	if err := checkColours(between, class, colour); err != nil {
		return err
	}
	inner, levels, err := l.within()
	if err != nil {
		return err
	}
	colour, l.colours = successive(class, colour, coloursOf(class, colour))
	l.set, l.sets, l.turn = make([]int32, len(l.class)), l.colours, make([]int32, len(l.class))
	for v, k := range l.cluster {
		if k < 0 {
			l.set[v], l.turn[v] = int32(l.colours), int32(l.colours)*levels
			continue
		}
		l.set[v], l.turn[v] = colour[k], colour[k]*levels+inner[v]
	}
	if l.options.Spread {
		l.set, l.sets = l.turn, l.colours*int(levels)
	}
	if n := l.colours * int(levels); n > 2*maxColours {
		return fmt.Errorf("%d colours of clusters, and %d in each, are more than %d sets: choose colouring %s", l.colours,
			levels, 2*maxColours, JonesPlassmann)
	}
	return nil
}

// gather makes clusters: runs of the vertices inside the mesh, and of those on its boundary, along a Hilbert curve
// through where they are at the start. They are those of the whole mesh, whatever ranks there are. It returns their
// vertices one cluster after the other.
func (l *Layout) gather(at [][]float64) (members [][]int32, err error) {
	order, err := partition.HilbertOrder(at...)
	if err != nil {
		return nil, err
	}
	l.cluster = make([]int32, len(l.class))
	for v := range l.cluster {
		l.cluster[v] = -1
	}
	for _, class := range []int8{free, sliding} {
		run := make([]int32, 0, len(order))
		for _, v := range order {
			if l.class[v] == class {
				run = append(run, v)
			}
		}
		for some := range slices.Chunk(run, clusterSize) {
			for _, v := range some {
				l.cluster[v] = int32(len(members))
			}
			members = append(members, some)
		}
	}
	return members, nil
}

// quotient is the graph of the clusters, of which two are neighbours where vertices are, and their classes.
func (l *Layout) quotient(members [][]int32) (*mesh.Rings, []int8) {
	class := make([]int8, len(members))
	between := &mesh.Rings{Start: make([]int32, len(members)+1)}
	var near []int32
	for k, some := range members {
		class[k] = l.class[some[0]]
		near = near[:0]
		for _, v := range some {
			for _, u := range l.rings.Of(v) {
				if o := l.cluster[u]; o >= 0 && o != int32(k) {
					near = append(near, o)
				}
			}
		}
		slices.Sort(near)
		between.At = append(between.At, slices.Compact(near)...)
		between.Start[k+1] = int32(len(between.At))
	}
	return between, class
}

// within colours the vertices of each cluster, the others left out: by id, each with the least colour that is free. It
// returns how many colours that takes.
func (l *Layout) within() (colour []int32, levels int32, err error) {
	colour = make([]int32, len(l.cluster))
	for v, k := range l.cluster {
		if k < 0 {
			continue
		}
		used := uint64(0)
		for _, u := range l.rings.Of(int32(v)) {
			if int(u) < v && l.cluster[u] == k {
				used |= 1 << colour[u]
			}
		}
		for used>>colour[v]&1 != 0 {
			colour[v]++
		}
		if colour[v] >= maxColours-1 {
			return nil, 0, fmt.Errorf("vertex %d has too many neighbours for a colouring", v)
		}
		levels = max(levels, colour[v]+1)
	}
	return colour, levels, nil
}

// clustered tells that a set holds whole clusters.
func (l *Layout) clustered() bool { return l.cluster != nil && !l.options.Spread }

// wholeClusters gives the vertices of each cluster to the owner of the first of them.
func (l *Layout) wholeClusters(owner []int32) []int32 {
	owner = slices.Clone(owner)
	of := map[int32]int32{}
	for v, k := range l.cluster {
		if k < 0 {
			continue
		}
		first, ok := of[k]
		if !ok {
			first = owner[v]
			of[k] = first
		}
		owner[v] = first
	}
	return owner
}
