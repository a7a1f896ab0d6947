package smooth

import (
	"slices"

	"github.com/atoll-hpc/atoll/backend"
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

// insertStrips inserts a pass over all strips before the other passes. rest holds the passes of each set over
// vertices that no other rank needs; afterwards they cover only vertices that are not inner vertices of strips.
func insertStrips(p *layout.Subdomain, rest [][]pass) {
	inner := &strips{ranges: p.Strips, loops: make([]backend.Loop, p.Sets)}
	for set, outer := range p.AfterStrips {
		if outer > p.Unsent[set].Lo {
			inner.loops[set] = rest[set][0].loop
			rest[set][0].lo = int(outer)
		}
	}
	rest[0] = slices.Insert(rest[0], 0, pass{0, len(p.Strips), inner})
}

// usesStrips reports whether a device should use strips: one that runs loops on processors with caches, with at least
// four strips per thread, for load balance.
func usesStrips(dev backend.Device, p *layout.Subdomain) bool {
	_, separate := dev.(backend.Memory)
	return !separate && len(p.Strips) > 1 && (dev.Threads() == 1 || len(p.Strips) >= 4*dev.Threads())
}
