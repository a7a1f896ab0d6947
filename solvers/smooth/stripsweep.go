package smooth

import (
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// strips is a loop over strips, which moves the vertices of each strip set after set.
type strips struct {
	ranges [][]layout.Range // by strip and set
	loops  []backend.Loop   // by set
}

func (s *strips) Range(lo, hi int) {
	for _, sets := range s.ranges[lo:hi] {
		for set, r := range sets {
			if r.Lo < r.Hi {
				s.loops[set].Range(int(r.Lo), int(r.Hi))
			}
		}
	}
}

// Grain makes a thread take one strip at a time.
func (s *strips) Grain() int { return 1 }

// insertStrips inserts a loop over all strips before the others of the first set. unsent are the loops of each set over
// vertices that no other rank needs; afterwards they cover only vertices that are not inner vertices of strips.
func insertStrips(p *layout.Subdomain, unsent [][]engine.Task) {
	inner := &strips{ranges: p.Strips, loops: make([]backend.Loop, p.Sets)}
	for set, outer := range p.AfterStrips {
		if outer > p.Unsent[set].Lo {
			inner.loops[set] = unsent[set][0].Loop
			unsent[set][0].Lo = int(outer)
		}
	}
	unsent[0] = slices.Insert(unsent[0], 0, engine.Whole(inner, len(p.Strips)))
}

// usesStrips reports whether a device should use strips: one that runs loops on processors with caches, with at least
// four strips per thread, for load balance.
func usesStrips(dev backend.Device, p *layout.Subdomain) bool {
	_, separate := dev.(backend.Memory)
	return !separate && len(p.Strips) > 1 && (dev.Threads() == 1 || len(p.Strips) >= 4*dev.Threads())
}
