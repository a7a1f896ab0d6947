package layout

import (
	"runtime"
	"slices"

	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
)

// assignSets assigns moving vertices to sets by a colouring. Dedicated sets of boundary vertices follow the others.
func (l *Layout) assignSets() error {
	class := l.conflictClasses(l.Class)
	colour, err := colouring.Colour(l.options.Colouring, l.rings, class, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	if err := colouring.Check(l.rings, class, colour); err != nil {
		return err
	}
	l.set, l.sets = numberSets(class, colour, coloursOf(class, colour))
	return nil
}

// conflictClasses returns the classes within which colours must differ: one for all moving vertices, or two for
// dedicated sets.
func (l *Layout) conflictClasses(class []int8) []int8 {
	if l.options.Dedicated {
		return class
	}
	class = slices.Clone(class)
	for v := range class {
		class[v] = min(class[v], free)
	}
	return class
}

// coloursOf returns the number of colours of each class.
func coloursOf(class []int8, colour []int32) (count [2]int32) {
	for v, c := range class {
		if c >= 0 {
			count[c] = max(count[c], colour[v]+1)
		}
	}
	return count
}

// numberSets returns the set of each vertex, and the number of sets: the colours of all classes are numbered
// consecutively. Vertices without a colour get the number of sets.
func numberSets(class []int8, colour []int32, count [2]int32) ([]int32, int) {
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

// SetOf returns the set of each vertex, -1 of those that do not move.
func (l *Layout) SetOf() []int32 {
	set := make([]int32, len(l.set))
	for v, s := range l.set {
		if set[v] = s; int(s) >= l.sets {
			set[v] = -1
		}
	}
	return set
}
