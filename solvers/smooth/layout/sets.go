package layout

import (
	"runtime"
	"slices"

	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
)

// divide says which vertices that move do so at the same time. Sets of boundary vertices follow the others if they are
// to be dedicated.
func (l *Layout) divide() error {
	class := l.conflictClasses(l.Class)
	colour, err := colouring.Colour(l.options.Colouring, l.rings, class, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	if err := colouring.Check(l.rings, class, colour); err != nil {
		return err
	}
	l.set, l.sets = successive(class, colour, coloursOf(class, colour))
	return nil
}

// conflictClasses are the classes within which colours must differ: one for all that move, unless sets are to be
// dedicated.
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
